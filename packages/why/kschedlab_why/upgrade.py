"""The pods of a cluster that another generation would place differently, and the change that makes the difference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pending_pod import checked_cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.decision import Decision
from kschedlab.explanation import NoProfileError
from kschedlab.generations import Generation
from kschedlab.objects.model import Pod
from kschedlab.shown import Shown
from kschedlab.whatif.compare import Decide, changes, decider
from kschedlab.whatif.comparison import SettingChange

if TYPE_CHECKING:
    from kschedlab.text.sections import Limits, Section


@dataclass(frozen=True)
class Placement:
    """Where a pod goes: ``nodes``: the node, or all that tie; ``evicting``: by evicting pods there; ``error``."""

    nodes: frozenset[str] = frozenset()
    evicting: bool = False
    error: bool = False


@dataclass(frozen=True)
class MovedPod:
    """A pod that the two generations place differently.

    ``like``: how many pods have the same template, the pod included; only this one was decided for. ``causes``: the
    changes that alone give the later placement; if there is none, those that alone change the earlier one.
    ``whole``: the causes are of the first kind.
    """

    pod: str
    like: int
    before: Placement
    after: Placement
    causes: tuple[SettingChange, ...]
    whole: bool


@dataclass(frozen=True, repr=False)
class Upgrade(Shown):
    """``pods``: how many there are; ``decided``: for how many a decision was made, one of each template.

    ``moved``: those that are placed differently. ``reworded``: those that stay pending with another message.
    """

    earlier: str
    later: str
    pods: int
    decided: int
    moved: tuple[MovedPod, ...]
    reworded: tuple[str, ...]

    def sections(self, limits: Limits) -> Iterator[Section]:
        from kschedlab_why.upgrade_text import upgrade_sections

        return upgrade_sections(self, limits)


def upgrade(cluster: Cluster, earlier: str | Generation, later: str | Generation) -> Upgrade:
    """Which of the cluster's pods the later generation would place differently, and by which change.

    Each pod is decided for alone: a running one as if it came now, in place of itself. Of the pods with one template,
    one is asked about, a pending one if there is any. Pods of other schedulers are left out.
    """
    before, after = Generation.named(earlier), Generation.named(later)
    decide, between = decider(checked_cluster(cluster)), changes(before, after)
    templates = list(_templates(cluster))
    moved, reworded, decided, known = [], [], 0, list[SettingChange]()
    for key, like in templates:
        try:
            first, second = decide(key, before), decide(key, after)
        except NoProfileError:
            continue
        decided += 1
        if placement(first) != placement(second):
            causes, whole = _causes(key, placement(first), placement(second), between, known, decide)
            known += [each for each in causes if each not in known]
            moved.append(MovedPod(key, like, placement(first), placement(second), causes, whole))
        elif first.event != second.event:
            reworded.append(key)
    pods = sum(like for _, like in templates)
    return Upgrade(before.name, after.name, pods, decided, tuple(moved), tuple(reworded))


def placement(decision: Decision) -> Placement:
    """Where the decision puts the pod; nowhere if it stays pending."""
    if decision.error:
        return Placement(error=True)
    if decision.best:
        return Placement(frozenset(decision.best))
    tied = decision.preemption.tied if decision.preemption is not None else ()
    return Placement(frozenset(tied), evicting=bool(tied))


def _causes(
    key: str,
    before: Placement,
    after: Placement,
    between: list[SettingChange],
    known: list[SettingChange],
    decide: Decide,
) -> tuple[tuple[SettingChange, ...], bool]:
    """The changes that give the whole of it, or else a part. What moved another pod is tried first, and is enough."""
    for change in known:
        if placement(decide(key, change.switched)) == after:
            return (change,), True
    found = [(change, placement(decide(key, change.switched))) for change in between]
    whole = tuple(change for change, place in found if place == after)
    return (whole, True) if whole else (tuple(change for change, place in found if place != before), False)


def _templates(cluster: Cluster) -> Iterator[tuple[str, int]]:
    """One pod of each template, and how many there are; a pending one if there is any."""
    found: dict[object, list[str]] = {}
    for info in (*cluster.pending.values(), *_running(cluster)):
        found.setdefault(template(info.pod), []).append(info.key)
    return ((keys[0], len(keys)) for keys in found.values())


def _running(cluster: Cluster) -> Iterable[PodInfo]:
    return (cluster.info(pod) for pod in cluster.objects.pods if pod.spec.nodeName)


def template(pod: Pod) -> object:
    """What all pods of a template share: namespace, labels, owner, spec without the node and what is named by it."""
    meta = pod.metadata
    owners = tuple(owner.uid for owner in meta.ownerReferences)
    if not owners:
        return f"{meta.namespace}/{meta.name}"
    labels = tuple(sorted(meta.labels.items()))
    return (
        meta.namespace,
        owners,
        labels,
        msgspec.json.encode(msgspec.structs.replace(pod.spec, nodeName=""), enc_hook=repr),
    )
