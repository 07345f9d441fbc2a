"""Check a plugin: ask it about pods and nodes of small clusters, and test what it declares.

The check binds and evicts pods. Preemption calls a filter only once if it declares that it does not depend on pods, so
a wrong declaration would silently keep preemption from finding victims.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from msgspec.structs import replace

from kschedlab.build import Manifest, node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import IntArray
from kschedlab.cluster.snapshot import Overlay, Snapshot
from kschedlab.filter.plugin import Filter, PreFilterRejection, Refusals, SchedulingError
from kschedlab.manifests.loading import decode_objects
from kschedlab.messages import later, say
from kschedlab.plugins.asking import of_node
from kschedlab.plugins.framework import PluginError, name_of
from kschedlab.plugins.joining import JoinedGeneration, Members, joined
from kschedlab.score.plugin import Score
from kschedlab.text.html import Html, element, join
from kschedlab.text.words import listing

NUMBERS = ("0", "20", "60", "100", "5")
MALFORMED = ("", "warm", "-", "1.5e3", "x")
"""Label values: numbers, and text that is not an integer."""
NODE, POD = "node", "pod"

Lookups: TypeAlias = dict[tuple[str, str, str], None]
"""The labels and annotations that a plugin has read: (node or pod, labels or annotations, key)."""


class RecordedLookups(dict[str, str]):
    """Labels or annotations that record which keys are read."""

    def __init__(self, values: dict[str, str], lookups: Lookups, owner: str, part: str) -> None:
        super().__init__(values)
        self._lookups, self._owner, self._part = lookups, owner, part

    def _note(self, key: Any) -> None:
        self._lookups.setdefault((self._owner, self._part, str(key)))

    def get(self, key: Any, default: Any = None) -> Any:
        self._note(key)
        return super().get(key, default)

    def __getitem__(self, key: str) -> str:
        self._note(key)
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        self._note(key)
        return super().__contains__(key)


def _probes() -> Iterator[list[Manifest]]:
    """An idle, a busy and a full cluster, each with several kinds of pending pods."""
    pending = [
        pod("plain"),
        pod("web", cpu=1, priority=9, labels={"app": "web"}, memory="1Gi"),
        pod("choosy", cpu="500m", priority=100, labels={"app": "db"}, nodeSelector={"disk": "ssd"}),
    ]
    yield [node("probe-1"), *pending]
    zone = "topology.kubernetes.io/zone"
    yield [
        node("probe-1", labels={zone: "a"}),
        node("probe-2", labels={zone: "b", "disk": "ssd"}),
        node("probe-3", 2, labels={zone: "b"}, taints=[{"key": "own", "effect": "NoSchedule"}]),
        node("probe-4", unschedulable=True),
        pod("old-1", "probe-1", 1, 0, labels={"app": "web"}),
        pod("old-2", "probe-1", 1, 5, labels={"app": "db"}),
        pod("old-3", "probe-2", 3, 0, labels={"app": "web"}),
        *pending,
    ]
    yield [
        node("probe-1", 2),
        node("probe-2", 2),
        pod("old-1", "probe-1", 2, 0, labels={"app": "web"}),
        pod("old-2", "probe-2", 1, 0),
        pod("old-3", "probe-2", 1, 0, labels={"app": "web"}),
        *pending,
    ]


def probe_clusters(lookups: Lookups, values: Sequence[str] = ()) -> list[Cluster]:
    """The clusters, with values for the recorded keys, which rotate from node to node and from pod to pod."""
    clusters = []
    for manifests in _probes():
        objects = decode_objects(manifests)
        objects.nodes[:] = [_recorded(each, NODE, i, values, lookups) for i, each in enumerate(objects.nodes)]
        objects.pods[:] = [_recorded(each, POD, i, values, lookups) for i, each in enumerate(objects.pods)]
        clusters.append(Cluster(objects))
    return clusters


def _recorded(node_or_pod: Any, owner: str, place: int, values: Sequence[str], lookups: Lookups) -> Any:
    """The object with values for the recorded keys; it records further reads."""
    parts = {}
    for part in ("labels", "annotations"):
        given = dict(getattr(node_or_pod.metadata, part))
        for number, (whose, where, key) in enumerate(lookups):
            if values and (whose, where) == (owner, part):
                given[key] = values[(place + number) % len(values)]
        parts[part] = RecordedLookups(given, lookups, owner, part)
    return replace(node_or_pod, metadata=replace(node_or_pod.metadata, **parts))


MOST = 20
"""Maximum number of pods and nodes per cluster for which the check evicts and binds pods."""
STATELESS = later("keep no state between questions")
ODD_LABEL = later("decide what such a label should mean")
FilterAnswers = list[tuple[str, ...] | None]
"""By node: None if the pod may run there, else the reasons."""


class Finding(NamedTuple):
    """A finding of the check. ``node``: the node, or "" if the finding is about no single node."""

    plugin: str
    node: str
    what: str
    remedy: str = ""

    def __str__(self) -> str:
        what = say("{what}; {remedy}", what=self.what, remedy=self.remedy) if self.remedy else self.what
        if self.node:
            return say('{plugin} on node "{node}": {what}', plugin=self.plugin, node=self.node, what=what)
        return say("{plugin}: {what}", plugin=self.plugin, what=what)


@dataclass(frozen=True, repr=False)
class CheckReport:
    """The findings of :func:`check_plugin`. ``wrong``: errors to fix; ``remarks``: possible improvements.

    ``clusters``: number of clusters used; ``raises``: whether a remark is an error, which only odd labels give;
    ``against``: the first cluster on which something was wrong, or else an odd label gave an error, and the key of the
    pod that was asked about; ``changed``: that cluster after the change that the first error is about, None without
    one; ``failed_on``: the node on which an odd label gave an error; ``reads``: the labels of nodes that it
    reads, and a cluster does not.
    """

    plugin: str
    wrong: tuple[Finding, ...]
    remarks: tuple[Finding, ...]
    clusters: int
    raises: bool = False
    against: tuple[Cluster, str] | None = None
    changed: Cluster | None = None
    failed_on: str = ""
    reads: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        return not self.wrong

    def raise_if_wrong(self) -> None:
        """PluginError with all errors, if there are any."""
        if self.wrong:
            raise PluginError("\n".join(map(str, self.wrong)))

    def __str__(self) -> str:
        message = later("{plugin}: wrong ({clusters} clusters checked)")
        if self.ok:
            message = later("{plugin}: no rule broken ({clusters} clusters checked)")
            if self.raises:
                message = later("{plugin}: no rule broken, but 1 error with an odd label ({clusters} clusters checked)")
        head = say(message, plugin=self.plugin, clusters=self.clusters)
        wrong = (say("wrong: {finding}", finding=each) for each in self.wrong)
        remarks = (say("remark: {finding}", finding=each) for each in self.remarks)
        return "\n  ".join([head, *wrong, *remarks])

    __repr__ = __str__

    def html(self) -> Html:
        head = str(self).partition("\n")[0]
        found = (_item("✕ ", each) for each in self.wrong), (_item("", each) for each in self.remarks)
        return join([element("p", element("b", head)), element("ul", *chain(*found))])

    def _repr_html_(self) -> str:
        return str(self.html())


def _item(sign: str, finding: Finding) -> Html:
    """The finding without the plugin's name, which is above it, and below that what to do."""
    where = say("{node}: {said}", node=finding.node, said=finding.what) if finding.node else finding.what
    return element("li", sign, where, element("div", f"→ {finding.remedy}") if finding.remedy else None)


