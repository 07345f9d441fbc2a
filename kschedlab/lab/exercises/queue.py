"""Exercises of lesson 02: which pod is next, where does a failed one go, and when does it come back?"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

from kschedlab import testing
from kschedlab.generations import GENERATIONS
from kschedlab.lab.exercises.build import Build
from kschedlab.lab.exercises.exercise import Exercise, Instance, drawn
from kschedlab.lab.exercises.predict import Predict
from kschedlab.lab.exercises.queue_pictures import counted, heap, listed
from kschedlab.lab.exercises.queue_repairs import downwards, the_order
from kschedlab.lab.panels.queue_heap import decoded, info, name
from kschedlab.lab.panels.queue_order import UNSET, field_of, waiting
from kschedlab.lab.panels.queue_parts import NOON, neighbour
from kschedlab.manifests.loading import Objects
from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import Pod
from kschedlab.queue.events import ASSIGNED_POD_DELETE, NODE_ADD
from kschedlab.queue.heap import Heap
from kschedlab.queue.interface import ACTIVE, UNSCHEDULABLE
from kschedlab.queue.older.queued_pod import QueuedPodInfo, key_func, priority_sort
from kschedlab.queue.older.without_backoff import WithoutBackoff
from kschedlab.queue.order import active_q_comp, pod_timestamp
from kschedlab.testing import HOUR, Manifest, as_yaml

NAMES = ("ant", "bee", "cat", "dog", "elk", "fox", "gnu")


def exercises(seed: int) -> list[Exercise]:
    """The exercises of the lesson, drawn from the seed."""
    rng = random.Random(f"queue {seed}")
    return [
        the_array(rng),
        who_is_third(rng),
        where_does_it_go(rng),
        when_again(rng),
        later_but_first(rng),
        the_order(seed),
        downwards(seed),
    ]


# -- predict


def the_array(rng: random.Random) -> Exercise:
    """The heap's array after an operation."""

    def draw(rng: random.Random) -> tuple[list[tuple[str, int]], list[str], list[str]]:
        ranks = rng.sample(range(100, 1000, 50), len(NAMES))
        pods = list(zip(rng.sample(NAMES, len(NAMES)), ranks, strict=True))
        queue = heap_of(pods)
        before = array(queue)
        queue.pop()
        return pods, before, array(queue)

    def wanted(drawn_: tuple[list[tuple[str, int]], list[str], list[str]]) -> bool:
        _, before, after = drawn_
        ordered = sorted(after, key=lambda each: after.index(each) - before.index(each))
        return after[0] != before[1] and before[-1] not in (after[1], after[2]) and ordered != after

    pods, before, after = drawn(rng, draw, wanted)
    priorities = dict(pods)
    right = " ".join(after)

    def remark(said: str) -> str:
        answered = said.replace(",", " ").split()
        if sorted(answered) != sorted(after):
            return f"Name each of the {len(after)} pods that are left once, with spaces between them."
        wrong = next(i for i, (one, other) in enumerate(zip(answered, after, strict=True)) if one != other)
        return (
            f"Index {wrong} is the first that is wrong: {answered[wrong]} ({priorities[answered[wrong]]}) is not there."
        )

    text = listed(
        ["index", *map(str, range(len(before)))],
        [["key", *before], ["priority", *(str(priorities[each]) for each in before)]],
    )
    return Predict(
        "The array after Pop",
        "This is heapData.queue. Then Pop takes out the head. Which keys are in the array, from index 0 on? "
        "Type them with spaces between them.",
        right,
        f"{before[-1]} fills the gap at index 0, and goes down: each time it changes places with the better child.",
        (
            "The last pod of the array takes the head's place first.",
            "It swaps with the child that should come out first, as long as that child should come before it.",
        ),
        Instance(heap(before, priorities), text.text, text.picture),
        remark=remark,
        solved=lambda: heap(after, priorities, before[:1]),
    )


