"""Two waiting pods on a clock: their timestamps as dots, of which those that count are filled in."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab_lab.views.queue_pods import COUNTS, PILL, Handle, Pod, pill, text, version_tag
from kschedlab_lab.views.style import CHOSEN, HAIR, INK_2, ON_ACCENT, TRAY
from kschedlab_lab.views.svg import Room, label, svg

ROW, TOP, EDGE, LEFT, RIGHT = 28, 34, 8, 162, 24
"""Heights of a timestamp's row and above the first pod; the margin; where the clock begins, and the space after it."""
HEAD = PILL + 10
"""The height of a pod and the space around it."""


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
    """A pod and its timestamps; ``first``: it is popped next."""

    pod: Pod
    dots: tuple[Dot, ...]
    first: bool = False


def draw_order(pods: Sequence[Waiting], ticks: Sequence[tuple[int, str]], slots: int, alt: str, room: Room) -> Html:
    """The pods on the clock. ``slots``: those of the moments, and one for "not set"; ``ticks``: (slot, time)."""
    step, bottom = step_of(slots, room), TOP + sum(map(_tall, pods))
    shapes = [version_tag(EDGE + 54, TOP - 12)]
    shapes.append(text(say("not set"), LEFT - (4 if step >= 20 else 14), TOP - 12, "end", font_size=12, opacity=0.8))
    for at, words in ticks:
        x = LEFT + at * step
        line = element("line", x1=x, y1=TOP - 6, x2=x, y2=bottom - 6, stroke="currentColor", opacity=0.25)
        shapes += [line, text(words, x, TOP - 12, "middle", font_size=12)]
    top = TOP
    for each in pods:
        shapes += _lane(each, top, step, room)
        top += _tall(each)
    return svg(shapes, room.width, bottom, alt, size=13)


def step_of(slots: int, room: Room) -> float:
    """The width of a slot: how far a dot is dragged for one value."""
    return (room.width - LEFT - RIGHT) / slots


def _tall(each: Waiting) -> int:
    return HEAD + ROW * len(each.dots) + 8


def _lane(each: Waiting, top: float, step: float, room: Room) -> Iterator[Html]:
    """The pod, with a thick frame if it is next, and below it a row for each timestamp."""
    wide = LEFT - 24 - EDGE
    frame, thick = (CHOSEN, 3.5) if each.first else (HAIR, 1.0)
    yield pill(each.pod, EDGE, top, wide, f"pod/{each.pod.name}", frame=frame, thick=thick)
    if each.first:
        yield text(say("next"), LEFT + step + 8, top + PILL / 2 + 5, font_weight="bold", fill=CHOSEN)
    for i, dot in enumerate(each.dots):
        y, end = top + HEAD + ROW * (i + 0.5) - 4, room.width - RIGHT / 2
        bold = "bold" if dot.counts else None
        yield text(dot.name, LEFT - 24, y + 4, "end", font_size=12, font_weight=bold)
        yield element("line", x1=LEFT + step, y1=y, x2=end, y2=y, stroke="currentColor", opacity=0.3)
        fill, ink, thick = (COUNTS, ON_ACCENT, 2.5) if dot.counts else (TRAY, INK_2, 1.0)
        circle = element("circle", r=11, fill=fill, stroke=COUNTS if dot.counts else HAIR, stroke_width=thick)
        sign = label(dot.sign, 0, 4.5, "middle", fill=ink, font_size=12, font_weight=bold)
        look = {"transform": f"translate({LEFT + dot.at * step:.1f},{y:.1f})", "opacity": 0.65 if dot.at == 0 else None}
        yield element("g", circle, sign, data_key=f"{each.pod.name}/{dot.name}", **look, **dot.handle)
