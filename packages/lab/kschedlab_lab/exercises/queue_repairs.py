"""The repair of lesson 02: sifting down in the queue's heap."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence

from kschedlab.messages import say
from kschedlab.queue.heap import Heap
from kschedlab_lab.exercises.exercise import Exercise
from kschedlab_lab.exercises.repair import Repair


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
