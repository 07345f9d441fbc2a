"""The search for devices on one node as a tree: each device that was tried, below the one that was taken before it;
last those that it has not reached, of which nothing is said. What is refused whatever was taken is said once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from kschedlab.messages import say
from kschedlab.text.html import Html, element
from kschedlab_devices.search import UNLIKE
from kschedlab_lab.views.device_sights import OPEN, PICKED, TOLD, TRIED, NodeSight, Sight
from kschedlab_lab.views.icons import icon
from kschedlab_lab.views.layout import Part, moved, row, words
from kschedlab_lab.views.lettering import fitted
from kschedlab_lab.views.style import EVICTED, INK_2, INK_3

LINE, STEP, APART, SMALL = 15, 11, 3, 11.2
"""Pixels from one device to the next, from one to those that were tried after it was taken, between words,
and the size of what is said of a device."""
MOST = 12
"""The lines of a tree; of a longer search, the first ones."""


class Branch(NamedTuple):
    """A device that was tried. ``deep``: how many were taken before it; ``state``: as it is now."""

    device: Sight
    deep: int
    state: str


def branches(steps: Sequence[Sight]) -> list[Branch]:
    """The tree after these steps. A device that was given back is a dead end, with all that was tried behind it."""
    found, taken = list[Branch](), list[int]()
    for step in steps:
        if step.state == TRIED and taken:
            place = taken.pop()
            found[place] = found[place]._replace(state=TRIED)
            continue
        found.append(Branch(step, len(taken), step.state))
        if step.state == PICKED:
            taken.append(len(found) - 1)
    return found


def lines_of(node: NodeSight) -> list[Branch]:
    """The tree, and after it the devices that the search has not reached."""
    found, refused = list[Branch](), set[object]()
    for branch in branches(node.steps):
        told = (branch.device.id, branch.state)
        ends_it = bool(found) and found[-1].deep < branch.deep  # what leads nowhere says why
        if branch.state in (PICKED, TRIED, UNLIKE) or told not in refused or ends_it:
            found.append(branch)
        refused.add(told)
    tried = {step.id for step in node.steps}
    return [*found, *(Branch(each, 0, OPEN) for each in node.devices if each.id not in tried)]


def tree_height(node: NodeSight) -> float:
    """The height of the tree in pixels."""
    return tree_room(min(len(lines_of(node)), MOST))


def tree_room(lines: int) -> float:
    """The height of a tree with so many lines."""
    return LINE * lines + 8


def draw_tree(node: NodeSight, width: float, taken: str) -> Part:
    """The tree, a line for each device; what was taken has this colour, any other the sign that it has in its node."""
    found = lines_of(node)[:MOST]
    shapes = [_twig(found, at, taken) for at in range(len(found))]
    for at, each in enumerate(found):
        line = _line(each, width - _left(each), taken)
        shapes.append(moved(line, _left(each), at * LINE + 2, data_key=f"branch/{node.node}/{at}"))
    return Part(width, tree_height(node), tuple(shapes))


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


def _line(branch: Branch, room: float, taken: str) -> Part:
    device, alive, dead = branch.device, branch.state == PICKED, branch.state == TRIED
    ahead = branch.state == OPEN
    colour = taken if alive else EVICTED if dead else INK_3
    if sign := TOLD[branch.state].sign:
        mark = icon(sign, 0, 0, EVICTED if dead else INK_2)
    else:
        mark = element("circle", cx=8, cy=8, r=5.5 if alive else 3, fill="none" if ahead else colour, stroke=colour)
    name = words(device.id.device, bold=alive, fill=taken if alive else INK_2 if dead or ahead else "currentColor")
    said = "" if alive or ahead else say(TOLD[TRIED].brief) if dead else device.reason.shortly
    return row(
        [
            Part(16, 16, (mark,)),
            name,
            words(fitted(said, room - 16 - 2 * APART - name.width, SMALL), SMALL, fill=INK_2),
        ],
        APART,
    )
