"""Bounds of a served cluster: on its bytes, not only its objects, and on requests that never end.

v1.37: etcd's --max-request-bytes and --quota-backend-bytes; k8s.io/apiserver pkg/storage/cacher (a watch that is behind
the history of changes ends).
"""

from __future__ import annotations

import asyncio
from collections import deque
from typing import Any

import h11
import msgspec
from uvicorn.protocols.http.h11_impl import H11Protocol

from kschedlab_live.wire.statuses import failure
from kschedlab_simulation.server.store import Store, StoreWrite
from kschedlab_simulation.status import ApiError

MEBIBYTE = 1024**2
LARGEST_BODY = 3 * MEBIBYTE
"""Bytes in a request's body (v1.37: k8s.io/apiserver pkg/server/config.go, MaxRequestBodyBytes)."""
LARGEST = 3 * MEBIBYTE // 2
"""Bytes of one object."""
MOST = 512 * MEBIBYTE
"""Bytes of all objects."""
MOST_HISTORY = 32 * MEBIBYTE
"""Bytes of the changes of one kind that watches can go back, and may lag behind."""
PATIENCE = 10.0
"""Seconds in which a request has to arrive as a whole."""


class Bounds:
    """Counts the bytes of objects and changes in these stores, and lets the oldest changes go. ``size``: of all."""

    def __init__(self, *stores: Store) -> None:
        self.size = 0
        self._sizes: dict[tuple[Store, str], int] = {}
        self._histories: dict[Store, deque[int]] = {}
        self._history_sizes: dict[Store, int] = {}
        for store in stores:
            self.follow(store)

    def follow(self, store: Store) -> None:
        """Count the objects and changes of a new store, too."""
        self._histories[store], self._history_sizes[store] = deque(), 0
        store.followers.append(self._written)

    def forget(self, store: Store) -> None:
        """Forget a store that has no objects any more."""
        del self._histories[store], self._history_sizes[store]

    def check(self, data: Any) -> None:
        """ApiError (413) if there is no room for the object."""
        size = _size(data)
        if size > LARGEST:
            raise _too_large(f"the object has {size:,} bytes, and at most {LARGEST:,} are kept")
        if self.size + size > MOST:
            raise _too_large(f"this server keeps at most {MOST // MEBIBYTE} MiB of objects: delete some")

    def _written(self, store: Store, change: StoreWrite) -> None:
        size, key = _size(change.object), (store, store.resource.key_of(change.object))
        self.size -= self._sizes.pop(key, 0)
        if change.type != "DELETED":
            self._sizes[key] = size
            self.size += size
        sizes = self._histories[store]
        sizes.append(size)
        total = self._history_sizes[store] + size
        while len(sizes) > store.changes:  # it has let some go by itself
            total -= sizes.popleft()
        while total > MOST_HISTORY and len(sizes) > 1:
            store.forget_oldest()
            total -= sizes.popleft()
        self._history_sizes[store] = total


def _size(value: Any) -> int:
    return len(msgspec.json.encode(value, enc_hook=str))


def _too_large(why: str) -> ApiError:
    return failure(413, "RequestEntityTooLarge", why)


def check_length(text: str) -> None:
    """ApiError (400, 413) if the announced length of a body is not a number, or too large."""
    if text and not (text.isascii() and text.isdigit() and len(text) < 20):
        raise ApiError.bad_request("Content-Length is not a number")
    if text and int(text) > LARGEST_BODY:
        raise body_too_large()


def body_too_large() -> ApiError:
    """The body is too long."""
    return _too_large(f"the body of a request has at most {LARGEST_BODY // MEBIBYTE} MiB")


class Protocol(H11Protocol):
    """HTTP that closes a connection on which a request, its headers or its body, stops in the middle."""

    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Read on; the time runs from the first byte of a request to its last."""
        super().data_received(data)
        begun = self.conn.their_state is h11.SEND_BODY or bool(self.conn.trailing_data[0])
        if begun and self._deadline is None:
            self._wait()
        elif not begun and self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _wait(self) -> None:
        self._deadline = self.loop.call_later(PATIENCE, self._late)

    def _late(self) -> None:
        if not self.transport.is_closing():
            self.transport.close()
