"""Exercises of lesson 02: which pod is next, and when does a failed one come back?"""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import NamedTuple

from kschedlab import build
from kschedlab.build import HOUR, clock_time
from kschedlab.generations import GENERATIONS
from kschedlab.messages import listed, say, terms
from kschedlab.objects.meta import SECOND
from kschedlab.queue import queued_pod
from kschedlab.queue.events import ASSIGNED_POD_DELETE
from kschedlab.queue.interface import ACTIVE
from kschedlab.text.html import element
from kschedlab.text.plain import aligned
from kschedlab.text.tables import row, table
from kschedlab_lab.exercises.exercise import Exercise, Instance, drawn
from kschedlab_lab.exercises.predict import Predict
from kschedlab_lab.exercises.queue_build import NAMES, later_but_first
from kschedlab_lab.exercises.queue_repairs import downwards
from kschedlab_lab.panels.queue_heap_watched import decoded
from kschedlab_lab.panels.queue_order import waiting
from kschedlab_lab.panels.queue_parts_run import NOON, neighbour
from kschedlab_simulation.scheduler.hints.table import queueing_hints


def exercises(seed: int) -> list[Exercise]:
    """The exercises of the lesson, drawn from the seed."""
    rng = random.Random(f"queue {seed}")
    return [
        who_is_third(rng),
        when_again(rng),
        later_but_first(rng),
        downwards(seed),
    ]


# -- predict


def tabled(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Instance:
    """A table, and the same as text."""
    text = "\n".join(aligned([list(head), *rows], ""))
    return Instance(element("div", table(head, (row(*cells) for cells in rows))), text)


class Queued(NamedTuple):
    """A pod in v1.37's queue: when it was created, and when it failed last or None; in minutes after midnight."""

    name: str
    priority: int
    created: int
    failed: int | None

    @property
    def entered(self) -> int:
        """When it entered the queue: v1.37 notes the time again after each failed attempt."""
        return self.created if self.failed is None else self.failed

    @property
    def facts(self) -> str:
        """What the order is by."""
        time = clock_time(self.entered)
        new = say("priority {priority}, new since {time}", priority=self.priority, time=time)
        return (
            new
            if self.failed is None
            else say("priority {priority}, failed at {time}", priority=self.priority, time=time)
        )


def who_is_third(rng: random.Random) -> Exercise:
    """The order of pops in v1.37."""

    def draw(rng: random.Random) -> list[Queued]:
        created = rng.sample(range(8 * HOUR, 10 * HOUR, 5), 5)
        failed = [rng.choice([None, None, 10 * HOUR + 10 * n]) for n in range(5)]
        ranks = rng.choice([(100, 100, 100, 50, 200), (100, 100, 100, 100, 200), (100, 100, 100, 100, 50)])
        return [Queued(*each) for each in zip(rng.sample(NAMES, 5), ranks, created, failed, strict=True)]

    def wanted(pods: list[Queued]) -> bool:
        """The creation times alone would give a different third pod, and so would the lines of the table."""
        by_creation = sorted(pods, key=lambda pod: (-pod.priority, pod.created))
        return pops(pods)[2] not in (by_creation[2].name, pods[2].name)

    pods = drawn(rng, draw, wanted)
    order = pops(pods)
    by_name = {each.name: each for each in pods}
    place = terms("first", "second", "third", "fourth", "fifth")

    def remark(each: str) -> str:
        return say("{pod} is popped {place}: {own}.", pod=each, place=place[order.index(each)], own=by_name[each].facts)

    def shown(pod: Queued) -> list[str]:
        failed = say("not tried yet") if pod.failed is None else clock_time(pod.failed)
        return [pod.name, str(pod.priority), clock_time(pod.created), failed]

    right = say("The order is {pods}: by priority, then by the time of entering the queue.", pods=listed(order))
    head = terms("pod", "priority", "created", "last failed")
    solved = [[str(n), *shown(by_name[each])] for n, each in enumerate(order, 1)]
    return Predict(
        say("Third"),
        say("These pods are ready in v1.37's activeQ. Which one is popped third?"),
        order[2],
        right,
        (
            say("Priority comes first."),
            say("A new pod enters the queue when it is created, and a pod that failed enters it again at that time."),
        ),
        tabled(head, [shown(each) for each in pods]),
        {each: remark(each) if each != order[2] else right for each in sorted(by_name)},
        solved=lambda: tabled([say("popped"), *head], solved).picture,
    )


def pops(pods: Sequence[Queued]) -> list[str]:
    """The names in the order in which v1.37 pops the pods."""
    queued = [
        queued_pod.QueuedPodInfo(decoded(waiting(each.name, each.priority, each.created)), each.entered, number)
        for number, each in enumerate(pods)
    ]
    return [each.pod.metadata.name for each in queued_pod.sorted_pods(queued, queued_pod.priority_sort)]


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
    failures = len(case.failed)
    right, backoff = at(case.again), backoff_after(case.failed)
    why = say(
        "After {failures} failures backoff is {backoff} s: from {last:g} s to {end:g} s. The pod leaves at the first "
        "full second after that: {again:g} s.",
        failures=failures,
        backoff=backoff,
        last=case.failed[-1],
        end=case.failed[-1] + backoff,
        again=case.again,
    )
    remarks = {
        at(case.event): say("The event makes it worth another try, but its backoff is not over."),
        at(case.event + backoff): say("Backoff counts from the failure, not from the event."),
        at(330): say("That is when it would be tried if no event had helped it."),
        right: why,
    }
    moments = {case.event, case.event + backoff, 330, case.again}
    rows = [[f"{each:g} s", say("web fails: no room")] for each in case.failed]
    rows.append([f"{case.event} s", say("a pod on a node ends")])
    return Predict(
        say("When again?"),
        say("v1.37. The scheduler always has other pods to try. When does web next enter the active queue?"),
        right,
        why,
        (
            say("Backoff is 1 s after the first failure, doubles with each further one, and is 10 s at most."),
            say("When did web fail last? Backoff begins there; a pod leaves at the first full second after its end."),
        ),
        tabled(terms("time", "what happens"), rows),
        {at(seconds): remarks[at(seconds)] for seconds in sorted(moments)},
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
        sleep(rng.randint(2, backoff_after(failed)) if attempt == failures - 1 else rng.randint(1, 3))
        event = clock // SECOND
        queue.move(ASSIGNED_POD_DELETE, gone)
        while queue.places()[pod.key].part != ACTIVE:
            sleep(1)
    return Tries(failed, event, clock / SECOND)
