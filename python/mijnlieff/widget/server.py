"""The board on a page that only this machine can open.

The server listens on the loopback address only, and refuses requests without the random token in
the address of the page. It also refuses requests whose ``Host`` is not its own, which prevents DNS
rebinding, and requests that come from other pages (``Origin``).
"""

from __future__ import annotations

import asyncio
import hmac
import json
import secrets
import socket
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from mijnlieff._mijnlieff import Position, Tablebase
from mijnlieff._util.extras import needs
from mijnlieff._util.files import parse_json
from mijnlieff.policies.base import Policy
from mijnlieff.widget.art import art
from mijnlieff.widget.static_files import static_file, widget_module
from mijnlieff.widget.table import Table

with needs("the page", "Tornado", "browser"):
    from tornado.httpserver import HTTPServer
    from tornado.ioloop import IOLoop
    from tornado.iostream import IOStream
    from tornado.netutil import bind_sockets
    from tornado.web import Application, HTTPError, RequestHandler
    from tornado.websocket import WebSocketClosedError, WebSocketHandler

__all__ = ["ADDRESS", "Server"]

ADDRESS = "127.0.0.1"
_PAUSE = 0.45
_REST = 0.5  # seconds
_LARGEST_MESSAGE = 64 * 1024
_TYPES = {"html": "text/html", "js": "text/javascript", "css": "text/css"}
_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
    "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",  # the address holds the token
    "X-Content-Type-Options": "nosniff",
}


class Server:
    """A game on a local page; every page that is open shows the same game.

    Args:
        start: the first position.
        opponent: a name for `mijnlieff.load_policy`, or a policy.
        seat: the side of the person, as in `mijnlieff.widget.Table`.
        port: the port to listen on; 0 for any that is free.
        seed: as in `mijnlieff.widget.Table`.
        actions: those that were played from `start` on, and can be taken back.
        tablebase: as in `mijnlieff.widget.Table`.

    Attributes:
        table: the game.
        port: the port.
        token: the secret that the address must contain.

    Raises:
        OSError: the port is taken.
        ValueError: an unknown opponent or seat, or perfect play on a board of more than 16 cells.
    """

    def __init__(
        self,
        start: Position,
        opponent: str | Policy,
        seat: str,
        *,
        port: int = 0,
        seed: int = 0,
        actions: Sequence[int] = (),
        tablebase: Tablebase | None = None,
    ) -> None:
        """Open the port; `run` answers requests."""
        self.table = Table(
            start,
            opponent,
            seat,
            self._publish,
            pause=_PAUSE,
            seed=seed,
            actions=actions,
            tablebase=tablebase,
        )
        self._sockets = bind_sockets(port, ADDRESS)
        self.port: int = self._sockets[0].getsockname()[1]
        self.token = secrets.token_urlsafe(24)
        self.pages: set[_Socket] = set()
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def url(self) -> str:
        """The address of the page."""
        return f"http://{ADDRESS}:{self.port}/{self.token}/"

    def is_own_host(self, host: str) -> bool:
        """Return whether a ``Host`` header names this server; browsers leave out the port 80."""
        ends = (f":{self.port}", "") if self.port == 80 else (f":{self.port}",)
        return host in [f"{name}{end}" for name in (ADDRESS, "localhost") for end in ends]

    async def run(self, ready: Callable[[], None] = lambda: None) -> None:
        """Answer until cancelled.

        Args:
            ready: called once, when the page can be opened.
        """
        self._loop = asyncio.get_running_loop()
        options: dict[str, Any] = {"server": self}
        application = Application(
            [
                (r"/([^/]+)/()", _File, options),
                (r"/([^/]+)/(page\.js|page\.css|widget\.js|widget\.css)", _File, options),
                (r"/([^/]+)/socket", _Socket, options),
            ],
            default_handler_class=_Refused,
            default_handler_args=options,
            websocket_max_message_size=_LARGEST_MESSAGE,
            log_function=lambda handler: None,
        )
        http = HTTPServer(application, max_body_size=0)  # all requests are without one
        listener = _Listener(self._sockets, http)
        try:
            self.table.begin()
            ready()
            await asyncio.Event().wait()
        finally:
            self.table.close()
            listener.close()
            for page in list(self.pages):
                page.close(1001, "the server has ended")
            await http.close_all_connections()

    def message(self) -> str:
        """Return the state that the pages show, as JSON."""
        return json.dumps({"state": self.table.state()})

    def _publish(self) -> None:
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._send)

    def _send(self) -> None:
        message = self.message()
        for page in list(self.pages):
            try:
                page.write_message(message)
            except WebSocketClosedError:
                self.pages.discard(page)


