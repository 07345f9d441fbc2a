"""A timeline of versions with what they decide, and the changes that make the difference as switches below it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from kschedlab.decision import Decision
from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.drawing import GAP, SMALL, Box, arrange, remark, shapes
from kschedlab_lab.views.ladder_drawing import TOP, Lane, Lanes, ladder, lanes
from kschedlab_lab.views.layout import Part, column, moved, padded, row, words
from kschedlab_lab.views.lettering import fitting, text_width
from kschedlab_lab.views.picture import NO_HANDLES, Handles, boxes, boxes_before, scarcest
from kschedlab_lab.views.style import ACT, ACT_SOFT, CHOSEN, INK_2, INK_3, ON_ACCENT, TRAY
from kschedlab_lab.views.svg import Room, dragged, label, rect, svg

EDGE, LINE = 14, 15
"""Space at both ends, and the height of a line of text; in pixels."""
LOW, BAR, HEAD, WIDE = 104, LINE + 6, 188, 440
"""The least height of the largest node; the height of the bar with the answers; the width of a switch with its name,
and of a room that has what it does beside it."""
PILL = (28, 16)
BOX = 260
"""The greatest width of a node: the nodes are as wide as the timeline below them."""
FLAT = 0.78
"""The most height of the whole for the width of a room: what is said above may grow, and nothing changes its size."""
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
    """A rule as a switch. ``since``: the version that brought it, and the line of its source.

    ``on``: it holds; ``pinned``: other than in the version; ``matters``: switching it alone changes the answer;
    ``sets``: the settings that switch it; ``without`` and ``within``: what holds in the two positions.
    """

    name: str
    title: str
    since: str
    on: bool
    pinned: bool
    matters: bool
    sets: str
    without: str
    within: str


@dataclass(frozen=True)
class Board:
    """A timeline with its switches, and what the drawing of the nodes above it needs.

    ``at``: the number of the version shown; ``rungs``: the numbers of preemption's rules that tell nodes apart in some
    version; ``about``: a remark on the cluster; ``handles``: signs, and what one picks.
    """

    stops: Sequence[Stop]
    at: int
    levers: Sequence[Lever]
    rungs: tuple[int, ...] = ()
    about: str = ""
    handles: Handles = NO_HANDLES


def stage(decision: Decision, board: Board, room: Room, alt: str, known: Sequence[Box] | None = None) -> Html:
    """What the version decides, above the timeline. ``known``: the nodes before it decides, as far as that is known."""
    if known is not None:
        return _picture(known, decision, board, room, alt, asked=0)
    shown = boxes(decision, board.handles)
    captions = not board.rungs or decision.preemption is None  # else the ladder tells why
    shown = [replace(box, captions=box.captions[:1] if len(box.captions) < 2 else ()) for box in shown]
    return _picture(shown, decision, board, room, alt, captions=captions)


def stage_before(decision: Decision, board: Board, room: Room) -> Html:
    """The same before the answer is known."""
    alt = say("{pod} waits for {version}'s answer.", pod=decision.pod.key, version=board.stops[board.at].name)
    return _picture(boxes_before(decision, board.handles), decision, board, room, alt, asked=0)


def _picture(
    shown: Sequence[Box],
    decision: Decision,
    board: Board,
    room: Room,
    alt: str,
    captions: bool = False,
    asked: int | None = None,
) -> Html:
    """The nodes, preemption's rules, the timeline and the switches, each in its place before and after the answer.

    ``asked``: how many rules are asked, None for all.
    """
    below = _below(board, room)
    if room.width >= WIDE:
        room = room._replace(height=min(room.height, int(FLAT * room.width)))
    first, *_ = arrange(shown, room, below.height, captions, most=BOX, short=LOW).places
    rules = Lanes(Lane(first.x, 0 if first.bar else first.width), {}, tight=True, only=board.rungs)
    high = rules.row * len(board.rungs) + TOP if board.rungs else 0
    plan = arrange(shown, room, below.height + high, captions, most=BOX, short=LOW)
    parts = shapes(shown, plan, scarcest(decision), captions)
    if board.rungs and decision.preemption is not None:
        at = lanes(shown, plan, tight=True)._replace(only=board.rungs)
        parts += ladder(decision.preemption, at, plan.bottom - 8, asked)
    top = plan.bottom + high
    return svg([*parts, moved(below, 0, top)], room.width, top + below.height + 4, alt)


def _below(board: Board, room: Room) -> Part:
    """The timeline, and below it the rules."""
    about = padded(remark(board.about, room.width - 2 * GAP), GAP)
    track = timeline(board.stops, board.at, room.width)
    return column([about, track, padded(rules(board, room.width - 2 * EDGE), EDGE)], 6)


def timeline(stops: Sequence[Stop], at: int, width: float) -> Part:
    """The line with the versions and the knob; above it, what they decide. ``at``: the number of the version shown."""
    step, axis = _step(stops, width), 2 * LINE + 22
    runs = [_run(run, len(stops), step, at) for run in _runs(stops)]
    versions = (_stop(stop, i, len(stops), axis, step, i == at) for i, stop in enumerate(stops))
    return Part(width, axis + 12, (*runs, *_axis(len(stops), at, axis, step), *versions, _knob(at, axis, step)))


def _runs(stops: Sequence[Stop]) -> Iterator[list[tuple[int, Stop]]]:
    """Neighbouring versions with the same answer, with their numbers."""
    for _, run in groupby(enumerate(stops), key=lambda each: (each[1].answer, each[1].changed)):
        yield list(run)


def rules(board: Board, width: float) -> Part:
    """The rules as switches, each with what holds in its present position."""
    return column([_switch(each, width) for each in board.levers], 7)


def _step(stops: Sequence[Stop], width: float) -> float:
    return (width - 2 * EDGE) / (len(stops) - 1)


def _axis(count: int, at: int, y: float, step: float) -> Iterator[Html]:
    """The line, thick up to the version shown."""
    whole, done = EDGE + step * (count - 1), step * at
    yield element("path", d=f"M{EDGE} {y:g}H{whole:g}", stroke="currentColor", stroke_width=2, opacity=0.35)
    yield rect(max(done, 0.1), 4, None, EDGE, y - 2, fill="currentColor", data_key="timeline/done")


def _run(run: Sequence[tuple[int, Stop]], count: int, step: float, at: int) -> Html:
    """The answer of these versions, as wide as they are."""
    first, last, stop = run[0][0], run[-1][0], run[0][1]
    left = 0 if first == 0 else EDGE + step * (first - 0.5) + 1
    right = 2 * EDGE + step * (count - 1) if last == count - 1 else EDGE + step * (last + 0.5) - 1
    here, room = first <= at <= last, right - left - 6
    if not stop.answer:
        said = "?"
    elif stop.chosen:
        short = stop.answer.rpartition("-")[2]  # "a without old"
        letter = short.partition(" ")[0]
        said = fitting((f"★ {stop.answer}", f"★ {short}", f"★ {letter}", letter), room, bold=here)
    else:
        said = fitting((stop.answer, COLON.split(stop.answer)[0], "–"), room, bold=here)
    text = element(
        "text",
        element("tspan", "★ ", fill=CHOSEN) if said.startswith("★") else None,
        said.removeprefix("★ "),
        x=(left + right) / 2,
        y=LINE,
        text_anchor="middle",
        font_weight="bold" if here else None,
    )
    box = element("rect", x=left, y=0, width=right - left, height=BAR, rx=6, fill=ACT_SOFT if here else TRAY)
    return element("g", box, text, data_key=f"run/{stop.name}")


def _stop(stop: Stop, number: int, count: int, y: float, step: float, here: bool) -> Html:
    """A version: its dot on the line, and its name above it."""
    x = EDGE + step * number
    weight = "bold" if here else None
    name = stop.title if text_width(stop.title, bold=here) <= step else stop.name
    name = name if text_width(name, bold=here) <= step - 6 else name.removeprefix("v1")
    said_in_full = say("{version}: {said}", version=stop.title, said=stop.answer or say("not known yet"))
    left, right = max(x - step / 2, 0), min(x + step / 2, EDGE * 2 + step * (count - 1))
    anchor, at = ("start", 2.0) if number == 0 else ("end", right - 2) if number == count - 1 else ("middle", x)
    return element(
        "g",
        element("rect", x=left, width=right - left, height=y + 12, fill="transparent"),
        element("circle", cx=x, cy=y, r=5 if here else 4),
        label(name, at, 2 * LINE + 7, anchor, font_weight=weight),
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
        **dragged("version", "x", round(step, 1), say("version")),
    )


def _switch(lever: Lever, width: float) -> Part:
    """The switch, and what the rule does in this position; what makes no difference now is pale."""
    colour = "currentColor" if lever.matters or lever.pinned else INK_2
    name = words(lever.title, bold=lever.matters or lever.pinned, fill=colour)
    head = row([_pill(lever), name], 6)
    beside = width >= WIDE
    room = width - HEAD if beside else width
    state = say("on: {what}", what=lever.within) if lever.on else say("off: {what}", what=lever.without)
    said = words(state, SMALL, width=room, fill=colour)
    inside = row([Part(HEAD, head.height, head.shapes), said], 0) if beside else column([head, said], 2)
    look = {"stroke": ACT, "stroke_width": 1.5, "fill": ACT_SOFT} if lever.pinned else {"fill": "transparent"}
    ground = rect(width + 12, inside.height + 4, 8, -6, -2, data_key=f"rule/{lever.name}/box", **look)
    marks: dict[str, Any] = {"data_set": lever.sets or None, "aria_label": lever.title}
    marks["data_tip"] = say("since {version}", version=lever.since)
    marks |= {"aria_pressed": "true" if lever.on else "false", "data_key": f"rule/{lever.name}"}
    return Part(width, inside.height, (element("g", ground, *inside.shapes, **marks),))


def _pill(lever: Lever) -> Part:
    """The switch: filled if it is on."""
    wide, high = PILL
    ground = {"fill": ACT if lever.on else TRAY, "stroke": ACT if lever.on else INK_3}
    knob = {"cx": wide - high / 2 if lever.on else high / 2, "cy": high / 2, "r": high / 2 - 3}
    dot = element("circle", fill=ON_ACCENT if lever.on else INK_3, data_key=f"rule/{lever.name}/knob", **knob)
    return Part(wide, high, (element("rect", width=wide, height=high, rx=high / 2, **ground), dot))
