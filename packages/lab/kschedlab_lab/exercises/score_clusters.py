"""Helpers of the exercises of lesson 03."""

from __future__ import annotations

from kschedlab.decision import Decision
from kschedlab_lab.views.score import number

NODES = ("node-a", "node-b", "node-c")
LEAST, TAINTS, AFFINITY = "NodeResourcesLeastAllocated", "TaintToleration", "NodeAffinity"
NEW = "default/new"
DISK, HOST = "disk", "kubernetes.io/hostname"


def favourites(decision: Decision, plugin: str) -> list[str]:
    """The nodes with the plugin's highest normalised score."""
    values = {name: number(decision, "normalised", plugin, name) or 0 for name in decision.names}
    return [name for name, value in values.items() if value == max(values.values())]
