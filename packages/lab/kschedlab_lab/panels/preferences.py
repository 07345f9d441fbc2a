"""What a pod would like, as its manifest says it: preferred nodes, and pods that should be near or apart."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kschedlab.build import Manifest

PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"


def preferring(
    nodes: Sequence[Manifest] = (), near: Sequence[Manifest] = (), apart: Sequence[Manifest] = ()
) -> dict[str, Any]:
    """An affinity of these terms, made by :func:`labelled` and :func:`with_app`."""
    kinds = {"nodeAffinity": nodes, "podAffinity": near, "podAntiAffinity": apart}
    return {kind: {PREFERRED: [*terms]} for kind, terms in kinds.items() if terms}


def labelled(weight: int, key: str, value: str) -> Manifest:
    """A preference for nodes with this label."""
    expression = {"key": key, "operator": "In", "values": [value]}
    return {"weight": weight, "preference": {"matchExpressions": [expression]}}


def with_app(weight: int, app: str, key: str) -> Manifest:
    """A preference about pods of this app in the same domain of ``key``."""
    term = {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": key}
    return {"weight": weight, "podAffinityTerm": term}
