"""Every predicate of the overview with a pod and a node: something in its way, and a way out.

v1.16's source: pkg/scheduler/algorithm/predicates/predicates.go (predicatesOrdering).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from kschedlab.build import HOUR, Manifest, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import V1_16, Generation
from kschedlab.manifests.loading import decode_objects
from kschedlab.scheduler import Scheduler
from kschedlab_configuration.older.registry import REGISTRY_1_16

HOST, ZONE = "kubernetes.io/hostname", "failure-domain.beta.kubernetes.io/zone"


def running(name: str, cpu: int | str, **more: Any) -> Manifest:
    """A pod that has been running on node-a since eight o'clock."""
    return pod(name, "node-a", cpu, start=8 * HOUR, **more)


def with_port(made: Manifest, port: int, protocol: str = "TCP") -> Manifest:
    made["spec"]["containers"][0]["ports"] = [{"containerPort": 80, "hostPort": port, "protocol": protocol}]
    return made


def claimed(name: str, size: str = "1Gi", **volume: Any) -> list[Manifest]:
    """A claim of that name, bound to a volume with these fields."""
    rest: Manifest = {"accessModes": ["ReadWriteOnce"], "storageClassName": "usual"}
    labels = volume.pop("labels", {})
    claim: Manifest = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {
            "name": name,
            "namespace": "default",
            "annotations": {"pv.kubernetes.io/bind-completed": "yes"},
        },
        "spec": {**rest, "volumeName": f"pv-{name}", "resources": {"requests": {"storage": size}}},
        "status": {"phase": "Bound"},
    }
    kept = {"kind": "PersistentVolumeClaim", "namespace": "default", "name": name}
    made: Manifest = {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": f"pv-{name}", "labels": labels},
        "spec": {**rest, "capacity": {"storage": size}, "claimRef": kept, **volume},
        "status": {"phase": "Bound"},
    }
    return [claim, made]


def using(name: str) -> list[Manifest]:
    """A pod's volumes: the claim of that name."""
    return [{"name": "data", "persistentVolumeClaim": {"claimName": name}}]


def only(*names: str) -> Generation:
    """v1.16 with only these predicates, without preemption."""
    still = replace(V1_16.preemption, enabled=False)
    return replace(V1_16, filters=REGISTRY_1_16.filters(*names), preemption=still)


def judged(made: list[Manifest], generation: Generation) -> Decision:
    """That scheduler's decision for the last pod, which need not be pending."""
    cluster = Cluster(decode_objects(made[:-1]), generation.api)
    (web,) = decode_objects(made[-1:]).pods
    return Scheduler(cluster, generation, exhaustive=True).cycle(cluster.info(web))
