"""The search for devices, step by step: as a tree on each node, and as a story of all nodes.

Kube-scheduler searches several nodes at once; the steps on each node are these. In a tree each device that was tried is
below the one that was taken before it. What is refused whatever was taken is said once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab_devices.search import UNLIKE
from kschedlab_lab.views.device_sights import (
    OFFERED,
    OPEN,
    PICKED,
    TAKES,
    TOLD,
    TRIED,
    NodeSight,
    Reason,
    Sight,
    unasked,
)
from kschedlab_lab.views.glyphs import icon
from kschedlab_lab.views.layout import Part, moved, row, words
from kschedlab_lab.views.style import CHOSEN, EVICTED, INK_2, INK_3

LINE, STEP, APART, SMALL = 15, 8, 3, 11.2
"""Pixels from one device to the next, from one to those that were tried after it was taken, between words,
and the size of what is said of a device."""
MOST = 12
"""The lines of a tree; of a longer search, the first ones."""


class Branch(NamedTuple):
    """A device that was tried. ``deep``: how many were taken before it; ``state``: as it is now."""

    device: Sight
    deep: int
    state: str


def branches(node: NodeSight) -> list[Branch]:
    """The tree after the node's steps. A device that was given back is a dead end, with all that was tried behind it;
    after the tree, the devices that the search has not reached."""
    found, taken, refused = list[Branch](), list[int](), set[object]()
    for step in node.steps:
        if step.state == TRIED and taken:
            place = taken.pop()
            found[place] = found[place]._replace(state=TRIED)
            continue
        ends_it = bool(found) and found[-1].deep < len(taken)  # what leads nowhere says why
        if step.state in (PICKED, UNLIKE) or step.id not in refused or ends_it:
            found.append(Branch(step, len(taken), step.state))
        if step.state == PICKED:
            taken.append(len(found) - 1)
        else:
            refused.add(step.id)
    tried = {step.id for step in node.steps}
    return [*found, *(Branch(each, 0, OPEN) for each in node.devices if each.id not in tried)][:MOST]


def tree_room(lines: int) -> float:
    """The height of a tree with so many lines, in pixels."""
    return LINE * lines + 8


def draw_tree(node: NodeSight, width: float) -> Part:
    """The tree, a line for each device. What was taken is green once the search has ended, as in the node; any other
    device has the sign of what is in its way."""
    found = branches(node)
    now = {each.id: each for each in node.devices}
    ended = all(each.state != PICKED for each in node.devices)
    shapes = [_twig(found, at, CHOSEN if ended else "currentColor") for at in range(len(found))]
    for at, each in enumerate(found):
        line = _line(each, now[each.device.id], width - _left(each), CHOSEN if ended else "currentColor")
        shapes.append(moved(line, _left(each), at * LINE + 2, data_key=f"branch/{node.node}/{at}"))
    return Part(width, tree_room(len(found)), tuple(shapes))


def _left(branch: Branch) -> float:
    return 7 + branch.deep * STEP


def _twig(found: Sequence[Branch], at: int, taken: str) -> Html:
    """The line that joins a device to the one that was taken before it, or to the trunk."""
    branch = found[at]
    above = next((n for n in range(at - 1, -1, -1) if found[n].deep < branch.deep), -1)
    top = above * LINE + 18 if above >= 0 else 0
    x, y = _left(branch) - 9, at * LINE + 10
    path = f"M{x:g} {top:g}V{y - 5:g}a5 5 0 0 0 5 5H{_left(branch) - 1:g}"
    alive = branch.state == PICKED
    return element("path", d=path, fill="none", stroke=taken if alive else INK_3, stroke_width=2 if alive else 1.2)


def _line(branch: Branch, now: Sight, room: float, taken: str) -> Part:
    """The device, and what became of it or was in its way. ``now``: the device as it is after the last step."""
    device, alive, dead = branch.device, branch.state == PICKED, branch.state == TRIED
    ahead = branch.state == OPEN
    colour = taken if alive else EVICTED if dead else INK_3
    waits = ahead and now.state == OPEN
    if sign := "taint" if waits and now.taints else TOLD[now.state if ahead else branch.state].sign:
        mark = icon(sign, 0, 0, EVICTED if dead else INK_2)
    else:
        mark = element("circle", cx=8, cy=8, r=5.5 if alive else 3, fill="none" if ahead else colour, stroke=colour)
    name = words(device.id.device, SMALL, bold=alive, fill=taken if alive else INK_2 if ahead else "currentColor")
    about = now.reason if alive or ahead else device.reason
    said = say(TOLD[TRIED].brief) if dead else waits and now.taints or about.shortly
    left = room - 16 - 2 * APART - name.width
    return row([Part(16, 16, (mark,)), name, words(said, SMALL, most=left, fill=taken if alive else INK_2)], APART)


def search_story(seen: Sequence[NodeSight], end: str) -> Iterator[tuple[list[NodeSight], str]]:
    """All moments: what is seen of every node then, and a caption. ``end``: the last caption."""
    now = [unasked(node) for node in seen]
    for step in seen[0].steps:
        now[0] = now[0]._replace(devices=_after(now[0].devices, step), steps=(*now[0].steps, step))
        back = step.state == TRIED
        said = say("{device} leads nowhere, and is given back", device=step.id.device) if back else step.sentence
        yield list(now), say("{node}: {said}.", node=seen[0].node, said=said)
    for place, node in enumerate(seen):
        devices = [each._replace(reason=Reason(OFFERED)) if each.state == TAKES else each for each in node.devices]
        now[place] = node._replace(chosen=False, devices=tuple(devices))
        fits = [device.id.device for device in devices if device.state == OFFERED]
        result = say("could give {devices}", devices=say(" and ").join(fits)) if fits else node.reason
        yield list(now), say("{node}: {said}.", node=node.node, said=result)
    yield list(seen), end


def _after(devices: Sequence[Sight], step: Sight) -> tuple[Sight, ...]:
    """The devices after this step. What disagreed with a device that is given back may be taken again."""

    def now(each: Sight) -> Sight:
        if each.id == step.id and not (each.state == PICKED and step.state != TRIED):
            return step
        return each._replace(reason=Reason(OPEN)) if step.state == TRIED and each.state == UNLIKE else each

    return tuple(map(now, devices))
