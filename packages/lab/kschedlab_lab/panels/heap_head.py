"""A tie in v1.37: scores in the order of the list -> the swaps of heap.Init -> the node that comes out first.

v1.37: framework/sorted_nodes.go (a heap by total score; equal scores compare by Randomizer, which is 0 without an
extender) over Go's container/heap.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kschedlab.messages import say, sentences
from kschedlab.text.html import Html
from kschedlab.text.words import count
from kschedlab_lab.panels.base import Frame, Panel, View
from kschedlab_lab.panels.map_reduce import node_names
from kschedlab_lab.panels.prediction import Question
from kschedlab_lab.panels.settings import Restorable, slider
from kschedlab_lab.views.heap_head import Heap, draw_heap
from kschedlab_lab.views.svg import Room

NAMES = tuple(node_names(4))
CONTROLS = dict(zip(NAMES, "abcd", strict=True))
SCORES = range(1, 10)


@dataclass(frozen=True)
class Settings(Restorable):
    """The total scores of four nodes, in the order of the list."""

    a: int = slider("node-a", SCORES, 5)
    b: int = slider("node-b", SCORES, 6)
    c: int = slider("node-c", SCORES, 9)
    d: int = slider("node-d", SCORES, 9)

    @property
    def scores(self) -> tuple[int, ...]:
        """The scores in the order of the list."""
        return self.a, self.b, self.c, self.d


def init(scores: Sequence[int]) -> Iterator[tuple[int, int]]:
    """The swaps of heap.Init: (parent, child). A child moves up if its score is higher; of equals, the left one."""
    order = list(scores)
    for start in range(len(order) // 2 - 1, -1, -1):
        parent = start
        while (child := 2 * parent + 1) < len(order):
            if child + 1 < len(order) and order[child + 1] > order[child]:
                child += 1
            if not order[child] > order[parent]:
                break
            order[parent], order[child] = order[child], order[parent]
            yield parent, child
            parent = child


def heaps(settings: Settings) -> list[Heap]:
    """The list of sums, and the heap after each swap."""
    items, made = list(zip(NAMES, settings.scores, strict=True)), list(init(settings.scores))
    found = [Heap(tuple(items), None, not made)]
    for number, (parent, child) in enumerate(made, 1):
        items[parent], items[child] = items[child], items[parent]
        found.append(Heap(tuple(items), (parent, child), number == len(made)))
    return found


def head(settings: Settings) -> str:
    return heaps(settings)[-1].items[0][0]


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    sentence, moments = describe(settings), heaps(settings)

    def picture(room: Room) -> Html:
        return draw_heap(settings.scores, moments[-1], CONTROLS, room, sentence)

    def story(room: Room) -> list[Frame]:
        begin = say("The list as it is. No node may score higher than the one above it.")
        captions = [begin, *(_swap(each, len(moments) - 1, i) for i, each in enumerate(moments[1:], 1))]
        frames = [
            Frame(draw_heap(settings.scores, replace(each, ready=False), CONTROLS, room, caption), caption)
            for each, caption in zip(moments, captions, strict=True)
        ]
        return [*frames, Frame(picture(room), sentence)]

    lines = ["  " + ", ".join(f"{name} {score}" for name, score in each.items) for each in moments]
    return View(picture, sentence, Html(), "\n".join([sentence, *lines]), story=story)


def _swap(now: Heap, number: int, at: int) -> str:
    assert now.swapped is not None
    parent, child = now.swapped
    return say(
        "Swap {at} of {number}: {node} moves up from place {child} to {parent}.",
        at=at,
        number=number,
        node=now.items[parent][0],
        child=child,
        parent=parent,
    )


def describe(settings: Settings) -> str:
    best = [name for name, score in zip(NAMES, settings.scores, strict=True) if score == max(settings.scores)]
    first = head(settings)
    if len(best) == 1:
        return say("{node} has the highest score and comes out first.", node=first)
    equals = say("{nodes} have the highest score.", nodes=count(len(best), "node"))
    if best[0] == first:
        return sentences([say("{first} comes out, the first of them in the list.", first=first), equals])
    return sentences(
        [say("{first} comes out, though {best} comes first in the list.", first=first, best=best[0]), equals]
    )


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, None, "heap_head.panel()")


def which_comes_out() -> Question[Settings]:
    """The question before the panel: which of two equals?"""

    def why(settings: Settings, answer: str) -> str:
        scores = dict(zip(NAMES, settings.scores, strict=True))
        if answer in scores and scores[answer] < max(scores.values()):
            return say("{node} has only {score}.", node=answer, score=scores[answer])
        if answer not in scores:
            return say("Without an extender v1.37 draws nothing.")
        return say("The swaps of heap.Init decide: a node with a higher score than the one above it moves up.")

    return Question(
        say("v1.37 puts the sums into a heap and takes the node at its head. Which node is it?"),
        (*NAMES, say("one of the two, at random")),
        head,
        why,
        lambda settings: (
            lambda room: draw_heap(
                settings.scores, replace(heaps(settings)[0], ready=False), CONTROLS, room, say("the list of sums")
            )
        ),
    )
