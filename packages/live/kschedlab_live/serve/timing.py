"""The clock over HTTP: what ``kschedlab clock`` asks and changes, at ``/kschedlab/clock``."""

from __future__ import annotations

from typing import Any

from kschedlab.objects.meta import Time
from kschedlab_live.serve.clock import speed_of
from kschedlab_live.serve.plane import STEP_LIMIT, Plane
from kschedlab_live.wire.statuses import failure
from kschedlab_simulation.durations import parse_duration
from kschedlab_simulation.status import ApiError

PATH = "/kschedlab/clock"


def clock_json(plane: Plane) -> dict[str, Any]:
    """The clock, as JSON."""
    clock = plane.clock
    return {"time": str(Time(plane.now)), "speed": clock.speed, "paused": clock.paused}


async def change_clock(plane: Plane, body: dict[str, Any]) -> dict[str, Any]:
    """Change the clock: ``speed``, ``paused``, and ``step``: a duration such as ``5s``, or ``next``. ApiError (400)."""
    unknown = sorted(set(body) - {"speed", "paused", "step"})
    if unknown:
        raise ApiError.bad_request(f"{unknown[0]}: the clock has speed, paused and step")
    speed, paused, step = body.get("speed"), body.get("paused"), body.get("step")
    if paused is not None and not isinstance(paused, bool):
        raise ApiError.bad_request("paused: expected true or false")
    try:
        faster = None if speed is None else speed_of(str(speed))
        microseconds = None if step in (None, "next") else parse_duration(step if isinstance(step, str) else "")
    except ValueError as error:
        raise ApiError.bad_request(str(error)) from None
    if microseconds is not None and not 0 < microseconds <= STEP_LIMIT:
        raise ApiError.bad_request("step: expected more than 0s, and at most 30 days")
    if step is not None and not (plane.clock.paused if paused is None else paused):
        raise failure(409, "Conflict", "the clock runs: pause it before you step")
    plane.clock.run(faster, paused)
    if step is not None:
        await plane.step(microseconds)
    plane.wake()
    return clock_json(plane)
