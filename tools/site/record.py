"""A panel as a recording: its states, stories and answers, as the page plays them without a kernel."""

from __future__ import annotations

import json
import zlib
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from types import FunctionType
from typing import Any

from kschedlab_lab.panels.base import Panel
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.session import described
from kschedlab_lab.views.svg import Room
from tools.site.parts import Parts
from tools.site.run import ShownPanel
from tools.site.states import along, nearest

ROOMS = (Room(580, 420), Room(580, 340), Room(320, 280))
"""For a page of its usual width, for a class (large, in a low window), and for a phone, where text is below."""
NUMBERS = 120
"""Where a number is asked for: how far answers are recorded on both sides of 0 and of the right one."""


@dataclass(frozen=True)
class Limits:
    """How much is recorded of each panel beside what a reader tries first: two controls changed (``pairs``), and with
    them, more controls changed (``states``); and stories, of the nearest.

    ``kilobytes``: where a recording ends, once it has what is tried first and a quarter of it more; half of it is where
    stories end.
    """

    pairs: int = 600
    states: int = 200
    stories: int = 50
    kilobytes: int = 200


@dataclass(frozen=True)
class World:
    """Panels that show the same in the same settings, and the states that are recorded of them, by their text."""

    name: str
    states: dict[str, dict[str, Any]] = field(default_factory=dict)

    def lacks(self, settings: Any, story: bool) -> bool:
        """Whether this state has to be recorded: it is new, or it was recorded without its story."""
        known = self.states.get(str(settings))
        return known is None or (story and "story" in known and "tale" not in known)


@dataclass(frozen=True)
class Shared:
    """What the recordings of a page have in common: parts, worlds, and by the identity of a gate, its name."""

    gates: dict[int, str] = field(default_factory=dict)
    parts: Parts = field(default_factory=Parts)
    worlds: dict[Hashable, World] = field(default_factory=dict)

    def world(self, panel: Panel[Any]) -> World:
        """That of this panel. Two share it if they have equal controls and calls, and one function shows them."""
        controls = tuple((name, each.kind, each.values) for name, each in panel.settings.controls().items())
        return self.worlds.setdefault((_call(panel), controls, _shows(panel)), World(f"world{len(self.worlds)}"))


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
    """The recording of a panel. ``shared``: with the recordings above it on the page, whose states it does not repeat.

    Questions that are still open are opened: a panel's answers are recorded after its notebook has run.
    """
    panel, parts, start = shown.panel, shared.parts, shown.panel.settings
    asking, world = panel.question if shown.asks else None, shared.world(panel)
    record: dict[str, Any] = {
        "world": world.name,
        "rooms": ROOMS,
        "link": _call(panel),
        "start": [*start.indices().values()],
        "covers": [[_name(gate, shared.gates), gate.question] for gate in shown.covers],
        "asks": _asks(panel, asking, shared) if asking is not None else None,
    }
    for _ in ("the question above", "the panel's own"):
        panel.uncover()
    if panel.question is not None:
        panel.gate.open(None, None)
    weight = Weight(parts)
    weight.add(record)
    pictures = "".join(panel.state(start, room)["picture"] for room in ROOMS)
    first, others = nearest(start, limits.pairs, limits.states, pictures, world.states)
    states, reached = list[dict[str, Any]](), list[Any]()

    def reach(settings: Any) -> None:
        reached.append(settings)
        story = len(reached) <= limits.stories and weight.kilobytes < limits.kilobytes / 2
        if world.lacks(settings, story):
            states.append(_state(panel, settings, parts, story))
            weight.add(states[-1])

    for each in first:
        reach(each)
    most = max(limits.kilobytes, weight.kilobytes + limits.kilobytes / 4)
    for each in others:
        if weight.kilobytes > most:
            break
        reach(each)
    record |= {
        "states": states,
        "controls": _controls(reached, world),
        "along": along(reached),
    }
    panel.go(start)
    stored = parts.stored(record)
    world.states.update({state["state"]: state for state in stored["states"]})
    return stored


def _controls(recorded: Sequence[Any], world: World) -> list[dict[str, Any]]:
    """The controls as the front end knows them. A field suggests what was recorded, here and above."""
    found = described(recorded[0])
    for place, each in enumerate(found):
        if each["kind"] == "typed":
            own, above = (
                (getattr(one, each["name"]) for one in recorded),
                (one["at"][place] for one in world.states.values()),
            )
            each["values"] = each["shown"] = list(dict.fromkeys([*own, *above]))
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
        "names": states[0]["names"] or None,
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
    before = [panel.state(settings, room) for room in ROOMS]
    answers: list[str | None] = [None, *(question.choices or _numbers(question, settings))]
    said: list[list[Any]] = []
    numbers = {}
    for answer in answers:
        words = [question.verdict(answer, settings)[name] for name in ("right", "mark", "why")]
        if words not in said:
            said.append(words)
        numbers["" if answer is None else answer] = said.index(words)
    asked, shown = settings.indices(), question.shows(settings).indices()
    return {
        "gate": _name(panel.gate, shared.gates),
        "asked": question.asked(),
        "before": [shared.parts.markup(shown["picture"]) for shown in before],
        "way": [[*map(shared.parts.markup, question.leads(settings, room))] for room in ROOMS]
        if question.way
        else None,
        "handles": before[0].get("handles"),
        "idle": before[0]["idle"],
        "said": said,
        "answers": numbers,
        "solution": question.right(settings),
        "fixed": question.fixed(settings),
        "moment": question.moment,
        "shows": {name: place for name, place in shown.items() if place != asked[name]},
    }


def _numbers(question: Question[Any], settings: Any) -> list[str]:
    """The numbers that somebody may give."""
    right = int(question.right(settings))
    near = {*range(NUMBERS + 1), *range(right - NUMBERS, right + NUMBERS + 1)}
    most = max(near) if question.most is None else question.most
    return [str(number) for number in sorted(near) if 0 <= number <= most]


def _name(gate: object, gates: dict[int, str]) -> str:
    return gates.setdefault(id(gate), f"gate{len(gates)}")


def _call(panel: Panel[Any]) -> str:
    """The line of code that recreates the panel, without its state."""
    return panel.link()[: panel.link().rindex(".restore(") + len(".restore(")]


def _shows(panel: Panel[Any]) -> Hashable:
    """What computes the panel's views; of a function, its code and what it closes over, such as plugins."""
    shows = panel._show
    if not isinstance(shows, FunctionType):
        return shows
    held = [each.cell_contents for each in shows.__closure__ or ()]
    return shows.__code__, *(tuple(map(id, each)) if isinstance(each, (list, tuple)) else id(each) for each in held)
