"""The evaluation of a selector for one device, step by step: what each part was, from the inside out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from textwrap import wrap
from typing import Any

from kschedlab.messages import later, listed, say
from kschedlab.text.html import element
from kschedlab_lab.views.layout import Part, column
from kschedlab_lab.views.style import CHOSEN, EVICTED, TICK
from kschedlab_lab.views.svg import label
from kube_cel.steps import EvaluatedPart

LINE, INDENT, SIZE, LETTER, PAD, GAP = 17, 14, 13, 7.9, 8, 3
"""Pixels of a line and of a step to the right; the size of the letters, the width of one, the space beside them, and
between two parts."""
FONT = "ui-monospace,SFMono-Regular,Menlo,Consolas,monospace"
NOT_REACHED = later("not evaluated")
COMPARED = {"-1": later("-1: less"), "0": later("0: equal"), "1": later("1: greater")}
"""What ``compareTo`` gives."""
LOOKED_UP = re.compile(r'[\w.]+(\["[^"]*"\][\w.]*)?|quantity\("[^"]*"\)')
"""A part that only names a value."""
MISSING = re.compile(r"no such key: (\w+)")


def evaluation_part(steps: Sequence[EvaluatedPart], width: float, evaluates: bool = True) -> Part:
    """A part below the other, the whole last, each with all of its text.

    Keys: ``part/N``. A part is green where it is true, orange where it is false or fails. Unless it ``evaluates``, room
    is kept for the parts alone: their results would show in it.
    """
    last = len(steps) - 1 if evaluates else None
    return column((_line(steps[at], at, width, evaluates, at == last) for at in worth_showing(steps)), GAP)


def worth_showing(steps: Sequence[EvaluatedPart]) -> list[int]:
    """The places of the parts that say something new: not those that only name a value, and no part of what is not
    evaluated."""

    def is_shown(at: int, step: EvaluatedPart) -> bool:
        if at == len(steps) - 1:
            return True
        if LOOKED_UP.fullmatch(step.text):
            return False
        if step.values:
            return not all(value.startswith("{") for value in step.values)
        return not any(step.text in each.text for each in steps[at + 1 :] if not each.values)

    return [at for at, step in enumerate(steps) if is_shown(at, step)]


def result_of(step: EvaluatedPart) -> str:
    """The values of a part in a few words: one, or one for each round of a loop."""
    if not step.values:
        return say(NOT_REACHED)
    if step.failed:
        return say("an error: {why}", why=fault_of(step.values[-1]))
    if step.text.endswith(")") and ".compareTo(" in step.text and step.values[-1] in COMPARED:
        return listed(say(COMPARED[value]) for value in dict.fromkeys(step.values))
    return step.values[0] if len(set(step.values)) == 1 else ", ".join(step.values)


def fault_of(error: str) -> str:
    """An error of an evaluation in a few words."""
    missing = MISSING.match(error)
    return say("no {name}", name=missing[1]) if missing else error


def evaluation_text(steps: Sequence[EvaluatedPart]) -> str:
    deepest = max((step.depth for step in steps), default=0)
    return "\n".join(f"{'  ' * (deepest - step.depth)}{step.text} = {result_of(step)}" for step in steps)


def _line(step: EvaluatedPart, at: int, width: float, shown: bool, now: bool) -> Part:
    """A part on its ground; at the right its result, beside its last line if that has room for it, or else below."""
    left = PAD + INDENT * min(step.depth, 8, int(width / 80))
    room = width - left - PAD
    most = max(int(room / LETTER), 8)
    text, result = wrap(step.text, most), wrap(result_of(step), most) if shown else [""]
    beside = len(result) == 1 and (len(text[-1]) + len(result[0])) * LETTER + 12 <= room
    first = len(text) - beside
    high = LINE * (first + len(result)) + 5
    colour = _colour(step) if shown else "currentColor"
    plain = colour == "currentColor"
    look: dict[str, Any] = {"fill": TICK if plain else colour, "fill_opacity": None if plain else 0.16 if now else 0.08}
    box: dict[str, Any] = {"x": 1, "width": width - 2, "height": high, "rx": 7, "stroke": colour if now else "none"}
    bold: dict[str, Any] = {"font_weight": "bold", "fill": colour}
    drawn = element(
        "g",
        element("rect", **box, **look, data_key=f"part/{at}/box"),
        element(
            "g",
            *(label(line, left, 16 + LINE * i) for i, line in enumerate(text)),
            *(
                label(line, width - PAD, 16 + LINE * (first + i), "end", **bold)
                for i, line in enumerate(result)
                if line
            ),
            font_family=FONT,
            font_size=SIZE,
        ),
        opacity=None if shown and step.values else 0.75,
        data_key=f"part/{at}",
    )
    return Part(width, high, (drawn,))


def _colour(step: EvaluatedPart) -> str:
    if step.failed or step.values[-1:] == ("false",):
        return EVICTED
    return CHOSEN if step.values[-1:] == ("true",) else "currentColor"
