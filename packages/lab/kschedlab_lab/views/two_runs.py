"""Two columns of nodes that the same pods fill: what each scheduler has placed, what waits, and how full they are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kschedlab.messages import say, sentences
from kschedlab.objects.model import Node, Pod
from kschedlab.objects.requests import pod_requests
from kschedlab.text.html import Html, element
from kschedlab.text.words import amount
from kschedlab_lab.views.drawing import EDGE, Block, Number, Place, draw_pod, remark
from kschedlab_lab.views.layout import moved, placed, words
from kschedlab_lab.views.lettering import text_width
from kschedlab_lab.views.style import EVICTED, HAIR, INK_2, INK_3, TICK, TRAY
from kschedlab_lab.views.svg import Room, label, rect, svg

HEAD, BAR, LOWEST, HIGHEST, APART, LINE = 44, 6, 30, 46, 9, 6
"""Heights: of a column's title with its bar, of the bar; limits of that of a row; of the space below a row, and of the
line that is a node's memory."""
WIDEST = 90
"""The most that the names of nodes take, between the columns."""
DOOR = "arrived"
"""What pods come from, above the picture."""


class Size(NamedTuple):
    """Milli CPU, and bytes of memory."""

    cpu: int
    memory: int


def size_of(pod: Pod) -> Size:
    """What a pod requests."""
    asks = pod_requests(pod)
    return Size(asks.get("cpu", 0), asks.get("memory", 0))


def room_of(node: Node) -> Size:
    """What a node has; never nothing, for shares of it are shown."""
    allocatable = node.status.allocatable
    return Size(max(allocatable["cpu"].milli(), 1), max(allocatable["memory"].value(), 1))


@dataclass(frozen=True)
class Placed:
    """A pod that has arrived. ``node``: "" while it waits."""

    name: str
    size: Size
    node: str


@dataclass(frozen=True)
class Moment:
    """A scheduler's nodes, by name with their room, and the pods that have arrived, in their order."""

    name: str
    nodes: Mapping[str, Size]
    pods: tuple[Placed, ...]

    @property
    def waiting(self) -> set[str]:
        return {pod.name for pod in self.pods if not pod.node}

    @property
    def used(self) -> int:
        return sum(pod.size.cpu for pod in self.pods if pod.node)

    @property
    def capacity(self) -> int:
        return sum(size.cpu for size in self.nodes.values())

    @property
    def percent(self) -> str:
        return f"{100 * self.used / self.capacity:.1f}"

    def memory(self, node: str) -> int:
        """How much of the node's memory its pods have, in bytes."""
        return sum(pod.size.memory for pod in self.pods if pod.node == node)

    def short_of_memory(self, node: str, others: set[str]) -> int | None:
        """The memory that a pod wants that waits here, but not among ``others``, and finds the CPU on this node, but
        not the memory; None if there is no such pod."""
        free = self.nodes[node].cpu - sum(pod.size.cpu for pod in self.pods if pod.node == node)
        left = self.nodes[node].memory - self.memory(node)
        wanted = [pod.size for pod in self.pods if pod.name in self.waiting - others]
        return next((size.memory for size in wanted if size.cpu <= free and size.memory > left), None)


def draw_runs(moments: Sequence[Moment], room: Room, alt: str) -> Html:
    """One column beside the other, and between them the names of the nodes."""
    has_memory = any(pod.size.memory for moment in moments for pod in moment.pods)
    sizes = say("At the top: the share of the CPU that pods get. Pods are as long as their CPU; a number is free CPU.")
    memory = say("The line below a node is its memory.") if has_memory else ""
    short = say("Orange: free memory < what the waiting pod requests.") if has_memory else ""
    below = remark(sentences((sizes, memory, short)), room.width - 2 * EDGE)
    names, waits = [*moments[0].nodes], say("waiting")
    between = min(max(text_width(name, bold=True) for name in (*names, waits)) + 10, WIDEST)
    if has_memory:
        between = max(between, text_width("10Gi < 16Gi", bold=True) + 10)
    wide = (room.width - 2 * EDGE - between) / 2
    step = (room.height - HEAD - below.height - 4) / (len(names) + 1)
    step = min(max(step, LOWEST), HIGHEST)
    tall = step - APART - LINE * has_memory
    drawn = [element("rect", x=room.width / 2, y=0, width=1, height=1, fill="none", data_key=f"pod/{DOOR}")]
    for i, name in enumerate([*names, waits]):
        is_node = i < len(names)
        title = words(name, bold=is_node, most=between - 6, fill=None if is_node else INK_2)
        drawn.append(placed(title, room.width / 2, HEAD + step * i + (tall - title.height) / 2))
    for moment, other, x in zip(moments, reversed(moments), (EDGE, EDGE + wide + between), strict=True):
        end = (wide + 4, "start") if x == EDGE else (-4, "end")
        column = [*_title(moment, wide), *_nodes(moment, other.waiting, wide, step, tall)]
        column += _memories(moment, other.waiting, wide, step, tall, end) if has_memory else []
        drawn.append(element("g", *column, transform=f"translate({x:g},0)"))
    bottom = HEAD + step * (len(names) + 1)
    return svg([*drawn, moved(below, EDGE, bottom)], room.width, bottom + below.height + 4, alt)