def heap_of(pods: Sequence[tuple[str, int]]) -> Heap[QueuedPodInfo]:
    """The pods in a heap, added in this order."""
    heap = Heap(key_func, priority_sort)
    for each, priority in pods:
        heap.add(info(decoded(waiting(each, priority, 8 * HOUR))))
    return heap


def array(heap: Heap[QueuedPodInfo]) -> list[str]:
    """The names in the array's order."""
    return list(map(name, heap.data.queue))


def who_is_third(rng: random.Random) -> Exercise:
    """The order of pops, with priorities and timestamps."""

    def draw(rng: random.Random) -> list[Manifest]:
        created = rng.sample(range(8 * HOUR, 10 * HOUR, 5), 5)
        tried = [rng.choice([UNSET, UNSET, 10 * HOUR + 10 * n]) for n in range(5)]
        names = rng.sample(NAMES, 5)
        ranks = rng.choice([(100, 100, 100, 50, 200), (100, 100, 100, 100, 200), (100, 100, 100, 100, 50)])
        return [
            waiting(each, priority, start, start + 5 if probe != UNSET else UNSET, probe)
            for each, priority, start, probe in zip(names, ranks, created, tried, strict=True)
        ]

    def wanted(made: list[Manifest]) -> bool:
        """The third pod already had an attempt, and creation times alone would give a different pod."""
        third = pops(made)[2]
        by_creation = sorted(made, key=lambda m: (-m["spec"]["priority"], m["metadata"]["creationTimestamp"]))
        return third != by_creation[2]["metadata"]["name"] and len({field_of(decoded(m)) for m in made}) > 1

    made = drawn(rng, draw, wanted)
    order = pops(made)
    by_name = {each["metadata"]["name"]: each for each in made}
    place = ("first", "second", "third", "fourth", "fifth")

    def remark(each: str) -> str:
        own, third = facts(by_name[each]), facts(by_name[order[2]])
        return f"{each} is popped {place[order.index(each)]}: {own}; {order[2]}: {third}."

    return Predict(
        "Third",
        "These pods are in v1.13's activeQ. Which one is popped third?",
        order[2],
        f"The order is {', '.join(order)}: by priority, then by podTimestamp.",
        (
            "Priority comes first.",
            "Which of its three timestamps counts for a pod that was tried? lastProbeTime, if set.",
        ),
        listed(["pod", "priority", *TIMES], [shown(each) for each in made]),
        {each: remark(each) if each != order[2] else f"The order is {', '.join(order)}." for each in sorted(by_name)},
        solved=lambda: listed(ORDERED, [[str(n), *fields(by_name[each])] for n, each in enumerate(order, 1)]).picture,
    )


TIMES = ("creationTimestamp", "lastTransitionTime", "lastProbeTime")


def shown(made: Manifest) -> list[str]:
    """Name, priority and the three timestamps."""
    condition = made.get("status", {}).get("conditions", [{}])[0]
    times = [made["metadata"]["creationTimestamp"], *(condition.get(field, "") for field in TIMES[1:])]
    return [made["metadata"]["name"], str(made["spec"]["priority"]), *(each[11:16] or "not set" for each in times)]


ORDERED = ("popped", "pod", "priority", "podTimestamp", "from")


def fields(made: Manifest) -> list[str]:
    """The pod's name and priority, the time that activeQComp compares, and the field that has it."""
    pod = decoded(made)
    stamp = pod_timestamp(pod) // SECOND % 86_400
    clock = f"{stamp // 3600:02}:{stamp // 60 % 60:02}"
    return [pod.metadata.name, str(pod.spec.priority), clock, field_of(pod)]


def facts(made: Manifest) -> str:
    """The fields that activeQComp compares."""
    _, priority, clock, field = fields(made)
    return f"priority {priority}, {field} {clock}"


def pops(made: Sequence[Manifest]) -> list[str]:
    """The names in the order in which v1.13 pops the pods."""
    queue = WithoutBackoff(lambda: NOON)
    for each in made:
        queue.add(decoded(each))
    return [queued.pod.metadata.name for queued in iter(queue.pop, None)]


class Script(NamedTuple):
    """The calls that affect web in v1.13, and its part of the queue afterwards."""

    calls: list[str]
    part: str
    moved: bool