def check_plugin(plugin: object, *clusters: Cluster) -> CheckReport:
    """Check the plugin on small clusters and on these, and report errors. Never raises.

    The small clusters set the labels and annotations that the plugin reads to numbers, and once to other text; an
    error only with other text is a remark. Checked: shape, dtype and range of answers; that the same question gets the
    same answer; that scores do not depend on the order of nodes; that ``depends_on_pods``, ``monotonic`` and
    ``unresolvable`` hold; that the plugin does not modify the pod and the nodes; that the terms fill the formula.
    """
    name = name_of(plugin)
    try:
        members = joined(JoinedGeneration("the scheduler"), Members(), [plugin])
    except (ValueError, TypeError) as error:
        return CheckReport(name, (Finding(name, "", str(error)),), (), 0)
    lookups: Lookups = {}
    check, odd = _Check(name), _Check(name)
    first = [*probe_clusters(lookups), *clusters]
    usual = {*lookups}
    for cluster in first:
        check.run(members, cluster)
    numbers = (NUMBERS, NUMBERS[::-1]) if lookups else ()
    more = [cluster for values in numbers for cluster in probe_clusters(lookups, values)]
    for cluster in more:
        check.run(members, cluster)
    for cluster in probe_clusters(lookups, MALFORMED) if lookups else ():
        odd.run(members, cluster)
    remarks = []
    if not check.wrong:
        remarks = [*(each._replace(remedy=say(ODD_LABEL)) for each in odd.wrong[:1]), *check.remarks()]
    raises = bool(odd.wrong) and not check.wrong
    number, against = len(first) + len(more), check.against or odd.against
    reads = tuple(read[2] for read in lookups if read[:2] == (NODE, "labels") and read not in usual)
    wrong, failed_on = tuple(check.wrong), odd.failed_on
    return CheckReport(name, wrong, tuple(remarks), number, raises, against, check.changed, failed_on, reads)


