"""What happens in a cluster that somebody changes with kubectl, read off its log: its state, and what has changed."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import DEFAULT_SCHEDULER, Deployment, Node, Pod
from kschedlab.objects.requests import pod_requests
from kschedlab.simulation.log import Changed, Entry, Recorded
from kschedlab.views.html import visible
from kschedlab.views.words import amount

KEPT = 10
"""The newest lines that are kept."""
REPORTED = ("FailedScheduling", "Preempted")
"""The events whose messages are lines; the others say what a change says already."""

_WHO = {DEFAULT_SCHEDULER: "the scheduler", "timeline": "the timeline", "kubelet": "the kubelet"}


class Happened(NamedTuple):
    """A line. ``after``: microseconds since the beginning; ``message``: of an event, "" for a change."""

    after: int
    text: str
    message: str = ""


class Seen(NamedTuple):
    """The cluster at a moment: nodes and pods in key order, and the newest lines, oldest first."""

    nodes: tuple[Node, ...] = ()
    pods: tuple[Pod, ...] = ()
    lines: tuple[Happened, ...] = ()


class Feed:
    """Follows a log. ``start``: where its time begins. Any thread may read :attr:`seen`: it is replaced as a whole."""

    def __init__(self, start: int, entries: Iterable[Entry] = ()) -> None:
        self._start = start
        self._nodes: dict[str, Node] = {}
        self._pods: dict[str, Pod] = {}
        self._lines: deque[Happened] = deque(maxlen=KEPT)
        self.seen = Seen()
        self.follow(list(entries), silent=True)

    def follow(self, entries: list[Entry], silent: bool = False) -> None:
        """Take in new entries. ``silent``: they are the beginning, of which nothing is told."""
        for entry in entries:
            if isinstance(entry, Changed):
                self._keep(entry)
            for text, message in () if silent else _said(entry):
                self._tell(Happened(entry.at - self._start, text, message))
        nodes = tuple(self._nodes[key] for key in sorted(self._nodes))
        pods = tuple(self._pods[key] for key in sorted(self._pods))
        self.seen = Seen(nodes, pods, tuple(self._lines))

    def _tell(self, line: Happened) -> None:
        """A new line; an event that says the same again is none."""
        if not line.message or all(each[1:] != line[1:] for each in self._lines):
            self._lines.append(line)

    def _keep(self, entry: Changed) -> None:
        kept: dict[str, Any]
        if entry.kind == Node.__name__:
            kept = self._nodes
        elif entry.kind == Pod.__name__:
            kept = self._pods
        else:
            return
        if entry.new is None:
            kept.pop(entry.key, None)
        else:
            kept[entry.key] = entry.new


def _said(entry: Entry) -> Iterator[tuple[str, str]]:
    """What is told of an entry: lines with their messages."""
    if isinstance(entry, Recorded) and entry.reason in REPORTED:
        yield f"event {entry.reason} of {visible(_short(entry.key))}", visible(entry.message)
    elif isinstance(entry, Changed):
        told = {Pod.__name__: _pod, Node.__name__: _node}.get(entry.kind, _other)
        for text in told(entry, who(entry.by), visible(_short(entry.key))):
            yield text, ""


def who(by: str) -> str:
    """The client in words; kubectl and the controllers go by their own names."""
    return _WHO.get(by, visible(by) or "the API server")


def _short(key: str) -> str:
    """The object's name, with its namespace if that is not the default one."""
    return key.removeprefix("default/").removeprefix("/")


def _pod(entry: Changed, by: str, name: str) -> Iterator[str]:
    old, new = entry.old, entry.new
    if new is None:
        yield f"{name} is gone: {by} removed it"
        return
    if old is None:
        asked = [amount(resource, value) for resource, value in pod_requests(new).items() if value]
        yield f"{by} creates {name}: {', '.join([*asked, f'priority {new.spec.priority or 0}'])}"
        old = Pod()
    if new.spec.nodeName and not old.spec.nodeName:
        yield f"{by} binds {name} to {visible(new.spec.nodeName)}"
    if (nominated := new.status.nominatedNodeName) != old.status.nominatedNodeName:
        there = visible(nominated or old.status.nominatedNodeName)
        yield f"{by} nominates {name} to {there}" if nominated else f"{by} takes the nomination to {there} from {name}"
    if new.metadata.deletionTimestamp is not None and old.metadata.deletionTimestamp is None:
        grace = new.metadata.deletionGracePeriodSeconds or 0
        yield f"{by} deletes {name}, which has {grace} s to end"
    if (phase := new.status.phase) != old.status.phase and phase in ("Running", "Succeeded", "Failed"):
        yield f"{name} is {phase} on {visible(new.spec.nodeName)}"


def _node(entry: Changed, by: str, name: str) -> Iterator[str]:
    old, new = entry.old, entry.new
    if new is None or old is None:
        yield f"{by} {'deletes' if new is None else 'creates'} node {name}"
    elif new.spec.unschedulable != old.spec.unschedulable:
        yield f"{by} {'cordons' if new.spec.unschedulable else 'uncordons'} {name}"
    elif new.spec != old.spec or new.metadata.labels != old.metadata.labels:
        yield f"{by} changes node {name}"


def _other(entry: Changed, by: str, name: str) -> Iterator[str]:
    """Of other kinds, only what somebody types is told, not what controllers write."""
    if entry.by != "kubectl":
        return
    old, new = entry.old, entry.new
    scaled = entry.kind == Deployment.__name__ and old is not None and new is not None
    if scaled and new.spec.replicas != old.spec.replicas:
        yield f"{by} scales {name} from {old.spec.replicas} to {new.spec.replicas}"
        return
    verb = "creates" if old is None else "deletes" if new is None else "changes"
    yield f"{by} {verb} {entry.kind} {name}"


def seconds(after: int) -> str:
    """A time since the beginning."""
    return f"{after / SECOND:.1f} s"
