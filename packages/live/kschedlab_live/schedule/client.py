"""HTTP with an API server: kept connections, verified TLS, retries where nothing has happened yet.

httpx and no Kubernetes client: those build objects of their own, which would be copied into ours. What they would add
is logging in, which kubectl does.
"""

from __future__ import annotations

import asyncio
import ssl
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import msgspec

from kschedlab import __version__
from kschedlab_live.schedule.access import Access, AccessError
from kschedlab_live.wire.statuses import failure
from kschedlab_simulation.status import ApiError, StatusDetails

AT_ONCE = 16
"""Maximum number of requests under way, without watches."""
WATCHES = -1
"""The slot of all watches."""
TRIES = 5
"""Maximum number of attempts while the server is too busy (429)."""
LONGEST_WAIT = 300
"""Seconds before such a request is sent again, at most, whatever the server asks for."""
SILENCE = 180.0
"""Seconds without a byte after which a watch counts as dropped; a bookmark comes every minute."""
TOKEN_LIFE = 60.0
"""Seconds for which a token is believed before its file is read again."""
MOST_SHOWN = 300
MOST_BYTES = 256 * 1024 * 1024
"""Bytes in an answer, or in a line of a watch. A page of 500 pods has a few megabytes."""

JSON = "application/json"

_TIMEOUT = httpx.Timeout(30.0, connect=10.0)
_WATCHING = httpx.Timeout(30.0, connect=10.0, read=SILENCE)


class _Status(msgspec.Struct):
    """A Status as a server may write it: with nulls."""

    message: str | None = None
    reason: str | None = None
    code: int | None = None


class TooLongError(Exception):
    """The answer has more than :data:`MOST_BYTES` bytes."""

    def __str__(self) -> str:
        return f"the answer has more than {MOST_BYTES // 1024**2} MiB"


class Client:
    """Sends requests to one API server. ``requests``: how many were answered. :meth:`close` it."""

    def __init__(self, access: Access) -> None:
        self._access = access
        self._token = Token(access.token)
        self._free = list(range(AT_ONCE))
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._tls: ssl.SSLContext | None = None
        self._clients: dict[int, httpx.AsyncClient] = {}
        self.requests = 0

    async def request(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        content: str = JSON,
        query: Mapping[str, str] | None = None,
    ) -> bytes:
        """The body of the answer. ApiError, also if the server cannot be reached."""
        headers = {"Content-Type": content} if body is not None else {}
        async with self._slot() as slot:
            for left in reversed(range(TRIES)):
                try:
                    response, answer = await self._send(slot, method, path, body, headers, query)
                except (httpx.HTTPError, OSError, AccessError, TooLongError) as error:
                    raise unreachable(method, path, error) from None
                if response.status_code != 429 or not left:
                    break
                await asyncio.sleep(_wait_of(response))
        self.requests += 1
        if response.status_code >= 400:
            raise answered_with(response.status_code, answer)
        return answer

    @asynccontextmanager
    async def _slot(self) -> AsyncIterator[int]:
        """A place for a request, the one that was used last: its connection is open."""
        async with self._slots:
            slot = self._free.pop()
            try:
                yield slot
            finally:
                self._free.append(slot)

    async def _send(
        self,
        slot: int,
        method: str,
        path: str,
        body: bytes | None,
        headers: dict[str, str],
        query: Mapping[str, str] | None,
    ) -> tuple[httpx.Response, bytes]:
        for _ in range(2):
            own = headers | self._token.header
            async with self._client(slot).stream(method, path, content=body, headers=own, params=query) as response:
                answer = await _content(response)
            if response.status_code != 401 or not self._token.refused():
                break
        return response, answer

    @asynccontextmanager
    async def stream(self, path: str, query: Mapping[str, str]) -> AsyncIterator[AsyncIterator[bytes]]:
        """The lines of an answer, as they come. ApiError, httpx.HTTPError and OSError when it breaks off."""
        request = self._client().stream("GET", path, params=query, headers=self._token.header, timeout=_WATCHING)
        async with request as response:
            if response.status_code == 401:
                self._token.refused()
            if response.status_code >= 400:
                error = answered_with(response.status_code, await _content(response))
                if response.status_code == 429:
                    await asyncio.sleep(_wait_of(response))
                raise error
            yield _lines(response)

    def _client(self, slot: int = WATCHES) -> httpx.AsyncClient:
        """The connection of this slot; a pool would look at all of its connections in every request."""
        if slot not in self._clients:
            self._clients[slot] = httpx.AsyncClient(
                base_url=self._access.server,
                headers={"Accept": JSON, "User-Agent": f"kschedlab/{__version__}"},
                timeout=_TIMEOUT,
                **self._transport(),
            )
        return self._clients[slot]

    def _transport(self) -> dict[str, Any]:
        """The socket of kubectl, or verified TLS."""
        limits = httpx.Limits(max_connections=None)
        if self._access.socket:
            return {"transport": httpx.AsyncHTTPTransport(uds=self._access.socket, limits=limits)}
        if self._tls is None:
            self._tls = tls(self._access.authority)
        return {"verify": self._tls, "limits": limits}

    async def close(self) -> None:
        """Close the connections."""
        for client in self._clients.values():
            await client.aclose()


