"""Random scenarios, seeded: clusters whose objects use all that a scheduler looks at, and a pod to schedule.

Times are unique within a scenario, and no pod has two PodDisruptionBudgets: there the real scheduler's answer depends
on the order in which Go walks over a map.
"""

import random
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

Object = dict[str, Any]

ZONE, HOST = "topology.kubernetes.io/zone", "kubernetes.io/hostname"
ZONES, NAMESPACES, APPS, TIERS = (
    ("z1", "z2", "z3"),
    ("default", "team-a", "team-b"),
    ("web", "db", "cache"),
    ("front", "back"),
)
MI = 1024 * 1024


class World:
    """The objects of one scenario, and the pod that arrives."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.times: set[int] = set()
        self.objects: list[Object] = []
        self.nodes = [self._node(f"n{number}") for number in range(rng.choice([1, 2, 3, 4, 5, 6, 8, 12, 24]))]
        self.pods: list[Object] = []
        for node in self.nodes:
            for _ in range(rng.randint(0, 5)):
                self.pod(node)
        self.pending = self.pod()

    def time(self) -> str:
        while (seconds := 7 * self.rng.randrange(57_000)) in self.times:
            pass
        self.times.add(seconds)
        moment = datetime(2024, 1, 1, tzinfo=UTC) + timedelta(seconds=seconds)
        return moment.strftime("%Y-%m-%dT%H:%M:%SZ")

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def some(self, of: Any, least: int = 0, most: int = 3) -> list[Any]:
        """A few of these, without repetition."""
        return self.rng.sample(list(of), self.rng.randint(min(least, len(of)), min(most, len(of))))

    def add(self, api: str, kind: str, name: str, namespace: str = "", **parts: Any) -> Object:
        metadata: Object = {
            "name": name,
            **({"namespace": namespace} if namespace else {}),
            "uid": f"uid-{kind}-{name}",
        }
        made = {"apiVersion": api, "kind": kind, **parts, "metadata": metadata | parts.pop("metadata", {})}
        self.objects.append(made)
        return made

    def _node(self, name: str) -> Object:
        zone = self.rng.choice(ZONES)
        labels = {HOST: name}
        if self.chance(0.9):
            labels |= {ZONE: zone, "topology.kubernetes.io/region": "r1"}
            labels |= {"failure-domain.beta.kubernetes.io/zone": zone, "failure-domain.beta.kubernetes.io/region": "r1"}
        if self.chance(0.6):
            labels |= {"disk": self.rng.choice(["ssd", "hdd"]), "gen": str(self.rng.randint(1, 9))}
        room = {"cpu": f"{self.rng.choice([2, 4, 8])}", "memory": f"{self.rng.choice([4, 8, 16])}Gi"}
        room |= {"pods": str(self.rng.choice([3, 6, 110])), "ephemeral-storage": "50Gi"}
        conditions = [{"type": "Ready", "status": "True"}]
        status = {"allocatable": room, "capacity": dict(room), "conditions": conditions}
        return self.add("v1", "Node", name, spec={}, status=status, metadata={"labels": labels})

    def pod(self, node: Object | None = None) -> Object:
        """A pod that runs on this node, or waits."""
        name = f"p{len(self.pods)}"
        labels = {"app": self.rng.choice(APPS), **({"tier": self.rng.choice(TIERS)} if self.chance(0.4) else {})}
        requests = {}
        if self.chance(0.9):
            requests["cpu"] = self.rng.choice(["50m", "100m", "250m", "0.7", "1", "1500m", "1100m"])
        if self.chance(0.9):
            requests["memory"] = self.rng.choice(["64Mi", "100M", "0.5Gi", "1Gi", "1500Mi", "2e9", "134217728"])
        spec: Object = {"schedulerName": "default-scheduler", "priority": self.rng.choice([0, 0, 0, 5, 10, -3])}
        spec["containers"] = [{"name": "c", "image": "img", "resources": {"requests": requests}}]
        made = self.add(
            "v1", "Pod", name, self.rng.choice(NAMESPACES), spec=spec, status={}, metadata={"labels": labels}
        )
        made["metadata"]["creationTimestamp"] = self.time()
        if node:
            spec["nodeName"] = node["metadata"]["name"]
            made["status"] = {"phase": "Running", "startTime": self.time()}
        self.pods.append(made)
        return made

    @property
    def running(self) -> list[Object]:
        return [pod for pod in self.pods if "nodeName" in pod["spec"]]


def container(pod: Object) -> Object:
    return pod["spec"]["containers"][0]


def affinity_of(pod: Object) -> Object:
    return pod["spec"].setdefault("affinity", {})


# ---------------------------------------------------------------- what a scenario may have; each changes a world


def resources(world: World) -> None:
    """Extended resources, init containers, sidecars, limits, overhead."""
    rng, pending = world.rng, world.pending
    for node in world.nodes:
        if world.chance(0.6):
            for part in ("allocatable", "capacity"):
                node["status"][part]["example.com/gpu"] = str(rng.randint(0, 4))
    for pod in [*world.some(world.running), pending]:
        if world.chance(0.4):
            count = str(rng.randint(1, 3))
            container(pod)["resources"] = {"requests": {"example.com/gpu": count}, "limits": {"example.com/gpu": count}}
    spec = pending["spec"]
    for _ in range(rng.randint(0, 2)):
        init = {"name": f"i{len(spec.get('initContainers', []))}", "image": "img"}
        init["resources"] = {"requests": {"cpu": rng.choice(["100m", "2", "5"]), "memory": "64Mi"}}
        if world.chance(0.4):
            init["restartPolicy"] = "Always"
        spec.setdefault("initContainers", []).append(init)
    if world.chance(0.3):
        spec["containers"].append(
            {"name": "c2", "image": "img2", "resources": {"limits": {"cpu": rng.choice(["10m", "3"])}}}
        )
    if world.chance(0.2):
        container(pending)["resources"].setdefault("requests", {})["ephemeral-storage"] = f"{rng.randint(1, 60)}Gi"
    if world.chance(0.2):
        spec["overhead"] = {"cpu": rng.choice(["10m", "1"]), "memory": "120Mi"}


TAINTS = [("dedicated", "gpu"), ("dedicated", "db"), ("flaky", ""), ("node.kubernetes.io/not-ready", "")]
EFFECTS = ["NoSchedule", "PreferNoSchedule", "NoExecute"]


def taints(world: World) -> None:
    """Taints, cordons and tolerations."""
    for node in world.nodes:
        found = [{"key": key, "value": value, "effect": world.rng.choice(EFFECTS)} for key, value in world.some(TAINTS)]
        if found:
            node["spec"]["taints"] = found
        if world.chance(0.15):
            node["spec"]["unschedulable"] = True
    tolerations: list[Object] = [{"operator": "Exists"}] if world.chance(0.1) else []
    for key, value in world.some([*TAINTS, ("node.kubernetes.io/unschedulable", "")], 0, 4):
        equal = {"operator": "Equal", "value": world.rng.choice([value, value, "other"])}
        effect = {"effect": world.rng.choice(EFFECTS)} if world.chance(0.6) else {}
        tolerations.append({"key": key, **(equal if world.chance(0.5) else {"operator": "Exists"}), **effect})
    world.pending["spec"]["tolerations"] = tolerations


def requirement(world: World) -> Object:
    """Of a node's labels."""
    values = {
        "disk": ["ssd", "hdd"],
        "gen": [str(number) for number in range(1, 10)],
        ZONE: list(ZONES),
        "absent": ["x"],
    }
    values[HOST] = [node["metadata"]["name"] for node in world.nodes]
    key = world.rng.choice(list(values))
    operator = world.rng.choice(
        ["In", "In", "NotIn", "Exists", "DoesNotExist"] + (["Gt", "Lt"] if key == "gen" else [])
    )
    if operator in ("Exists", "DoesNotExist"):
        return {"key": key, "operator": operator}
    count = 1 if operator in ("Gt", "Lt") else 3
    return {"key": key, "operator": operator, "values": world.some(values[key], 1, count)}


