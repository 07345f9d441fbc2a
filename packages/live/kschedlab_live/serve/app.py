"""The HTTP application: from a request to the part that answers it, and its failures as a Status."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable
from typing import Any

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from kschedlab_live.serve import discovery, openapi
from kschedlab_live.serve.bounds import LARGEST_BODY, body_too_large, check_length
from kschedlab_live.serve.discovery import REVIEWS, reviewed
from kschedlab_live.serve.plane import CLOCK_PATH, Plane, change_clock, clock_json
from kschedlab_live.serve.requests import Call, body_of, target
from kschedlab_live.serve.security import HEALTH, checked_path
from kschedlab_live.serve.subresources import NO_CONTAINERS, answer_subresource
from kschedlab_live.serve.verbs import Verbs, wrong_verb
from kschedlab_live.serve.watching import Stream
from kschedlab_live.wire.statuses import failure, internal, method_not_allowed, status_json
from kschedlab_simulation.status import ApiError

_LOGGER = logging.getLogger("kschedlab.serve")

MOST_WATCHES = 1000
"""Open watches; a scheduler and some kubectls have about thirty."""


class Application:
    """The ASGI application of a plane."""

    def __init__(self, plane: Plane, verbs: Verbs, token: str, port: int, generation: str) -> None:
        self._plane = plane
        self._verbs = verbs
        self._kinds = verbs.objects.kept.kinds
        self._token = token
        self._port = port
        self._generation = generation
        self._watches = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            return
        request = Request(scope, receive)
        try:
            response = await self._answer(request)
        except ApiError as error:
            response = _json(status_json(error), error.code)
            if (details := error.status.details) and details.retryAfterSeconds:
                response.headers["Retry-After"] = str(details.retryAfterSeconds)
        except ClientDisconnect:
            return
        except Exception:  # the last resort: its traceback is for the terminal, not for the client
            _LOGGER.exception("%s %s failed", request.method, request.url.path.partition("/")[2].partition("/")[2])
            response = _json(status_json(internal()), 500)
        await response(scope, receive, send)

    async def _answer(self, request: Request) -> Response:
        if request.method == "CONNECT":  # kubectl exec, attach, cp and port-forward, through the proxy-url
            raise failure(501, "NotImplemented", NO_CONTAINERS)
        path = checked_path(request.scope["path"], request.scope["headers"], self._token, self._port)
        path = path.rstrip("/")  # Kubernetes' Python client asks for /version/ and /apis/
        if path in HEALTH:
            return Response("ok", media_type="text/plain")
        check_length(request.headers.get("content-length", ""))
        raw = await _read(request)
        self._plane.advance()
        try:
            return await self._route(request, path, raw)
        finally:
            self._plane.digest()
            self._plane.wake()

    async def _route(self, request: Request, path: str, raw: bytes) -> Response:
        if path == "/metrics":
            return Response(self._verbs.objects.metrics(), media_type="text/plain; version=0.0.4")
        if path == CLOCK_PATH:
            return _json(await self._clock(request, raw))
        if path in REVIEWS and request.method == "POST":
            return _json(reviewed(path), 201)
        parts = target(_binding(path, request.method, raw) or path, self._kinds)
        if parts is not None:
            call = self._call(request, parts, raw)
            return self._resource(call)
        if request.method != "GET":
            raise ApiError.no_such_resource()
        accept = request.headers.get("accept", "")
        if path == "/openapi/v2" and openapi.ASKED in accept:
            return Response(media_type=openapi.PROTOBUF)
        if path in ("/api", "/apis") and discovery.wants_aggregated(accept):
            return _json(discovery.aggregated(self._kinds, path == "/api"), media_type=discovery.AGGREGATED)
        described = self._described(path)
        if described is None:
            raise ApiError.no_such_resource()
        return _json(described)

    def _described(self, path: str) -> Any:
        """The server's description of itself: versions, resources, schemas."""
        if path == "/version":
            return discovery.version_info(self._generation)
        if path == "/api":
            return discovery.core_versions()
        if path == "/apis":
            return discovery.group_list(self._kinds)
        if path == "/openapi/v2":
            return openapi.OLDER
        if path == "/openapi/v3":
            return openapi.index(self._kinds, f"/{self._token}")
        if path.startswith("/openapi/v3/"):
            return openapi.document(self._kinds, path.removeprefix("/openapi/v3/"))
        api_version = path.removeprefix("/apis/").removeprefix("/api/")
        if api_version in discovery.versions(self._kinds):
            return discovery.resource_list(self._kinds, api_version)
        return discovery.group(self._kinds, path.removeprefix("/apis/"))

    async def _clock(self, request: Request, raw: bytes) -> Any:
        if request.method == "GET":
            return clock_json(self._plane)
        if request.method != "POST":
            raise method_not_allowed()
        return await change_clock(self._plane, body_of(raw, _content_type(request)))

    def _call(self, request: Request, parts: Any, raw: bytes) -> Call:
        api_version, served, namespace, name, subresource = parts
        return Call(
            verb=request.method,
            api_version=api_version,
            served=served,
            namespace=namespace,
            name=name,
            subresource=subresource,
            query=request.query_params,
            accept=request.headers.get("accept", ""),
            content_type=_content_type(request),
            raw=raw,
            by=request.headers.get("user-agent", "").partition("/")[0][:64],
        )

    def _resource(self, call: Call) -> Response:
        if call.subresource:
            status, body = answer_subresource(self._verbs, call)
            return _json(body, status, call.warnings)
        if call.verb == "GET" and call.watches:
            return self._stream(call)
        acts: dict[tuple[str, bool], Callable[[Call], tuple[int, Any]]] = {
            ("GET", True): self._verbs.read,
            ("GET", False): self._verbs.read,
            ("POST", False): self._verbs.create,
            ("PUT", True): self._verbs.replace,
            ("PATCH", True): self._verbs.patch,
            ("DELETE", True): self._verbs.delete,
            ("DELETE", False): self._verbs.delete,
        }
        act = acts.get((call.verb, bool(call.name)))
        if act is None:
            raise wrong_verb(call)
        status, body = act(call)
        return _json(body, status, call.warnings)

    def _stream(self, call: Call) -> Response:
        if self._watches >= MOST_WATCHES:
            raise failure(429, "TooManyRequests", f"{MOST_WATCHES:,} watches are open, and this server has no more")
        stream = self._verbs.watch(call)
        return _Watching(stream, self._count)

    def _count(self, change: int) -> None:
        self._watches += change


