"""A cluster that changes at random, with plain bookkeeping of its expected contents."""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from kschedlab.build import Manifest, budget, node, node_affinity, pod, term
from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.object_store import RELEVANT_PART, STORAGE, key_of
from kschedlab.cluster.topology import zone_of
from kschedlab.decision import Decision
from kschedlab.generations import Generation
from kschedlab.manifests.loading import Objects, decode_objects
from kschedlab.objects.model import ApiObject, Node, Pod
from kschedlab.scheduler import Scheduler
from kschedlab_configuration.older.registry import REGISTRY_1_16
from kschedlab_configuration.older.service_affinity import ServiceAffinity
from kschedlab_configuration.older.service_anti_affinity import ServiceAntiAffinity
from packages.devices.tests.device_manifests import (
    device,
    device_class,
    exactly,
    resource_claim,
    resource_slice,
    taint_rule,
)
from tests.affinity import affinity, by, spread
from tests.course import GENERATIONS
from tests.storage import attachment, claim, csi, csi_driver, csi_node, mount, storage_capacity, storage_class, volume

VARIANTS = 6
ZONE, OLD_ZONE, HOST = "topology.kubernetes.io/zone", "failure-domain.beta.kubernetes.io/zone", "kubernetes.io/hostname"
NODES = [f"n{i}" for i in range(7)]
NAMESPACES = ["x", "y"]


def some_node(name: str, draw: random.Random) -> Manifest:
    """A random node. Most fields depend on its name alone, so that each change affects few of them."""
    usual = random.Random(name)

    def one() -> random.Random:
        fixed = random.Random(usual.random())
        return draw if draw.random() < 0.25 else fixed

    zone, labels = one().choice(["a", "b", "c", None]), {HOST: name}
    if zone is not None:
        labels |= {ZONE: zone, OLD_ZONE: zone}
    if one().random() < 0.7:
        labels["disk"] = one().choice(["ssd", "hdd"])
    if one().random() < 0.3:
        labels["beta.kubernetes.io/instance-type"] = one().choice(["m5.large", "t2.micro"])
    amounts = {"cpu": one().choice(["4", "6"]), "memory": "4Gi", "pods": one().choice(["4", "6"])}
    if one().random() < 0.3:
        amounts[one().choice(["example.com/gpu", "attachable-volumes-aws-ebs"])] = "1"
    images = [{"names": [f"{image}:latest"], "sizeBytes": size << 20} for image, size in (("img", 500), ("other", 90))]
    made = node(name, labels=labels, allocatable=amounts, images=images[: one().randrange(3)])
    if one().random() < 0.2:
        effect = one().choice(["NoSchedule", "PreferNoSchedule"])
        made["spec"] = {"taints": [{"key": "dedicated", "value": one().choice("uv"), "effect": effect}]}
    made["spec"] = made.get("spec", {}) | {"unschedulable": one().random() < 0.1}
    avoided = '{"preferAvoidPods": [{"podSignature": {"podController": {"kind": "ReplicaSet", "uid": "u"}}}]}'
    if one().random() < 0.2:
        made["metadata"]["annotations"] = {"scheduler.alpha.kubernetes.io/preferAvoidPods": avoided}
    pressure = "True" if one().random() < 0.1 else "False"
    ready = "True" if one().random() < 0.7 else "False"
    made["status"]["conditions"] = [
        {"type": "Ready", "status": ready},
        {"type": "DiskPressure", "status": pressure},
    ]
    return made


def some_affinity(draw: random.Random) -> Manifest:
    key = draw.choice([ZONE, HOST, "disk"])
    rule = draw.choice(["app In web", "app In db", "app In db,web", "own In p03,p04,probe1,probe2", "own Exists"])
    near = [{}, {"namespaces": ["x"]}, {"namespaceSelector": {"matchLabels": {"team": draw.choice("rg")}}}]
    wanted = by(key, rule, **draw.choice(near))
    side = draw.choice(["near", "apart", "rather_near", "rather_apart"])
    return affinity(**{side: [(draw.randint(1, 100), wanted) if side.startswith("rather") else wanted]})