def node_affinity(world: World) -> None:
    """nodeSelector and node affinity, required and preferred, by labels and by name."""
    spec, rng = world.pending["spec"], world.rng
    if world.chance(0.3):
        spec["nodeSelector"] = {"disk": rng.choice(["ssd", "hdd"])}
    wish: Object = {}
    if world.chance(0.5):
        terms: list[Object] = []
        for _ in range(rng.randint(1, 3)):
            terms.append({"matchExpressions": [requirement(world) for _ in range(rng.randint(0, 2))]})
            if world.chance(0.2):
                name = rng.choice(world.nodes)["metadata"]["name"]
                operator = rng.choice(["In", "NotIn"])
                terms[-1]["matchFields"] = [{"key": "metadata.name", "operator": operator, "values": [name]}]
        wish["requiredDuringSchedulingIgnoredDuringExecution"] = {"nodeSelectorTerms": terms}
    if world.chance(0.7):
        wish["preferredDuringSchedulingIgnoredDuringExecution"] = [
            {"weight": rng.randint(1, 100), "preference": {"matchExpressions": [requirement(world)]}}
            for _ in range(rng.randint(1, 4))
        ]
    affinity_of(world.pending)["nodeAffinity"] = wish


def selector(world: World) -> Object:
    """Of a pod's labels."""
    rng = world.rng
    kinds: list[Object] = [{"matchLabels": {"app": rng.choice(APPS)}}] * 4
    kinds += [
        {"matchExpressions": [{"key": "app", "operator": rng.choice(["In", "NotIn"]), "values": world.some(APPS, 1)}]}
    ]
    kinds += [{"matchExpressions": [{"key": "tier", "operator": rng.choice(["Exists", "DoesNotExist"])}]}, {}]
    return rng.choice(kinds)