ANSWERS = {ACTIVE: "in activeQ", UNSCHEDULABLE: "in unschedulableQ"}


def where_does_it_go(rng: random.Random) -> Exercise:
    """MoveRequestCycle and podSchedulingCycle."""
    script = drawn(rng, random_script, lambda script: script.moved)
    right = ANSWERS[script.part]
    during = script.part == ACTIVE
    why = (
        "A move request came after web was popped, so its podSchedulingCycle is not greater than moveRequestCycle."
        if during
        else "The last move request came before web was popped: its podSchedulingCycle exceeds moveRequestCycle."
    )
    remarks = {
        "in activeQ": why if during else "Nothing has happened since web was popped: it would only fail again.",
        "in unschedulableQ": why if not during else "There it would sleep through what happened while it was tried.",
        "in both": "A pod is never in two parts: each call looks first whether it is in one.",
        "in neither": "Somebody has to remember it: AddUnschedulableIfNotPresent puts it into one of the two.",
    }
    return Predict(
        "Where does it go?",
        "v1.13. All attempts fail because nothing fits. Where is web in the end?",
        right,
        why,
        (
            "Count the pops: schedulingCycle. Write it down at each move request: that is moveRequestCycle.",
            "Is web's podSchedulingCycle, the count just after its own pop, greater than moveRequestCycle?",
        ),
        listed(["", "call"], [[str(number), call] for number, call in enumerate(script.calls, 1)]),
        remarks,
        solved=lambda: counted(script.calls),
    )


def random_script(rng: random.Random) -> Script:
    """Some pods are popped before web, with nodes added in between."""
    queue = WithoutBackoff(lambda: NOON)
    others = rng.randint(1, 3)
    names = [*NAMES[:others], "web"]
    for number, each in enumerate(names):
        queue.add(decoded(waiting(each, 100 * (others - number), 8 * HOUR)))
    calls, moved = ["Add: " + ", ".join(names)], False
    flying: list[tuple[QueuedPodInfo, int]] = []
    for each in names:
        if rng.random() < 0.4:
            queue.move(NODE_ADD)
            calls.append("MoveAllToActiveQueue()")
            moved = True
        queued = queue.pop()
        assert queued is not None
        flying.append((queued, queue.scheduling_cycle))
        calls.append(f"Pop() gives {each}")
    if rng.random() < 0.4:
        queue.move(NODE_ADD)
        calls.append("MoveAllToActiveQueue()")
        moved = True
    for queued, cycle in flying:
        each = queued.pod.metadata.name
        queued.record_failure(decoded(waiting(each, queued.pod.spec.priority or 0, 8 * HOUR, 8 * HOUR, 12 * HOUR)))
        queue.add_unschedulable(queued, cycle)
        calls.append(f"AddUnschedulableIfNotPresent({each}, ...)")
    return Script(calls, queue.places()["default/web"].part, moved)


class Tries(NamedTuple):
    """When web failed in v1.37, when a pod ended, and when web was active again; in seconds."""

    failed: list[float]
    event: int
    again: float


def when_again(rng: random.Random) -> Exercise:
    """Backoff in v1.37."""
    case = drawn(rng, random_tries, lambda case: case.again > case.event + 1)
    failures = len(case.failed)
    doubled = 2 ** (failures - 1)
    right = f"at {case.again:g} s"
    backoff = min(doubled, 10)
    why = (
        f"After {failures} failures backoff is {backoff} s, from {case.failed[-1]:g} s on. Its end is cut to a whole "
        "second, and the pod leaves at the next one."
    )
    remarks = {
        f"at {case.event} s": "The event makes it worth another try, but its backoff is not over.",
        f"at {case.event + backoff + 1} s": "Backoff counts from the failure, not from the event.",
        "at 330 s": "That is when it would be tried if no event had helped it.",
        right: why,
    }
    rows = [[f"{each:g} s", "web fails: no room"] for each in case.failed]
    rows.append([f"{case.event} s", "a pod on a node ends"])
    return Predict(
        "When again?",
        "v1.37, and the scheduler always has other pods to try. When does web come to the active queue next?",
        right,
        why,
        (
            "1 s after the first failure, doubled with each further one, 10 s at most.",
            "When did web fail last? Its backoff begins there, and ends are cut to whole seconds.",
        ),
        listed(["time", "what happens"], rows),
        dict(sorted(remarks.items(), key=lambda item: float(item[0].split()[1]))),
    )


