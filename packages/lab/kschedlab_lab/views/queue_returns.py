"""Events on cards, which the reader puts where the pod is afterwards."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.lettering import folded, text_width
from kschedlab_lab.views.queue_pods import PILL, Handle, refused, text, titled, version_tag
from kschedlab_lab.views.style import CHOSEN, HAIR, INK, INK_2, PANEL, TRAY, ink, priority_fill
from kschedlab_lab.views.svg import Room, rect, svg

EDGE, GAP = 8, 6
"""The margin, and the space between two events."""


@dataclass(frozen=True)
class Return:
    """An event, by its setting and in words; whether the reader lets it bring the pod back, and whether that is right.

    ``right``: None until it is judged; ``why``: what decides.
    """

    name: str
    words: str
    back: bool
    right: bool | None = None
    why: str = ""


def draw_returns(
    returns: Sequence[Return],
    priority: int,
    titles: tuple[str, str],
    buttons: Sequence[tuple[str, str]],
    alt: str,
    room: Room,
) -> Html:
    """A line for each event: its card lies in activeQ or in unschedulableQ, and what decides beside it once judged.

    ``priority``: of the pod; ``buttons``: words, and what they set.
    """
    row = min(max((room.height - 104) / len(returns), PILL + GAP), 64)
    wide = (room.width - 4 * EDGE - 24) / 2
    columns = (EDGE + 4.0, wide + 3 * EDGE + 4)
    heads = [titled(title, wide + 2 * EDGE) for title in titles]
    top, shapes = 16 + 14.0 * max(map(len, heads)), list[Html]()
    for x, head in zip(columns, heads, strict=True):
        frame = element("rect", x=x - 4, y=top - 6, width=wide + 8, height=row * len(returns) + 6, rx=11)
        shapes.append(element("g", frame, fill=TRAY, stroke=HAIR))
        for n, line in enumerate(head):
            bold = "bold" if line == head[0] else None
            shapes.append(text(line, x + wide / 2, 14 + 14 * n, "middle", font_size=12, font_weight=bold))
    for i, each in enumerate(returns):
        shapes += _line(each, priority, columns, wide, top + row * i, row)
    y = top + row * len(returns) + 10
    shapes += _buttons(buttons, y)
    shapes.append(version_tag(columns[1] + wide + 4, y + 20))
    return svg(shapes, room.width, y + 34, alt, size=13)


def _line(
    each: Return, priority: int, columns: tuple[float, float], wide: float, y: float, row: float
) -> Iterator[Html]:
    high = row - GAP
    for x, place in zip(columns, ("returns", "stays"), strict=True):
        ground = rect(wide, high, None, x, y, fill="transparent")
        marks: Handle = {"data_accepts": each.name, "data_drop": f"{each.name}: {place}"}
        yield element("g", ground, data_key=f"{each.name}/{place}", aria_label=say(place), **marks)
    other = "stays" if each.back else "returns"
    handle: Handle = {
        "data_carry": each.name,
        "data_set": f"{each.name}: {other}",
        "aria_label": say("{event}: {place}", event=each.words, place=say("returns" if each.back else "stays")),
        "data_state": None if each.right is None else "right" if each.right else "wrong",
    }
    mine, free = columns if each.back else columns[::-1]
    fill = priority_fill(priority)
    card = element("rect", width=wide, height=high, rx=8, fill=fill, stroke=HAIR)
    lines = _lines(each.words, wide, high, fill=ink(fill), font_weight="bold")
    place = f"translate({mine:.1f},{y:.1f})"
    yield element("g", card, *lines, data_key=f"{each.name}/web", transform=place, **handle)
    if each.right is not None:
        x = columns[1] + wide + 14
        good = text("✓", x, y + high / 2 + 5, font_size=15, font_weight="bold", fill=CHOSEN)
        yield good if each.right else refused("", x, y + high / 2 + 5, 15)
        reason = _lines(each.why, wide, high, fill=INK_2)
        yield element("g", *reason, transform=f"translate({free:.1f},{y:.1f})", pointer_events="none")


def _lines(words: str, wide: float, high: float, **look: Any) -> Iterator[Html]:
    """The words in the middle of a box, in one line or two."""
    lines = folded(words, wide - 12, bold="font_weight" in look)
    first = high / 2 + 4 - 7 * (len(lines) - 1)
    for n, line in enumerate(lines):
        yield text(line, wide / 2, first + 14 * n, "middle", font_size=12, **look)


def _buttons(buttons: Sequence[tuple[str, str]], y: float) -> Iterator[Html]:
    """Pills that can be pressed; the first of several is the next thing to do."""
    x = float(EDGE)
    for n, (words, sets) in enumerate(buttons):
        main, wide = n < len(buttons) - 1, text_width(words, bold=True) + 28
        box = rect(wide, 28, 14, x, y, fill=INK if main else "none", stroke=INK if main else HAIR)
        said = text(
            words, x + wide / 2, y + 18, "middle", font_size=12, font_weight="bold", fill=PANEL if main else None
        )
        yield element("g", box, said, data_key=f"button/{n}", data_set=sets, aria_label=words)
        x += wide + 10