class _Listener:
    """Hands connections to a server, and rests while the system has no descriptors left.

    Tornado's own would try again at once, with a traceback for every failure.
    """

    def __init__(self, sockets: list[socket.socket], server: HTTPServer) -> None:
        self._sockets = set(sockets)
        self._server = server
        self._loop = IOLoop.current()
        for listening in sockets:
            self._listen(listening)

    def close(self) -> None:
        """Take no more connections, and close the sockets."""
        for listening in self._sockets:
            self._loop.remove_handler(listening)
            listening.close()
        self._sockets.clear()

    def _listen(self, listening: socket.socket) -> None:
        if listening in self._sockets:  # not closed meanwhile
            self._loop.add_handler(listening, self._accept, IOLoop.READ)

    def _accept(self, listening: socket.socket, _: int) -> None:
        try:
            connection, address = listening.accept()
        except (BlockingIOError, ConnectionAbortedError):
            return
        except OSError:
            self._loop.remove_handler(listening)
            self._loop.call_later(_REST, self._listen, listening)
            return
        self._server.handle_stream(IOStream(connection), address)


class _Guarded(RequestHandler):
    """Answers only requests of the server's own page."""

    needs_origin: ClassVar[bool] = False

    def initialize(self, server: Server) -> None:
        self.server = server

    def set_default_headers(self) -> None:
        for name, value in _HEADERS.items():
            self.set_header(name, value)
        self.clear_header("Server")

    def prepare(self) -> None:
        token = self.path_args[0] if self.path_args else ""
        origin = self.request.headers.get("Origin")
        if not (
            self.server.is_own_host(self.request.host)
            and hmac.compare_digest(token.encode(), self.server.token.encode())
            and (origin is not None or not self.needs_origin)
            and (origin is None or origin == f"http://{self.request.host}")
        ):
            raise HTTPError(403)

    def write_error(self, status_code: int, **kwargs: Any) -> None:
        self.set_header("Content-Type", "text/plain; charset=utf-8")
        self.finish(f"{status_code}: open the address that `mijnlieff play --browser` printed\n")


class _Refused(_Guarded):
    """Any other address."""

    def prepare(self) -> None:
        raise HTTPError(403)


class _File(_Guarded):
    """The page and its files."""

    def get(self, token: str, name: str) -> None:
        name = name or "page.html"
        self.set_header("Content-Type", f"{_TYPES[name.rpartition('.')[2]]}; charset=utf-8")
        self.finish(widget_module() if name == "widget.js" else static_file(name))


class _Socket(_Guarded, WebSocketHandler):
    """The connection of one page."""

    needs_origin = True

    def check_origin(self, origin: str) -> bool:
        return origin == f"http://{self.request.host}"

    def open(self, *args: str, **kwargs: str) -> None:
        self.write_message(json.dumps({"art": art()}))
        self.write_message(self.server.message())
        self.server.pages.add(self)

    def on_message(self, message: str | bytes) -> None:
        try:
            content = parse_json(message)
        except ValueError:
            content = None
        self.server.table.handle(content)

    def on_close(self) -> None:
        self.server.pages.discard(self)