class _Asked(NamedTuple):
    """A filter that is asked about a pod, its answers, and what it declares for it."""

    plugin: Filter
    info: PodInfo
    cluster: Cluster
    before: FilterAnswers
    depends: bool
    monotonic: bool


@dataclass
class _Check:
    """The findings so far, one of each kind."""

    name: str
    wrong: list[Finding] = field(default_factory=list)
    against: tuple[Cluster, str] | None = None
    changed: Cluster | None = None
    failed_on: str = ""
    _kinds: set[str] = field(default_factory=set)
    _depends: bool = False
    _pods_matter: bool = False

    def run(self, members: Members, cluster: Cluster) -> None:
        for info in [*cluster.pending.values()][:MOST]:
            before = _written(info, cluster)
            for each in members.filters:
                with self._errors():
                    self._filter(each, info, cluster)
            for score, _ in members.scores:
                with self._errors():
                    self._score(score, info, cluster)
            whats = (
                later("it changes the pod that it is asked about"),
                later("it changes a node that it is asked about"),
            )
            for what, one, other in zip(whats, before, _written(info, cluster), strict=True):
                if one != other:
                    self._add("changes", "", what, later("copy what you change"))
            if self.wrong and self.against is None:
                self.against = cluster, info.key

    def remarks(self) -> Iterator[Finding]:
        """A declaration that is more cautious than necessary."""
        if self._depends and not self._pods_matter:
            what = say("no pod changed its answer")
            remedy = say("if none ever does, declare depends_on_pods=False: then preemption asks it only once")
            yield Finding(self.name, "", what, remedy)

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except SchedulingError as error:
            self.failed_on = self.failed_on or error.node
            self._add("raised", "", str(error))

    def _filter(self, plugin: Filter, info: PodInfo, cluster: Cluster) -> None:
        before = answers(plugin, info, cluster)
        if answers(plugin, info, cluster) != before:
            self._add("twice", "", later("it gives different answers to the same question"), STATELESS)
        if "twice" in self._kinds:
            return
        prepared = plugin.prepare(info, cluster)
        if prepared is None or isinstance(prepared, PreFilterRejection):
            return
        self._depends |= prepared.depends_on_pods
        asked = _Asked(plugin, info, cluster, before, prepared.depends_on_pods, prepared.monotonic)
        for row in np.flatnonzero(cluster.pods.live())[:MOST].tolist():
            self._evict(asked, row)
        if asked.depends:
            self._unresolvable(asked, prepared.filter(Snapshot(cluster)))
        for other in [*cluster.pending.values()][:MOST]:
            if other.key != info.key:
                for node in cluster.names[:MOST]:
                    self._bind(asked, other, node)

    def _evict(self, asked: _Asked, row: int) -> None:
        plugin, info, cluster, *_ = asked
        place, key = int(cluster.pods.node[row]), cluster.pods.info(row).key
        without = cluster.fork()
        without.evict(key)
        after = answers(plugin, info, without)
        self._compare(asked, after, without, say("when pod {pod} leaves", pod=key))
        if asked.depends:
            tried = _tried_without(asked, np.array([row]))
            if tried[place] != after[place]:
                what = later(
                    "while preemption tries it without pod {pod} it says {tried}, but {after} once the pod is gone"
                )
                remedy = later("look at pods in filter(snapshot), not in prepare")
                said = {"tried": _said(tried[place]), "after": _said(after[place])}
                self._add("snapshot", cluster.names[place], what, remedy, without, pod=key, **said)

    def _unresolvable(self, asked: _Asked, refused: Refusals | None) -> None:
        """Ask as preemption would: without the pods of lower priority that are on the node."""
        _, info, cluster, *_ = asked
        pods = cluster.pods
        for place in np.flatnonzero(refused.unresolvable)[:MOST].tolist() if refused is not None else ():
            rows = np.flatnonzero(pods.live() & (pods.node == place) & (pods.priority < info.priority))
            if _tried_without(asked, rows)[place] is None:
                what = later(
                    "unresolvable is declared True, but it passes once preemption takes away {pods}; before, it said "
                    "{before}"
                )
                remedy = later("declare unresolvable=False; as declared, preemption never asks it again")
                gone, without = [pods.info(row).key for row in rows.tolist()], cluster.fork()
                for key in gone:
                    without.evict(key)
                said = {"pods": listing(gone), "before": _said(asked.before[place])}
                self._add("unresolvable", cluster.names[place], what, remedy, without, **said)

    def _bind(self, asked: _Asked, other: PodInfo, node: str) -> None:
        plugin, info, cluster, before, _, monotonic = asked
        crowded = cluster.fork()
        crowded.bind(other, node)
        after = answers(plugin, info, crowded)
        self._compare(asked, after, crowded, say("when pod {pod} comes to {node}", pod=other.key, node=node))
        place = cluster.index[node]
        if monotonic and before[place] is not None and after[place] is None:
            what = later(
                "monotonic is declared True, but it passes once pod {pod} is bound there; before, it said {before}"
            )
            remedy = later("declare monotonic=False")
            self._add("monotonic", node, what, remedy, crowded, pod=other.key, before=_said(before[place]))

    def _compare(self, asked: _Asked, after: FilterAnswers, changed: Cluster, when: str) -> None:
        depends, names = asked.depends, asked.cluster.names
        for name, one, other in zip(names, asked.before, after, strict=True):
            if one == other:
                continue
            self._pods_matter = True
            if not depends:
                what = later(
                    "depends_on_pods is declared False, but its answer changes {when}: from {before} to {after}"
                )
                remedy = later("declare depends_on_pods=True; preemption would not see that evicting helps")
                self._add("depends", name, what, remedy, changed, when=when, before=_said(one), after=_said(other))

    def _score(self, plugin: Score, info: PodInfo, cluster: Cluster) -> None:
        nodes = np.arange(len(cluster.nodes))
        scored = plugin.score(info, cluster, nodes)
        again, backwards = plugin.score(info, cluster, nodes), plugin.score(info, cluster, nodes[::-1].copy())
        if scored is None or again is None or backwards is None:
            if not (scored is again is backwards is None):
                self._add("skips", "", later("it skips a pod only sometimes"), STATELESS)
            return
        terms = {name: of_node(term, 0, len(nodes)) for name, term in scored.terms.items()}
        try:
            str(getattr(plugin, "formula", "")).format(**terms)
        except (LookupError, ValueError, AttributeError, TypeError) as error:
            what = later("views cannot write out its formula: {kind}: {error}")
            remedy = later("return each name in braces as a term, a number for every node")
            self._add("formula", "", what, remedy, kind=type(error).__name__, error=error)
        for place in np.flatnonzero(again.raw != scored.raw)[:1].tolist():
            what = later("it scores the same node {one} and then {other}")
            remedy = later("keep no state between questions, and draw no random numbers")
            self._add("twice", cluster.names[place], what, remedy, one=scored.raw[place], other=again.raw[place])
            return
        other = backwards.normalized[::-1]
        for place in np.flatnonzero(other != scored.normalized)[:1].tolist():
            what = later("its score is {one}, and {other} if the nodes come in another order")
            remedy = later("score the nodes at the positions given, in that order")
            self._add("order", cluster.names[place], what, remedy, one=scored.normalized[place], other=other[place])

    def _add(
        self, kind: str, node: str, what: str, remedy: str = "", changed: Cluster | None = None, /, **fields: object
    ) -> None:
        if kind not in self._kinds:
            if not self.wrong:
                self.changed = changed
            self._kinds.add(kind)
            self.wrong.append(Finding(self.name, node, say(what, **fields), remedy and say(remedy)))


