"""A cluster that kubectl changes, as a panel shows it: nodes, waiting pods, what happened last."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from kschedlab.messages import later, listed, say, sentences
from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import Node, Pod, PodDisruptionBudget
from kschedlab.objects.requests import pod_requests
from kschedlab.text.html import Html, element, visible
from kschedlab.text.words import count, cpus, listing
from kschedlab_lab.panels.base import View
from kschedlab_lab.panels.terminal_feed import Happened, Seen, covers, seconds
from kschedlab_lab.views.bench import keeping, kept_frames
from kschedlab_lab.views.drawing import EDGE, LINE, MOST, TOP, Block, Box, Number, Place, arrange, remark, shapes
from kschedlab_lab.views.glyphs import Badge
from kschedlab_lab.views.layout import moved
from kschedlab_lab.views.picture import WAITING
from kschedlab_lab.views.preemption_scene import budgets_row
from kschedlab_lab.views.style import INK_2
from kschedlab_lab.views.svg import Room, label, svg
from kschedlab_simulation.pods import TERMINAL

NODES, FEW = 8, 4
"""How many nodes and waiting pods are shown."""
HIGH = 78
ABOVE = LINE + HIGH + 10
"""The height of a pod that waits, and of all that is above the nodes."""
LIST = "margin:0.4em 0;padding:0;list-style:none;"


def view_of(seen: Seen, start: str, stopped: bool = False) -> View:
    """The panel's view. ``start``: what it says before anything has happened; ``stopped``: time is."""
    lines = seen.lines
    changes = [line for line in lines if not line.message]
    said = _nominations(seen) or (sentences((latest(changes[-1]), _outcome(seen))) if changes else say(start))
    said = sentences((say("Time is stopped."), said)) if stopped else said
    events = element("ul", *(element("li", told(each)) for each in lines), style=LIST) if lines else Html()
    return View(lambda room: _picture(seen, said, room), said, events, "\n".join([said, *map(told, lines)]))


def _nominations(seen: Seen) -> str:
    """Where several pods are nominated to now: the last line would tell of one; "" if not several are."""
    waiting = [pod for pod in seen.pods if not pod.spec.nodeName and pod.status.phase not in TERMINAL]
    nodes = [visible(pod.status.nominatedNodeName) for pod in waiting if pod.status.nominatedNodeName]
    message = later("{number} pods are nominated to {nodes}.")
    return say(message, number=len(nodes), nodes=listing(sorted({*nodes}))) if len(nodes) > 1 else ""


def _outcome(seen: Seen) -> str:
    """Once every pod runs, how many had to leave so that they can; "" before."""
    if not seen.preempted or any(
        pod.status.phase != "Running" or pod.metadata.deletionTimestamp is not None for pod in seen.pods
    ):
        return ""
    message = later("Every pod runs; {pods} had to leave.")
    if seen.against:
        message = later("Every pod runs; {pods} had to leave, {number} against the budget.")
    return say(message, pods=count(seen.preempted, "pod"), number=seen.against)


def latest(line: Happened) -> str:
    """The newest change; its time would stand still while the seconds of a pod run."""
    return say("Last change: {what}.", what=line.text)


def told(line: Happened) -> str:
    """A line with its time."""
    if line.message:
        return say("{time}: {what}: {message}", time=seconds(line.after), what=line.text, message=line.message)
    return say("{time}: {what}.", time=seconds(line.after), what=line.text)


def _picture(seen: Seen, alt: str, room: Room) -> Html:
    """The nodes with their pods, and above them the pods that wait."""
    hidden = len(seen.nodes) - NODES
    more = remark(say("{nodes} more", nodes=count(hidden, "node")) if hidden > 0 else "", room.width - 2 * EDGE)
    kept = {visible(node): _block(pod, seen) for node, pod in nominees(seen.pods).items()}
    nodes = keeping([_node(node, seen) for node in seen.nodes[:NODES]], kept)
    budgets, waiting = budgets_row(seen.budgets, {}, {}, {}), _waiting(seen)
    above = ABOVE + round(budgets.height)
    half = (room.width - 2 * EDGE) / 2
    plan = arrange(nodes, Room(room.width, room.height - above), more.height, most=max(MOST, half))
    bar = Place(
        EDGE, TOP + LINE + above - ABOVE, min(room.width - 2 * EDGE, MOST * len(waiting.blocks)), HIGH, bar=True
    )
    places = (bar, *(place._replace(y=place.y + above) for place in plan.places))
    parts = shapes([waiting, *nodes], replace(plan, places=places), "cpu")
    parts += kept_frames(nodes, kept, places[1:])
    parts += [moved(budgets, EDGE, 0)] if seen.budgets else []
    parts += [] if waiting.blocks else [label(say("no pod waits"), EDGE, bar.y + HIGH / 2, font_size=13, fill=INK_2)]
    bottom = plan.bottom + above
    return svg([*parts, moved(more, EDGE, bottom)], room.width, bottom + more.height, alt)


