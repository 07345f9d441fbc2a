"""The search for devices, step by step and node after node: what was taken, refused and given back.

kube-scheduler searches several nodes at once; the steps on each node are these.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kschedlab.messages import say
from kschedlab_devices.search import UNLIKE
from kschedlab_lab.views.device_map import unasked
from kschedlab_lab.views.device_sights import OFFERED, OPEN, PICKED, TAKES, TRIED, NodeSight, Reason, Sight


def search_story(seen: Sequence[NodeSight], end: str) -> Iterator[tuple[list[NodeSight], str]]:
    """All moments: what is seen of every node then, and a caption.

    On the first node each step, until one repeats what was seen; then node by node. ``end``: the last caption.
    """
    now = [unasked(node) for node in seen]
    for place, node in enumerate(seen):
        for step in [] if place else _first(node.steps):
            now[place] = now[place]._replace(devices=_after(now[place].devices, step), steps=(*now[place].steps, step))
            yield list(now), say("{node}: {said}.", node=node.node, said=_said(step))
        now[place] = _found(node)
        fits = [device.id.device for device in now[place].devices if device.state == OFFERED]
        result = say("could give {devices}", devices=say(" and ").join(fits)) if fits else node.reason
        yield list(now), say("{node}: {said}.", node=node.node, said=result)
    yield list(seen), end


def _first(steps: Sequence[Sight]) -> Sequence[Sight]:
    """The steps up to the first device that is given back; all of them if it is the only one."""
    back = [at for at, step in enumerate(steps) if step.state == TRIED]
    return steps[: back[0] + 1] if len(back) > 1 else steps


def _said(step: Sight) -> str:
    if step.state == TRIED:
        return say("{device} leads nowhere, and is given back", device=step.id.device)
    return step.sentence


def _after(devices: Sequence[Sight], step: Sight) -> tuple[Sight, ...]:
    """The devices after this step. What disagreed with a device that is given back may be taken again."""
    return tuple(
        step
        if each.id == step.id and not (each.state == PICKED and step.state != TRIED)
        else each._replace(reason=Reason(OPEN))
        if step.state == TRIED and each.state == UNLIKE
        else each
        for each in devices
    )


def _found(node: NodeSight) -> NodeSight:
    """The node after its search, and before one is chosen."""
    devices = [each._replace(reason=Reason(OFFERED)) if each.state == TAKES else each for each in node.devices]
    return node._replace(chosen=False, devices=tuple(devices))
