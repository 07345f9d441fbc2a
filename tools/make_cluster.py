"""Make the cluster that lesson 07 begins with: 200 nodes in five pools, and pods that wait for different reasons.

    python -m tools.make_cluster

Everything is drawn from a seed, and the pods are placed by the engine, so that the file comes out the same each time.
"""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

from kschedlab.cluster.cluster import Cluster
from kschedlab.generations import V1_37
from kschedlab.manifests.loading import decode_objects
from kschedlab.scheduler import Scheduler
from kschedlab.score.stage import Ties

Manifest = dict[str, Any]
TARGET = Path(__file__).parents[1] / "packages/lab/kschedlab_lab/panels/bundled.json.gz"
SEED = 7
ZONES = ("eu-1a", "eu-1b", "eu-1c")
LETTERS = "bcdfghjklmnpqrstvwxz2456789"  # what Kubernetes makes names of
SPOT = {"key": "spot", "value": "true", "effect": "NoSchedule"}
GPU = {"key": "nvidia.com/gpu", "value": "present", "effect": "NoSchedule"}
DATA = {"key": "dedicated", "value": "data", "effect": "NoSchedule"}
EDGE = {"key": "dedicated", "value": "ingress", "effect": "NoSchedule"}
CORDON = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
LOST = [{"key": "node.kubernetes.io/unreachable", "effect": effect} for effect in ("NoSchedule", "NoExecute")]
POOL = "karpenter.sh/nodepool"
CRITICAL, PLATFORM, BATCH = ("shop-critical", 100_000), ("platform", 50_000), ("batch-low", -10)
NODE_CRITICAL = ("system-node-critical", 2_000_001_000)


class Pool(NamedTuple):
    """Like nodes. ``cpu`` in milli, ``memory`` in MiB."""

    name: str
    size: int
    machine: str
    cpu: int
    memory: int
    pods: int
    taint: Manifest | None = None
    gpus: int = 0
    disk: str = "ebs"


POOLS = (
    Pool("general", 98, "m6i.2xlarge", 7910, 30310, 58),
    Pool("spot", 60, "c6i.4xlarge", 15890, 28100, 110, SPOT),
    Pool("data", 24, "r6i.2xlarge", 7910, 61450, 58, DATA, disk="ssd"),
    Pool("gpu", 12, "g5.4xlarge", 15890, 61450, 110, GPU, gpus=4, disk="ssd"),
    Pool("ingress", 6, "c6i.xlarge", 3920, 6650, 58, EDGE),
)


class App(NamedTuple):
    """A controller's pods. ``cpu`` in milli, ``memory`` in MiB; ``spec`` goes to the pods' spec as it is."""

    namespace: str
    name: str
    replicas: int
    cpu: int
    memory: int
    priority: tuple[str, int] | None = None
    budget: int | None = None
    spec: Manifest = {}
    gpus: int = 0


def tolerating(taint: Manifest) -> Manifest:
    return {"key": taint["key"], "operator": "Equal", "value": taint["value"], "effect": taint["effect"]}


def on_pool(name: str, taint: Manifest) -> Manifest:
    """What a pod needs to go to that pool and nowhere else."""
    return {"nodeSelector": {POOL: name}, "tolerations": [tolerating(taint)]}


def apart(app: str, required: bool = True) -> Manifest:
    """No two pods of the app on a node."""
    term = {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": "kubernetes.io/hostname"}
    field = "requiredDuringSchedulingIgnoredDuringExecution"
    preferred = {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 100, "podAffinityTerm": term}]}
    return {"affinity": {"podAntiAffinity": {field: [term]} if required else preferred}}


def spread(app: str, hard: bool = False) -> Manifest:
    """The app's pods evenly over the zones."""
    rule = "DoNotSchedule" if hard else "ScheduleAnyway"
    selector = {"matchLabels": {"app": app}}
    constraint = {"maxSkew": 1, "topologyKey": "topology.kubernetes.io/zone", "whenUnsatisfiable": rule}
    return {"topologySpreadConstraints": [{**constraint, "labelSelector": selector}]}


