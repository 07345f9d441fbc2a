"""The answer about one pod: what it is waiting for, or why it is where it is, and what would change that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from kschedlab.cluster.cluster import Cluster
from kschedlab.explanation import Explanation, explain
from kschedlab.generations import Generation, api_of
from kschedlab.objects.model import Node, Pod
from kschedlab.objects.pod_status import PodCondition
from kschedlab.queue.order import SCHEDULED
from kschedlab.whatif import WhatIf, what_if
from kschedlab.whatif.another_node import copies
from kschedlab_live.why.reading import Reading
from kschedlab_live.why.version import Server

FINISHED, ENDING, OTHERS, GATED, BOUND, NOMINATED, PENDING = (
    "finished",
    "ending",
    "another scheduler's",
    "gated",
    "bound",
    "nominated",
    "pending",
)
"""What a pod can be; the first that applies counts."""


@dataclass(eq=False)
class Setting:
    """What answers share. ``cluster``: None if nodes cannot be read. ``added``: the nodes that are added to it."""

    reading: Reading
    server: Server
    profiles: Mapping[str, Generation]
    notes: Sequence[str] = ()
    cluster: Cluster | None = None
    added: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        reading: Reading,
        server: Server,
        profiles: Mapping[str, Generation],
        notes: Sequence[str] = (),
    ) -> Setting:
        """The setting for what was read."""
        cluster = Cluster(reading.objects, api_of(profiles)) if "nodes" in reading.readable else None
        return cls(reading, server, profiles, notes, cluster)

    def pod(self, key: str) -> Pod | None:
        """The pod ``namespace/name``, finished ones too."""
        return next((pod for pod in self.reading.objects.pods if pod.key == key), None)


@dataclass(frozen=True, eq=False)
class Answer:
    """``situation``: what the pod is. ``found``: the decision, and what would change it; None if there is none.

    ``larger``: the decision with the added nodes. ``node``: the one that is asked about, "" for none.
    """

    setting: Setting
    pod: Pod
    situation: str
    found: WhatIf | None = None
    larger: Explanation | None = None
    node: str = ""
    siblings: tuple[Pod, ...] = field(default=())

    @property
    def said(self) -> PodCondition | None:
        """What the scheduler said when it last failed."""
        return failed(self.pod)

    def to_dict(self) -> dict[str, Any]:
        """The answer as plain data."""
        found, spec = self.found, self.pod.spec
        data: dict[str, Any] = {"pod": self.pod.key, "situation": self.situation, "schedulerName": spec.schedulerName}
        data |= {"node": spec.nodeName or None, "gates": [gate.name for gate in spec.schedulingGates]}
        if self.said is not None:
            data["said"] = self.said.message
        if found is not None:
            from kschedlab.text.whatif import whatif_lines

            data["decision"] = Explanation(found.decision, found.was_on).to_dict()
            data["changes"] = [line._asdict() for line in whatif_lines(found)]
        if self.larger is not None:
            data["larger"] = {"added": list(self.setting.added), "decision": self.larger.to_dict()}
        return data | about(self.setting)


def about(setting: Setting) -> dict[str, Any]:
    """What was decided with, and what is unknown, as plain data."""
    reading = setting.reading
    return {
        "generation": setting.server.generation,
        "server": setting.server.version,
        "notes": list(setting.notes),
        "unreadable": [{"what": gap.what, "why": gap.why, "unknown": gap.unknown} for gap in reading.gaps],
        "left out": reading.left_out,
    }


def failed(pod: Pod) -> PodCondition | None:
    """The condition in which the scheduler says why the pod does not fit; None if it does not say so."""
    conditions = (each for each in pod.status.conditions if each.type == SCHEDULED and each.status == "False")
    return next((each for each in conditions if each.reason not in ("SchedulingGated",)), None)


def situation_of(pod: Pod, profiles: Mapping[str, Generation]) -> str:
    """What the pod is."""
    if pod.status.phase in ("Succeeded", "Failed"):
        return FINISHED
    if pod.spec.nodeName:
        return BOUND
    if pod.metadata.deletionTimestamp is not None:
        return ENDING
    if pod.spec.schedulerName not in profiles:
        return OTHERS
    if pod.spec.schedulingGates:
        return GATED
    return NOMINATED if pod.status.nominatedNodeName else PENDING


def answer(setting: Setting, pod: Pod, node: str = "", larger: Cluster | None = None) -> Answer:
    """The answer. ``node``: why not there? ``larger``: the cluster with the added nodes. KeyError: there is no node."""
    situation, cluster = situation_of(pod, setting.profiles), setting.cluster
    if cluster is not None and node:
        cluster_of = larger if larger is not None else cluster
        if node not in cluster_of.index:
            from kschedlab.objects.problems import unknown

            raise unknown("node", node, cluster_of.names)
    siblings: tuple[Pod, ...] = ()
    if situation == OTHERS:
        name = pod.spec.schedulerName
        siblings = tuple(each for each in setting.reading.objects.pods if each.spec.schedulerName == name)
    decides = situation not in (FINISHED, ENDING, OTHERS) and pod.spec.schedulerName in setting.profiles
    if cluster is None or not decides or setting.reading.hides(pod):
        return Answer(setting, pod, situation, node=node, siblings=siblings)
    found = what_if(pod.key, cluster, setting.profiles)
    more = explain(pod.key, larger, setting.profiles) if larger is not None else None
    return Answer(setting, pod, situation, found, more, node)


def enlarged(cluster: Cluster, like: Sequence[str]) -> tuple[Cluster, tuple[str, ...]]:
    """The cluster with a node more for each name, like that node, and the new names. KeyError for an unknown one."""
    larger, added = cluster.fork(), list[str]()
    for i, name in enumerate(like):
        if name not in cluster.index:
            from kschedlab.objects.problems import unknown

            raise unknown("node", name, cluster.names)
        made = copies(cluster, name, like[:i].count(name))
        larger.add(*made)
        added += [each.metadata.name for each in made if isinstance(each, Node)]
    return larger, tuple(added)
