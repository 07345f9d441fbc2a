"""Repairs of lesson 02: the order of the queue, and sifting down in its heap."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

from kschedlab.build import HOUR, Manifest
from kschedlab.messages import say
from kschedlab.queue.heap import Heap
from kschedlab.queue.order import active_q_comp
from kschedlab_lab.exercises.exercise import Exercise
from kschedlab_lab.exercises.repair import Repair
from kschedlab_lab.panels.queue_heap_watched import decoded
from kschedlab_lab.panels.queue_order import UNSET, waiting

Waiting = tuple[int, int, int | None, int | None]
"""A pod as (priority, created, last transition, last probe); None where there is none. Minutes after midnight."""


def active_q_comp_broken(
    one: tuple[int, int, int | None, int | None], other: tuple[int, int, int | None, int | None]
) -> bool:
    """Whether v1.13 pops the first pod before the second.

    A pod: (priority, created, transition, probe).
    """

    def timestamp(pod: tuple[int, int, int | None, int | None]) -> int:
        _, created, transition, probe = pod
        return transition or probe or created

    return one[0] > other[0] or timestamp(one) < timestamp(other)


def active_q_comp_mended(
    one: tuple[int, int, int | None, int | None], other: tuple[int, int, int | None, int | None]
) -> bool:
    """Whether v1.13 pops the first pod before the second.

    A pod: (priority, created, transition, probe).
    """

    def timestamp(pod: tuple[int, int, int | None, int | None]) -> int:
        _, created, transition, probe = pod
        return probe or transition or created

    return one[0] > other[0] or (one[0] == other[0] and timestamp(one) < timestamp(other))


def by_engine(one: Waiting, other: Waiting) -> bool:
    """The answer of the queue's own function."""
    first, second = (decoded(made_of(each)) for each in (one, other))
    return active_q_comp(first, second)


def made_of(pod: Waiting) -> Manifest:
    priority, created, transition, probe = pod
    return waiting("pod", priority, created, *(UNSET if each is None else each for each in (transition, probe)))


def pairs(rng: random.Random) -> Iterator[tuple[Waiting, Waiting]]:
    """Two pods: never attempted ones first, then ones with one timestamp, then with two."""

    def draw(tried: int) -> Waiting:
        created, transition, probe = rng.sample(range(8 * HOUR, 12 * HOUR, 5), 3)
        times = (transition if tried > 0 else None, probe if tried > 1 else None)
        return rng.choice([50, 100, 100]), created, *times

    for tried in (0, 1, 2):
        for _ in range(15):
            yield draw(rng.randint(0, tried)), draw(tried)


def the_order(seed: int) -> Exercise:
    """activeQComp, with two mistakes."""
    return Repair(
        say("Who comes first"),
        say("This function should do what v1.13's activeQComp does, but it has two mistakes. Fix them."),
        active_q_comp_broken,
        active_q_comp_mended,
        by_engine,
        pairs,
        say("Timestamps count only between equal priorities; and the last probe counts before the last transition."),
        (
            say("What does it say about an old pod of low priority?"),
            say("A condition has two times. Which of them does podTimestamp ask for first?"),
        ),
        seed,
    )


def popped_broken(queue: list[int]) -> list[int]:
    """The heap's array after Pop. The numbers are priorities; the highest comes out first."""
    queue = list(queue)
    queue[0] = queue[-1]
    queue.pop()
    place = 0
    while 2 * place + 1 < len(queue):
        child = 2 * place + 1
        if queue[child] <= queue[place]:
            break
        queue[place], queue[child] = queue[child], queue[place]
        place = child
    return queue


def popped_mended(queue: list[int]) -> list[int]:
    """The heap's array after Pop. The numbers are priorities; the highest comes out first."""
    queue = list(queue)
    queue[0] = queue[-1]
    queue.pop()
    place = 0
    while 2 * place + 1 < len(queue):
        child = 2 * place + 1
        if child + 1 < len(queue) and queue[child + 1] > queue[child]:
            child += 1
        if queue[child] <= queue[place]:
            break
        queue[place], queue[child] = queue[child], queue[place]
        place = child
    return queue


def by_heap(queue: list[int]) -> list[int]:
    """The answer of the queue's own heap."""
    heap = numbers(queue)
    heap.pop()
    return [int(key) for key in heap.data.queue]


def numbers(queue: Sequence[int]) -> Heap[int]:
    """A heap of numbers, the highest first, added in this order."""
    first: Callable[[int, int], bool] = lambda one, other: one > other  # noqa: E731
    heap = Heap(str, first)
    for each in queue:
        heap.add(each)
    return heap


def arrays(rng: random.Random) -> Iterator[tuple[list[int]]]:
    """Heaps as arrays, short ones first."""
    for length in range(1, 9):
        for _ in range(4):
            heap = numbers(rng.sample(range(10, 100), length))
            yield ([int(key) for key in heap.data.queue],)


def downwards(seed: int) -> Exercise:
    """Sifting down with only one child."""
    return Repair(
        say("Down the tree"),
        say("This function takes the head out of a heap and repairs the array. Something is missing. Fix it."),
        popped_broken,
        popped_mended,
        by_heap,
        arrays,
        say("The better of the two children goes up; otherwise a child would lie above a better one."),
        (say("How many children can a place have?"), say("The right child is at 2i+2, if the array is that long.")),
        seed,
    )
