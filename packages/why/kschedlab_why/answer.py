"""The answer about one pod: what it is waiting for, or why it is where it is, and what would change that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.explanation import Explanation, explain
from kschedlab.generations import LATEST, Generation, Profiles, api_of, profiles_of
from kschedlab.manifests.loading import Objects
from kschedlab.objects.model import DEFAULT_SCHEDULER, Node, Pod
from kschedlab.objects.pods import PodCondition
from kschedlab.queue.order import SCHEDULED
from kschedlab.whatif import WhatIf, what_if
from kschedlab.whatif.another_node import copies
from kschedlab_why.reading import Reading

FINISHED, ENDING, OTHERS, GATED, BOUND, NOMINATED, PENDING = (
    "finished",
    "ending",
    "another scheduler's",
    "gated",
    "bound",
    "nominated",
    "pending",
)
"""The situations of a pod; the first that applies counts."""


@dataclass(eq=False)
class Setting:
    """The basis of answers.

    ``server``: the version of the cluster's server, "" if unknown. ``notes``: what the decisions assume.
    ``cluster``: None if nodes cannot be read. ``added``: the nodes that are added to it.
    """

    reading: Reading
    profiles: Mapping[str, Generation]
    server: str = ""
    notes: Sequence[str] = ()
    cluster: Cluster | None = None
    added: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        read: Reading | Objects,
        generation: str | Profiles = LATEST,
        server: str = "",
        notes: Sequence[str] = (),
    ) -> Setting:
        """The setting for what was read. Extenders are not asked, and a note says so. KeyError: no such generation."""
        reading = read if isinstance(read, Reading) else Reading(read)
        chosen, notes = profiles_of(generation), list(notes)
        profiles = {DEFAULT_SCHEDULER: chosen} if isinstance(chosen, Generation) else chosen
        if any(profile.extenders for profile in profiles.values()):
            notes.append("Extenders are not asked: nothing leaves this machine.")
            profiles = {name: replace(profile, extenders=()) for name, profile in profiles.items()}
        cluster = Cluster(reading.objects, api_of(profiles)) if "nodes" in reading.readable else None
        return cls(reading, profiles, server, notes, cluster)

    @property
    def generation(self) -> str:
        """The name of the generation that decides."""
        return next(iter(self.profiles.values())).name

    def pod(self, key: str) -> Pod | None:
        """The pod ``namespace/name``, finished ones too."""
        return next((pod for pod in self.reading.objects.pods if pod.key == key), None)


@dataclass(frozen=True, eq=False)
class Answer:
    """``situation``: what the pod is. ``whatif``: the decision and what would change it, or None without a decision.

    ``larger``: the decision with the added nodes. ``node``: the node of the question, or "".
    """

    setting: Setting
    pod: Pod
    situation: str
    whatif: WhatIf | None = None
    larger: Explanation | None = None
    node: str = ""
    siblings: tuple[Pod, ...] = field(default=())

    @property
    def decision(self) -> Decision | None:
        """The decision about the pod in the cluster as it is."""
        return self.whatif.decision if self.whatif is not None else None

    def to_dict(self) -> dict[str, Any]:
        """The answer as plain data."""
        whatif, spec = self.whatif, self.pod.spec
        data: dict[str, Any] = {"pod": self.pod.key, "situation": self.situation, "schedulerName": spec.schedulerName}
        data |= {"node": spec.nodeName or None, "gates": [gate.name for gate in spec.schedulingGates]}
        if (condition := failed(self.pod)) is not None:
            data["said"] = condition.message
        if whatif is not None:
            from kschedlab.whatif.answers import whatif_lines

            data["decision"] = Explanation(whatif.decision, whatif.was_on).to_dict()
            data["changes"] = [line._asdict() for line in whatif_lines(whatif)]
        if self.larger is not None:
            data["larger"] = {"added": list(self.setting.added), "decision": self.larger.to_dict()}
        return data | about(self.setting)


def about(setting: Setting) -> dict[str, Any]:
    """The basis of the decision, and what is unknown, as plain data."""
    reading = setting.reading
    return {
        "generation": setting.generation,
        "server": setting.server,
        "notes": list(setting.notes),
        "unreadable": [{"what": gap.what, "why": gap.why, "unknown": gap.unknown} for gap in reading.gaps],
        "left out": reading.left_out,
    }


def failed(pod: Pod) -> PodCondition | None:
    """The condition in which the scheduler says why the pod does not fit; None if it does not say so."""
    for condition in pod.status.conditions:
        if condition.type == SCHEDULED and condition.status == "False" and condition.reason != "SchedulingGated":
            return condition
    return None


def situation_of(pod: Pod, profiles: Mapping[str, Generation]) -> str:
    """The pod's situation."""
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


def pending_pods(setting: Setting, namespace: str) -> list[Pod]:
    """The pods without a node that have not finished; "" for all namespaces."""
    pods = (pod for pod in setting.reading.objects.pods if situation_of(pod, setting.profiles) not in (BOUND, FINISHED))
    return [pod for pod in pods if namespace in ("", pod.metadata.namespace)]


def answer(setting: Setting, pod: Pod, node: str = "", larger: Cluster | None = None) -> Answer:
    """The answer. ``node``: why not there? ``larger``: with the added nodes. KeyError for an unknown node."""
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
    whatif = what_if(pod.key, cluster, setting.profiles)
    more = explain(pod.key, larger, setting.profiles) if larger is not None else None
    return Answer(setting, pod, situation, whatif, more, node)


def enlarged(cluster: Cluster, like: Sequence[str]) -> tuple[Cluster, tuple[str, ...]]:
    """The cluster with one more node like each of the named ones, and the new names. KeyError for an unknown one."""
    larger, added = cluster.fork(), list[str]()
    for i, name in enumerate(like):
        if name not in cluster.index:
            from kschedlab.objects.problems import unknown

            raise unknown("node", name, cluster.names)
        made = copies(cluster, name, like[:i].count(name))
        larger.add(*made)
        added += [each.metadata.name for each in made if isinstance(each, Node)]
    return larger, tuple(added)
