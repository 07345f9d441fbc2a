"""The scheduler's HTTP server: health checks and metrics.

v1.37: cmd/kube-scheduler/app/server.go, newEndpointsHandler. Only this part runs in its own thread; it
only reads. It answers this machine alone: a page that makes a browser ask it under another name is refused.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import TracebackType
from typing import Any

PATIENCE = 5.0
"""How many seconds the server waits for a client that sends or reads nothing."""

TEXT = "text/plain; charset=utf-8"
METRICS = "text/plain; version=0.0.4; charset=utf-8"


class HttpServer:
    """Serves ``/healthz``, ``/livez``, ``/readyz`` and ``/metrics`` on localhost. ``port`` 0: any free port.

    ``metrics``: returns their text; ``ready``: whether the informers have synced. A context manager that closes it.
    OSError if the port is taken.
    """

    def __init__(self, metrics: Callable[[], bytes], ready: Callable[[], bool], port: int = 0) -> None:
        def answer(host: str, path: str) -> tuple[int, str, bytes]:
            if host.lower() not in ("", "localhost", "127.0.0.1", f"localhost:{self.port}", f"127.0.0.1:{self.port}"):
                return 403, TEXT, f"403 forbidden: ask {self.url}\n".encode()
            if path in ("/healthz", "/livez"):
                return 200, TEXT, b"ok"
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
                """A client that went away is no news."""
                if not isinstance(sys.exception(), OSError):
                    super().handle_error(request, client_address)

        self._server = Server(("127.0.0.1", port), Handler)
        self._thread = Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    @property
    def port(self) -> int:
        """The port that it listens on."""
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        """Its URL, without a path."""
        return f"http://127.0.0.1:{self.port}"

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