def pod_affinity(world: World) -> None:
    """Affinity and anti-affinity between pods, also of the pods that run."""
    rng = world.rng
    if world.chance(0.4):
        for name in NAMESPACES:
            world.add("v1", "Namespace", name, metadata={"labels": {"team": rng.choice(["a", "b"])}})
    for pod in [*world.some(world.running, 0, 8), world.pending]:
        for kind in world.some(["podAffinity", "podAntiAffinity"], 1, 2):
            wish: Object = {}
            if world.chance(0.3):
                wish["requiredDuringSchedulingIgnoredDuringExecution"] = [
                    _term(world) for _ in range(rng.randint(1, 2))
                ]
            if world.chance(0.6):
                wish["preferredDuringSchedulingIgnoredDuringExecution"] = [
                    {"weight": rng.randint(1, 100), "podAffinityTerm": _term(world)} for _ in range(rng.randint(1, 3))
                ]
            affinity_of(pod)[kind] = wish


def _term(world: World) -> Object:
    term = {"labelSelector": selector(world), "topologyKey": world.rng.choice([ZONE, HOST, "disk"])}
    if world.chance(0.3):
        term["namespaces"] = world.some(NAMESPACES, 1, 2)
    if world.chance(0.2):
        term["namespaceSelector"] = world.rng.choice([{}, {"matchLabels": {"team": "a"}}])
    if term["labelSelector"] and world.chance(0.15):
        term[world.rng.choice(["matchLabelKeys", "mismatchLabelKeys"])] = ["tier"]
    return term