class _Watching(StreamingResponse):
    """The answer to a watch; it is counted while it is open."""

    def __init__(self, stream: Stream, count: Callable[[int], None]) -> None:
        super().__init__(stream.lines(), media_type="application/json")
        self._stream = stream
        self._count = count

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._count(1)
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._count(-1)
            self._stream.close()


_BINDINGS = re.compile("/api/v1/namespaces/([^/]+)/bindings")


def _binding(path: str, method: str, raw: bytes) -> str | None:
    """The path of a pod's own binding for the older form, which names the pod in its body; None for other requests."""
    match = _BINDINGS.fullmatch(path)
    if match is None or method != "POST":
        return None
    metadata = body_of(raw, "").get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    if not isinstance(name, str) or not name:
        raise ApiError.bad_request("metadata.name: expected the name of the pod to bind")
    return f"/api/v1/namespaces/{match[1]}/pods/{name}/binding"


async def _read(request: Request) -> bytes:
    """The body. ApiError (413) if it is too long."""
    parts, length = [], 0
    async for part in request.stream():
        length += len(part)
        if length > LARGEST_BODY:
            raise body_too_large()
        parts.append(part)
    return b"".join(parts)


def _content_type(request: Request) -> str:
    return request.headers.get("content-type", "").partition(";")[0].strip().lower()


def _json(
    body: Any, status: int = 200, warnings: list[str] | None = None, media_type: str = "application/json"
) -> Response:
    response = Response(msgspec.json.encode(body, enc_hook=str), status, media_type=media_type)
    for warning in (warnings or ())[:20]:
        text = "".join(c if c.isprintable() and c.isascii() and c not in '"\\' else "'" for c in warning)
        response.headers.append("Warning", f'299 - "{text[:200]}"')
    return response