def some_volumes(draw: random.Random) -> list[Manifest]:
    claims = [mount(each, each) for each in draw.sample(["c0", "c1", "c2"], draw.choice([1, 1, 2]))]
    return draw.choice([claims, claims, [{"name": "d", "awsElasticBlockStore": {"volumeID": draw.choice("st")}}]])


def some_pod(name: str, draw: random.Random) -> Manifest:
    requests = {"cpu": f"{draw.randrange(1, 12)}00m", "memory": "100Mi"}
    if draw.random() < 0.15:
        requests["example.com/gpu"] = "1"
    fields: Manifest = {
        "namespace": draw.choice(NAMESPACES) if name.startswith("probe") else NAMESPACES[int(name[1:]) % 2],
        "labels": {"app": draw.choice(["web", "db"])} | ({"own": name} if draw.random() < 0.4 else {}),
        "priority": draw.choice([0, 0, 10, 100]),
        "start": f"2024-01-01T00:{draw.randrange(60):02}:{int(name[-2:]) if name[-2:].isdigit() else 0:02}Z",
    }
    if draw.random() < 0.3:
        fields["affinity"] = some_affinity(draw)
    elif draw.random() < 0.2:
        wanted = term(draw.choice(["disk In ssd", f"{ZONE} In a,b", "metadata.name In n0"]))
        fields["affinity"] = draw.choice([node_affinity(wanted), node_affinity(preferred=[(9, wanted)])])
    if draw.random() < 0.3:
        fields["topologySpreadConstraints"] = [
            spread(draw.choice([ZONE, HOST]), "app Exists", soft=draw.random() < 0.5, skew=draw.randint(1, 2))
        ]
    if draw.random() < 0.2:
        fields["nodeSelector"] = {"disk": "ssd"}
    if draw.random() < 0.2:
        fields["tolerations"] = [{"key": "dedicated", "operator": "Exists"}]
    if draw.random() < 0.15:
        fields["ports"] = [{"containerPort": 80, "hostPort": draw.choice([80, 81])}]
    if name in ("probe0", "probe1") or draw.random() < 0.4:
        fields["volumes"] = some_volumes(draw)
    if draw.random() < 0.05:
        fields["deleted"] = "2024-01-01T00:00:00Z"
    made = pod(name, image="img", **fields)
    if draw.random() < 0.5:
        owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "rs0", "uid": "u", "controller": True}
        made["metadata"]["ownerReferences"] = [owner]
    return made


def some_claim(name: str, namespace: str, draw: random.Random) -> Manifest:
    to = draw.choice(["", "", "", "", "v0", "v1", "v2"])
    chosen = {"volume.kubernetes.io/selected-node": draw.choice(NODES)}
    fields: Manifest = {"annotations": chosen} if not to and draw.random() < 0.2 else {}
    size, of = draw.choice(["1Gi", "2Gi"]), draw.choice(["wait", "wait", "ebs", "now"])
    return claim(name, to, size=size, of=of, namespace=namespace, **fields)


def some_volume(name: str, draw: random.Random) -> Manifest:
    others: list[Manifest] = [{"awsElasticBlockStore": {"volumeID": f"vol-{name}"}}, {"hostPath": {"path": "/x"}}]
    source = draw.choice([{"csi": csi(name)}, {"csi": csi(f"other-{name}")}, *others])
    terms = draw.choice([[], [{"matchExpressions": [{"key": ZONE, "operator": "In", "values": ["a", "b"]}]}]])
    labels = draw.choice([{}, {ZONE: "a"}])
    made = volume(
        name, *terms, size=draw.choice(["1Gi", "3Gi"]), of=draw.choice(["wait", "ebs"]), labels=labels, **source
    )
    if draw.random() < 0.3:
        made["spec"]["claimRef"] = {"namespace": draw.choice(NAMESPACES), "name": draw.choice(["c0", "c1"])}
    return made


def some_owner(kind: str, name: str, draw: random.Random) -> Manifest:
    chosen: Any = {"app": draw.choice(["web", "db"])}
    if kind in ("ReplicaSet", "StatefulSet"):
        chosen = {"matchLabels": chosen}
    version = "v1" if kind in ("Service", "ReplicationController") else "apps/v1"
    spec = {"selector": chosen, "template": {"metadata": {"labels": chosen.get("matchLabels", chosen)}}}
    spec = {"selector": chosen} if kind == "Service" else spec
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name, "namespace": "x"}, "spec": spec}


