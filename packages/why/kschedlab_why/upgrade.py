"""The pods of a cluster that another generation would place differently, and the change that makes the difference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import msgspec

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pending_pod import checked_cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.decision import Decision
from kschedlab.explanation import NoProfileError
from kschedlab.generations import Generation
from kschedlab.messages import later, listed, say, terms
from kschedlab.objects.model import Pod
from kschedlab.shown import Shown
from kschedlab.text.sections import Limits, Lines, Row, Section, Strong, Table
from kschedlab.text.words import count
from kschedlab.whatif.compare import Decide, changes, decider
from kschedlab.whatif.comparison import SettingChange
from kschedlab.whatif.titles import title_of

NOT_ALONE = later("no change alone gives the whole of it")


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
        """What changes in a sentence, the pods that move with the causes, and those whose message changes."""
        between = f"{self.earlier} → {self.later}"
        moved = sum(each.like for each in self.moved)
        once = say("({decided:,} decided: pods that are alike are decided once)", decided=self.decided)
        title = say(
            "{between}: {moved:,} of {pods} placed differently",
            between=between,
            moved=moved,
            pods=count(self.pods, "pod"),
        )
        shown = self.moved[: limits.groups]
        rows = [_row(each) for each in shown]
        table = [Table(terms("pod", self.earlier, self.later, "because of"), rows)] if rows else []
        yield Section(title, table, aside=once if self.decided < self.pods else "", cut=len(shown) < len(self.moved))
        if self.reworded:
            words = say("{pods} with another message", pods=count(len(self.reworded), "pending pod"))
            yield Section(words, [listed(self.reworded[: limits.groups])], folded=True)


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


# -- in words


def _row(moved: MovedPod) -> Row:
    alike = say(" (and {number:,} like it)", number=moved.like - 1) if moved.like > 1 else ""
    causes = [line for cause in moved.causes for line in _cause(cause)]
    lines = causes if moved.whole else [say(NOT_ALONE), *causes]
    return Row([moved.pod + alike, place_text(moved.before), place_text(moved.after), Lines(lines)])


def _cause(change: SettingChange) -> Iterator[str]:
    if title := title_of(change.rule):
        yield Strong(say(title))
    yield say(change.rule)


def place_text(place: Placement) -> str:
    """Where the pod goes, in a few words."""
    if place.error:
        return say("error")
    if not place.nodes:
        return say("pending")
    nodes = listed(sorted(place.nodes)[:3]) + (" …" if len(place.nodes) > 3 else "")
    return say("evicts pods on {nodes}", nodes=nodes) if place.evicting else nodes
