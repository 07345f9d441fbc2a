"""A cluster that kubectl changes, as a panel shows it: nodes, waiting pods, what happened last."""

from __future__ import annotations

from collections.abc import Iterator

from kschedlab.messages import say
from kschedlab.objects.model import Node
from kschedlab.text.html import Html, element, visible
from kschedlab.text.words import count, listing
from kschedlab_lab.panels.base import View
from kschedlab_lab.panels.terminal_feed import Happened, Seen, seconds
from kschedlab_lab.views.bench import Bench, Hand, NodeCard, draw_bench
from kschedlab_lab.views.pieces import Piece, created, running
from kschedlab_lab.views.svg import Room
from kschedlab_simulation.pods import TERMINAL

NODES, WAITING = 8, 4
"""How many are shown."""
LIST = "margin:0.4em 0;padding:0;list-style:none;"


def view_of(seen: Seen, start: str) -> View:
    """The panel's view. ``start``: what it says before anything has happened."""
    lines = seen.lines
    changes = [line for line in lines if not line.message]
    said = told(changes[-1]) if changes else say(start)
    events = element("ul", *(element("li", told(each)) for each in lines), style=LIST) if lines else Html()
    return View(lambda room: _picture(seen, said, room), said, events, "\n".join([said, *map(told, lines)]))


def told(line: Happened) -> str:
    """A line with its time."""
    if line.message:
        return say("{time}: {what}: {message}", time=seconds(line.after), what=line.text, message=line.message)
    return say("{time}: {what}.", time=seconds(line.after), what=line.text)


def _picture(seen: Seen, alt: str, room: Room) -> Html:
    """The nodes with their pods, and above them the pods that wait."""
    waiting = [pod for pod in seen.pods if not pod.spec.nodeName and pod.status.phase not in TERMINAL]
    hands = [Hand(running(pod, 0), nominated=visible(pod.status.nominatedNodeName)) for pod in waiting[:WAITING]]
    if len(waiting) > WAITING:
        hands.append(Hand(Piece(say("{number} more", number=len(waiting) - WAITING), 1000, mark="ghost")))
    hands = hands or [Hand(Piece(say("nobody"), 1000, mark="ghost"))]
    cards = [_card(node, seen) for node in seen.nodes[:NODES]]
    if (left := len(seen.nodes) - NODES) > 0:
        cards.append(NodeCard("…", 1, says=say("{nodes} more", nodes=count(left, "node"))))
    return draw_bench(Bench(tuple(hands), tuple(cards)), alt, room)


def _card(node: Node, seen: Seen) -> NodeCard:
    name = node.metadata.name
    there = [pod for pod in seen.pods if pod.spec.nodeName == name and pod.status.phase not in TERMINAL]
    pieces = [running(pod, seen.now) for pod in sorted(there, key=created)]
    cpu = node.status.allocatable.get("cpu")
    return NodeCard(
        visible(name),
        cpu.milli() if cpu is not None else 0,
        tuple(piece for piece in pieces if piece.size),
        says=listing([*_remarks(node, pieces)]),
        cordoned=node.spec.unschedulable,
    )


def _remarks(node: Node, pieces: list[Piece]) -> Iterator[str]:
    """What is worth saying about a node."""
    if node.spec.unschedulable:
        yield say("cordoned")
    if any(each.type == "Ready" and each.status != "True" for each in node.status.conditions):
        yield say("not ready")
    if small := sum(not piece.size for piece in pieces):
        yield say("{pods} without a CPU request", pods=count(small, "pod"))
