"""Devices that a selector selects, and how it is evaluated for one of them.

A device with a green edge is selected, a pale one is not; the name of the one whose evaluation is below is marked.
"""

from __future__ import annotations

from collections.abc import Sequence

from kschedlab.messages import say
from kschedlab.text.html import Html
from kschedlab_lab.views.device_map import HIGHEST, Look, Marks, device_part, part_at_top, spoken
from kschedlab_lab.views.device_sights import NodeSight
from kschedlab_lab.views.evaluation import evaluation_part, evaluation_text
from kschedlab_lab.views.layout import moved
from kschedlab_lab.views.svg import Room, svg
from kube_cel.steps import EvaluatedPart

APART, AROUND, LEAST = 16, 96, 72
"""Pixels between the devices and the evaluation, what else there is but these, and the least height of the largest
device: it makes room for a long selector."""


def draw_selection(
    seen: Sequence[NodeSight],
    steps: Sequence[EvaluatedPart],
    room: Room,
    ring: str,
    marks: Marks,
    evaluates: bool,
) -> Html:
    """The devices, and below them the parts of the expression. ``evaluates``: whether these have values; ``ring``: the
    key of the device that they are about; ``marks``: what a click on a device sets."""
    part = evaluation_part(steps, room.width, evaluates)
    high = max(room.height - part.height - AROUND, LEAST)
    devices = device_part(seen, room.width, Look(marks, ring, lines=None, high=min(high, HIGHEST)))
    top = devices.height + APART
    written = (line.strip() for line in evaluation_text(steps if evaluates else ()).splitlines())
    alt = say("; ").join((spoken(seen), *written))
    return svg([part_at_top(devices), moved(part, 0, top)], room.width, top + part.height + 4, alt)