def spreading(world: World) -> None:
    """Topology spread constraints with all their settings."""
    rng = world.rng
    constraints = []
    for key in world.some([ZONE, HOST, "disk"], 1, 2):
        constraint = {"maxSkew": rng.randint(1, 3), "topologyKey": key, "labelSelector": selector(world)}
        constraint["whenUnsatisfiable"] = rng.choice(["DoNotSchedule", "ScheduleAnyway"])
        if constraint["whenUnsatisfiable"] == "DoNotSchedule" and world.chance(0.3):
            constraint["minDomains"] = rng.randint(1, 4)
        for policy in ("nodeAffinityPolicy", "nodeTaintsPolicy"):
            if world.chance(0.2):
                constraint[policy] = rng.choice(["Honor", "Ignore"])
        if constraint["labelSelector"] and world.chance(0.2):
            constraint["matchLabelKeys"] = ["tier"]
        constraints.append(constraint)
    world.pending["spec"]["topologySpreadConstraints"] = constraints


def owned(world: World) -> None:
    """A Service and a ReplicaSet that select the pod: the spreading of older generations, the default of newer ones."""
    pending = world.pending
    app, namespace = pending["metadata"]["labels"]["app"], pending["metadata"]["namespace"]
    if world.chance(0.8):
        world.add("v1", "Service", "svc", namespace, spec={"selector": {"app": app}})
    if world.chance(0.7):
        labels = {"matchLabels": {"app": app}}
        template = {"metadata": {"labels": {"app": app}}, "spec": {"containers": [{"name": "c", "image": "img"}]}}
        owner = world.add("apps/v1", "ReplicaSet", "rs", namespace, spec={"selector": labels, "template": template})
        reference = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "rs", "uid": owner["metadata"]["uid"]}
        pending["metadata"]["ownerReferences"] = [reference | {"controller": True}]


def images(world: World) -> None:
    """Images that nodes have, of many sizes, with and without a tag."""
    for node in world.nodes:
        node["status"]["images"] = [
            {"names": [f"reg.example/{app}:v{world.rng.randint(1, 2)}"], "sizeBytes": world.rng.randint(5, 1500) * MI}
            for app in world.some(APPS)
        ]
    for each in world.pending["spec"]["containers"]:
        each["image"] = world.rng.choice(["reg.example/web", *(f"reg.example/{app}:v1" for app in APPS)])


def ports(world: World) -> None:
    """Host ports with protocols and addresses."""
    for pod in [*world.some(world.running, 0, 6), world.pending]:
        port: Object = {"containerPort": 80, "hostPort": world.rng.choice([80, 81])}
        if world.chance(0.5):
            port["protocol"] = world.rng.choice(["TCP", "UDP"])
        if world.chance(0.4):
            port["hostIP"] = world.rng.choice(["127.0.0.1", "10.0.0.1", "0.0.0.0"])
        container(pod)["ports"] = [port]


def _disk(world: World) -> Object:
    name, read_only = world.rng.choice(["d1", "d2"]), world.chance(0.5)
    return world.rng.choice(
        [
            {"name": "v", "gcePersistentDisk": {"pdName": name, "readOnly": read_only}},
            {"name": "v", "awsElasticBlockStore": {"volumeID": name}},
            {"name": "v", "iscsi": {"targetPortal": "t", "iqn": name, "lun": 0, "readOnly": read_only}},
            {"name": "v", "rbd": {"monitors": ["m1"], "image": name, "pool": "rbd", "readOnly": read_only}},
        ]
    )


def volumes(world: World) -> None:
    """Disks that clash, and a claim with its volume in a zone."""
    for pod in [*world.some(world.running, 0, 6), world.pending]:
        pod["spec"]["volumes"] = [_disk(world)]
    if world.chance(0.6):
        _claimed(world)


