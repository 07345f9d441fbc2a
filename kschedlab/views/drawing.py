"""Nodes as boxes, filled with their pods to scale: an SVG of :class:`Box` and :class:`Block`."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from kschedlab.views.html import Html, element
from kschedlab.views.style import CHOSEN, EVICTED, fills, ink
from kschedlab.views.svg import label, svg
from kschedlab.views.words import amount

WIDTH, GAP, HEAD, FOOT, TALL = 126, 12, 24, 40, 220
"""Box width, gap, space above and below boxes, and the height of the largest node; in pixels at normal size."""
PER_ROW = 5
_text = partial(label, limit=20)
LABELS = {"evicted": "✕ evicted", "reprieved": "✓ reprieved", "arriving": "↓ arrives"}


@dataclass(frozen=True)
class Block:
    """A pod in a box. ``size`` in the box's unit; ``mark``: a key of LABELS, or "" if nothing happens to the pod."""

    name: str
    size: int
    priority: int
    detail: str = ""
    mark: str = ""
    badge: str = ""


@dataclass(frozen=True)
class Box:
    """A node, or with ``capacity`` 0 a waiting area beside the nodes. ``captions``: lines below it."""

    name: str
    capacity: int
    blocks: tuple[Block, ...]
    captions: tuple[str, ...] = ()
    chosen: bool = False

    @property
    def used(self) -> int:
        """Total size of the blocks."""
        return sum(block.size for block in self.blocks)


def draw(boxes: Sequence[Box], alt: str, resource: str, more: str = "", priorities: Collection[int] = ()) -> Html:
    """The boxes in rows, all to one scale. ``alt``: the text alternative; ``more``: a remark at its end.

    ``priorities``: those of pods not drawn, so that colours stay the same from picture to picture.
    """
    scale = TALL / max(*(max(box.capacity, box.used) for box in boxes), 1)
    colour = fills({block.priority for box in boxes for block in box.blocks} | set(priorities))
    rows = -(-len(boxes) // PER_ROW)
    shapes = [
        element(
            "g",
            *_box(box, resource, scale, colour),
            transform=f"translate({GAP + i % PER_ROW * (WIDTH + GAP)},{HEAD + i // PER_ROW * (HEAD + TALL + FOOT)})",
        )
        for i, box in enumerate(boxes)
    ]
    bottom = rows * (HEAD + TALL + FOOT)
    width = GAP + max(min(len(boxes), PER_ROW), 3) * (WIDTH + GAP)
    return svg([*shapes, *_legend(colour, bottom + 18, more)], width, bottom + 28, alt)


def _box(box: Box, resource: str, scale: float, colour: dict[int, str]) -> list[Html]:
    """A node from the bottom up: its pods, the most important first, then the free space."""
    top = TALL - scale * (box.capacity or box.used)
    shapes = [_text(f"★ {box.name}" if box.chosen else box.name, WIDTH / 2, top - 8, "middle", font_weight="bold")]
    y = float(TALL)
    for block in box.blocks:
        y -= scale * block.size
        shapes.append(_block(block, y, max(scale * block.size, 2), colour[block.priority]))
    if (free := box.capacity - box.used) > 0 and scale * free >= 14:
        shapes.append(_text(f"{amount(resource, free)} free", WIDTH / 2, (top + y) / 2 + 4, "middle", opacity=0.7))
    if box.capacity:
        stroke, thick = (CHOSEN, 5) if box.chosen else ("currentColor", 1.5)
        shapes.append(_outline(top, TALL - top, stroke, thick, margin=-thick / 2))
    lines = enumerate(line for line in box.captions if line)
    return shapes + [_text(line, WIDTH / 2, TALL + 17 + 15 * i, "middle") for i, line in lines]


def _block(block: Block, y: float, height: float, fill: str) -> Html:
    shapes = [
        element("title", " ".join(filter(None, (block.name, block.detail, block.mark, block.badge)))),
        element("rect", y=y, width=WIDTH, height=height, fill=fill, stroke="currentColor", stroke_width=0.75),
    ]
    if block.mark == "evicted":
        left, right, top, bottom = 0.62 * WIDTH, WIDTH - 6.0, y + 6, y + height - 6
        cross = f"M{left:.1f} {top:.1f}L{right:.1f} {bottom:.1f}M{left:.1f} {bottom:.1f}L{right:.1f} {top:.1f}"
        shapes.append(element("path", d=cross, stroke=EVICTED, stroke_width=3))
        shapes.append(_outline(y, height, EVICTED, 4, margin=2))
    if block.mark in ("reprieved", "arriving"):
        shapes.append(_outline(y, height, CHOSEN, 3, margin=1.5, stroke_dasharray="7 4"))
    return element("g", *shapes, *_labels(block, y, height, fill))


def _labels(block: Block, y: float, height: float, fill: str) -> list[Html]:
    """As many lines as fit: the name, what happens to the pod, the detail."""
    black_or_white = ink(fill)
    name = f"{block.name} · {block.badge}" if block.badge else block.name
    lines = [name, LABELS.get(block.mark, ""), block.detail]
    room = int((height - 4) // 15)
    kept = [(i, line) for i, line in enumerate(lines) if line][: max(room, 0)]
    middle = y + height / 2 - 7.5 * len(kept) + 12
    halo: dict[str, Any] = {
        "paint_order": "stroke",
        "stroke": fill,
        "stroke_width": 4,
        "stroke_linejoin": "round",
    }
    return [
        _text(
            line,
            9,
            middle + 15 * row,
            "start",
            fill=black_or_white,
            font_weight="bold" if i < 2 else None,
            font_size=10.5 if i == 2 else None,
            **halo,
        )
        for row, (i, line) in enumerate(kept)
    ]


def _outline(y: float, height: float, stroke: str, thick: float, margin: float, **more: str) -> Html:
    return element(
        "rect",
        x=margin,
        y=y + margin,
        width=WIDTH - 2 * margin,
        height=max(height - 2 * margin, 0),
        fill="none",
        stroke=stroke,
        stroke_width=thick,
        **more,
    )


def _legend(colour: dict[int, str], y: float, more: str) -> list[Html]:
    """The legend of priorities; only the lowest and highest if there are many."""
    known = sorted(colour)
    shown = known if len(known) <= 6 else [known[0], known[-1]]
    x, shapes = GAP + 48.0, [_text("priority", GAP, y, "start")]
    for priority in shown:
        shapes.append(element("rect", x=x, y=y - 10, width=12, height=12, fill=colour[priority], stroke="currentColor"))
        shapes.append(_text(str(priority), x + 16, y, "start"))
        x += 30 + 7 * len(str(priority))
    return [*shapes, label(more, x + 8, y, font_style="italic")] if more else shapes
