"""The server of `mijnlieff play --browser`: whom it answers, and how it starts and ends."""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from mijnlieff import Position

pytest.importorskip("tornado")

from tornado.httpclient import HTTPRequest
from tornado.websocket import websocket_connect

from mijnlieff.widget.server import Server

PATIENCE = 60


@contextmanager
def serving(**options):
    """A server in another thread."""
    server = Server(Position(), options.pop("opponent", "greedy"), "light", **options)
    ready, tasks = threading.Event(), []

    async def run():
        tasks.append((asyncio.get_running_loop(), asyncio.current_task()))
        try:
            await server.run(ready.set)
        except asyncio.CancelledError:
            return

    thread = threading.Thread(target=asyncio.run, args=[run()])
    thread.start()
    try:
        assert ready.wait(PATIENCE)
        yield server
    finally:
        loop, task = tasks[0]
        loop.call_soon_threadsafe(task.cancel)
        thread.join(PATIENCE)
        assert not thread.is_alive()


@pytest.fixture(scope="module")
def server():
    with serving() as running:
        yield running


def get(server, path, headers=None, method="GET"):
    """Status, headers and body of an answer."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=PATIENCE)
    try:
        connection.request(method, path, headers=headers or {})
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()
    finally:
        connection.close()


@pytest.mark.parametrize(
    ("name", "kind", "part"),
    [
        ("", "text/html", "<main"),
        ("page.js", "text/javascript", "WebSocket"),
        ("page.css", "text/css", "main"),
        ("widget.js", "text/javascript", "export default { render }"),
        ("widget.css", "text/css", ".mijnlieff"),
    ],
)
def test_the_page_and_its_files(server, name, kind, part):
    status, headers, body = get(server, f"/{server.token}/{name}")
    assert status == 200 and part in body
    assert headers["Content-Type"] == f"{kind}; charset=utf-8"
    assert headers["Cache-Control"] == "no-store"
    assert headers["Referrer-Policy"] == "no-referrer"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert "http" not in re.sub(r"http://www\.w3\.org/2000/svg", "", body)  # works offline


@pytest.mark.parametrize("name", ["", "widget.js", "socket", "secret.txt", "../server.py"])
@pytest.mark.parametrize("token", ["wrong", "", "{}x", "%00", "t%C3%B6ken"])
def test_a_wrong_token_is_refused(server, name, token):
    status, _, body = get(server, f"/{token.format(server.token)}/{name}")
    assert status == 403
    assert server.token not in body


@pytest.mark.parametrize("body", ["Content-Length: 90000000", "Transfer-Encoding: chunked"])
def test_a_body_is_refused_before_it_is_sent(server, body):
    with socket.create_connection(("127.0.0.1", server.port), timeout=10) as client:
        client.sendall(f"POST /wrong/ HTTP/1.1\r\nHost: x\r\n{body}\r\n\r\n1000\r\n".encode())
        assert client.recv(1024).startswith(b"HTTP/1.1 400 ")
        assert client.recv(1024) == b""


def test_other_addresses_are_refused(server):
    for path in ("/", "/favicon.ico", f"/{server.token}", f"/{server.token}/../server.py"):
        assert get(server, path)[0] == 403
    for method in ("POST", "PUT", "OPTIONS"):
        assert get(server, f"/{server.token}/", method=method)[0] in (403, 405)
        assert get(server, "/wrong/", method=method)[0] == 403


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{}", "127.0.0.1", "127.0.0.1:1", "localhost", "[::1]:{}"]
)
def test_a_wrong_host_is_refused(server, host):
    """A foreign name that was pointed at this machine (DNS rebinding)."""
    headers = {"Host": host.format(server.port)}
    assert get(server, f"/{server.token}/", headers)[0] == 403


def test_both_own_hosts_are_served(server):
    for host in ("127.0.0.1", "localhost"):
        headers = {"Host": f"{host}:{server.port}", "Origin": f"http://{host}:{server.port}"}
        assert get(server, f"/{server.token}/", headers)[0] == 200


def test_browsers_leave_out_the_port_80(server, monkeypatch):
    monkeypatch.setattr(server, "port", 80)
    for host in ("127.0.0.1", "localhost", "127.0.0.1:80", "localhost:80"):
        assert server.is_own_host(host)
    assert not server.is_own_host("evil.example")


ORIGINS = [
    "http://evil.example",
    "null",
    "https://127.0.0.1:{}",
    "http://127.0.0.1:1",
    "http://localhost:{}",
]


@pytest.mark.parametrize("origin", ORIGINS)
def test_a_wrong_origin_is_refused(server, origin):
    headers = {"Origin": origin.format(server.port)}
    assert get(server, f"/{server.token}/", headers)[0] == 403
    assert upgrade(server, server.token, headers) == 403


@pytest.mark.parametrize(
    ("token", "headers"),
    [("wrong", {}), ("right", {"Origin": None}), ("right", {"Host": "evil.example"})],
)
def test_the_socket_is_guarded_too(server, token, headers):
    assert upgrade(server, server.token if token == "right" else token, headers) == 403


def upgrade(server, token, headers):
    """The status that the socket answers a page with these headers."""
    sent = {
        "Connection": "Upgrade",
        "Upgrade": "websocket",
        "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "x3JJHMbDL1EzLkh9GBhXDw==",
        "Origin": f"http://127.0.0.1:{server.port}",
    } | headers
    return get(
        server,
        f"/{token}/socket",
        {name: value for name, value in sent.items() if value is not None},
    )[0]


def test_the_socket_answers_its_own_page(server):
    assert upgrade(server, server.token, {}) == 101


def talk(server, messages):
    """Send messages over a socket; return what came first, and the answers."""
    url = f"ws://127.0.0.1:{server.port}/{server.token}/socket"
    request = HTTPRequest(url, headers={"Origin": f"http://127.0.0.1:{server.port}"})

    async def conversation():
        connection = await websocket_connect(request)
        received = [json.loads(await connection.read_message()) for _ in range(2)]
        answer = ""
        for message in messages:
            await connection.write_message(message)
            answer = await connection.read_message()
            received.append(None if answer is None else json.loads(answer))
        connection.close()
        while answer is not None:  # until the server has closed it too
            answer = await connection.read_message()
        return received

    return asyncio.run(asyncio.wait_for(conversation(), PATIENCE))


def test_the_socket_shows_the_game_and_takes_messages(server):
    show = json.dumps({"type": "show", "hints": False})
    art, first, shown, wrong, deep = talk(server, [show, "this is not JSON", "[" * 60_000])
    assert len(art["art"]["stones"][1]) == 5
    assert first["state"]["position"]["status"] == "Light to move"
    assert shown["state"]["error"] == ""
    assert wrong["state"]["error"] == "a message is an object, not null"
    assert deep == wrong


def test_a_huge_message_ends_the_connection_only(server):
    assert talk(server, ["x" * 100_000])[-1] is None
    assert get(server, f"/{server.token}/")[0] == 200


def test_it_listens_on_the_loopback_address_alone(server):
    assert [it.getsockname()[0] for it in server._sockets] == ["127.0.0.1"]
    others = {"127.0.0.2"} if sys.platform == "linux" else set()
    others |= {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None)}
    for address in others - {"127.0.0.1"}:
        family = socket.AF_INET6 if ":" in address else socket.AF_INET
        with socket.socket(family) as client, pytest.raises(OSError):
            client.settimeout(5)
            client.connect((address, server.port))


def test_tokens_differ_and_are_long():
    with serving() as one, serving() as other:
        assert one.token != other.token and min(len(one.token), len(other.token)) >= 32


def test_a_taken_port_is_an_error(server):
    result = play("--port", str(server.port)).communicate(timeout=PATIENCE)
    assert re.search(r"^mijnlieff play: error: .*in use.*\n$", result[1])


def play(*arguments, **options):
    command = [sys.executable, "-m", "mijnlieff", "play", "--browser", "--no-open", *arguments]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, **pipes, **options)


def cpu_seconds(process):
    """The processor time of a process."""
    fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux for the processor time")
def test_it_rests_while_there_are_no_descriptors_left():
    import resource

    def limit():
        resource.setrlimit(resource.RLIMIT_NOFILE, (30, 30))

    with play(preexec_fn=limit) as process, ExitStack() as killed:
        killed.callback(process.kill)
        port = int(re.search(r":(\d+)/", process.stdout.readline())[1])
        with ExitStack() as clients:
            for _ in range(60):
                clients.enter_context(socket.create_connection(("127.0.0.1", port)))
            used = cpu_seconds(process)
            time.sleep(2)
            used = cpu_seconds(process) - used
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        connection.request("GET", "/")
        assert connection.getresponse().status == 403
        connection.close()
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=PATIENCE)[1] == ""
    assert used < 1, used


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        # A search to the end of the game takes longer than a test waits.
        ["--light", "minimax:30", "--dark", "human"],
    ],
    ids=["idle", "thinking"],
)
def test_ctrl_c_ends_it(arguments):
    with play(*arguments) as process:
        address = re.fullmatch(
            r"The game is at (http://127\.0\.0\.1:(\d+)/[\w-]+/)\n", process.stdout.readline()
        )
        assert address
        assert process.stdout.readline() == "Ctrl-C ends it.\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        out, errors = process.communicate(timeout=PATIENCE)
        assert (process.returncode, out, errors) == (0, "\n", "")
    with socket.socket() as client, pytest.raises(OSError):
        client.connect(("127.0.0.1", int(address[2])))


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (["--light", "greedy", "--dark", "random"], 2, "give --light human or --dark human"),
        (["--dark", "genius"], 2, "unknown policy 'genius'"),
        (["--dark", "perfect", "--board", "#" * 20], 2, "up to 16 cells"),
        (["--port", "70000"], 2, "70000 is not an integer from 0 to 65535"),
    ],
)
def test_wrong_arguments(arguments, code, told):
    process = play(*arguments)
    out, errors = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (code, "")
    assert told in errors and errors.count("\n") == 1