def _waiting(seen: Seen) -> Box:
    """The pods that have no node yet."""
    pods = [pod for pod in seen.pods if not pod.spec.nodeName and pod.status.phase not in TERMINAL]
    blocks = [_block(pod, seen) for pod in pods[:FEW]]
    if len(pods) > FEW:
        blocks.append(Block(say("{number} more", number=len(pods) - FEW), 0, 0, mark="ghost"))
    return Box(WAITING, 0, tuple(blocks))


def _node(node: Node, seen: Seen) -> Box:
    """A node with its pods, the oldest at the bottom: nobody moves when another comes."""
    name, cpu = node.metadata.name, node.status.allocatable.get("cpu")
    there = [pod for pod in seen.pods if pod.spec.nodeName == name and pod.status.phase not in TERMINAL]
    there.sort(key=lambda pod: (pod.metadata.creationTimestamp or 0, -(pod.spec.priority or 0)))
    blocks = [_block(pod, seen) for pod in there]
    return Box(
        visible(name),
        cpu.milli() if cpu is not None else 0,
        tuple(block for block in blocks if block.size),
        tuple(_remarks(node, sum(not block.size for block in blocks))),
    )


def nominees(pods: Iterable[Pod]) -> dict[str, Pod]:
    """By node the most important pod for which its room is kept."""
    waiting = [each for each in pods if each.status.nominatedNodeName and not each.spec.nodeName]
    waiting.sort(key=lambda each: each.spec.priority or 0)
    return {each.status.nominatedNodeName: each for each in waiting}


def standing(pod: Pod, now: int) -> Block:
    """A pod with its request and its priority, and the seconds that it has left or the node that it is nominated to."""
    priority, size, mark, note = pod.spec.priority or 0, int(pod_requests(pod).get("cpu", 0)), "", ""
    if pod.metadata.deletionTimestamp is not None:
        mark, note = "leaving", say("terminating, {left} s", left=_left(pod, now))
    elif (node := pod.status.nominatedNodeName) and not pod.spec.nodeName:
        mark, note = "arriving", say("nominated to {node}", node=visible(node))
    asks = Number(say("{asked}, priority {priority}", asked=cpus(size), priority=priority))
    return Block(visible(pod.metadata.name), size, priority, (asks,), mark, note)


def _left(pod: Pod, now: int) -> int:
    """The seconds that a pod has left that is being deleted."""
    return -(-max((pod.metadata.deletionTimestamp or 0) - now, 0) // SECOND)


def _block(pod: Pod, seen: Seen) -> Block:
    """The pod; the end of a long name is a number, because it tells a ReplicaSet's pods apart."""
    block = standing(pod, seen.now)
    first, *middle, last = block.name.split("-") if "-" in block.name else (block.name, "")
    short, end = (first, (Number(f"…{last}"),)) if middle else (block.name, ())
    shorter: tuple[str, ...] = (say("priority {priority}", priority=block.priority), str(block.priority))
    if block.mark == "leaving":
        shorter = (say("{seconds} s left", seconds=_left(pod, seen.now)),)
    elif block.mark == "arriving":
        shorter = (f"→ {visible(pod.status.nominatedNodeName)}",)
    numbers = (replace(block.numbers[0], shorter=shorter), *end)
    return replace(block, name=short, numbers=numbers, key=block.name, badges=tuple(_shields(pod, seen)))


def _shields(pod: Pod, seen: Seen) -> Iterator[Badge]:
    """The shield of a pod under budgets."""
    over = [each for each in seen.budgets if covers(each, pod)]
    names = visible(listed(each.metadata.name for each in over))
    if any(pod in _breaking(each, seen) for each in over):
        yield Badge("broken", say("its eviction breaks the budget: {names}", names=names))
    elif over:
        yield Badge("shield", say("covered by the budget: {names}", names=names))


def _breaking(budget: PodDisruptionBudget, seen: Seen) -> list[Pod]:
    """The pods whose leaving breaks the budget: the last ones to go, as many as it lacks."""
    lacks = budget.status.desiredHealthy - budget.status.currentHealthy
    if lacks <= 0:
        return []
    ends = [(pod.metadata.deletionTimestamp, pod) for pod in seen.pods if covers(budget, pod)]
    leaving = sorted(((end, pod) for end, pod in ends if end is not None), key=lambda each: each[0])
    return [pod for _, pod in leaving[-lacks:]]


def _remarks(node: Node, small: int) -> Iterator[str]:
    """What is worth saying about a node. ``small``: how many of its pods ask for no CPU."""
    if node.spec.unschedulable:
        yield say("cordoned")
    if any(each.type == "Ready" and each.status != "True" for each in node.status.conditions):
        yield say("not ready")
    if small:
        yield say("{pods} without a CPU request", pods=count(small, "pod"))
