"""Watches: each change as a line of JSON, for as long as the client listens.

v1.37: k8s.io/apiserver pkg/endpoints/handlers/watch.go; sendInitialEvents: pkg/storage/cacher (the initial events end
with a bookmark that has the annotation k8s.io/initial-events-end).
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import suppress
from typing import Any

import msgspec

from kschedlab_live.serve.requests import TRUE, Call
from kschedlab_simulation.server.store import Watch

MOST_WAITING = 50_000
"""Changes that a slow client may have ahead of it; then its watch ends, and it lists again."""

_INITIAL = "k8s.io/initial-events-end"
_LONGEST = 24 * 3600.0


class Stream:
    """The lines of one watch. ``shown``: an object as the client wants it; ``version``: the current resourceVersion."""

    def __init__(self, call: Call, watch: Watch, version: int, shown: Callable[[Any], Any]) -> None:
        self._call = call
        self._watch = watch
        self._shown = shown
        self._initial = len(watch.pending) if call.query.get("sendInitialEvents") in TRUE else -1
        self._version = str(version)
        self._bell = asyncio.Event()
        watch.on_event = self._bell.set

    async def lines(self) -> AsyncIterator[bytes]:
        """The changes. The watch ends with its time, the client, or a client that is too slow."""
        end = time.monotonic() + _seconds(self._call.query.get("timeoutSeconds", ""))
        try:
            while True:
                for line in self._waiting():
                    yield line
                left = end - time.monotonic()
                if self._watch.closed or left <= 0 or len(self._watch.pending) > MOST_WAITING:
                    return
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._bell.wait(), left)
                self._bell.clear()
        finally:
            self.close()

    def close(self) -> None:
        """End the watch."""
        self._watch.on_event = None
        self._watch.stop()

    def _waiting(self) -> Iterator[bytes]:
        if self._initial == 0:
            yield self._end_of_initial()
        for event in self._watch:
            shown = self._bookmark(event.object) if event.type == "BOOKMARK" else self._shown(event.object)
            yield _line(event.type, shown)
            if self._initial > 0:
                self._initial -= 1
                if self._initial == 0:
                    yield self._end_of_initial()

    def _end_of_initial(self) -> bytes:
        self._initial = -1
        metadata = {"resourceVersion": self._version, "annotations": {_INITIAL: "true"}, "creationTimestamp": None}
        return _line("BOOKMARK", self._of_kind(metadata))

    def _bookmark(self, obj: Any) -> Any:
        return self._of_kind({"resourceVersion": obj.metadata.resourceVersion, "creationTimestamp": None})

    def _of_kind(self, metadata: dict[str, Any]) -> dict[str, Any]:
        return {"kind": self._call.served.kind, "apiVersion": self._call.api_version, "metadata": metadata}


def _line(type: str, obj: Any) -> bytes:
    return msgspec.json.encode({"type": type, "object": obj}, enc_hook=str) + b"\n"


def _seconds(text: str) -> float:
    """The seconds that a watch lasts: as the client wishes, or 30 to 60 minutes (v1.37: --min-request-timeout)."""
    return min(float(text), _LONGEST) if text.isascii() and text.isdigit() else random.uniform(1800, 3600)
