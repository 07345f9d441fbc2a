"""The requests of a pod, as the scheduler counts them before and after it is placed."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

import msgspec


class Requests(msgspec.Struct, frozen=True, gc=False):
    """The requests of a pod: one object for all pods that request the same.

    ``request``: the requests that the filter checks, by resource name (cpu in milli, the rest in units).
    ``placed``: the requests that count once the pod is on a node.
    ``scored``, ``nonzero``: (milli cpu, bytes of memory) of the two, with the defaults 100m and 200 MiB that some
    scores use.
    """

    request: dict[str, int]
    placed: dict[str, int]
    scored: tuple[int, int]
    nonzero: tuple[int, int]


Amounts: TypeAlias = tuple[tuple[str, int], ...]


@lru_cache(1 << 14)
def requests(request: Amounts, placed: Amounts, scored: tuple[int, int], nonzero: tuple[int, int]) -> Requests:
    """These requests, read-only. What a pod requests is usually the same before and after it is placed."""
    before = dict(request)
    return Requests(before, before if placed == request else dict(placed), scored, nonzero)
