"""``kschedlab clock``: the time of a served cluster."""

from __future__ import annotations

import argparse
from typing import Any

from kschedlab.program.options import Commands, UsageError
from kschedlab_live.program.serve import add_kubeconfig

_SECONDS = 60.0


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser("clock", help="show, stop, step or speed up the time of a served cluster")
    parser.add_argument(
        "action",
        nargs="?",
        default="show",
        choices=("show", "pause", "resume", "step", "speed"),
        help="step moves a stopped clock on (default: show)",
    )
    parser.add_argument(
        "value",
        nargs="?",
        metavar="DURATION|N",
        help="of step: a duration such as 5s (default: to the next event); of speed: a factor such as 10",
    )
    add_kubeconfig(parser, "the kubeconfig of the served cluster")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Ask or change the clock, and print it."""
    import httpx

    from kschedlab_live.serve.kubeconfig import KubeconfigError, read
    from kschedlab_live.serve.plane import CLOCK_PATH

    body = _change(options.action, options.value)
    try:
        url = f"{read(options.kubeconfig)}{CLOCK_PATH}"
        answer = httpx.get(url) if body is None else httpx.post(url, json=body, timeout=_SECONDS)
        clock: Any = answer.json()
    except KubeconfigError as error:
        raise UsageError(str(error)) from None
    except (httpx.HTTPError, ValueError) as error:
        why = f"{options.kubeconfig}: the server does not answer: {type(error).__name__}"
        raise UsageError(f"{why}: is kschedlab serve running?") from None
    if answer.status_code != 200:
        raise UsageError(f"{clock.get('message', 'the server refuses it')}")
    state = "stopped" if clock["paused"] else f"running at speed {clock['speed']:g}"
    print(f"{clock['time']} {state}")
    return 0


def _change(action: str, value: str | None) -> dict[str, Any] | None:
    """The request to the clock; None only reads it. UsageError."""
    if value is not None and action not in ("step", "speed"):
        raise UsageError(f"kschedlab clock {action} takes no value: step takes a duration, speed a factor")
    if action == "speed":
        from kschedlab_live.serve.plane import speed_of

        if value is None:
            raise UsageError("kschedlab clock speed takes a factor, such as 10")
        try:
            return {"speed": speed_of(value)}
        except ValueError as error:
            raise UsageError(str(error)) from None
    changes: dict[str, dict[str, Any]] = {
        "pause": {"paused": True},
        "resume": {"paused": False},
        "step": {"step": value or "next"},
    }
    return changes.get(action)
