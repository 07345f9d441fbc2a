"""A rack, the pod on it, and one that waits: what a filter's declaration makes of preemption."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kschedlab.text.html import Html
from kschedlab_lab.views.cells import pills
from kschedlab_lab.views.drawing import CHIP, EDGE, Arrangement, Box, arrange, shapes
from kschedlab_lab.views.lettering import text_width
from kschedlab_lab.views.svg import Room, svg

PILL, SHELF, APART = 30, CHIP + 34, 12
"""The height of the row with the declaration; that of the shelf for a pod that stepped aside, with a refusal;
and what the rack is further away from the pod that waits."""


def draw_asked(boxes: Sequence[Box], unresolvable: bool | None, room: Room, alt: str) -> Html:
    """The boxes as large as there is room. ``unresolvable``: what is declared, and can be switched; None: nothing."""
    shown = [replace(box, captions=()) for box in boxes]
    plan = arrange(shown, Room(room.width - 2 * APART, room.height), PILL + SHELF, captions=False)
    places = [place._replace(x=place.x + 2 * APART * i) for i, place in enumerate(plan.places)]
    drawn = shapes(shown, Arrangement(tuple(places), room.width, plan.bottom), "cpu")
    if unresolvable is not None:
        sets = f"unresolvable: {'off' if unresolvable else 'on'}"
        declared = f"unresolvable={unresolvable}"
        wide = text_width(f"unresolvable={False}", bold=True) + 26
        drawn += pills([(declared, sets, unresolvable)], EDGE, plan.bottom + SHELF, wide)
    return svg(drawn, room.width, plan.bottom + SHELF + PILL, alt)