def apps() -> Iterator[App]:
    """What runs, in the order in which it was rolled out."""
    yield App("edge", "ingress-nginx", 6, 1500, 2048, PLATFORM, 1, on_pool("ingress", EDGE))
    yield App("data", "redis", 24, 1000, 8192, PLATFORM, 2, {**on_pool("data", DATA), **apart("redis")})
    yield App("data", "kafka", 24, 3000, 16384, PLATFORM, 1, {**on_pool("data", DATA), **apart("kafka")})
    in_zone = {"nodeSelector": {POOL: "data", "topology.kubernetes.io/zone": ZONES[0]}}
    yield App(
        "data", "clickhouse", 8, 2000, 24576, PLATFORM, 1, {**on_pool("data", DATA), **apart("clickhouse"), **in_zone}
    )
    yield App("ml", "inference", 30, 3000, 8192, None, 4, on_pool("gpu", GPU), 1)
    yield App("shop", "checkout", 40, 500, 1024, CRITICAL, 4, {**spread("checkout"), **apart("checkout", False)})
    yield App("shop", "payment", 30, 500, 1024, CRITICAL, 2, spread("payment", hard=True))
    yield App("shop", "catalog", 130, 750, 1536, None, 8, spread("catalog"))
    yield App("shop", "search", 45, 1000, 4096, None, 5, apart("search"))
    yield App("shop", "cart", 60, 250, 512, CRITICAL, 6)
    for name, replicas, cpu, memory in (
        ("recommendations", 110, 500, 2048),
        ("reviews", 36, 250, 768),
        ("images", 48, 500, 512),
        ("notifications", 24, 200, 384),
        ("sessions", 40, 300, 1024),
        ("admin", 6, 100, 256),
        ("pricing", 32, 400, 640),
        ("gateway", 84, 1000, 1024),
    ):
        yield App("shop", name, replicas, cpu, memory, budget=max(1, replicas // 10))
    yield App("batch", "invoices", 130, 1000, 1024, BATCH)
    yield App("batch", "exports", 250, 500, 2048, BATCH)
    yield App("batch", "transcode", 180, 3500, 3072, BATCH, None, {"tolerations": [tolerating(SPOT)]})
    yield App("ci", "runner", 110, 2000, 4096, BATCH, None, {"tolerations": [tolerating(SPOT)]})


def waiting() -> Iterator[tuple[App, Manifest]]:
    """Pods that are pending, each for another reason: the app, and what stands in its container beside requests."""
    yield App("analytics", "report-builder", 1, 7700, 4096), {}
    yield App("data", "redis", 1, 1000, 8192, PLATFORM, None, {**on_pool("data", DATA), **apart("redis")}), {}
    yield App("data", "restore", 1, 500, 1024, None, None, volume("restore-target")), {}
    yield App("edge", "ingress-canary", 1, 100, 128, None, None, on_pool("ingress", EDGE)), ports(443)
    yield App("ml", "train-large", 1, 8000, 16384, None, None, {"tolerations": [tolerating(GPU)]}, 8), {}
    yield App("ml", "train-small", 1, 2000, 8192, None, None, {"nodeSelector": {POOL: "gpu"}}, 1), {}
    yield App("ml", "tune", 1, 500, 512, None, None, {"schedulingGates": [{"name": "example.com/quota"}]}), {}
    never = {"preemptionPolicy": "Never"}
    yield App("analytics", "forecast", 1, 4000, 8192, ("forecast", 1000), None, never), {}
    yield App("shop", "payment-burst", 1, 3000, 2048, CRITICAL), {}
    yield App("shop", "search-reindex", 1, 500, 2048, None, None, {"nodeSelector": {"disk": "nvme"}}), {}
    yield (
        App("data", "postgres", 1, 2000, 16384, None, None, {**on_pool("data", DATA), **volume("data-postgres-0")}),
        {},
    )
    yield App("shop", "banner", 1, 150, 256, None, None, spread("banner")), {}
    yield App("ci", "runner", 1, 2000, 4096, BATCH, None, {"tolerations": [tolerating(SPOT)]}), {}


def volume(claim: str) -> Manifest:
    """A pod that mounts this claim."""
    return {"volumes": [{"name": "data", "persistentVolumeClaim": {"claimName": claim}}]}


def ports(port: int) -> Manifest:
    """A container that wants this port of its node."""
    return {"ports": [{"containerPort": port, "hostPort": port, "protocol": "TCP"}]}


def made(kind: str, name: str, namespace: str = "", version: str = "v1", **fields: Any) -> Manifest:
    """An object."""
    metadata = {"name": name, **({"namespace": namespace} if namespace else {}), **fields.pop("metadata", {})}
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **fields}


def nodes() -> list[Manifest]:
    """The pools' nodes; two are cordoned, and one is not heard of any more."""
    found = []
    for pool in POOLS:
        for number in range(pool.size):
            name = f"{pool.name}-{number + 1:02}"
            labels = {
                "kubernetes.io/arch": "amd64",
                "kubernetes.io/os": "linux",
                "kubernetes.io/hostname": name,
                "topology.kubernetes.io/zone": ZONES[number % 3],
                "node.kubernetes.io/instance-type": pool.machine,
                "disk": pool.disk,
                POOL: pool.name,
            }
            room = {"cpu": f"{pool.cpu}m", "memory": f"{pool.memory}Mi", "pods": str(pool.pods)}
            room |= {"nvidia.com/gpu": str(pool.gpus)} if pool.gpus else {}
            taints = [pool.taint] if pool.taint else []
            spec: Manifest = {"taints": taints} if taints else {}
            if pool.name == "general" and number in (40, 41):
                spec = {"taints": [CORDON], "unschedulable": True}
            if pool.name == "general" and number == 42:
                spec = {"taints": LOST}
            found.append(made("Node", name, metadata={"labels": labels}, spec=spec, status={"allocatable": room}))
    return found


def suffix(rng: random.Random, length: int = 5) -> str:
    """The random end of a generated name."""
    return "".join(rng.choice(LETTERS) for _ in range(length))


def pod(
    rng: random.Random, app: App, owner: tuple[str, str], container: Manifest | None = None, number: int = 0
) -> Manifest:
    """One pod of the app. Those of a StatefulSet are numbered."""
    requests = {"cpu": f"{app.cpu}m", "memory": f"{app.memory}Mi"}
    gpus = {"nvidia.com/gpu": str(app.gpus)} if app.gpus else {}
    main: Manifest = {"name": app.name, "image": f"registry.example.com/{app.name}:1.4"}
    main["resources"] = {"requests": requests | gpus, **({"limits": gpus} if gpus else {})}
    kind, name = owner
    metadata = {"labels": {"app": app.name}, "ownerReferences": [reference(kind, name)]}
    spec: Manifest = {"containers": [main | (container or {})], **app.spec}
    if app.priority is not None:
        spec |= {"priorityClassName": app.priority[0], "priority": app.priority[1]}
    own = f"{name}-{number}" if kind == "StatefulSet" else f"{name}-{suffix(rng)}"
    return made("Pod", own, app.namespace, metadata=metadata, spec=spec, status={"phase": "Pending"})


def reference(kind: str, name: str) -> Manifest:
    """To the controller."""
    return {"apiVersion": "apps/v1", "kind": kind, "name": name, "uid": f"{kind}-{name}".lower(), "controller": True}


def daemons(rng: random.Random, machines: list[Manifest]) -> list[Manifest]:
    """What runs on every node, and what runs on those with GPUs."""
    everywhere = {"tolerations": [{"operator": "Exists"}]}
    found = []
    for app in (
        App("kube-system", "cni", 0, 25, 64, NODE_CRITICAL, None, everywhere),
        App("kube-system", "node-agent", 0, 100, 180, NODE_CRITICAL, None, everywhere),
        App("logging", "log-shipper", 0, 100, 200, None, None, everywhere),
    ):
        found += [running(pod(rng, app, ("DaemonSet", app.name)), each["metadata"]["name"], 0) for each in machines]
    return found


def running(manifest: Manifest, node: str, minute: int) -> Manifest:
    day, hour = divmod(minute // 60, 24)
    started = f"2026-03-{day + 1:02}T{hour:02}:{minute % 60:02}:00Z"
    spec = {**manifest["spec"], "nodeName": node}
    return {**manifest, "spec": spec, "status": {"phase": "Running", "startTime": started}}


def around() -> list[Manifest]:
    """Priority classes, storage and budgets."""
    version = "scheduling.k8s.io/v1"
    classes = [made("PriorityClass", n, version=version, value=v) for n, v in (CRITICAL, PLATFORM, BATCH)]
    classes.append(made("PriorityClass", "forecast", version=version, value=1000, preemptionPolicy="Never"))
    storage = made("StorageClass", "ssd", version="storage.k8s.io/v1", provisioner="ebs.csi.example.com")
    storage["volumeBindingMode"] = "WaitForFirstConsumer"
    zone = {"key": "topology.kubernetes.io/zone", "operator": "In", "values": [ZONES[0]]}
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "namespace": "data", "name": "data-postgres-0"}
    disk = {
        "capacity": {"storage": "200Gi"},
        "accessModes": ["ReadWriteOnce"],
        "storageClassName": "ssd",
        "claimRef": claim,
        "csi": {"driver": "ebs.csi.example.com", "volumeHandle": "vol-0a1b2c3d"},
        "nodeAffinity": {"required": {"nodeSelectorTerms": [{"matchExpressions": [zone]}]}},
    }
    bound = {"volumeName": "pv-postgres-0", "storageClassName": "ssd", "accessModes": ["ReadWriteOnce"]}
    wanted = {"resources": {"requests": {"storage": "200Gi"}}}
    annotations = {"annotations": {"pv.kubernetes.io/bind-completed": "yes"}}
    return [
        *classes,
        storage,
        made("PersistentVolume", "pv-postgres-0", spec=disk, status={"phase": "Bound"}),
        made("PersistentVolumeClaim", "data-postgres-0", "data", metadata=annotations, spec={**bound, **wanted}),
        *(made("Namespace", name) for name in sorted({app.namespace for app in apps()} | {"analytics", "logging"})),
    ]


def budget(app: App) -> Manifest:
    """The app's PodDisruptionBudget, with its status."""
    spec = {"maxUnavailable": app.budget, "selector": {"matchLabels": {"app": app.name}}}
    return made(
        "PodDisruptionBudget",
        app.name,
        app.namespace,
        "policy/v1",
        spec=spec,
        status={"disruptionsAllowed": app.budget},
    )


def controller(app: App, owner: tuple[str, str]) -> Manifest:
    """The app's ReplicaSet or StatefulSet."""
    kind, name = owner
    selector = {"matchLabels": {"app": app.name}}
    return made(kind, name, app.namespace, "apps/v1", spec={"replicas": app.replicas, "selector": selector})


def cluster(seed: int = SEED) -> list[Manifest]:
    rng = random.Random(seed)
    machines = nodes()
    found = [*around(), *machines, *daemons(rng, machines)]
    spreading = replace(V1_37, ties=Ties.DRAWN)  # equal nodes are filled evenly
    scheduler = Scheduler(Cluster(decode_objects(found)), spreading, rng=rng)
    for rollout, app in enumerate(apps()):
        stateful = app.namespace == "data"
        owner = ("StatefulSet", app.name) if stateful else ("ReplicaSet", f"{app.name}-{suffix(rng, 9)}")
        container = ports(443) if app.namespace == "edge" else None
        found += [controller(app, owner), *([budget(app)] if app.budget is not None else [])]
        for number in range(app.replicas):
            manifest = pod(rng, app, owner, container, number)
            decoded = decode_objects([*around(), manifest]).pods[0]
            decision = scheduler.decide(scheduler.cluster.info(decoded))
            if decision.node is None:
                raise SystemExit(f"{app.name} {number}: {decision.event}")
            scheduler.commit(decision)
            found.append(running(manifest, decision.node, 24 * 60 * rollout + 5 * number))
    next_number = {app.name: app.replicas for app in apps()}
    for app, container in waiting():
        found.append(pod(rng, app, ("StatefulSet", app.name), container, next_number.get(app.name, 0)))
    finished = App("batch", "nightly", 1, 4000, 8192, BATCH)
    for machine in machines[:20]:
        done = running(pod(rng, finished, ("Job", f"nightly-{suffix(rng, 3)}")), machine["metadata"]["name"], 600)
        found.append({**done, "status": {**done["status"], "phase": "Succeeded"}})
    return found


def main() -> None:
    text = json.dumps({"apiVersion": "v1", "kind": "List", "items": cluster()}, separators=(",", ":"))
    TARGET.write_bytes(gzip.compress(text.encode(), mtime=0))
    print(f"{TARGET.name}: {len(text):,} characters, {TARGET.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