def _claimed(world: World) -> None:
    namespace, zone = world.pending["metadata"]["namespace"], world.rng.choice(ZONES)
    labels = {ZONE: zone, "failure-domain.beta.kubernetes.io/zone": zone} if world.chance(0.6) else {}
    reference = {"kind": "PersistentVolumeClaim", "namespace": namespace, "name": "claim", "uid": "claim-uid"}
    spec: Object = {"capacity": {"storage": "10Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "std"}
    spec |= {"volumeMode": "Filesystem", "gcePersistentDisk": {"pdName": "pvd"}, "claimRef": reference}
    if world.chance(0.5):
        within = {"key": ZONE, "operator": "In", "values": world.some(ZONES, 1, 2)}
        spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": [{"matchExpressions": [within]}]}}
    world.add("v1", "PersistentVolume", "pv", spec=spec, status={"phase": "Bound"}, metadata={"labels": labels})
    mode = {"provisioner": "kubernetes.io/gce-pd", "volumeBindingMode": "Immediate"}
    world.add("storage.k8s.io/v1", "StorageClass", "std", **mode)
    claim: Object = {"accessModes": ["ReadWriteOnce"], "storageClassName": "std", "volumeName": "pv"}
    claim |= {"volumeMode": "Filesystem", "resources": {"requests": {"storage": "5Gi"}}}
    bound = {"uid": "claim-uid", "annotations": {"pv.kubernetes.io/bind-completed": "yes"}}
    world.add("v1", "PersistentVolumeClaim", "claim", namespace, spec=claim, status={"phase": "Bound"}, metadata=bound)
    name = "claim" if world.chance(0.9) else "absent"
    world.pending["spec"]["volumes"] = [{"name": "v", "persistentVolumeClaim": {"claimName": name}}]


IN_TREE = {
    "awsElasticBlockStore": ("kubernetes.io/aws-ebs", "ebs.csi.aws.com", "aws-ebs"),
    "gcePersistentDisk": ("kubernetes.io/gce-pd", "pd.csi.storage.gke.io", "gce-pd"),
    "azureDisk": ("kubernetes.io/azure-disk", "disk.csi.azure.com", "azure-disk"),
    "cinder": ("kubernetes.io/cinder", "cinder.csi.openstack.org", "cinder"),
    "portworxVolume": ("kubernetes.io/portworx-volume", "pxd.portworx.com", "portworx"),
}
"""By the source of a volume: its in-tree plugin, the driver that replaced it, the end of its limit's resource."""
DRIVER_ZONE = {
    "awsElasticBlockStore": "topology.ebs.csi.aws.com/zone",
    "gcePersistentDisk": "topology.gke.io/zone",
    "cinder": "topology.cinder.csi.openstack.org/zone",
}


def volume_limits(world: World) -> None:
    """Clouds' volumes on nodes with limits: inline, claimed, ephemeral; in-tree, migrated, or of a driver."""
    sources = world.some(IN_TREE, 1, 2)
    for node in world.nodes:
        _limits(world, node, sources)
    for source in sources:
        mode = {
            "provisioner": IN_TREE[source][world.rng.choice([0, 0, 1])],
            "volumeBindingMode": "WaitForFirstConsumer",
        }
        world.add("storage.k8s.io/v1", "StorageClass", source.lower(), **mode)
    for pod in [*world.some(world.running, 0, 10), world.pending]:
        names = (f"v{number}" for number in range(world.rng.randint(1, 3)))
        pod["spec"]["volumes"] = [_cloud_volume(world, pod, name, world.rng.choice(sources)) for name in names]


def _limits(world: World, node: Object, sources: list[str]) -> None:
    name, drivers = node["metadata"]["name"], []
    for source in sources:
        _, driver, resource = IN_TREE[source]
        for ending, probability in ((resource, 0.5), (f"csi-{driver}", 0.15)):
            if world.chance(probability):
                node["status"]["allocatable"][f"attachable-volumes-{ending}"] = str(world.rng.randint(0, 3))
        if source in DRIVER_ZONE and world.chance(0.5):
            node["metadata"]["labels"][DRIVER_ZONE[source]] = world.rng.choice(ZONES)
        if world.chance(0.8):
            limit = {"allocatable": {"count": world.rng.randint(0, 3)}} if world.chance(0.8) else {}
            drivers.append({"name": driver, "nodeID": name, **limit})
    if world.chance(0.85):
        migrated = ",".join(IN_TREE[source][0] for source in world.some(sources))
        annotations = {"annotations": {"storage.alpha.kubernetes.io/migrated-plugins": migrated}} if migrated else {}
        world.add("storage.k8s.io/v1", "CSINode", name, spec={"drivers": drivers}, metadata=annotations)


def _cloud_volume(world: World, pod: Object, name: str, source: str) -> Object:
    how = world.rng.choice(["inline", "claim", "claim", "ephemeral"])
    if how == "inline":
        return {"name": name, source: _cloud_disk(world, source)}
    owned = how == "ephemeral"
    claim = f"{pod['metadata']['name']}-{name}" if owned else f"c{world.rng.randint(1, 4)}"
    namespace = pod["metadata"]["namespace"]
    made = {(each["kind"], each["metadata"].get("namespace"), each["metadata"]["name"]) for each in world.objects}
    exists = ("PersistentVolumeClaim", namespace, claim) in made
    if not exists and world.chance(0.95 if pod is world.pending else 0.85):
        _cloud_claim(world, pod, claim, source, owned)
    if not owned:
        return {"name": name, "persistentVolumeClaim": {"claimName": claim}}
    size = {"resources": {"requests": {"storage": "1Gi"}}}
    template = {"spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": source.lower(), **size}}
    return {"name": name, "ephemeral": {"volumeClaimTemplate": template}}


def _cloud_disk(world: World, source: str) -> Object:
    disk = f"vol-{world.rng.randint(1, 6)}"
    if source == "gcePersistentDisk":
        return {"pdName": disk}
    if source == "azureDisk":
        kind = "Dedicated" if world.chance(0.03) else "Managed"
        return {"diskName": disk, "diskURI": f"uri/{disk}", "kind": kind}
    if source == "awsElasticBlockStore" and world.chance(0.2):
        return {"volumeID": f"aws://z1/{'no-' if world.chance(0.1) else ''}{disk}"}
    return {"volumeID": disk}


def _cloud_claim(world: World, pod: Object, name: str, source: str, owned: bool) -> None:
    """A claim, mostly with a volume: an in-tree one or the driver's."""
    namespace, volume = pod["metadata"]["namespace"], f"pv-{pod['metadata']['namespace']}-{name}"
    spec: Object = {"accessModes": ["ReadWriteOnce"], "storageClassName": source.lower(), "volumeMode": "Filesystem"}
    spec["resources"] = {"requests": {"storage": "1Gi"}}
    metadata: Object = {"uid": f"uid-{namespace}-{name}"}
    if owned:
        owner = pod["metadata"]["uid"] if world.chance(0.95) else "another"
        reference = {"apiVersion": "v1", "kind": "Pod", "name": pod["metadata"]["name"], "uid": owner}
        metadata["ownerReferences"] = [reference | {"controller": True}]
    bound = world.chance(0.75)
    if bound:
        spec["volumeName"] = volume
        metadata["annotations"] = {"pv.kubernetes.io/bind-completed": "yes"}
    status = {"phase": "Bound" if bound else "Pending"}
    world.add("v1", "PersistentVolumeClaim", name, namespace, spec=spec, status=status, metadata=metadata)
    if bound and world.chance(0.97):
        _cloud_persistent_volume(world, volume, source, namespace, name)


def _cloud_persistent_volume(world: World, name: str, source: str, namespace: str, claim: str) -> None:
    spec: Object = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "volumeMode": "Filesystem"}
    uid = f"uid-{namespace}-{claim}"
    spec["claimRef"] = {"kind": "PersistentVolumeClaim", "namespace": namespace, "name": claim, "uid": uid}
    spec["storageClassName"] = source.lower()
    if world.chance(0.3):
        spec["csi"] = {"driver": IN_TREE[source][1], "volumeHandle": f"vol-{world.rng.randint(1, 6)}"}
    else:
        spec[source] = _cloud_disk(world, source)
    labels = {ZONE: world.rng.choice(ZONES)} if world.chance(0.15) else {}
    if world.chance(0.2):
        within = {"key": ZONE, "operator": "In", "values": world.some(ZONES, 1, 3)}
        spec["nodeAffinity"] = {"required": {"nodeSelectorTerms": [{"matchExpressions": [within]}]}}
    world.add("v1", "PersistentVolume", name, spec=spec, status={"phase": "Bound"}, metadata={"labels": labels})


