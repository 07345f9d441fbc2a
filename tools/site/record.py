"""A panel as a recording: its states, stories and answers, as the page plays them without a kernel."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from kschedlab.lab.panels.base import Panel
from kschedlab.lab.panels.question import Question
from kschedlab.lab.panels.session import described
from kschedlab.views.svg import Room
from tools.site.parts import Parts
from tools.site.run import ShownPanel
from tools.site.states import becomes, fixed, nearest

ROOMS = (Room(700, 420), Room(620, 260), Room(320, 480))
"""For a page of its usual width, for a class (large, in a low window), and for a phone."""
NUMBERS = 120
"""Where a number is asked for: how far answers are recorded on both sides of 0 and of the right one."""


@dataclass(frozen=True)
class Limits:
    """How much is recorded of each panel beside what a reader tries first: settings, and stories (of the nearest).

    ``kilobytes``: where a recording ends, once it has what is tried first and a quarter of it more; half of it is where
    stories end.
    """

    states: int = 200
    stories: int = 24
    kilobytes: int = 200


@dataclass(frozen=True)
class Shared:
    """What the recordings of a page have in common: parts, and by the identity of a gate, its name."""

    gates: dict[int, str] = field(default_factory=dict)
    parts: Parts = field(default_factory=Parts)


class Weight:
    """How large a recording is so far. In the end its parts are sorted, and its file takes a quarter less."""

    def __init__(self, parts: Parts) -> None:
        self.kilobytes, self._parts, self._counted = 0.0, parts, len(parts.all)
        self._compressed = zlib.compressobj(9)

    def add(self, more: dict[str, Any]) -> None:
        """Count what is new, and the parts that came with it."""
        new, self._counted = self._parts.all[self._counted :], len(self._parts.all)
        text = json.dumps([more, new], ensure_ascii=False, separators=(",", ":"))
        packed = self._compressed.compress(text.encode()) + self._compressed.flush(zlib.Z_SYNC_FLUSH)
        self.kilobytes += len(packed) * 4 / 3 / 1000  # as base64


def recording(shown: ShownPanel, shared: Shared, limits: Limits) -> dict[str, Any]:
    """The recording of a panel. ``shared``: with the recordings above it on the page.

    Questions that are still open are opened: a panel's answers are recorded after its notebook has run.
    """
    panel, parts, start = shown.panel, shared.parts, shown.panel.settings
    asking = panel.question if shown.asks else None
    weight = Weight(parts)
    record: dict[str, Any] = {
        "rooms": ROOMS,
        "link": panel.link().removesuffix(_quoted(panel)),
        "covers": [[_name(gate, shared.gates), gate.question] for gate in shown.covers],
        "asks": _asks(panel, asking, shared) if asking is not None else None,
    }
    for _ in ("the question above", "the panel's own"):
        panel.uncover()
    if panel.question is not None:
        panel.gate.open(None, None)
    first, others = nearest(start, limits.states, "".join(panel.state(start, room)["picture"] for room in ROOMS))
    everything, states = first + others, list[dict[str, Any]]()
    weight.add(record)
    most = float(limits.kilobytes)
    for number, each in enumerate(everything):
        if number == len(first):
            most = max(most, weight.kilobytes + limits.kilobytes / 4)
        if number >= len(first) and weight.kilobytes > most:
            break
        story = number < limits.stories and weight.kilobytes < limits.kilobytes / 2
        states.append(_state(panel, each, parts, story))
        weight.add(states[-1])
    recorded = everything[: len(states)]
    record |= {"controls": _controls(recorded), "states": states, "becomes": becomes(recorded)}
    panel.go(start)
    return parts.stored(record)


def _controls(recorded: Sequence[Any]) -> list[dict[str, Any]]:
    """The controls as the front end knows them. A field suggests what was recorded."""
    found = described(recorded[0])
    for each in found:
        if each["kind"] == "typed":
            each["values"] = each["shown"] = list(dict.fromkeys(getattr(one, each["name"]) for one in recorded))
    return found


def _state(panel: Panel[Any], settings: Any, parts: Parts, story: bool) -> dict[str, Any]:
    """One state in all rooms. ``tale``: its story in each room, as pictures with captions."""
    panel.go(settings)
    states = [panel.state(settings, room) for room in ROOMS]
    last = {name: each.last(settings) for name, each in settings.controls().items() if each.last is not None}
    found: dict[str, Any] = {
        "at": [*settings.indices().values()],
        "state": str(settings),
        "pictures": [parts.markup(each["picture"]) for each in states],
        "sentence": states[0]["sentence"],
        "table": parts.markup(states[0]["table"]),
        "last": last or None,
        "idle": states[0]["idle"] or None,
        "error": states[0]["error"] or None,
        "story": states[0]["story"] or None,
        "yaml": [parts.text(each) for each in panel.yaml().split("---\n")],
    }
    if story and states[0]["story"]:
        found["tale"] = [[[parts.markup(str(each)), said] for each, said in panel.frames(room)] for room in ROOMS]
    return {name: value for name, value in found.items() if value is not None}


def _asks(panel: Panel[Any], question: Question[Any], shared: Shared) -> dict[str, Any]:
    """The question, the pictures before it, and what is said of each answer."""
    settings = panel.settings
    before = [panel.state(settings, room)["picture"] for room in ROOMS]
    answers: list[str | None] = [None, *(question.choices or _numbers(question, settings))]
    judged = {answer: [judge(answer, settings) for judge in (question.verdict, question.past)] for answer in answers}
    said: list[list[Any]] = []
    numbers = {}
    for answer, both in judged.items():
        words = [[each["right"], each["mark"], each["why"]] for each in both]
        if words not in said:
            said.append(words)
        numbers["" if answer is None else answer] = said.index(words)
    return {
        "gate": _name(panel.gate, shared.gates),
        "asked": question.asked(),
        "before": [shared.parts.markup(picture) for picture in before],
        "said": said,
        "answers": numbers,
        "fixed": fixed(settings),
    }


def _numbers(question: Question[Any], settings: Any) -> list[str]:
    """The numbers that somebody may give."""
    right = int(question.right(settings))
    near = {*range(-NUMBERS, NUMBERS + 1), *range(right - NUMBERS, right + NUMBERS + 1)}
    most = max(near) if question.most is None else question.most
    return [str(number) for number in sorted(near) if (question.below or number >= 0) and number <= most]


def _name(gate: object, gates: dict[int, str]) -> str:
    return gates.setdefault(id(gate), f"gate{len(gates)}")


def _quoted(panel: Panel[Any]) -> str:
    """The end of a link: the state."""
    return panel.link()[panel.link().rindex(".restore(") + len(".restore(") :]
