"""HTTP with an API server: kept connections, verified TLS, retries where nothing has happened yet.

httpx and no Kubernetes client: the official one (kubernetes, with urllib3 and four more libraries) is made for threads
and builds objects of its own, which would be copied into ours. What it would add are the forms of kubeconfigs,
which :mod:`~kschedlab_live.schedule.kubeconfig` reads.
"""

from __future__ import annotations

import asyncio
import os
import ssl
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

import httpx
import msgspec

from kschedlab import __version__
from kschedlab_live.schedule.credentials import Authentication, Credentials
from kschedlab_live.schedule.kubeconfig import Access, AccessError
from kschedlab_live.wire.statuses import failure
from kschedlab_simulation.status import ApiError, StatusDetails

AT_ONCE = 16
"""How many requests are under way at most; watches not counted."""
WATCHES = -1
"""The slot of all watches."""
TRIES = 5
"""How often a request is sent that the server is too busy for (429)."""
LONGEST_WAIT = 300
"""Seconds before such a request is sent again, at most, whatever the server asks for."""
SILENCE = 180.0
"""Seconds without a byte after which a watch counts as dropped; a bookmark comes every minute."""
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
        self._authentication = Authentication(access)
        self._free = list(range(AT_ONCE))
        self._slots = asyncio.Semaphore(AT_ONCE)
        self._contexts: dict[tuple[bytes, bytes], ssl.SSLContext] = {}
        self._clients: dict[tuple[bytes, bytes, int], httpx.AsyncClient] = {}
        self._extensions = {"sni_hostname": access.server_name} if access.server_name else {}
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
        credentials = await self._authentication.credentials()
        for again in (True, False):
            client, own = self._client(credentials, slot), headers | _authorization(credentials)
            request = client.stream(method, path, content=body, headers=own, params=query, extensions=self._extensions)
            async with request as response:
                answer = await _content(response)
            if response.status_code != 401 or not again or not self._authentication.can_renew:
                break
            credentials = await self._authentication.credentials(refused=credentials)
        return response, answer

    @asynccontextmanager
    async def stream(self, path: str, query: Mapping[str, str]) -> AsyncIterator[AsyncIterator[bytes]]:
        """The lines of an answer, as they come. ApiError, httpx.HTTPError and OSError when it breaks off."""
        credentials = await self._authentication.credentials()
        request = self._client(credentials).stream(
            "GET",
            path,
            params=query,
            headers=_authorization(credentials),
            timeout=_WATCHING,
            extensions=self._extensions,
        )
        async with request as response:
            if response.status_code == 401:
                await self._authentication.credentials(refused=credentials)
            if response.status_code >= 400:
                error = answered_with(response.status_code, await _content(response))
                if response.status_code == 429:
                    await asyncio.sleep(_wait_of(response))
                raise error
            yield _lines(response)

    def _client(self, credentials: Credentials, slot: int = WATCHES) -> httpx.AsyncClient:
        """The connection of this slot that shows this certificate; a pool looks at all of its own in every request."""
        certificate, access = (credentials.certificate, credentials.key), self._access
        key = *certificate, slot
        if key not in self._clients:
            if certificate not in self._contexts:
                self._contexts[certificate] = tls(access.authority, *certificate)
            self._clients[key] = httpx.AsyncClient(
                base_url=access.server,
                verify=self._contexts[certificate],
                headers={"Accept": JSON, "User-Agent": f"kschedlab/{__version__}"},
                timeout=_TIMEOUT,
                limits=httpx.Limits(max_connections=None),
                proxy=access.proxy or None,
                trust_env=not access.is_local,
            )
        return self._clients[key]

    async def close(self) -> None:
        """Close the connections."""
        for client in self._clients.values():
            await client.aclose()


def tls(authority: str, certificate: bytes = b"", key: bytes = b"") -> ssl.SSLContext:
    """A context that trusts this authority (PEM; empty: the system's) alone, and shows the client's certificate."""
    try:
        context = ssl.create_default_context(cadata=authority or None)
        if certificate:
            _show(context, certificate, key)
    except (ssl.SSLError, ValueError) as error:
        raise AccessError(f"the certificates cannot be used: {getattr(error, 'reason', None) or 'no PEM'}") from None
    return context


def _show(context: ssl.SSLContext, certificate: bytes, key: bytes) -> None:
    """Load the client's certificate; ssl reads it from files, which only we can read and which are gone at once."""
    with tempfile.TemporaryDirectory() as folder:
        names = [os.path.join(folder, name) for name in ("certificate", "key")]
        for name, content in zip(names, (certificate, key), strict=True):
            with open(os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write(content)
        context.load_cert_chain(*names)


def _authorization(credentials: Credentials) -> dict[str, str]:
    return {"Authorization": credentials.header} if credentials.header else {}


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
