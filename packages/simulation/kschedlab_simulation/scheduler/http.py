"""The scheduler's HTTP server: health checks and metrics.

v1.37: cmd/kube-scheduler/app/server.go, newEndpointsHandler. Only this part runs in its own thread; it
only reads. A page that makes a browser ask it under another name is refused: it answers to addresses.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from threading import Thread
from types import TracebackType
from typing import Any

LOCAL = "127.0.0.1"
PATIENCE = 5.0
"""The seconds that the server waits for a client that sends or reads nothing."""

TEXT = "text/plain; charset=utf-8"
METRICS = "text/plain; version=0.0.4; charset=utf-8"


class HttpServer:
    """Serves ``/healthz``, ``/livez``, ``/readyz`` and ``/metrics``, by default on localhost. ``port`` 0: any free one.

    ``metrics``: returns their text; ``ready``: whether the informers have synced; ``fault``: what is wrong, or "".
    A context manager that closes it. OSError if the port is taken.
    """

    def __init__(
        self,
        metrics: Callable[[], bytes],
        ready: Callable[[], bool],
        port: int = 0,
        address: str = LOCAL,
        fault: Callable[[], str] = str,
    ) -> None:
        def answer(host: str, path: str) -> tuple[int, str, bytes]:
            if not self._is_own(host.lower()):
                return 403, TEXT, f"403 forbidden: ask {self.url}\n".encode()
            if path in ("/healthz", "/livez"):
                return (500, TEXT, f"{why}\n".encode()) if (why := fault()) else (200, TEXT, b"ok")
            if path == "/readyz":
                return (200, TEXT, b"ok") if ready() else (500, TEXT, b"handlers are not fully synchronized\n")
            if path == "/metrics":
                return 200, METRICS, metrics()
            return 404, TEXT, b"404 page not found\n"

        class Handler(BaseHTTPRequestHandler):
            timeout = PATIENCE

            def do_GET(self) -> None:
                code, kind, body = answer(self.headers.get("Host", ""), self.path.partition("?")[0])
                self.send_response(code)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:
                """Write nothing to standard error."""

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, request: Any, client_address: Any) -> None:
                """A client that disconnects is not an error."""
                if not isinstance(sys.exception(), OSError):
                    super().handle_error(request, client_address)

        self._address = address
        self._server = Server((address, port), Handler)
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    def _is_own(self, host: str) -> bool:
        """Whether a browser can only have asked us: by an address, not by a name that may lead anywhere."""
        names = ("", "localhost", LOCAL)
        if host in names or host in [f"{name}:{self.port}" for name in names]:
            return True
        if self._address == LOCAL:
            return False
        try:
            ip_address(
                host.rpartition(":")[0].strip("[]") if host.count(":") == 1 or "]:" in host else host.strip("[]")
            )
        except ValueError:
            return False
        return True

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        """Its URL, without a path."""
        return f"http://{self._address}:{self.port}"

    def close(self) -> None:
        """Stop listening and end the thread. Closing twice does no harm."""
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
            self._server.server_close()

    def __enter__(self) -> HttpServer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
