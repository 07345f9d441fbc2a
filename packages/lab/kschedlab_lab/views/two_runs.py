"""Two rows of nodes that the same pods fill: what each scheduler has placed, what waits, and how full the nodes are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kschedlab.messages import say, sentences
from kschedlab.objects.model import Node, Pod
from kschedlab.objects.requests import pod_requests
from kschedlab.text.html import Html, element
from kschedlab.text.words import amount
from kschedlab_lab.views.drawing import EDGE, GAP, NARROW, TIGHT, Arrangement, Block, Box, Number, Place, remark, shapes
from kschedlab_lab.views.layout import moved, placed, words
from kschedlab_lab.views.picture import WAITING
from kschedlab_lab.views.style import HAIR, INK_2, INK_3, TICK
from kschedlab_lab.views.svg import Room, rect, svg

HEAD, BELOW, BAR, LOWEST, HIGHEST, LINE = 40, 30, 6, 64, 150, 8
"""Heights: of a row's title with its bar, of the space below a row, of the bar; limits of that of a node; and the
width of the line that is its memory."""
WAITS, SLIM = 84, 46
"""The width of the place where pods wait, and in a narrow room."""
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

    def memory(self, node: str) -> float:
        """The share of the node's memory that its pods have."""
        return sum(pod.size.memory for pod in self.pods if pod.node == node) / self.nodes[node].memory


def draw_runs(moments: Sequence[Moment], room: Room, alt: str) -> Html:
    """One row above the other."""
    has_memory = any(pod.size.memory for moment in moments for pod in moment.pods)
    sizes = say("Pods are as high as their CPU; numbers are free CPU.")
    memory = say("The bar beside a node is its memory.") if has_memory else ""
    below = remark(sentences((sizes, memory)), room.width - 2 * EDGE)
    tall = (room.height - below.height - 4) / len(moments) - HEAD - BELOW
    tall = min(max(tall, LOWEST), HIGHEST)
    step = HEAD + tall + BELOW
    titles = [part for i, moment in enumerate(moments) for part in _title(moment, i * step, room)]
    boxes, places, lines = list[Box](), list[Place](), list[Html]()
    for i, moment in enumerate(moments):
        others = [other.waiting for other in moments if other is not moment]
        row = _boxes(moment, set().union(*others))
        boxes += row
        places += _places(len(row), i * step + HEAD, tall, room)
        lines += _memory(moment, places[-len(moment.nodes) :]) if has_memory else ()
    bottom = step * len(moments)
    door = element("rect", x=room.width / 2, y=0, width=1, height=1, fill="none", data_key=f"pod/{DOOR}")
    plan = Arrangement(tuple(places), room.width, bottom)
    pods = shapes(boxes, plan, "cpu", captions=False)
    return svg([*titles, door, *pods, *lines, moved(below, EDGE, bottom)], room.width, bottom + below.height + 4, alt)


def _title(moment: Moment, y: float, room: Room) -> Iterator[Html]:
    """The scheduler's name, how full its nodes are, and the same as a bar."""
    wide = room.width - 2 * EDGE
    bar = {"x": EDGE, "y": y + 24, "height": BAR, "rx": BAR / 2}
    yield moved(words(moment.name, 15, bold=True), EDGE, y)
    share = words(say("{percent} % of the CPU", percent=moment.percent), 15, bold=True)
    yield placed(share, room.width - EDGE, y, "end")
    yield element("rect", **bar, width=wide, fill=TICK)
    full = max(wide * moment.used / moment.capacity, 0.1)
    yield element("rect", **bar, width=full, fill=INK_3, data_key=f"share/{moment.name}")


def _memory(moment: Moment, places: Sequence[Place]) -> Iterator[Html]:
    """Beside each node, how much of its memory is taken."""
    for name, place in zip(moment.nodes, places, strict=True):
        share, x = moment.memory(name), place.x + place.width + 2
        tip = say("{share:.0f} % of the memory of {node}", share=100 * share, node=name)
        yield rect(LINE, place.height, LINE / 2, x, place.y, fill=HAIR)
        high, about = max(place.height * share, 0.1), {"data_key": f"memory/{moment.name}/{name}", "data_tip": tip}
        yield rect(LINE, high, LINE / 2, x, place.y + place.height - high, fill=INK_2, **about)


def _boxes(moment: Moment, others: set[str]) -> list[Box]:
    """The place where pods wait, and the nodes. A pod that waits only elsewhere (``others``) has a ring."""

    def blocks(node: str) -> tuple[Block, ...]:
        return tuple(_block(pod, moment.name, others) for pod in moment.pods if pod.node == node)

    nodes = [Box(f"{moment.name}/{name}", size.cpu, blocks(name), title=name) for name, size in moment.nodes.items()]
    return [Box(f"{moment.name}/{WAITING}", 0, blocks(""), title=WAITING), *nodes]


def _block(pod: Placed, row: str, others: set[str]) -> Block:
    mark = "placed" if pod.node and pod.name in others else ""
    short = pod.name.rpartition("-")[0] or pod.name
    size = Number(amount("cpu", pod.size.cpu))
    return Block(short, pod.size.cpu, 0, (size,), mark, key=f"{row}/{pod.name}", origin=f"pod/{DOOR}")


def _places(number: int, top: float, tall: float, room: Room) -> list[Place]:
    """The place where pods wait, and beside it the nodes, with a line at the right of each."""
    narrow = room.width < NARROW
    first, gap = (SLIM, TIGHT + LINE) if narrow else (WAITS, GAP)
    wide = (room.width - 2 * EDGE - first - 2 - LINE) / (number - 1) - gap
    left = EDGE + first + gap
    return [
        Place(EDGE, top, first, tall),
        *(Place(left + i * (wide + gap), top, wide, tall) for i in range(number - 1)),
    ]
