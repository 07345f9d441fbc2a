"""A timeline of versions with the rules that each of them brought, drawn as switches below it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from kschedlab.decision import Decision
from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.drawing import GAP, Box, arrange, remark, shapes
from kschedlab_lab.views.lettering import fitted, text_width, told_apart
from kschedlab_lab.views.picture import NO_HANDLES, Handles, boxes, boxes_before, scarcest
from kschedlab_lab.views.style import ACT, CHOSEN
from kschedlab_lab.views.svg import Room, label, svg

EDGE, LINE, ROW = 14, 15, 19
"""Space at both ends, height of a line of text and of a row of switches; in pixels."""
PILL = (24, 14)
BOX = 260
"""The greatest width of a node: the nodes are as wide as the timeline below them."""
WIDE, BESIDE = 540, 500
"""From the first width on, the switches stand below the part of the timeline that brought them; from the second one
on, they may stand beside the nodes."""
LIT = ACT
COLON = re.compile("[:：]")


@dataclass(frozen=True)
class Stop:
    """A version on the timeline. ``answer``: what it decides, "" if that is still a secret.

    ``sets``: the settings that go there; ``chosen``: its answer is one node; ``changed``: rules are switched in it.
    """

    name: str
    answer: str
    sets: str
    chosen: bool = False
    changed: bool = False

    @property
    def title(self) -> str:
        """Its name, and whether it was changed."""
        return say("{version}, changed", version=self.name) if self.changed else self.name


@dataclass(frozen=True)
class Lever:
    """A rule as a switch. ``stop``: the number of the version that brought it.

    ``on``: it holds; ``pinned``: other than in the version; ``matters``: switching it alone changes the answer, None if
    that is still a secret; ``sets``: the settings that switch it; ``tip``: what it means.
    """

    name: str
    title: str
    stop: int
    on: bool
    pinned: bool
    matters: bool | None
    sets: str
    tip: str


@dataclass(frozen=True)
class Board:
    """A timeline with its switches, and what the drawing of the nodes above it needs.

    ``at``: the number of the version shown; ``about``: a remark on the cluster; ``handles``: signs, and what one picks.
    """

    stops: Sequence[Stop]
    at: int
    levers: Sequence[Lever]
    about: str = ""
    handles: Handles = NO_HANDLES


def stage(decision: Decision, board: Board, room: Room, alt: str) -> Html:
    """What the version decides, above the timeline."""
    return _stage(boxes(decision, board.handles), scarcest(decision), board, room, alt)


def stage_before(decision: Decision, board: Board, room: Room) -> Html:
    """The same before the answer is known."""
    alt = say("{pod} waits for {version}'s answer.", pod=decision.pod.key, version=board.stops[board.at].name)
    return _stage(boxes_before(decision, board.handles), scarcest(decision), board, room, alt)


def _stage(shown: Sequence[Box], resource: str, board: Board, room: Room, alt: str) -> Html:
    """The switches stand below the timeline, or beside the nodes if that makes the drawing less high than the room."""
    width = float(room.width)
    below, height = timeline(board.stops, board.at, board.levers, width)
    about = remark(board.about, width - 2 * GAP)
    between = about.height + 10
    plan = arrange(shown, room, height + between, most=BOX)
    end = plan.bottom + between + height
    groups: list[tuple[Sequence[Html], float, float]] = [
        (about.shapes, GAP, plan.bottom),
        (below, 0.0, plan.bottom + between),
    ]
    if end > room.height and width >= BESIDE:
        track, high = _track(board.stops, board.at, width)
        side, rows, wide = _beside(board)
        left = width - wide
        about = remark(board.about, left - 2 * GAP)
        more = about.height + 10
        narrow = arrange(shown, Room(int(left), max(room.height, int(rows + high))), high + more)
        bottom = max(narrow.bottom + more, rows)
        if bottom + high < end:
            plan, end = narrow, bottom + high
            groups = [(about.shapes, GAP, plan.bottom), (side, left, 0.0), (track, 0.0, bottom)]
    parts = (element("g", *inside, transform=f"translate({x:g},{y:g})") for inside, x, y in groups)
    return svg([*shapes(shown, plan, resource), *parts], width, end, alt)


def timeline(stops: Sequence[Stop], at: int, levers: Sequence[Lever], width: float) -> tuple[list[Html], float]:
    """The timeline and its switches, from y = 0, and their height. ``at``: the number of the version shown."""
    found, first = _track(stops, at, width)
    groups = _groups(stops, levers)
    places = [*(_columns(groups, _step(stops, width)) if width >= WIDE else _list(groups, width))]
    return [*found, *_switches(places, first)], first + ROW * max(
        (row + group.rows for group, _, row, _ in places), default=0
    )


def _step(stops: Sequence[Stop], width: float) -> float:
    return (width - 2 * EDGE) / (len(stops) - 1)


def _track(stops: Sequence[Stop], at: int, width: float) -> tuple[list[Html], float]:
    """The line with the versions and the knob, and where it ends."""
    step, axis = _step(stops, width), 2 * LINE + 14
    versions = (_stop(stop, i, len(stops), axis, step, i == at) for i, stop in enumerate(stops))
    return [*_axis(len(stops), at, axis, step), *versions, _knob(at, axis, step)], axis + 18


def _beside(board: Board) -> tuple[list[Html], float, float]:
    """The switches one below the other, their height and their width."""
    groups = _groups(board.stops, board.levers)
    wide = max((text_width(each.title, bold=True) for each in board.levers), default=0) + PILL[0] + 24
    wide = max(wide, *(text_width(each.title) + 26 for each in groups)) if groups else wide
    first = [sum(each.rows for each in groups[:i]) for i in range(len(groups) + 1)]
    places = [(each, 12.0, row, wide - 14) for each, row in zip(groups, first, strict=False)]
    return [*_switches(places, 4)], 4.0 + ROW * first[-1], wide


def _groups(stops: Sequence[Stop], levers: Sequence[Lever]) -> list[_Group]:
    groups = [_Group(_between(stops, i), [each for each in levers if each.stop == i], i) for i in range(len(stops))]
    return [each for each in groups if each.levers]


def _between(stops: Sequence[Stop], i: int) -> str:
    return say("between {earlier} and {later}", earlier=stops[max(i - 1, 0)].name, later=stops[i].name)


def _switches(places: Iterable[tuple[_Group, float, int, float]], first: float) -> Iterator[Html]:
    """Each group in its place: x, first row and width."""
    for group, x, row, room in places:
        y = first + ROW * row
        yield label(group.title, x, y + 11, font_size=12, opacity=0.8)
        yield from (_lever(each, x, y + ROW * i, room) for i, each in enumerate(group.levers, 1))


def _axis(count: int, at: int, y: float, step: float) -> Iterator[Html]:
    """The line, thick up to the version shown."""
    whole, done = EDGE + step * (count - 1), step * at
    yield element("path", d=f"M{EDGE} {y:g}H{whole:g}", stroke="currentColor", stroke_width=2, opacity=0.35)
    yield element(
        "rect", x=EDGE, y=y - 2, width=max(done, 0.1), height=4, fill="currentColor", data_key="timeline/done"
    )


def _stop(stop: Stop, number: int, count: int, y: float, step: float, here: bool) -> Html:
    """A version: its name and its answer above the line."""
    x = EDGE + step * number
    last = number == count - 1
    anchor, at = ("start", 2.0) if number == 0 else ("end", x + EDGE - 2) if last else ("middle", x)
    weight = "bold" if here else None
    room = (step / 2 + EDGE if number == 0 or last else step) - 16 * stop.chosen
    said = stop.answer or "?"
    said = said if text_width(said, bold=here) <= room else told_apart(COLON.split(said)[0], room, bold=here)
    said_in_full = say("{version}: {said}", version=stop.title, said=stop.answer or say("not known yet"))
    left, right = max(x - step / 2, 0), min(x + step / 2, EDGE * 2 + step * (count - 1))
    return element(
        "g",
        element("rect", x=left, width=right - left, height=y + 12, fill="transparent"),
        element("circle", cx=x, cy=y, r=5),
        label(
            stop.title if text_width(stop.title, bold=here) <= room else stop.name, at, LINE, anchor, font_weight=weight
        ),
        element(
            "text",
            element("tspan", "★ ", fill=CHOSEN) if stop.chosen else None,
            said,
            x=at,
            y=2 * LINE,
            text_anchor=anchor,
            font_weight=weight,
        ),
        data_key=f"version/{stop.name}",
        data_set=stop.sets or None,
        data_tip=said_in_full,
    )


def _knob(at: int, y: float, step: float) -> Html:
    """The handle that is dragged along the timeline."""
    return element(
        "g",
        element("circle", r=10, fill="currentColor", fill_opacity=0.2, stroke="currentColor", stroke_width=2.5),
        transform=f"translate({EDGE + step * at:g},{y:g})",
        data_key="timeline/knob",
        data_drag="version",
        data_axis="x",
        data_step=round(step, 1),
        aria_label=say("version"),
    )


class _Group(NamedTuple):
    """The rules that changed up to a version. ``stop``: its number; ``title``: between which versions."""

    title: str
    levers: Sequence[Lever]
    stop: int

    @property
    def rows(self) -> int:
        """Its rows: a title, and one for each switch."""
        return 1 + len(self.levers)


def _columns(groups: Sequence[_Group], step: float) -> Iterator[tuple[_Group, float, int, float]]:
    """Each group below the part of the timeline that ends at its version: x, first row, and its width."""
    for group in groups:
        yield group, EDGE + step * (group.stop - 1) + 4, 0, step - 2


def _list(groups: Sequence[_Group], width: float) -> Iterator[tuple[_Group, float, int, float]]:
    """The groups one below the other, in as many columns as fit; a group stays whole."""
    columns = 2 if width >= 440 else 1
    whole = sum(group.rows for group in groups)
    room = (width - 2 * EDGE) / columns
    column = row = above = 0
    for group in groups:
        if columns == 2 and not column and above and 2 * above + group.rows > whole:
            column, row = 1, 0
        yield group, EDGE + room * column, row, room - 8
        row, above = row + group.rows, above + group.rows


def _lever(lever: Lever, x: float, y: float, room: float) -> Html:
    """One switch: lit if it matters, pale if not, with a ring if it is other than in the version."""
    wide, high = PILL
    lit = lever.matters is True
    strong = (lit or lever.pinned) and text_width(lever.title, bold=True) <= room - wide - 6
    weight = "bold" if strong else None
    title = fitted(lever.title, room - wide - 6, bold=strong)
    end = text_width(title, bold=strong) + wide + 14
    shapes = [
        element("rect", width=wide, height=high, rx=high / 2, fill_opacity=0.6 if lever.on else 0.08, **_ring(lever)),
        element("circle", cx=(wide - 7) if lever.on else 7, cy=7, r=4.5, data_key=f"rule/{lever.name}/knob"),
        label(title, wide + 5, high - 3, font_weight=weight),
    ]
    if lit:
        shapes.insert(
            0, element("rect", x=-4, y=-2, width=min(end, room), height=19, rx=5, fill=LIT, fill_opacity=0.22)
        )
    return element(
        "g",
        *shapes,
        transform=f"translate({x:g},{y:g})",
        opacity=0.5 if lever.matters is False and not lever.pinned else None,
        data_key=f"rule/{lever.name}",
        data_set=lever.sets or None,
        data_tip=lever.tip or None,
        aria_pressed="true" if lever.on else "false",
    )


def _ring(lever: Lever) -> dict[str, Any]:
    """The outline of a switch; thick if it is other than in the version."""
    return {"stroke": LIT, "stroke_width": 2.5} if lever.pinned else {"stroke": "currentColor"}
