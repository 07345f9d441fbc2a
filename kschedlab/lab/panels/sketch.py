"""Small clusters as manifests, as ``kubectl get -o yaml`` would give them: what panels and exercises are drawn from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Manifest = dict[str, Any]
HOUR = 60


def clock_time(minutes: int) -> str:
    """Minutes after midnight as HH:MM."""
    return f"{minutes // HOUR:02}:{minutes % HOUR:02}"


def node(
    name: str,
    cpu: int | str = 4,
    memory: str = "16Gi",
    labels: Mapping[str, str] | None = None,
    taints: Sequence[Mapping[str, str]] = (),
) -> Manifest:
    """A node with room for 110 pods."""
    room = {"cpu": str(cpu), "memory": memory, "pods": "110"}
    made: Manifest = {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": {"name": name},
        "status": {"allocatable": room},
    }
    if labels:
        made["metadata"]["labels"] = dict(labels)
    if taints:
        made["spec"] = {"taints": [dict(taint) for taint in taints]}
    return made


def pod(
    name: str,
    on: str = "",
    cpu: int | str | None = None,
    priority: int | None = None,
    start: int | None = None,
    labels: Mapping[str, str] | None = None,
    memory: str | None = None,
    **spec: Any,
) -> Manifest:
    """A pod of one container. ``on``: its node, "" for a pending pod; ``start``: minutes after midnight."""
    requests = {name: str(amount) for name, amount in (("cpu", cpu), ("memory", memory)) if amount is not None}
    container: Manifest = {"name": "main", "image": "example/app:1"}
    if requests:
        container["resources"] = {"requests": requests}
    made: Manifest = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"containers": [container]},
    }
    if priority is not None:
        made["spec"]["priority"] = priority
    made["spec"] |= spec
    if labels:
        made["metadata"]["labels"] = dict(labels)
    if on:
        made["spec"]["nodeName"] = on
        made["status"] = {"phase": "Running"}
        if start is not None:
            made["status"]["startTime"] = f"2026-03-02T{clock_time(start)}:00Z"
    return made


def budget(app: str, allowed: int) -> Manifest:
    """A PodDisruptionBudget for the pods with the label ``app``, with its status as the controller last wrote it."""
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": app, "namespace": "default"},
        "spec": {"selector": {"matchLabels": {"app": app}}},
        "status": {"disruptionsAllowed": allowed},
    }


def as_yaml(manifests: Sequence[Manifest]) -> str:
    """The manifests as YAML documents, for ``kschedlab explain``."""
    import yaml

    return str(yaml.safe_dump_all(manifests, sort_keys=False))
