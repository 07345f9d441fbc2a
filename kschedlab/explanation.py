"""Explains where a pod goes, or why it stays pending. A running pod is taken off its node first."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pending_pod import AnyPod, as_pending, checked_cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.decision import Decision
from kschedlab.generations import LATEST, Profiles, api_of, profile_for, profiles_of
from kschedlab.messages import later, say, sentences
from kschedlab.objects.problems import InputValueError
from kschedlab.queue.order import queue_order
from kschedlab.scheduler import Scheduler
from kschedlab.shown import Shown
from kschedlab.text.sections import Limits, Section


class NoProfileError(InputValueError):
    """No profile schedules the pod: none has its schedulerName."""

    def __init__(self, pod: PodInfo) -> None:
        super().__init__(f'no profile has the schedulerName "{pod.pod.spec.schedulerName}" of pod {pod.key}')
        self.pod = pod


@dataclass(frozen=True, eq=False, repr=False)
class Explanation(Shown):
    """The decision about one pod. ``runs_on``: the node that a running pod was taken off; None for a pending pod."""

    decision: Decision
    runs_on: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The decision as plain data, with ``pod``, ``event`` and, for a running pod, ``runs_on``."""
        decision, runs_on = self.decision, self.runs_on
        data = decision.to_dict() | {"pod": decision.pod.key, "event": decision.event}
        return data if runs_on is None else data | {"runs_on": runs_on}

    def sections(self, limits: Limits) -> Iterator[Section]:
        if self.runs_on is not None:
            yield Section(_running(self))
        yield from self.decision.sections(limits)


@dataclass(frozen=True, eq=False, repr=False)
class PendingPods(Shown):
    """The decisions about all pending pods. ``passed_over``: those whose schedulerName no profile has."""

    explanations: tuple[Explanation, ...]
    passed_over: tuple[PodInfo, ...] = ()

    def __iter__(self) -> Iterator[Explanation]:
        return iter(self.explanations)

    def __len__(self) -> int:
        return len(self.explanations)

    def __getitem__(self, number: int) -> Explanation:
        return self.explanations[number]

    def sections(self, limits: Limits) -> Iterator[Section]:
        for explanation in self:
            yield from explanation.sections(limits)
        if not self.explanations:
            yield Section(say("no pending pods"))


def explain(pod: AnyPod, cluster: Cluster, generation: str | Profiles = LATEST) -> Explanation:
    """Where the pod goes, and why. A running pod is taken off its node first: where would it go now?

    ``pod``: ``namespace/name``, or a manifest, which replaces the pod of its name. ``generation``: its name, a
    Generation, or profiles by schedulerName. The cluster stays as it is. KeyError if there is no such pod or
    generation; NoProfileError if no profile schedules the pod.
    """
    profiles = profiles_of(generation)
    info, fork, runs_on = as_pending(pod, cluster, api_of(profiles))
    if (own := profile_for(info.pod, profiles)) is None:
        raise NoProfileError(info)
    return Explanation(Scheduler(fork, own, exhaustive=True).decide(info), runs_on)


def explain_pending(cluster: Cluster, generation: str | Profiles = LATEST) -> PendingPods:
    """The decision about each pending pod in queue order; one that fits is bound. Arguments: see :func:`explain`."""
    pairs = list(each_pending(cluster, generation))
    explained = (Explanation(decision) for _, decision in pairs if decision is not None)
    return PendingPods(tuple(explained), tuple(info for info, decision in pairs if decision is None))


def each_pending(cluster: Cluster, generation: str | Profiles = LATEST) -> Iterator[tuple[PodInfo, Decision | None]]:
    """As :func:`explain_pending`, one pod after the other; None instead of a decision if no profile schedules it."""
    profiles = profiles_of(generation)
    fork = checked_cluster(cluster).under(api_of(profiles)).fork()
    for info in queue_order(fork.pending.values()):
        if (own := profile_for(info.pod, profiles)) is None:
            yield info, None
            continue
        decision = Scheduler(fork, own, exhaustive=True).decide(info)
        fork = fork.fork()
        Scheduler(fork, own).commit(decision)
        yield info, decision


def _running(explanation: Explanation) -> str:
    """The node of the running pod, and whether it would land there again."""
    decision, node = explanation.decision, explanation.runs_on
    result = again(decision, node)
    if node in decision.best:
        would = later("Scheduled again, it would land on the node where it runs.")
        may = later("Scheduled again, it may land on the node where it runs.")
        result = say(would if len(decision.best) == 1 else may)
    return sentences((say("{pod} runs on {node}.", pod=decision.pod.key, node=node), result))


def again(decision: Decision, was_on: str | None) -> str:
    """Whether a running pod would land on its node again; "" for a pending pod."""
    if was_on is None or decision.node is None:
        return ""
    if was_on in decision.best:
        would = later("So it would land on the node where it runs.")
        return say(would if len(decision.best) == 1 else later("So it may land on the node where it runs."))
    if (plugin := decision.verdict(was_on).plugin) is not None:
        return say("The node where it runs is refused now, by {plugin}.", plugin=plugin)
    scores = decision.scores
    assert scores is not None, "a node that passes and is not the best was scored"
    place = scores.nodes.tolist().index(decision.cluster.index[was_on])
    return say("The node where it runs is {points} behind.", points=scores.total.max() - scores.total[place])
