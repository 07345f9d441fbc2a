"""How patches are named and moments are written, for the server and for clients."""

from __future__ import annotations

from kschedlab.objects.meta import SECOND, Time

JSON_PATCH = "application/json-patch+json"
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"


def micro_time(at: int) -> str:
    """A moment (microseconds since 1970) with all its microseconds (meta/v1, MicroTime)."""
    return f"{str(Time.whole_second(at))[:-1]}.{at % SECOND:06}Z"