def full(world: World) -> None:
    """Nodes without room, priorities and budgets: preemption."""
    rng, alike = world.rng, world.chance(0.4)
    priorities = rng.choice([[-10, 0, 10, 100], [0, 1, 2], [5], [-5, -4], [1000, 2147483637]])
    for pod in world.running:
        pod["spec"]["priority"] = rng.choice(priorities)
        container(pod)["resources"]["requests"] = {
            "cpu": "1" if alike else f"{rng.randint(400, 1600)}m",
            "memory": "100Mi",
        }
    for node in world.nodes:
        used = sum(1 for pod in world.running if pod["spec"]["nodeName"] == node["metadata"]["name"])
        node["status"]["allocatable"] |= {"cpu": str(max(used, 1)), "memory": "8Gi", "pods": "110"}
    for app in world.some(APPS):
        health = {"currentHealthy": 3, "desiredHealthy": 1, "expectedPods": 3, "disruptionsAllowed": rng.randint(0, 2)}
        covers = [pod["metadata"]["name"] for pod in world.running if pod["metadata"]["labels"]["app"] == app]
        gone = {"disruptedPods": {rng.choice(covers): world.time()}} if covers and world.chance(0.2) else {}
        labels = {"selector": {"matchLabels": {"app": app}}, "minAvailable": 1}
        world.add("policy/v1", "PodDisruptionBudget", app, "default", spec=labels, status=health | gone)
    highest = max(priorities)
    world.pending["spec"]["priority"] = rng.choice([highest + 1, highest, min(priorities) + 1])
    container(world.pending)["resources"]["requests"] = {"cpu": f"{rng.randint(500, 3900)}m", "memory": "100Mi"}
    if world.chance(0.08):
        world.pending["spec"]["preemptionPolicy"] = "Never"


