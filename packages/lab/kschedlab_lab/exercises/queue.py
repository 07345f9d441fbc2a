"""Exercises of lesson 02: when does a failed pod come back, which of two pods is first, and how does a heap pop?"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

from kschedlab import build
from kschedlab.build import HOUR, as_yaml, clock_time
from kschedlab.generations import GENERATIONS
from kschedlab.manifests.loading import Objects
from kschedlab.messages import later, listed, say, sentences, terms
from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import Pod
from kschedlab.queue.events import ASSIGNED_POD_DELETE
from kschedlab.queue.heap import Heap
from kschedlab.queue.interface import ACTIVE
from kschedlab.queue.order import SCHEDULED, active_q_comp, pod_timestamp
from kschedlab.text.html import Html, element, join
from kschedlab.text.plain import aligned
from kschedlab.text.tables import row, table
from kschedlab_lab.exercises.build import Build
from kschedlab_lab.exercises.exercise import Exercise, Instance, drawn
from kschedlab_lab.exercises.fitting import fitting
from kschedlab_lab.exercises.predict import Predict
from kschedlab_lab.exercises.repair import Repair
from kschedlab_lab.panels.queue_waiting import NOON, decoded, stamp, waiting
from kschedlab_lab.views.queue_heap import Place, draw_heap
from kschedlab_lab.views.queue_times import Time, clock, draw_times
from kschedlab_lab.views.svg import Room
from kschedlab_simulation.scheduler.hints.table import queueing_hints


def exercises(seed: int) -> list[Exercise]:
    """The exercises of the lesson, drawn from the seed."""
    rng = random.Random(f"queue {seed}")
    return [when_again(rng), later_but_first(rng), downwards(seed)]


# -- predict


def at(seconds: float) -> str:
    return say("at {seconds:g} s", seconds=seconds)


class Tries(NamedTuple):
    """When web failed in v1.37, when a pod ended, and when web was active again; in seconds."""

    failed: list[float]
    event: int
    again: float


def when_again(rng: random.Random) -> Exercise:
    """Backoff in v1.37."""
    case = drawn(rng, random_tries, lambda case: case.event < case.again < case.event + backoff_after(case.failed))
    backoff = backoff_after(case.failed)
    why = say(
        "After {failures} failures backoff is {backoff} s: from {last:g} s to {end:g} s. The pod leaves at the first "
        "full second after that: {again:g} s.",
        failures=len(case.failed),
        backoff=backoff,
        last=case.failed[-1],
        end=case.failed[-1] + backoff,
        again=case.again,
    )
    remarks = {
        case.event: say("The event makes it worth another try, but its backoff is not over."),
        case.event + backoff: say("Backoff counts from the failure, not from the event."),
        330: say("That is when it would be tried if no event had helped it."),
        case.again: why,
    }
    head = terms("time", "what happens")
    again = say("web, which the end of a pod has woken, is tried and fails: no room")
    happened = [say("web is tried and fails: no room"), *[again] * (len(case.failed) - 1)]
    rows = [[f"{each:g} s", what] for each, what in zip(case.failed, happened, strict=True)]
    rows.append([f"{case.event} s", say("a pod on a node ends, which wakes web")])
    told = Instance(table(head, (row(*each) for each in rows)), "\n".join(aligned([list(head), *rows], "")))
    return Predict(
        say("When again?"),
        say("v1.37. The scheduler always has other pods to try. When does web next enter activeQ?"),
        at(case.again),
        why,
        (
            say("Backoff is 1 s after the first failure, doubles with each further one, and is 10 s at most."),
            say("When did web fail last? Backoff begins there; a pod leaves at the first full second after its end."),
        ),
        told,
        {at(seconds): remarks[seconds] for seconds in sorted(remarks)},
    )


def backoff_after(failed: Sequence[float]) -> int:
    """Seconds of backoff after these failures."""
    return min(2 ** (len(failed) - 1), 10)


def random_tries(rng: random.Random) -> Tries:
    """Several failures of web, each after an event and its backoff; then one more event while it backs off."""
    clock = 0
    made = build.pod("web", "", 3, 100)
    made["metadata"]["uid"] = "uid-web"
    pod = decoded(made)
    rules = GENERATIONS["v1.37"]
    queue = rules.queue(lambda: NOON + clock, hints=queueing_hints(rules.filters))
    queue.add(pod)
    gone = decoded(build.pod("job", "node-a"))
    failed: list[float] = []

    def sleep(seconds: int) -> None:
        nonlocal clock
        for _ in range(seconds):
            clock += SECOND - clock % SECOND
            for period, flush in queue.flushes:
                if clock % period == 0:
                    flush()

    for attempt in range(failures := rng.randint(2, 4)):
        queued = queue.pop()
        assert queued is not None
        clock += SECOND // 10
        queued.record_failure(pod, ["NodeResourcesFit"])
        queue.add_unschedulable(queued, queue.scheduling_cycle)
        failed.append(clock / SECOND)
        sleep(rng.randint(2, backoff_after(failed)) if attempt == failures - 1 else rng.randint(1, 3))
        event = clock // SECOND
        queue.move(ASSIGNED_POD_DELETE, gone)
        while queue.places()[pod.key].part != ACTIVE:
            sleep(1)
    return Tries(failed, event, clock / SECOND)


# -- build

START = """\
apiVersion: v1
kind: Pod
metadata: {{name: {elder}, creationTimestamp: {created}}}
spec: {{priority: 100, containers: [{{name: main, image: app}}]}}
status:
  conditions:
  - type: PodScheduled
    status: "False"
    reason: Unschedulable
    lastTransitionTime: {failed}
    lastProbeTime: {failed}