def answers(plugin: Filter, info: PodInfo, cluster: Cluster, snapshot: Snapshot | None = None) -> FilterAnswers:
    """The filter's answer for each node, in this snapshot or in the cluster as it is. SchedulingError if it fails."""
    prepared = plugin.prepare(info, cluster)
    if prepared is None:
        return [None] * len(cluster.nodes)
    if isinstance(prepared, PreFilterRejection):
        return [prepared.reasons] * len(cluster.nodes)
    refused = prepared.filter(snapshot or Snapshot(cluster))
    reasons: FilterAnswers = [tuple(refused.reasons(n)) or None if refused else None for n in range(len(cluster.nodes))]
    for part in refused.parts if refused is not None else ():
        if part.error and part.mask.any():
            node = cluster.names[int(part.mask.argmax())]
            raise SchedulingError(f'running "{plugin.name}" filter plugin: {part.reason}', node)
    kept = prepared.node_names
    by_name = zip(cluster.names, reasons, strict=True)
    return [each if kept is None or name in kept else ("excluded",) for name, each in by_name]


def _tried_without(asked: _Asked, rows: IntArray) -> FilterAnswers:
    """The filter's answers while preemption tries it without the pods in these rows."""
    plugin, info, cluster, *_ = asked
    overlay = Overlay(cluster, cluster.pods, rows)
    overlay.set(np.arange(len(rows)), -1)
    return answers(plugin, info, cluster, Snapshot(cluster).with_overlay(overlay))


def _written(info: PodInfo, cluster: Cluster) -> tuple[str, str]:
    """The pod and the first nodes as text, to see whether a plugin changes them."""
    return repr(info.pod), repr(cluster.nodes[:MOST])


def _said(answer: tuple[str, ...] | None) -> str:
    return say('"{reasons}"', reasons=", ".join(answer)) if answer else say("nothing (it passes)")
