"""What is in the way on a node that a pod can't have, in a few words and as a sign."""

from __future__ import annotations

from kschedlab.cluster.labels import first_untolerated
from kschedlab.cluster.pods import PodInfo
from kschedlab.decision import Decision
from kschedlab.filter.node import WRONG_HOSTNAME
from kschedlab.filter.node_affinity import NO_MATCH_1_16
from kschedlab.filter.node_ports import PORTS_TAKEN
from kschedlab.filter.node_resources import INSUFFICIENT, TOO_MANY_PODS
from kschedlab.messages import say

SIGNS = {
    **dict.fromkeys(("NodeUnschedulable", "CheckNodeUnschedulable"), "cordon"),
    **dict.fromkeys(("TaintToleration", "PodToleratesNodeTaints"), "taint"),
    **dict.fromkeys(("NodeName", "NodeAffinity"), "label"),
    "NodePorts": "port",
    "NodeResourcesFit": "full",
    **dict.fromkeys(("PodTopologySpread", "InterPodAffinity", "MatchInterPodAffinity"), "pods"),
    **dict.fromkeys(("VolumeRestrictions", "NoDiskConflict", "VolumeBinding", "CheckVolumeBinding"), "disk"),
    **dict.fromkeys(("EBSLimits", "GCEPDLimits", "AzureDiskLimits", "NodeVolumeLimits"), "disk"),
    **dict.fromkeys(("MaxEBSVolumeCount", "MaxGCEPDVolumeCount", "MaxAzureDiskVolumeCount"), "disk"),
    "MaxCSIVolumeCountPred": "disk",
    **dict.fromkeys(("VolumeZone", "NoVolumeZoneConflict"), "zone"),
}
"""The sign for what each filter finds in the way, a kind of :class:`~kschedlab_lab.views.glyphs.Badge`."""
OF_GENERAL = {PORTS_TAKEN: "port", WRONG_HOSTNAME: "label", NO_MATCH_1_16: "label"}
"""The same for the reasons of v1.13's GeneralPredicates, which is several filters; its other reasons say "full"."""


def obstacle(decision: Decision, node: str) -> str:
    """Why the pod can't have this node, not even by evicting others; "" if it could."""
    verdict, preemption = decision.verdict(node), decision.preemption
    if verdict.passes:
        return ""
    if preemption is not None and preemption.eligible:
        if node in preemption.candidates:
            return ""
        if are_ranked(decision) and (stays := blockers(decision, node)):
            return f"{stays[0].priority} ≥ {decision.pod.priority}"
    reasons = _reasons(decision, node)
    return say("; ").join(_short(reason, decision, node) for reason in reasons) or (verdict.plugin or "")


def are_ranked(decision: Decision) -> bool:
    """Whether priorities tell the pods apart: some pod of the cluster has another one than the pod that is decided."""
    pods = decision.cluster.pods
    return bool((pods.priority[pods.node >= 0] != decision.pod.priority).any())


def blockers(decision: Decision, node: str) -> list[PodInfo]:
    """The pods that take the place and may not be evicted because they are as important, the most important first.

    [] if the node is a candidate, or if something other than its pods is in the way.
    """
    preemption, cluster = decision.preemption, decision.cluster
    position = cluster.index[node]
    if preemption is None or not preemption.eligible or position not in preemption.potential.tolist():
        return []
    if node in preemption.candidates or not all(map(_is_about_place, _reasons(decision, node))):
        return []
    infos = (cluster.pods.info(row) for row in cluster.pods_of(position).tolist())
    return sorted(
        (info for info in infos if info.priority >= decision.pod.priority), key=lambda info: (-info.priority, info.key)
    )


def _reasons(decision: Decision, node: str) -> tuple[str, ...]:
    """The filters' reasons with all pods of lower priority removed, if that was tried; else as the node is."""
    preemption, position = decision.preemption, decision.cluster.index[node]
    if preemption is not None and preemption.run is not None and position in preemption.run.nodes.tolist():
        return tuple(preemption.run.emptied.reasons(position))
    return decision.verdict(node).reasons


def _is_about_place(reason: str) -> bool:
    return reason.startswith(INSUFFICIENT.format(resource="")) or reason in (TOO_MANY_PODS, PORTS_TAKEN)


def sign_of(decision: Decision, node: str) -> str:
    """The sign for what keeps the pod from this node; "" if nothing does, or if there is no sign for it."""
    verdict = decision.verdict(node)
    if decision.error or verdict.passes or verdict.plugin is None:
        return ""
    if verdict.plugin == "GeneralPredicates":
        return OF_GENERAL.get(verdict.reasons[0], "full")
    return SIGNS.get(verdict.plugin, "")


def _short(reason: str, decision: Decision, node: str) -> str:
    """The reason without what the picture says already, and with the taint that it is about."""
    text = reason.removeprefix("node(s) ").removeprefix("were ")
    if "taint" in text:
        taints = decision.cluster.nodes[decision.cluster.index[node]].spec.taints
        if (found := first_untolerated(taints, decision.pod.pod.spec.tolerations)) is not None:
            return (
                say("taint {key}={value}", key=found.key, value=found.value)
                if found.value
                else say("taint {key}", key=found.key)
            )
    return text
