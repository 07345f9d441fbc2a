"""A timeline of versions with what they decide; the changes that make the difference are flags on it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, NamedTuple

from kschedlab.decision import Decision
from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.drawing import GAP, Box, arrange, shapes
from kschedlab_lab.views.ladder_drawing import TOP, Lane, Lanes, ladder, lanes
from kschedlab_lab.views.layout import Part, column, moved, padded, phrase
from kschedlab_lab.views.lettering import fitting, text_width
from kschedlab_lab.views.picture import Handles, boxes, boxes_before, in_list_order, scarcest
from kschedlab_lab.views.style import ACT, ACT_SOFT, CHOSEN, INK, INK_2, INK_3, ON_ACCENT, TRAY
from kschedlab_lab.views.svg import Room, dragged, label, rect, svg

EDGE, LINE = 14, 15
"""Space at both ends, and the height of a line of text; in pixels."""
LOW, HIGHER, TALLEST, BAR, AXIS, POLE = 104, 124, 240, LINE + 6, 2 * LINE + 22, 9
"""The least height of the largest node, and without rules below it; its greatest one; the height of the bar with the
answers; where the line is below it; how far a flag reaches to the left of its pole."""
FLAT, ROOMY = 1.1, 470
"""The most height of the whole for the width of a room; the height from which on the rules are as far apart as in
lesson 05."""
COLON = re.compile("[:：]")


@dataclass(frozen=True)
class Stop:
    """A version on the timeline. ``answer``: what it decides, "" if that is still a secret.

    ``sets``: the settings that go there; ``chosen``: its answer is one node.
    """

    name: str
    answer: str
    sets: str = ""
    chosen: bool = False


@dataclass(frozen=True)
class Flag:
    """A change on the timeline. ``since``: the version that brought it; ``at``: the number of the first stop with it.

    ``out``: it is taken out; ``sets``: the settings that take it out or put it back; ``says``: what holds now.
    """

    name: str
    title: str
    since: str
    at: int
    out: bool
    sets: str
    says: str


@dataclass(frozen=True)
class Board:
    """A timeline with its flags, and what the drawing of the nodes above it needs.

    ``at``: the number of the version shown; ``rungs``: the numbers of preemption's rules that tell nodes apart in some
    version; ``about``: what is above the timeline, for a width; ``handles``: signs, and what one picks and drags;
    ``captions``: whether there are lines below the nodes.
    """

    stops: Sequence[Stop]
    at: int
    flags: Sequence[Flag]
    rungs: tuple[int, ...]
    about: Callable[[float], Part]
    handles: Handles
    captions: bool


def stage(decision: Decision, board: Board, room: Room, alt: str) -> Html:
    """What the version decides: the nodes, and the rules of preemption below them, above the timeline."""
    is_told = not board.captions or bool(board.rungs) and decision.preemption is not None  # by bars, or by the rules
    shown = [replace(box, captions=() if is_told else box.captions[:1]) for box in boxes(decision, board.handles)]
    return _picture(shown, decision, board, room, alt, None, captions=not is_told)


def stage_before(decision: Decision, board: Board, room: Room) -> Html:
    """The same before the answer is known, each part in its place."""
    asked = next(each.name for each in board.stops if not each.answer)
    alt = say("{pod} waits for {version}'s answer.", pod=decision.pod.key, version=asked)
    return _picture(boxes_before(decision, board.handles), decision, board, room, alt, 0, captions=False)


def _picture(
    shown: Sequence[Box], decision: Decision, board: Board, room: Room, alt: str, asked: int | None, captions: bool
) -> Html:
    """``asked``: how many rules are asked, None for all; ``captions``: whether there are lines below the nodes."""
    below, short = _below(board, room), LOW if board.rungs else HIGHER
    room = room._replace(height=min(room.height, int(FLAT * room.width)))
    first, *_ = arrange(shown, room, below.height, captions, most=room.width, short=short).places
    shown = [_plain(box) for box in in_list_order(shown, first.bar)]
    tight = room.height < ROOMY
    rules = Lanes(Lane(first.x, 0 if first.bar else first.width), {}, tight, board.rungs)
    high = rules.row * len(board.rungs) + TOP if board.rungs else 0
    plan = arrange(shown, room, below.height + high, captions, room.width, short, TALLEST)
    parts = shapes(shown, plan, scarcest(decision), captions)
    if board.rungs and decision.preemption is not None:
        at = lanes(shown, plan, tight)._replace(only=board.rungs)
        parts += ladder(decision.preemption, at, plan.bottom - 8, asked)
        parts += _unknown(at, plan.bottom - 8 + TOP) if asked == 0 else []
    top = plan.bottom + high
    return svg([*parts, moved(below, 0, top)], room.width, top + below.height + 4, alt)


def _unknown(at: Lanes, y: float) -> list[Html]:
    """What each rule will compare is still a question, below each node. ``y``: the top of the first rule."""
    return [
        label("?", lane.middle, y + at.top(number) + at.value + 4, "middle", fill=INK_2)
        for number in at.only
        for lane in at.nodes.values()
    ]


def _plain(box: Box) -> Box:
    """The node with nothing on its pods but their shields, large; who would have to leave has no sign."""
    blocks = [replace(each, big=bool(each.badges), turn=0) for each in box.blocks]
    return replace(box, blocks=tuple(replace(each, mark="") if each.mark == "victim" else each for each in blocks))


def _below(board: Board, room: Room) -> Part:
    """What is said of the cluster, and the timeline with its flags."""
    about = board.about(room.width - 2 * GAP)
    return column([padded(about, GAP) if about.height else about, timeline(board, room.width)], 5)


def timeline(board: Board, width: float) -> Part:
    """What the versions decide, above their names; the line with the knob; the flags below it."""
    count = len(board.stops)
    line = Line(count, (width - 2 * EDGE) / (count - 1), board.at)
    runs = groupby(enumerate(board.stops), key=lambda each: each[1].answer)
    answers = [_run(list(run), line) for _, run in runs]
    versions = [_stop(stop, i, line) for i, stop in enumerate(board.stops)]
    poles, flags, high = _flags(board.flags, line, width)
    return Part(width, AXIS + high, (*answers, *_axis(line), *poles, *versions, _knob(line), *flags))


class Line(NamedTuple):
    """So many stops, ``step`` pixels apart; the one shown is number ``at``."""

    stops: int
    step: float
    at: int

    def x(self, number: float) -> float:
        """Where a stop is, or what is between two."""
        return EDGE + self.step * number

    def span(self, first: int, last: int) -> tuple[float, float]:
        """The left and right ends of what belongs to these stops."""
        end = 2 * EDGE + self.step * (self.stops - 1)
        return 0 if first == 0 else self.x(first - 0.5), end if last == self.stops - 1 else self.x(last + 0.5)


def _axis(line: Line) -> Iterator[Html]:
    """The line, thick up to the version shown."""
    yield element(
        "path", d=f"M{EDGE} {AXIS:g}H{line.x(line.stops - 1):g}", stroke="currentColor", stroke_width=2, opacity=0.35
    )
    done = max(line.step * line.at, 0.1)
    yield rect(done, 4, None, EDGE, AXIS - 2, fill="currentColor", data_key="timeline/done")


def _run(run: Sequence[tuple[int, Stop]], line: Line) -> Html:
    """The answer of these versions, as wide as they are."""
    first, last, stop = run[0][0], run[-1][0], run[0][1]
    left, right = line.span(first, last)
    here, room = first <= line.at <= last, right - left - 8
    if stop.chosen:
        letter = stop.answer.rpartition("-")[2]
        said = fitting((f"★ {stop.answer}", f"★ {letter}", letter), room, bold=True)
    else:
        said = fitting((stop.answer or "?", COLON.split(stop.answer)[0], "–"), room, bold=True)
    star = element("tspan", "★ ", fill=CHOSEN) if said.startswith("★") else None
    look: dict[str, Any] = {"text_anchor": "middle", "font_weight": "bold" if here else None}
    text = element("text", star, said.removeprefix("★ "), x=(left + right) / 2, y=LINE, **look)
    box = rect(right - left - 2, BAR, 6, left + 1, 0, fill=ACT_SOFT if here else TRAY)
    return element("g", box, text, data_key=f"run/{stop.name}")


def _stop(stop: Stop, number: int, line: Line) -> Html:
    """A version: its dot on the line, and its name above it."""
    here = number == line.at
    name = stop.name if text_width(stop.name) <= line.step - 6 else stop.name.removeprefix("v1")
    bold = "bold" if here and text_width(name, bold=True) <= line.step - 6 else None
    left, right = line.span(number, number)
    ends = {0: ("start", 2.0), line.stops - 1: ("end", right - 2)}
    anchor, at = ends.get(number, ("middle", line.x(number)))
    return element(
        "g",
        rect(right - left, AXIS + 12, None, left, 0, fill="transparent"),
        element("circle", cx=line.x(number), cy=AXIS, r=5 if here else 4),
        label(name, at, 2 * LINE + 7, anchor, font_weight=bold),
        data_key=f"version/{stop.name}",
        data_set=stop.sets or None,
        data_tip=say("{version}: {said}", version=stop.name, said=stop.answer or say("not known yet")),
    )


def _knob(line: Line) -> Html:
    """The handle that is dragged along the timeline."""
    return element(
        "g",
        element("circle", r=10, fill="currentColor", fill_opacity=0.2, stroke="currentColor", stroke_width=2.5),
        transform=f"translate({line.x(line.at):g},{AXIS:g})",
        data_key="timeline/knob",
        **dragged("version", "x", round(line.step, 1), say("version")),
    )


def _flags(flags: Sequence[Flag], line: Line, width: float) -> tuple[list[Html], list[Html], float]:
    """The poles, the flags on them, and how far they hang down: the latest is the highest."""
    poles, drawn, y = list[Html](), list[Html](), 17.0
    for flag in reversed(flags):
        x, part = line.x(flag.at - 0.5), _flag(flag)
        look: dict[str, Any] = {"stroke": INK_3, "stroke_dasharray": "3 3"} if flag.out else {"stroke": ACT}
        poles.append(
            element("path", d=f"M{x:g} {BAR}V{AXIS + y:g}", stroke_width=2, data_key=f"pole/{flag.name}", **look)
        )
        marks: dict[str, Any] = {"data_set": flag.sets or None, "data_tip": flag.says, "aria_label": flag.title}
        marks |= {"aria_pressed": "false" if flag.out else "true", "data_key": f"flag/{flag.name}"}
        drawn.append(moved(part, min(x - POLE, width - part.width), AXIS + y, **marks))
        y += part.height + 4
    return poles, drawn, y


def _flag(flag: Flag) -> Part:
    """The version that brought the change, and its title; struck through if it is taken out, pale if it can't be."""
    look: dict[str, Any] = {"fill": ACT if flag.sets else ACT_SOFT}
    if flag.out:
        look = {"fill": TRAY, "stroke": INK_3, "stroke_dasharray": "3 3"}
    colour = INK_2 if flag.out else ON_ACCENT if flag.sets else INK
    said = phrase((flag.since, colour, False), (flag.title, colour, True), size=13)
    wide, high = said.width + 2 * POLE, 25
    box = rect(wide, high, 7, data_key=f"flag/{flag.name}/box", **look)
    through = element("path", d=f"M{POLE} {high / 2:g}H{wide - POLE:g}", stroke=INK_2, stroke_width=1.5)
    return Part(wide, high, (box, moved(said, POLE, (high - said.height) / 2), *[through] * flag.out))
