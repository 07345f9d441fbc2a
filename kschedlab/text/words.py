"""Phrases that all texts share: numbers with nouns, lists, amounts, times, and what a pod asks for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby, islice
from textwrap import wrap
from unicodedata import east_asian_width

from msgspec.structs import replace

from kschedlab.cluster.pods import NEVER_STARTED, PodInfo
from kschedlab.messages import later, listed, say, translation
from kschedlab.objects.meta import SECOND
from kschedlab.objects.requests import pod_requests
from kschedlab.text.html import visible

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
Clock = Callable[[int], str]


def count(number: int, noun: str) -> str:
    """The number with its noun: "1 node", "2 nodes"; in Chinese the message "{number} node", for any number."""
    known = translation(f"{{number}} {noun}")
    return f"{number:,} {noun}{'' if number == 1 else 's'}" if known is None else known.format(number=f"{number:,}")


def listing(names: Sequence[str], limit: int = 5) -> str:
    """The first names and the number of the others: "a, b, c and 4 more"."""
    rest, first = len(names) - limit, listed(islice(names, limit))
    return say("{names} and {rest:,} more", names=first, rest=rest) if rest > 0 else first


def amount(resource: str, value: int) -> str:
    """A request in common notation: "1.5 CPU", "250m CPU", "2Gi memory", "1 nvidia.com/gpu"."""
    if resource == "cpu":
        return cpus(value) if value >= 1000 and value % 100 == 0 else f"{value}m CPU"
    unit, suffix = _unit(resource, value)
    return f"{_decimal(value * 100 // unit)}{suffix} {resource}"


def asked_and_free(resource: str, asked: int, free: int) -> tuple[str, str]:
    """Both in one unit: ("2 CPU", "1.685 CPU"), ("16Gi memory", "11.57Gi memory"). What is free is rounded down."""
    if resource == "cpu":
        if asked >= 1000:
            return cpus(asked), cpus(free)
        return f"{asked}m CPU", f"{free}m CPU"
    unit, suffix = _unit(resource, asked)
    return amount(resource, asked), f"{_decimal(free * 100 // unit)}{suffix} {resource}"


def _unit(resource: str, value: int) -> tuple[int, str]:
    """The largest unit of bytes in which two decimals say the value; 1 for what is counted."""
    if resource in ("memory", "ephemeral-storage") or resource.startswith("hugepages-"):
        for unit, suffix in ((1 << 40, "Ti"), (1 << 30, "Gi"), (1 << 20, "Mi"), (1 << 10, "Ki")):
            if value >= unit and value * 100 % unit == 0:
                return unit, suffix
    return 1, ""


def cpus(milli: int) -> str:
    """Milli CPU in cores, whatever is compared with it: "2 CPU", "0.5 CPU", "1.685 CPU"."""
    cores = f"{milli / 1000:.3f}".rstrip("0").rstrip(".")
    return f"{cores} CPU"


def _decimal(hundredths: int) -> str:
    """ "16", "1.5", "11.57"."""
    whole, rest = divmod(hundredths, 100)
    return f"{whole}.{rest:02}".rstrip("0") if rest else str(whole)


def human_duration(microseconds: int) -> str:
    """A duration as kubectl shows it; ``<invalid>`` if it is more than a second in the future.

    v1.37: k8s.io/apimachinery pkg/util/duration (HumanDuration).
    """
    seconds = microseconds // SECOND if microseconds >= 0 else -(-microseconds // SECOND)
    if seconds < -1:
        return "<invalid>"
    if seconds < 2 * 60:
        return f"{max(seconds, 0)}s"
    minutes, hours = microseconds // (60 * SECOND), microseconds // (3600 * SECOND)
    days, years = hours // 24, hours // 24 // 365
    if minutes < 10:
        return f"{minutes}m" + _rest(seconds % 60, "s")
    if minutes < 3 * 60:
        return f"{minutes}m"
    if hours < 8:
        return f"{hours}h" + _rest(minutes % 60, "m")
    if hours < 48:
        return f"{hours}h"
    if days < 8:
        return f"{days}d" + _rest(hours % 24, "h")
    if years < 2:
        return f"{days}d"
    return f"{years}y" + (_rest(days % 365, "d") if years < 8 else "")


def _rest(number: int, unit: str) -> str:
    return f"{number}{unit}" if number else ""


def clock(starts: Iterable[int]) -> Clock:
    """A formatter for these times (microseconds since 1970); it shows dates only if the days differ."""
    moments = [_moment(start) for start in starts if start != NEVER_STARTED]
    whole = all(m.second == m.microsecond == 0 for m in moments)
    pattern = "%H:%M" if whole else "%H:%M:%S"
    if len({m.date() for m in moments}) > 1:
        pattern = "%Y-%m-%d " + pattern
    return lambda start: say("not started") if start == NEVER_STARTED else _moment(start).strftime(pattern)


def _moment(start: int) -> datetime:
    return EPOCH + timedelta(microseconds=start)


def request_text(pod: PodInfo) -> str:
    return say("asks for {asked}; priority {priority}", asked=requested(pod), priority=pod.priority)


def requested(pod: PodInfo) -> str:
    """What the pod asks for: "500m CPU, 1Gi memory"."""
    return listed(amount(name, value) for name, value in pod.request.items() if value) or say("nothing")


def init_containers_text(info: PodInfo) -> str:
    """Which init containers raise the pod's requests above those of its containers; "" if none does.

    The scheduler counts the largest init container as long as the pod lives, and sidecars beside the containers.
    """
    pod, request = info.pod, info.request
    init = pod.spec.initContainers
    if not init:
        return ""
    without = pod_requests(replace(pod, spec=replace(pod.spec, initContainers=())))
    raised = [name for name, value in request.items() if value > without.get(name, 0)]
    asked = {each.name: {*each.resources.requests, *each.resources.limits} for each in init}
    names = [name for name, resources in asked.items() if not resources.isdisjoint(raised)]
    if not names:
        return ""
    alone = listed([amount(name, without.get(name, 0)) for name in raised])
    message = later("Init containers count: {names}; without them it would ask for {asked}.")
    return say(message, names=listing(names), asked=alone)


def columns_of(text: str) -> int:
    """The width of the text in columns of a terminal: a Chinese character takes two."""
    return len(text) + (0 if text.isascii() else sum(map(_is_wide, text)))


def _is_wide(character: str) -> bool:
    return east_asian_width(character) in "WF"


def broken(text: str, width: int) -> list[str]:
    """The text wrapped to this width in columns of a terminal, between words or wide characters; at least one line."""
    shown = visible(text)
    if columns_of(shown) == len(shown):
        return wrap(shown, width, break_on_hyphens=False) or [""]
    lines = [""]
    for wide, run in groupby(shown, _is_wide):
        for unit in run if wide else re.findall(r"\s*\S+|\s+$", "".join(run)):
            if columns_of(lines[-1] + unit) > width and lines[-1]:
                lines.append("")
            lines[-1] += unit if lines[-1] else unit.lstrip()
    return lines
