"""The evaluation of a selector for one device, step by step: what each part was, from the inside out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from kschedlab.messages import later, say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.layout import Part, column, moved, padded, words
from kschedlab_lab.views.style import CHOSEN, EVICTED, EVICTED_SOFT, INK_2, TICK
from kschedlab_lab.views.svg import Room, label, svg
from kube_cel.steps import EvaluatedPart

LINE, INDENT, SIZE, LETTER, PAD = 17, 14, 13, 7.9, 8
"""Pixels of a line and of a step to the right; the size of the letters, the width of one, and the space beside them."""
FONT = "ui-monospace,SFMono-Regular,Menlo,Consolas,monospace"
NOT_REACHED = later("not evaluated")
TOKEN = re.compile(r"[^\s.\[(]*(?:[\s.\[(]+|$)")


class _Row(NamedTuple):
    """A part, laid out: its lines, those of its result, and whether the result has lines of its own."""

    step: EvaluatedPart
    left: float
    text: list[str]
    result: list[str]
    below: bool

    @property
    def high(self) -> float:
        """Its height in pixels."""
        return LINE * (len(self.text) + (len(self.result) if self.below else 0)) + 5


def draw_evaluation(steps: Sequence[EvaluatedPart], room: Room, upto: int | None = None, note: str = "") -> Html:
    """A part below the other, the whole last, each with all of its text. ``upto``: how many steps have happened;
    ``note``: a line below them.

    Keys: ``part/N``. A part is green where it is true, orange where it is false or fails. Before the first step, room
    is kept for the parts alone: their results would show in it.
    """
    upto = len(steps) if upto is None else upto
    rows = [
        _line(
            _laid(steps[at], result_of(steps[at]) if upto else "", room.width),
            at,
            room.width,
            at < upto,
            at == upto - 1,
        )
        for at in worth_showing(steps)
    ]
    part = column([*rows, padded(words(note, width=room.width - 2 * PAD, fill=INK_2), PAD, 2)] if note else rows, 3)
    spoken = say("; ").join(line.strip() for line in evaluation_text(steps[:upto]).splitlines())
    return svg([moved(part, 0, 2)], room.width, max(part.height, LINE) + 4, spoken)


def draw_invalid(text: str, error: str, room: Room) -> Html:
    """A text that is no expression, and below it where it fails."""
    lines = [_lines(each, room.width - 2 * PAD) for each in (text or " ", error)]
    shapes, y = list[Html](), 0.0
    for number, written in enumerate(lines):
        high = LINE * len(written) + 5
        ground = element(
            "rect", x=1, y=y, width=room.width - 2, height=high, rx=7, fill=EVICTED_SOFT if number else TICK
        )
        rows = (label(line, PAD, y + 16 + LINE * n) for n, line in enumerate(written))
        shapes.append(element("g", ground, element("g", *rows, font_family=FONT, font_size=SIZE)))
        y += high + 3
    return svg(shapes, room.width, y + 2, say("{text}: {error}", text=text, error=error))


def worth_showing(steps: Sequence[EvaluatedPart]) -> list[int]:
    """The places of all parts but maps, of which a value is looked up, and the parts of what is not evaluated."""

    def is_shown(at: int, step: EvaluatedPart) -> bool:
        if step.values:
            return not all(value.startswith("{") for value in step.values)
        return not any(step.text in each.text for each in steps[at + 1 :] if not each.values)

    return [at for at, step in enumerate(steps) if is_shown(at, step)]


def _lines(text: str, width: float) -> list[str]:
    """The text in lines that break after a space, a dot or a bracket; a longer word breaks anywhere."""
    most, lines = max(int(width / LETTER), 8), [""]
    for token in TOKEN.findall(text):
        if len(lines[-1]) + len(token.rstrip()) > most and lines[-1]:
            lines.append("")
        while len(token) > most:
            lines[-1:] = [token[:most], ""]
            token = token[most:]
        lines[-1] += token
    return [line.rstrip() for line in lines]


def _laid(step: EvaluatedPart, result: str, width: float) -> _Row:
    """The part with its result beside it, or below it where that needs fewer lines."""
    left = PAD + INDENT * min(step.depth, 8, int(width / 80))
    room = width - left - PAD
    below = _Row(step, left, _lines(step.text, room), _lines(result, room), True)
    space = len(result) * LETTER + 12
    if space > room / 2:
        return below
    beside = _Row(step, left, _lines(step.text, room - space), [result], False)
    is_broken = len(beside.text) > len(below.text)
    return below if beside.high > below.high or (is_broken and beside.high == below.high) else beside


def result_of(step: EvaluatedPart) -> str:
    """The values of a part in a few words: one, or one for each round of a loop."""
    if not step.values:
        return say(NOT_REACHED)
    return step.values[0] if len(set(step.values)) == 1 else ", ".join(step.values)


def evaluation_text(steps: Sequence[EvaluatedPart]) -> str:
    deepest = max((step.depth for step in steps), default=0)
    return "\n".join(f"{'  ' * (deepest - step.depth)}{step.text} = {result_of(step)}" for step in steps)


def _line(row: _Row, at: int, width: float, shown: bool, now: bool) -> Part:
    """A part on its ground, and its result at the right."""
    step = row.step
    colour = _colour(step) if shown else "currentColor"
    plain = colour == "currentColor"
    look: dict[str, Any] = {"fill": TICK if plain else colour, "fill_opacity": None if plain else 0.16 if now else 0.08}
    box: dict[str, Any] = {"x": 1, "width": width - 2, "height": row.high, "rx": 7, "stroke": colour if now else "none"}
    first = len(row.text) if row.below else len(row.text) - len(row.result)
    texts = [label(text, row.left, 16 + LINE * i) for i, text in enumerate(row.text)]
    if shown:
        bold: dict[str, Any] = {"font_weight": "bold", "fill": colour}
        texts += [label(text, width - PAD, 16 + LINE * (first + i), "end", **bold) for i, text in enumerate(row.result)]
    drawn = element(
        "g",
        element("rect", **box, **look, data_key=f"part/{at}/box"),
        element("g", *texts, font_family=FONT, font_size=SIZE),
        opacity=None if shown and step.values else 0.75,
        data_key=f"part/{at}",
    )
    return Part(width, row.high, (drawn,))


def _colour(step: EvaluatedPart) -> str:
    if step.failed or step.values[-1:] == ("false",):
        return EVICTED
    return CHOSEN if step.values[-1:] == ("true",) else "currentColor"
