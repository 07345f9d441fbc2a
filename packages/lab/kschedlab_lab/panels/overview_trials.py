"""Every predicate of the overview with a pod and a node: something in its way, and a way out.

v1.16's source: pkg/scheduler/algorithm/predicates/predicates.go (predicatesOrdering).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from kschedlab.build import HOUR, Manifest, node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.decision import Decision
from kschedlab.generations import V1_16, Generation
from kschedlab.generations.registry import REGISTRY_1_16
from kschedlab.manifests.loading import decode_objects
from kschedlab.messages import later
from kschedlab.scheduler import Scheduler

HOST, ZONE = "kubernetes.io/hostname", "failure-domain.beta.kubernetes.io/zone"
DRIVER = "csi.example.com"
TAINTS = "node.kubernetes.io/"

Make = Callable[[bool, bool], list[Manifest]]
"""From (with the obstacle, with the way out) to the manifests; the last one is the pod ``web``."""


@dataclass(frozen=True)
class Trial:
    """A pod and a node for one predicate. ``obstacle``, ``way_out``: what the two switches change.

    ``kind``: the icon of what the predicate looks at.
    """

    obstacle: str
    way_out: str
    make: Make
    kind: str = "disk"


def running(name: str, cpu: int | str, **more: Any) -> Manifest:
    """A pod that has been running on node-a since eight o'clock."""
    return pod(name, "node-a", cpu, start=8 * HOUR, **more)


def _unschedulable(obstacle: bool, way_out: bool) -> list[Manifest]:
    there = node("node-a")
    there["spec"] = {"unschedulable": obstacle}
    return [there, pod("web", "", 1, **_tolerating(way_out, f"{TAINTS}unschedulable"))]


def _tolerating(on: bool, key: str, **spec: Any) -> Manifest:
    return {"tolerations": [{"key": key, "operator": "Exists", "effect": "NoSchedule"}], **spec} if on else spec


def _everything(obstacle: bool, way_out: bool) -> list[Manifest]:
    taken = [with_port(running("busy", 3), 8080)] if obstacle else []
    return [node("node-a"), *taken, pod("web", "", 1) if way_out else with_port(pod("web", "", 2), 8080)]


def with_port(made: Manifest, port: int, protocol: str = "TCP") -> Manifest:
    made["spec"]["containers"][0]["ports"] = [{"containerPort": 80, "hostPort": port, "protocol": protocol}]
    return made


def _host(obstacle: bool, way_out: bool) -> list[Manifest]:
    return [node("node-a"), pod("web", "node-a" if way_out else "node-b" if obstacle else "", 1)]


def _ports(obstacle: bool, way_out: bool) -> list[Manifest]:
    taken = [with_port(running("proxy", 1), 8080)] if obstacle else []
    return [node("node-a"), *taken, with_port(pod("web", "", 1), 8080, "UDP" if way_out else "TCP")]


def _selector(obstacle: bool, way_out: bool) -> list[Manifest]:
    there = node("node-a", labels={"disk": "ssd"} if way_out else None)
    return [there, pod("web", "", 1, nodeSelector={"disk": "ssd"} if obstacle else {})]


def _resources(obstacle: bool, way_out: bool) -> list[Manifest]:
    busy = [running("busy", 3)] if obstacle else []
    return [node("node-a"), *busy, pod("web", "", 1 if way_out else 2)]


def _disk_conflict(obstacle: bool, way_out: bool) -> list[Manifest]:
    disk = [{"name": "data", "gcePersistentDisk": {"pdName": "disk-1", "readOnly": way_out}}]
    other = [running("db", 1, volumes=disk)] if obstacle else []
    return [node("node-a"), *other, pod("web", "", 1, volumes=disk)]


def _counted(resource: str, source: str, identity: str) -> Make:
    """A node that can attach one disk, or two with the way out."""

    def disks(name: str) -> list[Manifest]:
        more = {"diskURI": f"/disks/{name}"} if source == "azureDisk" else {}
        return [{"name": "data", source: {identity: name, **more}}]

    def make(obstacle: bool, way_out: bool) -> list[Manifest]:
        there = node("node-a")
        there["status"]["allocatable"][f"attachable-volumes-{resource}"] = "2" if way_out else "1"
        other = [running("db", 1, volumes=disks("disk-1"))] if obstacle else []
        return [there, *other, pod("web", "", 1, volumes=disks("disk-2"))]

    return make


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


def _csi(obstacle: bool, way_out: bool) -> list[Manifest]:
    there = node("node-a")
    there["status"]["allocatable"][f"attachable-volumes-csi-{DRIVER}"] = "2" if way_out else "1"
    volumes = [each for name in ("one", "two") for each in claimed(name, csi={"driver": DRIVER, "volumeHandle": name})]
    other = [running("db", 1, volumes=using("one"))] if obstacle else []
    return [there, *volumes, *other, pod("web", "", 1, volumes=using("two"))]


def _zone(obstacle: bool, way_out: bool) -> list[Manifest]:
    there = node("node-a", labels={ZONE: "south" if obstacle and not way_out else "north"})
    return [there, *claimed("data", labels={ZONE: "north"}), pod("web", "", 1, volumes=using("data"))]


def _binding(obstacle: bool, way_out: bool) -> list[Manifest]:
    hosts = ["node-b"] * obstacle + ["node-a"] * (way_out or not obstacle)
    terms = [{"matchExpressions": [{"key": HOST, "operator": "In", "values": hosts}]}]
    disk = claimed("data", nodeAffinity={"required": {"nodeSelectorTerms": terms}})
    return [node("node-a", labels={HOST: "node-a"}), *disk, pod("web", "", 1, volumes=using("data"))]


