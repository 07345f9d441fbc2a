"""A server that answers from a list, for what asks a Client."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from kschedlab_simulation.status import ApiError


class FakeClient:
    """Answers each request with what ``answers`` returns for it; remembers the requests.

    ``answers``: (method, path, body, query) -> data, or an exception to raise. ``streams``: the lines of each watch in
    turn; an exception among them is raised, and after the last one the watch stays open.
    """

    def __init__(self, answers: Callable[..., Any], streams: list[list[Any]] | None = None) -> None:
        self.answers = answers
        self.streams = streams or []
        self.asked: list[tuple[str, str, Any, dict[str, str]]] = []
        self.watched: list[dict[str, str]] = []

    async def request(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        content: str = "application/json",
        query: Mapping[str, str] | None = None,
    ) -> bytes:
        data = None if body is None else json.loads(body)
        self.asked.append((method, path, data, dict(query or {})))
        await asyncio.sleep(0)
        answer = self.answers(method, path, data, dict(query or {}))
        if isinstance(answer, Exception):
            raise answer
        return json.dumps(answer).encode()

    @asynccontextmanager
    async def stream(self, path: str, query: Mapping[str, str]) -> AsyncIterator[AsyncIterator[bytes]]:
        self.watched.append(dict(query))
        lines = self.streams.pop(0) if self.streams else []
        if lines and isinstance(lines[0], ApiError):
            raise lines[0]

        async def read() -> AsyncIterator[bytes]:
            for each in lines:
                if isinstance(each, Exception):
                    raise each
                yield json.dumps(each).encode()
            if not self.streams:
                await asyncio.get_running_loop().create_future()

        yield read()


async def until(true: Callable[[], Any], turns: int = 20_000) -> None:
    """Let other tasks run until it is true."""
    for _ in range(turns):
        if true():
            return
        await asyncio.sleep(0)
    raise AssertionError("it did not happen")


def run(task: Awaitable[Any]) -> Any:
    async def limited() -> Any:
        async with asyncio.timeout(30):
            return await task

    return asyncio.run(limited())


def pod(name: str, version: int, **more: Any) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "default", "uid": f"u-{name}", "resourceVersion": str(version)}
    return {"metadata": metadata, "spec": {"containers": [{"name": "c"}]}, "status": {"phase": "Pending"}} | more


def listed(*items: Any, version: int = 10, more: str = "") -> dict[str, Any]:
    return {"kind": "PodList", "metadata": {"resourceVersion": str(version), "continue": more}, "items": list(items)}


def change(type: str, obj: dict[str, Any]) -> dict[str, Any]:
    return {"type": type, "object": {"kind": "Pod", "apiVersion": "v1"} | obj}


def status(code: int, reason: str, message: str = "no") -> dict[str, Any]:
    return {"kind": "Status", "apiVersion": "v1", "code": code, "reason": reason, "message": message, "details": None}