"""
"""The elder pod, which failed once."""
NAMES = ("ant", "bee", "cat", "dog", "elk", "fox", "gnu")


def later_but_first(rng: random.Random) -> Exercise:
    """Two pods of equal priority: the one that was created later is popped first."""
    names = dict(zip(("elder", "younger"), rng.sample(NAMES, 2), strict=True))
    created = 8 * HOUR + rng.randrange(10, 40)
    manifest = waiting(names["younger"], 100, created)
    younger = decoded(manifest)

    def goal(objects: Objects) -> str:
        given = [pod.metadata.name for pod in objects.pods]
        if given != [names["elder"]]:
            return say("Write one pod, {elder}; you gave {given}.", given=listed(given) or say("none"), **names)
        return wrong_order(objects.pods[0], younger, names)

    return Build(
        say("Later, but first"),
        say(
            "{younger} (priority 100) was created at {created}, and was not tried yet. {elder} was created ten minutes "
            "earlier, has failed once, and is popped first. Change one of {elder}'s times so that v1.13 pops {younger} "
            "first.",
            created=clock_time(created),
            **names,
        ),
        goal,
        as_yaml([waiting(names["elder"], 100, created - 10, created - 5, created + 30)]),
        say("v1.13 compares lastProbeTime: {elder} failed after {younger} was created.", **names),
        (
            say("{younger} was not tried: v1.13 reads its creationTimestamp.", **names),
            say("Of a pod that failed, v1.13 reads lastProbeTime, and lastTransitionTime only if that is blank."),
        ),
        start=START.format(created=stamp(created - 10), failed=stamp(created - 5), **names),
        decided=lambda objects: fitting(partial(compared, (objects.pods[0], younger))),
    )


def compared(pods: Sequence[Pod], room: Room) -> Html:
    """The times of the pods, those that v1.13 compares, and which pod is popped first."""
    elder, younger = pods
    if active_q_comp(younger, elder) == active_q_comp(elder, younger):
        result = say("neither comes first")
    else:
        first = younger if active_q_comp(younger, elder) else elder
        result = say("popped first: {pod}", pod=first.metadata.name)
    return draw_times([time for pod in pods for time in times_of(pod)], result, room)


def times_of(pod: Pod) -> Iterator[Time]:
    """The times that are written in the pod."""
    name, read = pod.metadata.name, field_of(pod)
    if (created := pod.metadata.creationTimestamp) is not None:
        yield Time(name, "creationTimestamp", created, read == "creationTimestamp")
    for each in pod.status.conditions:
        for field, at in (("lastTransitionTime", each.lastTransitionTime), ("lastProbeTime", each.lastProbeTime)):
            if each.type == SCHEDULED and at is not None:
                yield Time(name, field, at, read == field)


def field_of(pod: Pod) -> str:
    """The field that podTimestamp reads for this pod; "" if it is blank."""
    conditions = [each for each in pod.status.conditions if each.type == SCHEDULED]
    if not conditions:
        return "creationTimestamp"
    if conditions[0].lastProbeTime is not None:
        return "lastProbeTime"
    return "lastTransitionTime" if conditions[0].lastTransitionTime is not None else ""


def wrong_order(elder: Pod, younger: Pod, names: dict[str, str]) -> str:
    """What is missing, "" if the answer is right."""
    ranks = [pod.spec.priority or 0 for pod in (elder, younger)]
    created = elder.metadata.creationTimestamp
    if ranks[0] != ranks[1]:
        message = later("Change no priority: now {elder} has {one}, {younger} {other}.")
        return say(message, one=ranks[0], other=ranks[1], **names)
    if created is None or created >= pod_timestamp(younger):
        return say("Leave creationTimestamp: {elder} was created before {younger}.", **names)
    return "" if active_q_comp(younger, elder) else _why_not(elder, younger, names)


def _why_not(elder: Pod, younger: Pod, names: dict[str, str]) -> str:
    """Which times v1.13 has compared, and which later time of the elder pod it has not read."""
    read, times = field_of(elder), {each.field: each.at for each in times_of(elder)}
    if not read:
        return say("Fill in when {elder} was last tried: lastProbeTime and lastTransitionTime are blank.", **names)
    unread = [field for field, at in times.items() if field != read and at > pod_timestamp(younger)]
    ignored = say("v1.13 does not read {field}, because there is a {read}.", field=listed(unread), read=read)
    first = later(
        "v1.13 compares {elder}'s {read}, {one}, with {younger}'s creationTimestamp, {other}: {elder} is popped first."
    )
    equal = later("{elder}'s {read} equals {younger}'s creationTimestamp: neither is first.")
    clocks = {"one": clock(times[read]), "other": clock(pod_timestamp(younger))}
    compared = say(first if active_q_comp(elder, younger) else equal, read=read, **names, **clocks)
    return sentences([ignored if unread else "", compared])


# -- repair


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
        say("The better of the two children goes up; otherwise a pod would lie above a better one."),
        (say("How many children can a place have?"), say("The right child is at 2i+2, if the array is that long.")),
        seed,
        shown=heap_of,
    )


def heap_of(queue: Sequence[int], got: object) -> Html:
    """The array as a tree, with a pod that lies above a better one; empty if it is none, or longer than it can be."""
    if not isinstance(got, list) or not 0 < len(got) < len(queue) or not all(type(each) is int for each in got):
        return Html()
    worse = next((place for place in range(1, len(got)) if got[place] > got[(place - 1) // 2]), None)
    pair = () if worse is None else ((worse - 1) // 2, worse)
    places = [Place(str(number), number, "compared" if i in pair else "") for i, number in enumerate(got)]
    alt = say("The array that your function returns, as a tree.")
    if pair:
        alt = say("{one} is above {other}, which comes before it.", one=got[pair[0]], other=got[pair[1]])
    drawn = partial(draw_heap, places, alt, [(str(queue[0]), queue[0])], ranked=False)
    return join([element("p", alt), fitting(drawn)])
