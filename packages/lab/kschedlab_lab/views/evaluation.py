"""The evaluation of a selector for one device, step by step: what each part was, from the inside out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kschedlab.messages import later, say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.lettering import flowed, text_width
from kschedlab_lab.views.style import CHOSEN, EVICTED, TICK
from kschedlab_lab.views.svg import Room, label, svg
from kube_cel.steps import EvaluatedPart

LINE, MORE, INDENT, SIZE = 24, 16, 14, 13
"""Pixels of a line, of each further one, and of a step to the right; the size of the letters."""
NOT_REACHED = later("not evaluated")


class _Row(NamedTuple):
    """A part, laid out: its lines, those of its result, and whether the result has lines of its own."""

    step: EvaluatedPart
    left: float
    text: list[str]
    result: list[str]
    below: bool

    @property
    def high(self) -> float:
        """Its height in pixels, with the space below it."""
        lines = len(self.text) + (len(self.result) if self.below else 0)
        return LINE + MORE * (lines - 1)


def draw_evaluation(steps: Sequence[EvaluatedPart], room: Room, upto: int | None = None) -> Html:
    """A part below the other, the whole last, each with all of its text. ``upto``: how many steps have happened.

    Keys: ``part/N``. A part is green where it is true, orange where it is false or fails. Before the first step, room
    is kept for the parts alone: their results would show in it.
    """
    upto = len(steps) if upto is None else upto
    shapes, y = [], 2.0
    for at, step in enumerate(steps):
        laid = _laid(step, result_of(step) if upto else "", room.width)
        shapes.append(_line(laid, at, y, room.width, at < upto, at == upto - 1))
        y += laid.high
    spoken = say("; ").join(line.strip() for line in evaluation_text(steps[:upto]).splitlines())
    return svg(shapes, room.width, max(y, LINE) + 2, spoken)


def _laid(step: EvaluatedPart, result: str, width: float) -> _Row:
    """The part with its result beside it, or below it where that needs fewer lines."""
    left = 6 + INDENT * min(step.depth, 8, int(width / 80))
    all_of_it = width - left - 8
    below = _Row(step, left, flowed(step.text, all_of_it, SIZE), flowed(result, all_of_it, SIZE, True), True)
    space = text_width(result, SIZE, True) + 12
    if space > all_of_it - min(text_width(step.text, SIZE), all_of_it / 2):
        return below
    beside = _Row(step, left, flowed(step.text, all_of_it - space, SIZE), [result], False)
    return beside if beside.high <= below.high else below


def result_of(step: EvaluatedPart) -> str:
    """The values of a part in a few words: one, or one for each round of a loop."""
    if not step.values:
        return say(NOT_REACHED)
    return step.values[0] if len(set(step.values)) == 1 else ", ".join(step.values)


def evaluation_text(steps: Sequence[EvaluatedPart]) -> str:
    deepest = max((step.depth for step in steps), default=0)
    return "\n".join(f"{'  ' * (deepest - step.depth)}{step.text} = {result_of(step)}" for step in steps)


def _line(row: _Row, at: int, y: float, width: float, shown: bool, now: bool) -> Html:
    step, last = row.step, row.high - LINE
    result = result_of(step) if shown else ""
    colour = _colour(step) if shown else "currentColor"
    first = last - MORE * (len(row.result) - 1)
    return element(
        "g",
        element(
            "rect",
            x=1,
            width=width - 2,
            height=row.high - 4,
            rx=6,
            fill=TICK if colour == "currentColor" else colour,
            fill_opacity=None if colour == "currentColor" else 0.14 if now else 0.07,
            stroke=colour if now else "none",
            data_key=f"part/{at}/box",
        ),
        *(label(text, row.left, 15 + MORE * i, font_size=SIZE) for i, text in enumerate(row.text)),
        *(
            label(text, width - 8, 15 + first + MORE * i, "end", font_size=SIZE, font_weight="bold", fill=colour)
            for i, text in enumerate(row.result if shown else ())
        ),
        transform=f"translate(0,{y:g})",
        opacity=None if shown and step.values else 0.75,
        data_key=f"part/{at}",
        data_tip=f"{step.text} = {result}" if result else None,
    )


def _colour(step: EvaluatedPart) -> str:
    if step.failed or step.values[-1:] == ("false",):
        return EVICTED
    return CHOSEN if step.values[-1:] == ("true",) else "currentColor"