def nominated(world: World) -> None:
    """Pods that wait for a node on which others end."""
    rng = world.rng
    for _ in range(rng.randint(1, 4)):
        waits = world.pod()
        waits["status"] = {"nominatedNodeName": rng.choice(world.nodes)["metadata"]["name"]}
    if world.chance(0.3):
        place = rng.choice(world.nodes)["metadata"]["name"]
        world.pending["status"] = {"nominatedNodeName": place}
        for pod in world.running:
            if pod["spec"]["nodeName"] == place and world.chance(0.4):
                pod["metadata"] |= {"deletionTimestamp": world.time(), "deletionGracePeriodSeconds": 30}
                reason = {"type": "DisruptionTarget", "status": "True", "reason": "PreemptionByScheduler"}
                pod["status"]["conditions"] = [reason]


Feature = Callable[[World], None]
FEATURES: dict[str, Feature] = {
    each.__name__: each
    for each in (
        resources,
        taints,
        node_affinity,
        pod_affinity,
        spreading,
        owned,
        images,
        ports,
        volumes,
        volume_limits,
        full,
        nominated,
    )  # fmt: skip
}


def scenario(seed: str, features: list[str] | None = None) -> Object:
    """The scenario of this seed, with these features or one to four drawn ones."""
    rng = random.Random(seed)
    world = World(rng)
    chosen = features or world.some(FEATURES, 1, 4)
    for name in FEATURES:
        if name in chosen:
            FEATURES[name](world)
    if world.chance(0.5):
        rng.shuffle(world.objects)
    where = world.pending["metadata"]
    return {"id": seed, "objects": world.objects, "pod": f"{where['namespace']}/{where['name']}"}


def scenarios(seed: int) -> Iterator[Object]:
    """Scenarios without end."""
    number = 0
    while True:
        yield scenario(f"fuzz-{seed}-{number}")
        number += 1