def _title(moment: Moment, wide: float) -> Iterator[Html]:
    """The scheduler's name, how full its nodes are, and the same as a bar."""
    share = f"{moment.percent} %"
    size = 15 if text_width(share + moment.name, 15, bold=True) + 8 <= wide else 12
    percent = words(share if size > 12 else share.replace(" ", ""), size, bold=True)
    yield moved(words(moment.name, size, bold=True, most=wide - percent.width - 4), 0, 0)
    yield placed(percent, wide, 0, "end")
    full = max(wide * moment.used / moment.capacity, 0.1)
    yield rect(wide, BAR, BAR / 2, 0, 24, fill=TICK)
    yield rect(full, BAR, BAR / 2, 0, 24, fill=INK_3, data_key=f"share/{moment.name}")


def _nodes(moment: Moment, others: set[str], wide: float, step: float, tall: float) -> Iterator[Html]:
    """The nodes with their pods, and at the end what waits. A pod that waits only elsewhere (``others``) is ringed."""
    largest = max(size.cpu for size in moment.nodes.values())
    waiting = sum(pod.size.cpu for pod in moment.pods if not pod.node)
    for i, (name, size) in enumerate([*moment.nodes.items(), ("", Size(max(largest, waiting), 0))]):
        y, scale = HEAD + step * i, wide / (largest if name else size.cpu)
        x = 0.0
        if name:
            yield rect(scale * size.cpu, tall, 6, 0, y, fill=TRAY, stroke=HAIR)
        for pod in moment.pods:
            if pod.node == name:
                place = Place(x + 1, y + 2, max(scale * pod.size.cpu - 2, 1), tall - 4)
                yield draw_pod(_block(pod, moment.name, pod.name in others), place)
                x += scale * pod.size.cpu
        if not name:
            return
        free = size.cpu - sum(pod.size.cpu for pod in moment.pods if pod.node == name)
        written = f"{free / 1000:g}"
        if free and text_width(written) + 10 <= scale * size.cpu - x:
            key = f"free/{moment.name}/{name}"
            yield label(written, scale * size.cpu - 6, y + tall / 2 + 4, "end", fill=INK_2, data_key=key)


def _memories(
    moment: Moment, others: set[str], wide: float, step: float, tall: float, end: tuple[float, str]
) -> Iterator[Html]:
    """Below each node, the memory that each of its pods has. At its ``end``, how much is free and how much is wanted,
    if a pod that waits here, but not in the other column (``others``), would find the CPU."""
    largest = max(size.cpu for size in moment.nodes.values())
    x, anchor = end
    for i, (name, size) in enumerate(moment.nodes.items()):
        y, long, at = HEAD + step * i + tall + 2, wide * size.cpu / largest, 0.0
        yield rect(long, LINE, LINE / 2, 0, y, fill=TICK)
        for pod in moment.pods:
            if pod.node == name and pod.size.memory:
                tip = f"{pod.name}: {amount('memory', pod.size.memory)}"
                about = {"data_key": f"memory/{moment.name}/{pod.name}", "data_tip": tip}
                share = long * pod.size.memory / size.memory
                yield rect(max(share - 1.5, 1), LINE, 2, at, y, fill=INK_3, **about)
                at += share
        if (wanted := moment.short_of_memory(name, others)) is not None:
            free = size.memory - moment.memory(name)
            text = f"{_memory_text(free)} < {_memory_text(wanted)}"
            key = f"short/{moment.name}/{name}"
            yield label(text, x, y + LINE + 1, anchor, fill=EVICTED, font_weight="bold", data_key=key)


def _memory_text(size: int) -> str:
    return amount("memory", size).removesuffix(" memory")


def _block(pod: Placed, run: str, waits_there: bool) -> Block:
    """A pod; with its whole name if it waits in one column only (``waits_there``: in the other one)."""
    differs, is_ringed = waits_there != (not pod.node), waits_there and bool(pod.node)
    short = pod.name if differs else pod.name.rpartition("-")[0] or pod.name
    sizes = tuple(Number(amount(resource, size)) for resource, size in pod.size._asdict().items() if size)
    mark = "placed" if is_ringed else ""
    return Block(short, pod.size.cpu, 0, sizes, mark, key=f"{run}/{pod.name}", origin=f"pod/{DOOR}")