class Token:
    """The token in a file, which the kubelet renews; no file: no token."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._header: dict[str, str] = {}
        self._until = 0.0

    @property
    def header(self) -> dict[str, str]:
        """The header of a request. AccessError."""
        if self._file and time.monotonic() >= self._until:
            try:
                token = Path(self._file).read_text(encoding="ascii").strip()
            except (OSError, ValueError) as error:
                why = getattr(error, "strerror", None) or "is not a token"
                raise AccessError(f"the token {self._file} cannot be read: {why}") from None
            if not token.isprintable() or " " in token:
                raise AccessError(f"the token {self._file} has characters that no token has")
            self._header, self._until = {"Authorization": f"Bearer {token}"}, time.monotonic() + TOKEN_LIFE
        return self._header

    def refused(self) -> bool:
        """Read the file again. Returns whether there is one."""
        self._until = 0.0
        return bool(self._file)


def tls(authority: str) -> ssl.SSLContext:
    """A context that trusts the certificates in this file ("": the system's) alone. AccessError."""
    try:
        return ssl.create_default_context(cafile=authority or None)
    except OSError as error:  # an SSLError, too
        why = error.strerror if not isinstance(error, ssl.SSLError) else "it holds no certificate"
        raise AccessError(f"the authority {authority} cannot be used: {why}") from None


async def _lines(response: httpx.Response) -> AsyncIterator[bytes]:
    """The lines, without the last one if it is incomplete."""
    parts, length = list[bytes](), 0
    async for chunk in response.aiter_bytes():
        *lines, rest = chunk.split(b"\n")
        for line in lines:
            yield b"".join([*parts, line])
            parts, length = [], 0
        parts.append(rest)
        length += len(rest)
        if length > MOST_BYTES:
            raise TooLongError


async def _content(response: httpx.Response) -> bytes:
    """The body. TooLongError."""
    parts, length = list[bytes](), 0
    async for chunk in response.aiter_bytes():
        parts.append(chunk)
        length += len(chunk)
        if length > MOST_BYTES:
            raise TooLongError
    return b"".join(parts)


def _wait_of(response: httpx.Response) -> int:
    """The seconds in Retry-After; 1 without a whole number in it (client-go reads no dates either)."""
    text = response.headers.get("Retry-After", "")
    return min(max(int(text), 1), LONGEST_WAIT) if text.isascii() and text.isdigit() and len(text) < 10 else 1


def answered_with(code: int | None, body: bytes) -> ApiError:
    """The server's Status as an error, or a proxy's page. ``code``: of HTTP; None: the Status has it, or it is 500."""
    try:
        status = msgspec.json.decode(body, type=_Status)
    except (ValueError, RecursionError):
        status = _Status(message=body[:MOST_SHOWN].decode(errors="replace").strip())
    code = code or status.code or 500
    message = status.message or f"the server answered with status {code}"
    return failure(code, status.reason or "", message, StatusDetails())


def unreachable(method: str, path: str, error: Exception) -> ApiError:
    """The server did not answer; whether it did what was asked is unknown."""
    return failure(503, "ServiceUnavailable", f"{method} {path}: {str(error) or type(error).__name__}")