def _taints(obstacle: bool, way_out: bool) -> list[Manifest]:
    taint = {"key": "dedicated", "value": "gpu", "effect": "NoSchedule"}
    return [node("node-a", taints=[taint] if obstacle else []), pod("web", "", 1, **_tolerating(way_out, "dedicated"))]


def _affinity(obstacle: bool, way_out: bool) -> list[Manifest]:
    wanted = {"labelSelector": {"matchLabels": {"app": "db"}}, "topologyKey": HOST}
    rule = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [wanted]}}
    other = running("db", 1, labels={"app": "cache" if way_out else "db"})
    return [node("node-a", labels={HOST: "node-a"}), *[other] * obstacle, pod("web", "", 1, affinity=rule)]


def _condition(kind: str, taint: str, status: str = "True") -> Make:
    """A node in this condition, tainted as TaintNodesByCondition taints it; the way out tolerates the taint."""

    def make(obstacle: bool, way_out: bool) -> list[Manifest]:
        taints = [{"key": TAINTS + taint, "effect": "NoSchedule"}] if obstacle else []
        there = node("node-a", taints=taints)
        fine = "True" if kind == "Ready" else "False"
        there["status"]["conditions"] = [{"type": kind, "status": status if obstacle else fine}]
        return [there, pod("web", "", **_tolerating(way_out, TAINTS + taint))]

    return make


_ONE_MORE = later("a disk of that sort is attached, and node-a may have one"), later("node-a may have two")
_TOLERATES = later("web tolerates that taint")

TRIALS: Mapping[str, Trial] = {
    "CheckNodeCondition": Trial(
        later("node-a is not Ready (and tainted not-ready)"),
        _TOLERATES,
        _condition("Ready", "not-ready", "False"),
        "host",
    ),
    "CheckNodeUnschedulable": Trial(
        later("node-a is cordoned"), later("web tolerates node.kubernetes.io/unschedulable"), _unschedulable, "cordon"
    ),
    "GeneralPredicates": Trial(
        later("busy takes 3 CPU and host port 8080"), later("web wants 1 CPU and no host port"), _everything, "cpu"
    ),
    "HostName": Trial(later("web names node-b in spec.nodeName"), later("web names node-a"), _host, "host"),
    "PodFitsHostPorts": Trial(later("proxy takes host port 8080/TCP"), later("web wants 8080/UDP"), _ports, "port"),
    "MatchNodeSelector": Trial(
        later("web's nodeSelector wants disk=ssd"), later("node-a has the label disk=ssd"), _selector, "label"
    ),
    "PodFitsResources": Trial(later("busy takes 3 of 4 CPU"), later("web wants 1 CPU, not 2"), _resources, "cpu"),
    "NoDiskConflict": Trial(later("db uses the same GCE disk"), later("both use it read-only"), _disk_conflict),
    "PodToleratesNodeTaints": Trial(
        later("node-a has the taint dedicated=gpu:NoSchedule"), later("web tolerates it"), _taints, "taint"
    ),
    "MaxEBSVolumeCount": Trial(*_ONE_MORE, _counted("aws-ebs", "awsElasticBlockStore", "volumeID")),
    "MaxGCEPDVolumeCount": Trial(*_ONE_MORE, _counted("gce-pd", "gcePersistentDisk", "pdName")),
    "MaxCSIVolumeCountPred": Trial(*_ONE_MORE, _csi),
    "MaxAzureDiskVolumeCount": Trial(*_ONE_MORE, _counted("azure-disk", "azureDisk", "diskName")),
    "CheckVolumeBinding": Trial(
        later("web's volume is on node-b"), later("it can be reached from node-a too"), _binding
    ),
    "NoVolumeZoneConflict": Trial(
        later("node-a is in another zone than web's volume"), later("it is in the same"), _zone, "zone"
    ),
    "CheckNodeMemoryPressure": Trial(
        later("node-a is short of memory (and tainted)"),
        _TOLERATES,
        _condition("MemoryPressure", "memory-pressure"),
        "host",
    ),
    "CheckNodePIDPressure": Trial(
        later("node-a is short of process ids (and tainted)"),
        _TOLERATES,
        _condition("PIDPressure", "pid-pressure"),
        "host",
    ),
    "CheckNodeDiskPressure": Trial(
        later("node-a is short of disk (and tainted)"), _TOLERATES, _condition("DiskPressure", "disk-pressure"), "host"
    ),
    "MatchInterPodAffinity": Trial(
        later("web may not be beside app=db, and db runs there"), later("db has the label app=cache"), _affinity, "pods"
    ),
}
"""In v1.16's order (predicatesOrdering), with the four parts of GeneralPredicates."""


def only(*names: str) -> Generation:
    """v1.16 with only these predicates, without preemption."""
    still = replace(V1_16.preemption, enabled=False)
    return replace(V1_16, filters=REGISTRY_1_16.filters(*names), preemption=still)


def judged(made: list[Manifest], generation: Generation) -> Decision:
    """That scheduler's decision for the last pod, which need not be pending."""
    cluster = Cluster(decode_objects(made[:-1]), generation.api)
    (web,) = decode_objects(made[-1:]).pods
    return Scheduler(cluster, generation, exhaustive=True).cycle(cluster.info(web))
