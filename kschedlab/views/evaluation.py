"""The evaluation of a selector for one device, step by step: what each part was, from the inside out."""

from __future__ import annotations

from collections.abc import Sequence

from kschedlab.cel.steps import Step
from kschedlab.views.html import Html, element
from kschedlab.views.lettering import fitted, text_width
from kschedlab.views.style import CHOSEN, EVICTED
from kschedlab.views.svg import Room, label, svg

LINE, INDENT, SIZE = 24, 14, 13
NOT_REACHED = "not evaluated"


def draw_evaluation(steps: Sequence[Step], room: Room, upto: int | None = None) -> Html:
    """A line for each part, the whole last. ``upto``: how many steps have happened; by default all.

    Keys: ``part/N``. A part is green where it is true, and red where it is false or fails.
    """
    upto = len(steps) if upto is None else upto
    lines = [_line(step, at, room.width, at < upto, at == upto - 1) for at, step in enumerate(steps)]
    spoken = "; ".join(line.strip() for line in evaluation_text(steps[:upto]).splitlines())
    return svg(lines, room.width, max(len(steps), 1) * LINE + 4, spoken)


def result_of(step: Step) -> str:
    """The values of a part in a few words: one, or one for each round of a loop."""
    if not step.values:
        return NOT_REACHED
    return step.values[0] if len(set(step.values)) == 1 else ", ".join(step.values)


def evaluation_text(steps: Sequence[Step]) -> str:
    """The evaluation as plain text."""
    deepest = max((step.depth for step in steps), default=0)
    return "\n".join(f"{'  ' * (deepest - step.depth)}{step.text} = {result_of(step)}" for step in steps)


def _line(step: Step, at: int, width: float, shown: bool, now: bool) -> Html:
    result = result_of(step) if shown else ""
    colour = _colour(step) if shown else "currentColor"
    left = 6 + INDENT * min(step.depth, 8)
    space = min(text_width(result, SIZE, True) + 10, width * 0.45)
    return element(
        "g",
        element(
            "rect",
            x=1,
            width=width - 2,
            height=LINE - 4,
            rx=3,
            fill=colour,
            fill_opacity=0.14 if now else 0.05,
            stroke=colour if now else "none",
            data_key=f"part/{at}/box",
        ),
        label(fitted(step.text, width - left - space - 12, SIZE), left, 15, font_size=SIZE),
        label(fitted(result, space, SIZE, True), width - 8, 15, "end", font_size=SIZE, font_weight="bold", fill=colour)
        if result
        else None,
        transform=f"translate(0,{2 + at * LINE})",
        opacity=None if shown and step.values else 0.75,
        data_key=f"part/{at}",
        data_tip=f"{step.text} = {result}" if result else None,
    )


def _colour(step: Step) -> str:
    if step.failed or step.values[-1:] == ("false",):
        return EVICTED
    return CHOSEN if step.values[-1:] == ("true",) else "currentColor"
