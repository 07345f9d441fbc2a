"""A node, also before and after pods come or go, each time with what a filter says of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kschedlab.decision import Decision
from kschedlab.messages import say
from kschedlab.text.html import Html
from kschedlab_lab.views.drawing import Block, Box, draw
from kschedlab_lab.views.picture import NO_HANDLES, Boxes, common_resource
from kschedlab_lab.views.svg import Room


@dataclass(frozen=True)
class Moment:
    """``decision``: the pod and the cluster at this moment; ``title``: what it is called.

    ``outcome``: what the filter says, in words; ``passes``: whether it lets the pod in.
    """

    decision: Decision
    title: str
    outcome: str
    passes: bool = False


def draw_moments(moments: Sequence[Moment], node: str, alt: str, room: Room) -> Html:
    """The node at each moment, side by side."""
    decision = moments[0].decision
    shown = [_box(moment, node, str(i)) for i, moment in enumerate(moments)]
    return draw(shown, alt, common_resource(decision, [node]), room)


def _box(moment: Moment, node: str, key: str) -> Box:
    boxes = Boxes(moment.decision, NO_HANDLES, [node])
    box = boxes.node(node, decided=False)
    comes = [boxes.incoming("placed")] if moment.passes else []
    pods = tuple(_worded(block, key) for block in (*box.blocks, *comes))
    box = replace(box, name=f"{node}/{key}", title=moment.title, blocks=pods)
    if moment.passes:
        return replace(box, chosen=True, captions=(moment.outcome,))
    return replace(box, refused=moment.outcome, sign="cross")


def _worded(block: Block, key: str) -> Block:
    """The pod with its priority in words."""
    note = say("priority {priority}", priority=block.priority)
    return replace(block, numbers=(), note=note, key=f"{key}/{block.name}")
