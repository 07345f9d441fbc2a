"""Two waiting pods on a clock: their timestamps as dots, the one that counts filled in, and who comes first below.

The dots that do not count are hollow; a tie is hatched and called a tie.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.glyphs import hatch
from kschedlab_lab.views.layout import Part, moved
from kschedlab_lab.views.queue_pods import COUNTS, PILL, Handle, Pod, arrow, pill, text, version_tag
from kschedlab_lab.views.style import HAIR, INK_2, ON_ACCENT, TRAY
from kschedlab_lab.views.svg import Room, label, svg

ROW, TOP, LEFT, RIGHT, HEAD = 25, 30, 162, 24, 20
LANE, EDGE = 3 * ROW + HEAD + 8, 8
"""Height of a timestamp's row, of a pod's title and of all its rows; where the clock begins; its margins."""


@dataclass(frozen=True)
class Dot:
    """A timestamp. ``at``: its slot on the clock, 0 for not set; ``sign``: its letter; ``counts``: podTimestamp."""

    name: str
    sign: str
    at: int
    counts: bool = False
    handle: Handle = field(default_factory=dict)


@dataclass(frozen=True)
class Waiting:
    """A pod and its timestamps. ``place``: its place in the queue, 0 for the next one; None: a tie."""

    pod: Pod
    dots: tuple[Dot, ...]
    place: int | None


def draw_order(
    pods: Sequence[Waiting],
    ticks: Sequence[tuple[int, str]],
    slots: int,
    alt: str,
    room: Room,
    *,
    answered: bool = True,
) -> Html:
    """The pods on the clock. ``slots``: those of the moments, and one for "not set"; ``ticks``: (slot, time).

    ``answered``: say who is next.
    """
    step = step_of(slots, room)
    bottom = TOP + LANE * len(pods)
    shapes = [version_tag(EDGE + 54, TOP - 12)]
    shapes.append(text(say("not set"), LEFT - (4 if step >= 20 else 14), TOP - 12, "end", font_size=12, opacity=0.8))
    for at, words in ticks:
        x = _x(at, step)
        line = element("line", x1=x, y1=TOP - 6, x2=x, y2=bottom - 6, stroke="currentColor", opacity=0.25)
        shapes += [line, text(words, x, TOP - 12, "middle", font_size=12)]
    for i, each in enumerate(pods):
        shapes += _lane(each, TOP + i * LANE, step, room)
    return svg([*shapes, *_queue(pods, bottom + 8, room, answered)], room.width, bottom + 8 + PILL + 14, alt, size=13)


def step_of(slots: int, room: Room) -> float:
    """The width of a slot: how far a dot is dragged for one value."""
    return (room.width - LEFT - RIGHT) / slots


def _x(at: int, step: float) -> float:
    return LEFT + at * step


def _lane(each: Waiting, top: float, step: float, room: Room) -> list[Html]:
    line = element("line", x1=EDGE, y1=top - 4, x2=room.width - EDGE, y2=top - 4, stroke="currentColor", opacity=0.5)
    title = text(each.pod.name, EDGE, top + 14, font_weight="bold", font_size=14)
    shapes = [line, title] if top > TOP else [title]
    for i, dot in enumerate(each.dots):
        y = top + HEAD + ROW * i + ROW / 2 - 4
        bold = "bold" if dot.counts else None
        shapes.append(text(dot.name, LEFT - 24, y + 4, "end", font_size=12, font_weight=bold))
        end = room.width - RIGHT / 2
        rail = element("line", x1=_x(1, step), y1=y, x2=end, y2=y, stroke="currentColor", opacity=0.3)
        shapes += [rail, _dot(each.pod, dot, _x(dot.at, step), y)]
    return shapes


def _dot(pod: Pod, dot: Dot, x: float, y: float) -> Html:
    fill, ink, thick = (COUNTS, ON_ACCENT, 2.5) if dot.counts else (TRAY, INK_2, 1.0)
    circle = element("circle", r=11, fill=fill, stroke=COUNTS if dot.counts else HAIR, stroke_width=thick)
    sign = label(dot.sign, 0, 4.5, "middle", fill=ink, font_size=12, font_weight="bold" if dot.counts else None)
    faint = 0.65 if dot.at == 0 else None
    place = f"translate({x:.1f},{y:.1f})"
    key = f"{pod.name}/{dot.name}"
    return element("g", circle, sign, data_key=key, transform=place, opacity=faint, **dot.handle)


def _queue(pods: Sequence[Waiting], y: float, room: Room, answered: bool) -> list[Html]:
    """Who comes first: the pods in the order in which they are popped."""
    wide = min(110.0, (room.width - 190) / 2)
    tie = any(each.place is None for each in pods)
    shapes: list[Html] = []
    if tie:
        stripes = element("path", d=hatch(2 * wide + 50, PILL + 8), stroke="currentColor", opacity=0.5)
        shapes.append(moved(Part(0, 0, (stripes,)), LEFT - 30, y - 4, data_key="tie"))
    words = say("which is next?") if not answered else say("a tie: neither") if tie else say("next")
    shapes.append(text(words, LEFT - 36, y + PILL / 2 + 5, "end", font_weight="bold", font_size=13))
    if answered and not tie:
        shapes.append(arrow([(LEFT - 30, y + PILL / 2), (LEFT - 14, y + PILL / 2)]))
    for i, each in enumerate(pods):
        place = i if each.place is None else each.place
        x = LEFT - 10 + place * (wide + 12)
        shapes.append(
            pill(each.pod, x, y, wide, f"pod/{each.pod.name}", thick=3 if place == 0 and answered and not tie else 1)
        )
    return shapes