def some_class(name: str, draw: random.Random) -> Manifest:
    topologies = [{"matchLabelExpressions": [{"key": ZONE, "values": [draw.choice("abc")]}]}]
    provisioner = "kubernetes.io/aws-ebs" if name == "ebs" else "csi.example.com"
    waits = name != "now" and draw.random() < 0.9
    return storage_class(name, provisioner, waits, allowedTopologies=draw.choice([[], topologies]))


def named(kind: str, version: str, name: str, **fields: Any) -> Manifest:
    return {"apiVersion": version, "kind": kind, "metadata": {"name": name} | fields.pop("metadata", {}), **fields}


MAKERS: list[Callable[[random.Random], Manifest]] = [
    *(lambda draw, name=name: some_node(name, draw) for name in NODES),
    *(lambda draw, i=i: some_pod(f"p{i:02}", draw) for i in range(24)),
    *(lambda draw, i=i: some_pod(f"probe{i}", draw) for i in range(6)),
    *(lambda draw, i=i, n=n: some_claim(f"c{i}", n, draw) for i in range(3) for n in NAMESPACES),
    *(lambda draw, i=i: some_volume(f"v{i}", draw) for i in range(4)),
    *(lambda draw, name=name: some_class(name, draw) for name in ("wait", "ebs", "now")),
    *(
        lambda draw, kind=kind, i=i: some_owner(kind, f"{kind.lower()}{i}", draw)
        for kind in ("Service",)
        for i in (0, 1)
    ),
    *(
        lambda draw, kind=kind: some_owner(kind, "rs0", draw)
        for kind in ("ReplicaSet", "StatefulSet", "ReplicationController")
    ),
    *(
        lambda draw, i=i: budget(
            f"b{i}", labels={"app": draw.choice(["web", "db"])}, allowed=draw.randrange(3), namespace="x"
        )
        for i in (0, 1)
    ),
    *(
        lambda draw, n=n: named("Namespace", "v1", n, metadata={"labels": {"team": draw.choice("rg")}})
        for n in NAMESPACES
    ),
    *(
        lambda draw, n=n: csi_node(
            n,
            draw.choice([[], ["kubernetes.io/aws-ebs"]]),
            csi_example_com=draw.choice([None, 1, 2]),
            ebs_csi_aws_com=1,
        )
        for n in NODES[:4]
    ),
    lambda draw: csi_driver("ebs.csi.aws.com", preventPodSchedulingIfMissing=draw.random() < 0.5),
    lambda draw: csi_driver(storageCapacity=draw.random() < 0.8, preventPodSchedulingIfMissing=draw.random() < 0.2),
    *(lambda draw, n=n: storage_capacity(f"room-{n}", n, draw.choice(["1Gi", "5Gi"])) for n in NODES[:4]),
    *(lambda draw, i=i: attachment(f"va{i}", f"v{draw.randrange(4)}", draw.choice(NODES)) for i in range(4)),
    *(lambda draw, n=n: resource_slice(n, [device(f"d{i}") for i in range(draw.randint(1, 3))]) for n in NODES[:4]),
    lambda draw: device_class("gpu", extendedResourceName=draw.choice(["example.com/gpu", None])),
    *(lambda draw, i=i: resource_claim(f"gpu{i}", exactly(count=draw.randint(1, 2))) for i in (0, 1)),
    lambda draw: taint_rule("broken", draw.choice(["NoSchedule", "NoExecute"])),
    lambda draw: named("PriorityClass", "scheduling.k8s.io/v1", "high", value=draw.randint(1, 5)),
]


def _pool() -> dict[type[ApiObject], dict[str, list[Any]]]:
    draw, pool = random.Random(5), dict[type[ApiObject], dict[str, list[Any]]]()
    for _ in range(VARIANTS):
        objects = decode_objects([make(draw) for make in MAKERS])
        for kind in (Node, Pod, *RELEVANT_PART):
            for document in objects.of(kind):
                key = document.metadata.name if kind is Node else str(key_of(document))
                pool.setdefault(kind, {}).setdefault(key, []).append(document)
    return pool