def random_tries(rng: random.Random) -> Tries:
    """Several failures of web, each after an event and its backoff; then one more event soon after the last."""
    clock = 0
    made = testing.pod("web", "", 3, 100)
    made["metadata"]["uid"] = "uid-web"
    pod = decoded(made)
    queue = GENERATIONS["v1.37"].queue(lambda: NOON + clock)
    queue.add(pod)
    gone = neighbour("cache")
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
        sleep(rng.randint(1, 2) if attempt == failures - 1 else rng.randint(1, 3))
        event = clock // SECOND
        queue.move(ASSIGNED_POD_DELETE, gone)
        while queue.places()[pod.key].part != ACTIVE:
            sleep(1)
    return Tries(failed, event, clock / SECOND)


# -- build


def later_but_first(rng: random.Random) -> Exercise:
    """Two pods of equal priority: the one that was created later is popped first."""
    elder, younger = rng.sample(NAMES, 2)
    field, other = rng.choice([("lastProbeTime", "lastTransitionTime"), ("lastTransitionTime", "lastProbeTime")])

    def goal(objects: Objects) -> str:
        pods = {pod.metadata.name: pod for pod in objects.pods}
        if set(pods) != {elder, younger} or len(objects.pods) != 2:
            return f"There must be two pods, {elder} and {younger}; you gave {', '.join(sorted(pods)) or 'none'}."
        old, young = pods[elder], pods[younger]
        return wrong_order(old, young, field)

    probe = 8 * HOUR + 40 if field == "lastProbeTime" else UNSET
    transition = 8 * HOUR + 20
    example = [waiting(elder, 100, 8 * HOUR, transition, probe), waiting(younger, 100, 8 * HOUR + 10)]
    return Build(
        "Later, but first",
        f"Write two waiting pods, {elder} and {younger}, of equal priority: {elder} is created first, and yet v1.13 "
        f"pops {younger} first, because of {elder}'s {field}.",
        goal,
        as_yaml(example),
        f"{elder} was tried already: podTimestamp reads its {field}, and that is after {younger}'s creation.",
        (
            f"{elder} needs status.conditions with type PodScheduled, status False, reason Unschedulable.",
            f"podTimestamp reads {other} only if ... Which of the two comes first, and when is the other one asked?",
        ),
    )


def wrong_order(old: Pod, young: Pod, field: str) -> str:
    """What is missing, "" if the answer is right."""
    elder, younger = old.metadata.name, young.metadata.name
    if old.spec.nodeName or young.spec.nodeName:
        return "A pod with spec.nodeName does not wait: it is on a node already."
    if (old.spec.priority or 0) != (young.spec.priority or 0):
        return f"The priorities differ: {elder} has {old.spec.priority or 0}, {younger} {young.spec.priority or 0}."
    created = [pod.metadata.creationTimestamp for pod in (old, young)]
    if None in created or created[0] >= created[1]:  # type: ignore[operator]  # None was seen to
        return f"{elder}'s metadata.creationTimestamp has to be before {younger}'s; both need one."
    if not active_q_comp(young, old):
        return f"{elder} is still popped first, or neither comes first: podTimestamp reads its {used(old)}."
    if used(old) != field:
        return f"{younger} is popped first, but because of {elder}'s {used(old)}."
    return ""


def used(pod: Pod) -> str:
    """The field that podTimestamp reads."""
    conditions = [each for each in pod.status.conditions if each.type == "PodScheduled"]
    if not conditions:
        return "creationTimestamp"
    return "lastProbeTime" if conditions[0].lastProbeTime is not None else "lastTransitionTime"
