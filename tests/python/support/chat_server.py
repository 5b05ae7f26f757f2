"""A local server in place of a language model, with an address as OpenAI's."""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Server(ThreadingHTTPServer):
    """Answers with ``(status, body)`` of a function of the request.

    With a body of None, the connection ends where the body should begin.
    """

    daemon_threads = True
    request_queue_size = 128  # clients may all connect at once

    def __init__(self, answer):
        super().__init__(("127.0.0.1", 0), Handler)
        self.answer, self.seen = answer, []

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/v1"

    @property
    def messages(self):
        """The conversation of each request."""
        return [request["messages"] for _, _, request in self.seen]


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.seen.append((self.path, self.headers.get("Authorization"), request))
        status, body = self.server.answer(request)
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        if body is None:
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            return
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *args):
        pass


@contextmanager
def serving(answer):
    """The server, while it runs."""
    server = Server(answer)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