POOL = _pool()
PROBES = [variants for key, variants in POOL[Pod].items() if "probe" in key]
PODS = [variants for key, variants in POOL[Pod].items() if "probe" not in key]

_REGISTRY, _V1_16 = REGISTRY_1_16, GENERATIONS["v1.16"]
_PRIORITIES = {name: score for name, score in _REGISTRY.priorities.items() if name != "NodeLabelPriority"}
TESTED_GENERATIONS = [
    GENERATIONS["v1.37"],
    GENERATIONS["v1.20"],
    replace(
        _V1_16,
        filters=(*_REGISTRY.filters(*_REGISTRY.predicates), ServiceAffinity(labels=(ZONE,))),
        scores=(*((score, 1) for score in _PRIORITIES.values()), (ServiceAntiAffinity(label=ZONE), 1)),
    ),
    GENERATIONS["v1.13"],
]
"""The generations; v1.16 with nearly all of its plugins."""


@dataclass
class Expected:
    """The contents that a cluster should have, in plain dicts. ``zones``: node names as in the real node tree."""

    nodes: dict[str, Node] = field(default_factory=dict)
    zones: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    running: dict[str, tuple[Pod, str]] = field(default_factory=dict)
    nominated: dict[str, tuple[Pod, str]] = field(default_factory=dict)
    others: dict[type[ApiObject], dict[Any, Any]] = field(default_factory=lambda: {kind: {} for kind in RELEVANT_PART})

    def copy(self) -> Expected:
        """An independent copy."""
        return copy.deepcopy(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Expected:
        zones = {zone: list(names) for zone, names in self.zones.items()}
        others = {kind: dict(found) for kind, found in self.others.items()}
        return Expected(dict(self.nodes), zones, dict(self.running), dict(self.nominated), others)

    def change_node(self, name: str, new: Node | None, older_only: bool) -> None:
        before = self.nodes.pop(name, None)
        old_zone = zone_of(before, older_only) if before is not None else None
        new_zone = zone_of(new, older_only) if new is not None else None
        if new is not None:
            self.nodes[name] = new
        if old_zone == new_zone:
            return
        if old_zone is not None:
            self.zones[old_zone].remove(name)
            if not self.zones[old_zone]:
                del self.zones[old_zone]
        if new_zone is not None:
            self.zones.setdefault(new_zone, []).append(name)

    def move_pods_to_end(self, nodes: set[str]) -> None:
        """Pods on nodes that were removed or added again count as the last to arrive."""
        for pods in (self.running, self.nominated):
            for key in [key for key, (_, on) in pods.items() if on in nodes]:
                pods[key] = pods.pop(key)

    def objects(self) -> Objects:
        """The objects from which an equal cluster can be built."""
        put = msgspec.structs.replace
        objects = Objects(nodes=[self.nodes[name] for names in self.zones.values() for name in names])
        objects.pods += [put(p, spec=put(p.spec, nodeName=on)) for p, on in self.running.values()]
        nominated = (put(p, status=put(p.status, nominatedNodeName=on)) for p, on in self.nominated.values())
        objects.pods += [p for p in nominated if p.key not in self.running]
        for kind, found in self.others.items():
            objects.of(kind).extend(found.values())
        return objects


@dataclass
class ChangingCluster:
    """A cluster and its expected contents. Each method changes both in the same way."""

    cluster: Cluster
    expected: Expected
    generation: Generation

    @classmethod
    def empty(cls, generation: Generation) -> ChangingCluster:
        return cls(Cluster(Objects(), generation.api), Expected(), generation)

    def fork(self) -> ChangingCluster:
        return ChangingCluster(self.cluster.fork(), self.expected.copy(), self.generation)

    def rebuilt(self) -> Cluster:
        return Cluster(self.expected.objects(), self.generation.api)

    def phase(self, draw: random.Random, steps: int) -> list[Pod]:
        """Random changes, mostly of a few sorts, with decisions about three probe pods in between; the probes."""
        probes = [draw.choice(variants) for variants in draw.sample(PROBES, 3)]
        sorts = [self.nodes, self.pod, self.replace, self.nominate, self.other_object]
        weights = draw.choice(
            [[10, 40, 8, 8, 34], [0, 20, 4, 2, 40], [5, 90, 10, 10, 5], [0, 5, 1, 1, 90], [50, 5, 1, 1, 9]]
        )
        kinds = draw.choice(
            [list(RELEVANT_PART), [*STORAGE], [*STORAGE], [k for k in RELEVANT_PART if k not in STORAGE]]
        )
        for step in range(steps):
            sort = draw.choices(sorts, weights)[0]
            if sort == self.other_object:
                self.other_object(draw, kinds)
            else:
                sort(draw)
            if step % 10 == 0:
                decide(self.cluster, draw.choice(probes), self.generation)
        return probes

    def nodes(self, draw: random.Random) -> None:
        changes: list[tuple[str, Node | None]] = []
        before, there = set(self.expected.nodes), set(self.expected.nodes)
        for name in draw.choices(NODES, k=draw.choice([1, 1, 1, 3])):
            gone = name in there and draw.random() < 0.3
            new = None if gone else draw.choice(POOL[Node][name])
            changes.append((name, new))
            self.expected.change_node(name, new, self.generation.api.older_zone_labels_only)
            (there.discard if gone else there.add)(name)
        self.expected.move_pods_to_end(before - there)
        self.expected.move_pods_to_end(there - before)
        self.cluster.change_nodes(changes)

    def pod(self, draw: random.Random) -> None:
        """Bind a pod to a node, or evict it."""
        chosen = draw.choice(draw.choice(PODS))
        if chosen.key in self.expected.running:
            del self.expected.running[chosen.key]
            assert self.cluster.evict(chosen.key).key == chosen.key
        else:
            on = draw.choice(NODES)
            self.expected.running[chosen.key] = chosen, on
            self.expected.nominated.pop(chosen.key, None)
            self.cluster.bind(self.cluster.info(chosen), on)

    def replace(self, draw: random.Random) -> None:
        """Update a pod in place."""
        chosen = draw.choice(draw.choice(PODS))
        for pods in (self.expected.running, self.expected.nominated):
            if chosen.key in pods:
                pods[chosen.key] = chosen, pods[chosen.key][1]
        self.cluster.update(self.cluster.info(chosen))

    def nominate(self, draw: random.Random) -> None:
        chosen = draw.choice(draw.choice(PODS))
        if chosen.key in self.expected.running:
            return
        self.expected.nominated.pop(chosen.key, None)
        if draw.random() < 0.6:
            on = draw.choice(NODES)
            self.expected.nominated[chosen.key] = chosen, on
            self.cluster.nominate(self.cluster.info(chosen), on)
        else:
            self.cluster.withdraw(chosen.key)

    def other_object(self, draw: random.Random, kinds: list[type[ApiObject]]) -> None:
        """Add, change or remove an object of another kind."""
        kind = draw.choice(kinds)
        new = draw.choice(draw.choice(list(POOL[kind].values())))
        found, key = self.expected.others[kind], key_of(new)
        if key in found and draw.random() < 0.3:
            del found[key]
            self.cluster.change_objects(removed=[new])
        else:
            found[key] = new
            self.cluster.change_objects([new])


def decide(cluster: Cluster, pod: Pod, generation: Generation) -> Decision:
    return Scheduler(cluster, generation, exhaustive=True).cycle(cluster.info(pod))


def shown(decision: Decision) -> Any:
    """Everything in a decision, as comparable values."""
    cluster, scores, preemption = decision.cluster, decision.scores, decision.preemption
    verdicts = [decision.verdict(name) for name in cluster.names] if decision.verdicts is not None else []
    rows = {}
    if scores is not None:
        rows = {name: row.raw.tolist() for name, row in zip(scores.plugins, scores.rows, strict=True)}
        rows["total"] = scores.total.tolist()
    victims = sorted(victim.key for victim in preemption.victims) if preemption is not None else []
    return decision.node, decision.error, verdicts, rows, decision.nominated_node, victims, decision.event
