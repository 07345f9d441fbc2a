"""HTTP: verified certificates, retries where nothing has happened yet, and no token in a message."""

from __future__ import annotations

import json
import re
import subprocess
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from ssl import PROTOCOL_TLS_SERVER, SSLContext
from typing import Any

import pytest

from kschedlab_live.schedule import client as module
from kschedlab_live.schedule.access import Access, AccessError
from kschedlab_live.schedule.client import Client, Token
from kschedlab_simulation.status import ApiError
from packages.live.tests.schedule.fakes import run, status

Answer = tuple[int, dict[str, str], bytes]


@contextmanager
def server(answer: Callable[[Any], Answer], tls: SSLContext | None = None) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            code, headers, body = answer(self)
            self.send_response(code)
            for name, value in (headers | {"Content-Length": str(len(body))}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    listening = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    listening.daemon_threads = True
    if tls is not None:
        listening.socket = tls.wrap_socket(listening.socket, server_side=True)
    threading.Thread(target=listening.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    try:
        yield f"http{'s' if tls else ''}://127.0.0.1:{listening.server_address[1]}"
    finally:
        listening.shutdown()
        listening.server_close()


def ask(access: Access, times: int = 1, path: str = "/x") -> list[Any]:
    async def asking() -> list[Any]:
        client, answers = Client(access), []
        try:
            for _ in range(times):
                answers.append(json.loads(await client.request("GET", path)))
        finally:
            await client.close()
        return answers

    return run(asking())


def test_a_busy_server_is_asked_again_after_the_time_that_it_names(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    monkeypatch.setattr(module.asyncio, "sleep", sleep)
    answers = [(429, {"Retry-After": "3"}, b""), (429, {"Retry-After": "soon"}, b""), (200, {}, b"1")]
    with server(lambda _: answers.pop(0)) as url:
        assert ask(Access(url)) == [1]
    assert [each for each in waits if each] == [3.0, 1.0]


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("0", 1), ("1", 1), ("2", 2), ("300", 300), ("301", 300), ("9" * 9, 300), ("9" * 10, 1), ("-5", 1), ("", 1)],
)
def test_who_is_busy_is_left_alone_for_a_second_to_five_minutes(
    text: str, seconds: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    async def watching(client: Client) -> None:
        with pytest.raises(ApiError, match="429"):
            async with client.stream("/x", {}):
                pass
        await client.close()

    monkeypatch.setattr(module.asyncio, "sleep", sleep)
    with server(lambda _: (429, {"Retry-After": text}, b"")) as url:
        with pytest.raises(ApiError, match="429"):
            ask(Access(url))
        run(watching(Client(Access(url))))
    assert [each for each in waits if each] == [seconds] * 5, "four times between five tries, once after a watch"


def test_every_answer_is_counted_and_each_from_400_on_is_an_error() -> None:
    async def asking(client: Client) -> int:
        for path, fails in (("/399", False), ("/400", True), ("/500", True)):
            try:
                await client.request("GET", path)
                async with client.stream(path, {}):
                    assert not fails
            except ApiError as error:
                assert fails and f"/{error.code}" == path
                with pytest.raises(ApiError):
                    async with client.stream(path, {}):
                        pass
        await client.close()
        return client.requests

    with server(lambda request: (int(request.path[1:]), {}, b"")) as url:
        assert run(asking(Client(Access(url)))) == 3
    assert module.answered_with(None, b"no code").code == 500


@pytest.mark.parametrize(("body", "lines"), [(b"ab\ncd", ["ab"]), (b"ab\n", ["ab"]), (b"ab\n\ncd\n", ["ab", "", "cd"])])
def test_a_watch_gives_whole_lines(body: bytes, lines: list[str]) -> None:
    assert watched(body) == lines


def watched(body: bytes) -> list[str]:
    async def watching(url: str) -> list[str]:
        client, found = Client(Access(url)), list[str]()
        async with client.stream("/x", {}) as lines:
            found = [line.decode() async for line in lines]
        await client.close()
        return found

    with server(lambda _: (200, {}, body)) as url:
        return run(watching(url))


def test_an_answer_and_a_line_have_a_largest_size(monkeypatch: pytest.MonkeyPatch) -> None:
    most = 2 * 1024**2
    monkeypatch.setattr(module, "MOST_BYTES", most)
    largest = b'"' + b"x" * (most - 2) + b'"'
    with server(lambda request: (200, {}, largest + b" " * int(request.path[1:]))) as url:
        assert len(ask(Access(url), path="/0")[0]) == most - 2
        with pytest.raises(ApiError, match="the answer has more than 2 MiB") as error:
            ask(Access(url), path="/1")
    assert error.value.code == 503
    assert watched(largest) == [] and watched(b"a\n" + largest) == ["a"]
    for longer in (largest + b"x", b"a\n" + largest + b"x"):
        with pytest.raises(module.TooLongError):
            watched(longer)


def test_a_token_that_expired_is_read_again(tmp_path: Path) -> None:
    token = tmp_path / "token"
    token.write_text("old", encoding="utf-8")

    def answer(request: Any) -> Answer:
        if request.headers["Authorization"] == "Bearer new":
            return 200, {}, b"1"
        token.write_text("new", encoding="utf-8")
        return 401, {}, json.dumps(status(401, "Unauthorized", "Unauthorized")).encode()

    with server(answer) as url:
        assert ask(Access(url, token=str(token))) == [1]
        with pytest.raises(ApiError, match="Unauthorized"):
            ask(Access(url))


def test_a_token_that_is_refused_though_it_is_new_is_not_sent_for_ever(tmp_path: Path) -> None:
    token, seen = tmp_path / "token", list[str]()
    token.write_text("t", encoding="utf-8")

    def answer(request: Any) -> Answer:
        seen.append(request.path)
        return 401, {}, json.dumps(status(401, "Unauthorized", "Unauthorized")).encode()

    with server(answer) as url, pytest.raises(ApiError, match="Unauthorized"):
        ask(Access(url, token=str(token)))
    assert len(seen) == 2


def test_after_a_watch_with_an_expired_token_it_is_read_again(tmp_path: Path) -> None:
    token, seen = tmp_path / "token", list[str]()
    token.write_text("old", encoding="utf-8")

    def answer(request: Any) -> Answer:
        seen.append(request.headers["Authorization"])
        token.write_text("new", encoding="utf-8")
        return 401, {}, json.dumps(status(401, "Unauthorized", "Unauthorized")).encode()

    async def watching(client: Client) -> None:
        for _ in range(2):
            with pytest.raises(ApiError, match="Unauthorized"):
                async with client.stream("/x", {}):
                    pass
        await client.close()

    with server(answer) as url:
        run(watching(Client(Access(url, token=str(token)))))
    assert seen == ["Bearer old", "Bearer new"]


def test_a_token_follows_no_redirect(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("t", encoding="utf-8")
    asked: list[str] = []

    def elsewhere(request: Any) -> Answer:
        asked.append(request.path)
        return 200, {}, b"1"

    with server(elsewhere) as other, server(lambda _: (302, {"Location": f"{other}/stolen"}, b"2")) as url:
        ask(Access(url, token=str(tmp_path / "token")))
    assert asked == []


@pytest.mark.parametrize(
    ("body", "message", "reason"),
    [
        (json.dumps(status(409, "Conflict", "it is taken")).encode(), "it is taken", "Conflict"),
        (b'{"message": null}', "the server answered with status 409", ""),
        (b"<html>a proxy</html>", "<html>a proxy</html>", ""),
    ],
)
def test_a_failure_is_the_servers_own(body: bytes, message: str, reason: str) -> None:
    with server(lambda _: (409, {}, body)) as url, pytest.raises(ApiError) as error:
        ask(Access(url))
    assert (str(error.value), error.value.reason, error.value.code) == (message, reason, 409)


def test_nobody_there_is_an_error_with_words(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("s3cr3t", encoding="utf-8")
    with server(lambda _: (200, {}, b"")) as url:
        pass
    with pytest.raises(ApiError, match="GET /x: ") as error:
        ask(Access(url, token=str(tmp_path / "token")))
    assert error.value.code == 503 and "s3cr3t" not in str(error.value)


# -- TLS


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("tls")
    own, key = folder / "own.pem", folder / "key.pem"
    command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=a test"]
    names = ["-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"]
    subprocess.run([*command, *names, "-keyout", key, "-out", own], check=True, capture_output=True)
    return own, key


def test_only_the_authority_of_the_cluster_is_trusted(certificate: tuple[Path, Path], tmp_path: Path) -> None:
    context = SSLContext(PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    (tmp_path / "ca").write_text("no certificate", encoding="utf-8")
    with server(lambda _: (200, {}, b"1"), context) as url:
        assert ask(Access(url, authority=str(certificate[0])), times=2) == [1, 1]
        with pytest.raises(ApiError, match="CERTIFICATE_VERIFY_FAILED"):
            ask(Access(url))
        for authority, why in (("ca", "it holds no certificate"), ("missing", "No such file")):
            with pytest.raises(ApiError, match=f"{authority} cannot be used: {why}"):
                ask(Access(url, authority=str(tmp_path / authority)))


@pytest.mark.parametrize(("content", "why"), [(None, "No such file or directory"), (b"\xff", "is not a token")])
def test_a_token_that_cannot_be_read_is_named_with_the_cause(content: bytes | None, why: str, tmp_path: Path) -> None:
    token = tmp_path / "token"
    if content is not None:
        token.write_bytes(content)
    with pytest.raises(AccessError, match=re.escape(f"{token} cannot be read: {why}")):
        _ = Token(str(token)).header
