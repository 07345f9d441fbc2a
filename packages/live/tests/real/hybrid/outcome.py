"""What came of a scenario: where pods went, in which order, what they and their events say."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from kschedlab.objects.meta import controller_of
from kschedlab.objects.model import Pod
from kschedlab_simulation.log import Changed, LogEntry, Recorded
from kschedlab_simulation.pods import SCHEDULED, condition_of

BURST = 500_000
"""Microseconds between two bindings under which their order is a race."""

_SCHEDULER = "default-scheduler"
Said = tuple[str, str, str]


@dataclass
class Outcome:
    """Pods of an owner are one group, because their names are random.

    ``placements``: the nodes of each group; ``order``: (time, group) of each binding; ``conditions``: each state of
    PodScheduled with the nominated node; ``events``: those of the scheduler.
    """

    placements: dict[str, list[str]] = field(default_factory=dict)
    order: list[tuple[int, str]] = field(default_factory=list)
    conditions: dict[str, set[tuple[str, ...]]] = field(default_factory=dict)
    finally_: dict[str, list[tuple[str, ...]]] = field(default_factory=dict)
    events: set[Said] = field(default_factory=set)


class Observer:
    """Reads a log as it grows."""

    def __init__(self) -> None:
        self.outcome = Outcome()
        self._groups: dict[str, str] = {}
        self._replaced: list[tuple[str, str]] = []
        self._pods: dict[str, Pod] = {}
        self._said: list[Said] = []
        self._versions: dict[str, str] = {}
        self._series: set[tuple[str, ...]] = set()

    def follow(self, entries: Iterable[LogEntry]) -> None:
        """Read the entries."""
        for entry in entries:
            if isinstance(entry, Changed) and entry.kind == "Pod":
                self._pod(entry.at, entry.old, entry.new)
            elif isinstance(entry, Recorded) and entry.by == _SCHEDULER:
                self._record(entry)

    def _record(self, event: Recorded) -> None:
        """What the API server gets of an event: later ones about the same version of a pod only lengthen its series.

        v1.37: client-go tools/events/event_broadcaster.go (getKey), which does not look at the message.
        """
        series = event.key, self._versions.get(event.key, ""), event.type, event.reason, event.action, event.related
        if series not in self._series:
            self._series.add(series)
            self._said.append((event.key.rpartition("/")[2], event.reason, event.message))

    def event(self, data: dict[str, Any]) -> None:
        """Read an Event as the API server has it."""
        if data.get("reportingComponent") == _SCHEDULER:
            self._said.append((data["involvedObject"]["name"], data["reason"], data["message"]))

    def finish(self) -> Outcome:
        """What came of it."""
        outcome = self.outcome
        for name, pod in self._pods.items():
            group = self._groups[name]
            outcome.placements.setdefault(group, []).append(pod.spec.nodeName)
            outcome.finally_.setdefault(group, []).append(self._state(pod))
        for values in (*outcome.placements.values(), *outcome.finally_.values()):
            values.sort()
        outcome.conditions = {g: {tuple(map(self._plain, s)) for s in each} for g, each in outcome.conditions.items()}
        outcome.finally_ = {g: sorted(tuple(map(self._plain, s)) for s in each) for g, each in outcome.finally_.items()}
        outcome.events = {(self._groups.get(n, n), reason, self._plain(text)) for n, reason, text in self._said}
        return outcome

    def _pod(self, at: int, old: Pod | None, new: Pod | None) -> None:
        pod = new or old
        assert pod is not None
        name = pod.metadata.name
        self._versions[pod.key] = pod.metadata.resourceVersion
        owner = controller_of(pod.metadata)
        group = f"of {owner.kind} {owner.name}" if owner is not None else name
        if name not in self._groups:
            self._groups[name] = group
            self._replaced += [(pod.metadata.uid, group), (name, group)] if owner else [(pod.metadata.uid, group)]
        if new is None:
            self._pods.pop(name, None)
            return
        self._pods[name] = new
        if new.spec.nodeName and old is not None and not old.spec.nodeName:
            self.outcome.order.append((at, group))
        self.outcome.conditions.setdefault(group, set()).add(self._state(new))

    def _state(self, pod: Pod) -> tuple[str, ...]:
        condition = condition_of(pod.status.conditions, SCHEDULED)
        said = (condition.status, condition.reason, condition.message) if condition is not None else ("", "", "")
        return (*said, pod.status.nominatedNodeName)

    def _plain(self, text: str) -> str:
        for random, group in self._replaced:
            text = re.sub(rf"\b{re.escape(random)}\b", group, text)
        return text


def differences(real: Outcome, ours: Outcome) -> list[str]:
    """What differs between the two, in sentences."""
    found = []
    for name in ("placements", "finally_", "conditions"):
        theirs, mine = getattr(real, name), getattr(ours, name)
        found += [
            f"{name.rstrip('_')} of {group}: the real scheduler {theirs.get(group)}, ours {mine.get(group)}"
            for group in sorted(theirs.keys() | mine.keys())
            if theirs.get(group) != mine.get(group)
        ]
    found += _inversions(real.order, ours.order)
    found += [f"only the real scheduler says: {each}" for each in sorted(real.events - ours.events)]
    found += [f"only ours says: {each}" for each in sorted(ours.events - real.events)]
    return found


def _inversions(real: list[tuple[int, str]], ours: list[tuple[int, str]]) -> list[str]:
    """Two groups whose first pods are bound in different orders, and in neither run at nearly the same time."""
    theirs, mine = ({group: at for at, group in reversed(each)} for each in (real, ours))
    groups = sorted(theirs.keys() & mine.keys(), key=theirs.__getitem__)
    return [
        f"order: the real scheduler binds {first} before {then}, ours after it"
        for i, first in enumerate(groups)
        for then in groups[i + 1 :]
        if mine[first] - mine[then] > BURST and theirs[then] - theirs[first] > BURST
    ]
