"""What happens in a cluster that somebody changes with kubectl, read off its log: its state, and what has changed."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from kschedlab.messages import later, listed, say
from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import DEFAULT_SCHEDULER, Deployment, Node, Pod, PodDisruptionBudget
from kschedlab.objects.requests import pod_requests
from kschedlab.preemption.budgets import MatchesBudget
from kschedlab.text.html import visible
from kschedlab.text.words import amount
from kschedlab_simulation.log import Changed, LogEntry, Recorded

KEPT = 10
"""The newest lines that are kept."""
REPORTED = ("FailedScheduling", "Preempted")
"""The events whose messages are lines; the others say what a change says already."""

_WHO = {
    DEFAULT_SCHEDULER: later("the scheduler"),
    "timeline": later("the timeline"),
    "kubelet": later("the kubelet"),
    "": later("the API server"),
}


class Happened(NamedTuple):
    """A line. ``after``: microseconds since the first line; ``message``: of an event, "" for a change."""

    after: int
    text: str
    message: str


class Seen(NamedTuple):
    """The cluster ``now`` (in microseconds): its objects in key order, and the newest lines, oldest first.

    ``preempted``: how many pods the scheduler has evicted; ``against``: how many of them against a budget.
    """

    nodes: tuple[Node, ...]
    pods: tuple[Pod, ...]
    lines: tuple[Happened, ...]
    now: int
    budgets: tuple[PodDisruptionBudget, ...]
    preempted: int
    against: int


class Feed:
    """Follows a log; its time begins with the first line. Any thread may read :attr:`seen`; it is replaced whole."""

    def __init__(self, entries: Iterable[LogEntry]) -> None:
        self._first: int | None = None
        self._kept: dict[str, dict[str, Any]] = {kind.__name__: {} for kind in (Node, Pod, PodDisruptionBudget)}
        self._lines: deque[Happened] = deque(maxlen=KEPT)
        self._preempted = self._against = 0
        self._now = 0
        self.follow(list(entries), silent=True)

    def follow(self, entries: list[LogEntry], silent: bool = False) -> None:
        """Take in new entries. ``silent``: they are the beginning, of which nothing is told."""
        for entry in entries:
            if isinstance(entry, Changed):
                self._keep(entry)
                self._count(entry)
            for text, message in () if silent else _said(entry):
                self._first = entry.at if self._first is None else self._first
                self._tell(Happened(entry.at - self._first, text, message))
        nodes, pods, budgets = (tuple(kept[key] for key in sorted(kept)) for kept in self._kept.values())
        self._now = entries[-1].at if entries else self._now
        self.seen = Seen(nodes, pods, tuple(self._lines), self._now, budgets, self._preempted, self._against)

    def _tell(self, line: Happened) -> None:
        """A new line; an event that says the same again is none."""
        if not line.message or all(each[1:] != line[1:] for each in self._lines):
            self._lines.append(line)

    def _keep(self, entry: Changed) -> None:
        kept = self._kept.get(entry.kind, {})
        if entry.new is None:
            kept.pop(entry.key, None)
        else:
            kept[entry.key] = entry.new

    def _count(self, entry: Changed) -> None:
        """Count a pod that the scheduler evicts; against a budget, if too few of the budget's pods stay."""
        if entry.by != DEFAULT_SCHEDULER or not (_leaves(entry.new) and not _leaves(entry.old)):
            return
        stay = [pod for pod in self._kept[Pod.__name__].values() if not _leaves(pod)]
        over = [each for each in self._kept[PodDisruptionBudget.__name__].values() if covers(each, entry.new)]
        self._preempted += 1
        self._against += any(sum(covers(each, pod) for pod in stay) < each.status.desiredHealthy for each in over)


def covers(budget: PodDisruptionBudget, pod: Pod) -> bool:
    return MatchesBudget.of_budget(budget).covers(pod.metadata.namespace, pod.metadata.labels)


def _leaves(found: Any) -> bool:
    return isinstance(found, Pod) and found.metadata.deletionTimestamp is not None


def _said(entry: LogEntry) -> Iterator[tuple[str, str]]:
    """What is told of an entry: lines with their messages."""
    if isinstance(entry, Recorded) and entry.reason in REPORTED:
        about = visible(_short(entry.key))
        yield say("event {reason} of {object}", reason=entry.reason, object=about), visible(entry.message)
    elif isinstance(entry, Changed):
        told = _pod if entry.kind == Pod.__name__ else _other
        for text in told(entry, who(entry.by), visible(_short(entry.key))):
            yield text, ""


def who(by: str) -> str:
    """The client in words; kubectl and the controllers go by their own names."""
    return say(_WHO[by]) if by in _WHO else visible(by)


def _short(key: str) -> str:
    """The object's name, with its namespace if that is not the default one."""
    return key.removeprefix("default/").removeprefix("/")


def _pod(entry: Changed, by: str, name: str) -> Iterator[str]:
    old, new = entry.old, entry.new
    if new is None:
        yield say("{pod} is gone: {who} removed it", pod=name, who=by)
        return
    if old is None:
        asked = [amount(resource, value) for resource, value in pod_requests(new).items() if value]
        wants = listed([*asked, say("priority {priority}", priority=new.spec.priority or 0)])
        yield say("{who} creates {pod}: {wants}", who=by, pod=name, wants=wants)
        old = Pod()
    if new.spec.nodeName and not old.spec.nodeName:
        yield say("{who} binds {pod} to {node}", who=by, pod=name, node=visible(new.spec.nodeName))
    if (nominated := new.status.nominatedNodeName) != old.status.nominatedNodeName:
        gone = later("{who} takes the nomination to {node} from {pod}")
        node = visible(nominated or old.status.nominatedNodeName)
        yield say("{who} nominates {pod} to {node}" if nominated else gone, who=by, pod=name, node=node)
    if new.metadata.deletionTimestamp is not None and old.metadata.deletionTimestamp is None:
        grace = new.metadata.deletionGracePeriodSeconds or 0
        yield say("{who} deletes {pod}, which has {seconds} s to end", who=by, pod=name, seconds=grace)
    if (phase := new.status.phase) != old.status.phase and phase in ("Running", "Succeeded", "Failed"):
        yield say("{pod} is {phase} on {node}", pod=name, phase=phase, node=visible(new.spec.nodeName))


def _other(entry: Changed, by: str, name: str) -> Iterator[str]:
    """Of other kinds than nodes, only what somebody types is told, not what controllers write."""
    old, new, is_node = entry.old, entry.new, entry.kind == Node.__name__
    if not is_node and entry.by != "kubectl":
        return
    if old is None or new is None:
        message = later("{who} creates {kind} {name}") if old is None else later("{who} deletes {kind} {name}")
        yield say(message, who=by, kind=entry.kind, name=name)
    elif is_node and new.spec.unschedulable != old.spec.unschedulable:
        cordons = new.spec.unschedulable
        yield say("{who} cordons {node}" if cordons else "{who} uncordons {node}", who=by, node=name)
    elif entry.kind == Deployment.__name__ and new.spec.replicas != old.spec.replicas:
        before, after = old.spec.replicas, new.spec.replicas
        yield say("{who} scales {name} from {before} to {after}", who=by, name=name, before=before, after=after)
    elif not is_node or new.spec != old.spec or new.metadata.labels != old.metadata.labels:
        yield say("{who} changes {kind} {name}", who=by, kind=entry.kind, name=name)


def seconds(after: int) -> str:
    """A time since the beginning."""
    return f"{after / SECOND:.1f} s"
