"""Valid objects of every kind, with a random choice of the fields that a scheduler reads."""

import random
from collections.abc import Callable
from copy import deepcopy
from typing import Any

Manifest = dict[str, Any]


def _maybe(rng: random.Random, chance: float, **fields: Any) -> Manifest:
    return fields if rng.random() < chance else {}


def _object(rng: random.Random, version: str, kind: str, namespaced: bool = True, **parts: Any) -> Manifest:
    metadata: Manifest = {"name": rng.choice(("web", "web-1", "data-0", "node-a", "a.b"))}
    if kind in ("Service", "Namespace"):
        metadata["name"] = "web-1"
    if namespaced and rng.random() < 0.6:
        metadata["namespace"] = rng.choice(("default", "team-a"))
    if rng.random() < 0.5:
        metadata["labels"] = {"app": rng.choice(("web", "db")), "example.com/tier": "front"}
    metadata |= _maybe(rng, 0.1, annotations={"example.com/note": "x y"})
    metadata |= _maybe(rng, 0.1, finalizers=["example.com/hold"])
    metadata |= _maybe(rng, 0.1, creationTimestamp="2024-01-31T12:00:00Z", resourceVersion="5", generation=2)
    if rng.random() < 0.2:
        owner = {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "u1", "controller": True}
        metadata["ownerReferences"] = [owner]
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **parts}


# -- pods


def _selector(rng: random.Random) -> Manifest:
    made: Manifest = {}
    if rng.random() < 0.7:
        made["matchLabels"] = {"app": rng.choice(("web", "db"))}
    if rng.random() < 0.5:
        operator = rng.choice(("In", "NotIn", "Exists", "DoesNotExist"))
        values = _maybe(rng, 1, values=["a", "b"]) if operator in ("In", "NotIn") else {}
        made["matchExpressions"] = [{"key": "tier", "operator": operator} | values]
    return made


def _node_term(rng: random.Random) -> Manifest:
    if rng.random() < 0.2:
        return {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["node-a"]}]}
    operator = rng.choice(("In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"))
    values = {"In": ["a", "b"], "NotIn": ["a"], "Gt": ["5"], "Lt": ["7"]}.get(operator)
    return {"matchExpressions": [{"key": "zone", "operator": operator} | ({"values": values} if values else {})]}


def _affinity_term(rng: random.Random) -> Manifest:
    made: Manifest = {"topologyKey": rng.choice(("kubernetes.io/hostname", "zone")), "labelSelector": _selector(rng)}
    made |= _maybe(rng, 0.3, namespaces=["team-a", "team-b"])
    made |= _maybe(rng, 0.2, namespaceSelector=_selector(rng))
    made |= _maybe(rng, 0.2, matchLabelKeys=["version"])
    return made | _maybe(rng, 0.2, mismatchLabelKeys=["release"])


def _pod_affinity(rng: random.Random) -> Manifest:
    weighted = {"weight": rng.choice((1, 50, 100)), "podAffinityTerm": _affinity_term(rng)}
    made = _maybe(rng, 0.7, requiredDuringSchedulingIgnoredDuringExecution=[_affinity_term(rng)])
    return made | _maybe(rng, 0.5, preferredDuringSchedulingIgnoredDuringExecution=[weighted])


def _affinity(rng: random.Random) -> Manifest:
    made: Manifest = {}
    if rng.random() < 0.5:
        weighted = {"weight": rng.choice((1, 50, 100)), "preference": _node_term(rng)}
        made["nodeAffinity"] = _maybe(
            rng, 0.7, requiredDuringSchedulingIgnoredDuringExecution={"nodeSelectorTerms": [_node_term(rng)]}
        ) | _maybe(rng, 0.5, preferredDuringSchedulingIgnoredDuringExecution=[weighted])
    made |= _maybe(rng, 0.4, podAffinity=_pod_affinity(rng))
    return made | _maybe(rng, 0.4, podAntiAffinity=_pod_affinity(rng))


def _toleration(rng: random.Random) -> Manifest:
    if rng.random() < 0.2:
        return {"operator": "Exists"}
    made: Manifest = {"key": rng.choice(("dedicated", "example.com/gpu"))}
    made |= {"operator": "Exists"} if rng.random() < 0.4 else {"value": "a"} | _maybe(rng, 0.5, operator="Equal")
    made |= _maybe(rng, 0.6, effect=rng.choice(("NoSchedule", "PreferNoSchedule", "NoExecute")))
    return made | (_maybe(rng, 0.5, tolerationSeconds=30) if made.get("effect") == "NoExecute" else {})


def _spread(rng: random.Random) -> Manifest:
    made: Manifest = {"maxSkew": rng.choice((1, 2)), "topologyKey": "zone", "labelSelector": _selector(rng)}
    made["whenUnsatisfiable"] = rng.choice(("DoNotSchedule", "ScheduleAnyway"))
    made |= _maybe(rng, 0.3, nodeAffinityPolicy="Honor", nodeTaintsPolicy="Ignore")
    made |= _maybe(rng, 0.3, matchLabelKeys=["version"])
    return made | (_maybe(rng, 0.4, minDomains=2) if made["whenUnsatisfiable"] == "DoNotSchedule" else {})


def _resources(rng: random.Random) -> Manifest:
    made: Manifest = {}
    requests = {"cpu": "100m", "memory": "64Mi"}
    if rng.random() < 0.2:
        requests["ephemeral-storage"] = "1Gi"
    if rng.random() < 0.8:
        made["requests"] = requests
    if rng.random() < 0.3:
        made["limits"] = {"cpu": "1", "memory": "128Mi"}
    for name, amount in (("example.com/gpu", "1"), ("hugepages-2Mi", "4Mi")):
        if rng.random() < 0.15 and "requests" in made:
            made["requests"][name] = amount
            made.setdefault("limits", {})[name] = amount
    return made


def _container(rng: random.Random, name: str, port: int) -> Manifest:
    made: Manifest = {"name": name, "image": "example/app:1"}
    made |= _maybe(rng, 0.7, resources=_resources(rng))
    rules = [{"action": "Restart", "exitCodes": {"operator": "In", "values": [7]}}]
    made |= _maybe(rng, 0.05, restartPolicy="Never", restartPolicyRules=rules)
    if rng.random() < 0.4:
        ports = {"containerPort": port} | _maybe(rng, 0.4, hostPort=port) | _maybe(rng, 0.3, name="http")
        made["ports"] = [ports | _maybe(rng, 0.4, protocol=rng.choice(("TCP", "UDP")))]
        made["ports"][0] |= _maybe(rng, 0.1, hostIP="10.0.0.1")
    return made


_SOURCES: tuple[Manifest, ...] = (
    {"persistentVolumeClaim": {"claimName": "data"}},
    {"persistentVolumeClaim": {"claimName": "data-1", "readOnly": True}},
    {"csi": {"driver": "csi.example.com"}},
    {"gcePersistentDisk": {"pdName": "disk"}},
    {"awsElasticBlockStore": {"volumeID": "vol-1", "readOnly": True}},
    {"iscsi": {"targetPortal": "10.0.0.1:3260", "iqn": "iqn.2001-04.com.example:storage", "lun": 1}},
    {"rbd": {"monitors": ["10.0.0.1:6789"], "image": "a", "pool": "b"}},
    {"cinder": {"volumeID": "vol-2"}},
    {"azureDisk": {"diskName": "d", "diskURI": "https://a.blob.core.windows.net/c/d.vhd"}},
    {"azureFile": {"secretName": "s", "shareName": "t"}},
    {"vsphereVolume": {"volumePath": "[a] b"}},
    {"portworxVolume": {"volumeID": "vol-3"}},
    {"image": {"reference": "example/data:1"}},
    {},
)


def _volume(rng: random.Random, name: str) -> Manifest:
    if rng.random() < 0.15:
        return {"name": name, "ephemeral": {"volumeClaimTemplate": {"spec": _claim_spec(rng)}}}
    return {"name": name} | deepcopy(rng.choice(_SOURCES))


def _pod_spec(rng: random.Random, template: bool = False) -> Manifest:
    made: Manifest = {"containers": [_container(rng, "main", 80)]}
    if rng.random() < 0.3:
        made["containers"].append(_container(rng, "side", 81))
    if rng.random() < 0.3:
        first = _container(rng, "init", 82) | _maybe(rng, 0.5, restartPolicy="Always")
        made["initContainers"] = [first]
    made |= _maybe(rng, 0.3, nodeSelector={"disk": "ssd", "example.com/zone": "a"})
    made |= _maybe(rng, 0.4, affinity=_affinity(rng))
    made |= _maybe(rng, 0.4, tolerations=[_toleration(rng) for _ in range(rng.choice((1, 2)))])
    made |= _maybe(rng, 0.3, topologySpreadConstraints=[_spread(rng)])
    made |= _maybe(rng, 0.4, volumes=[_volume(rng, name) for name in ("data", "logs")[: rng.choice((1, 2))]])
    made |= _maybe(rng, 0.15, overhead={"cpu": "100m", "memory": "32Mi"})
    made |= _maybe(rng, 0.15, resources={"requests": {"cpu": "8", "memory": "8Gi", "hugepages-2Mi": "64Mi"}})
    if "resources" in made:
        made["resources"]["limits"] = dict(made["resources"]["requests"])
    made |= _maybe(rng, 0.15, schedulingGates=[{"name": "example.com/hold"}])
    made |= _maybe(rng, 0.15, readinessGates=[{"conditionType": "example.com/ready"}])
    made |= _maybe(rng, 0.2, terminationGracePeriodSeconds=30, schedulerName="default-scheduler")
    made |= _maybe(rng, 0.2, priorityClassName="high", preemptionPolicy="Never")
    made |= _maybe(rng, 0.1, hostNetwork=True)
    made |= _maybe(rng, 0.1, runtimeClassName="gvisor")
    if template:
        return made
    made |= _maybe(rng, 0.2, restartPolicy=rng.choice(("Always", "OnFailure", "Never")))
    made |= _maybe(rng, 0.1, activeDeadlineSeconds=60)
    made |= _maybe(rng, 0.2, priority=rng.choice((-5, 0, 1000)))
    return made | (_maybe(rng, 0.3, nodeName="node-a") if "schedulingGates" not in made else {})


def _pod(rng: random.Random) -> Manifest:
    spec = _pod_spec(rng)
    made = _object(rng, "v1", "Pod", spec=spec)
    made["metadata"] |= _maybe(rng, 0.2, uid="u-1")
    if rng.random() < 0.4:
        made["status"] = {"phase": rng.choice(("Pending", "Running", "Succeeded"))}
        made["status"] |= _maybe(rng, 0.3, startTime="2024-01-31T12:00:00Z")
        made["status"] |= _maybe(rng, 0.3, conditions=[{"type": "Ready", "status": "True"}])
        made["status"] |= _maybe(rng, 0.2, nominatedNodeName="node-b")
        status = {"name": "main", "ready": True, "restartCount": 0, "image": "i", "imageID": "i"}
        made["status"] |= _maybe(rng, 0.2, containerStatuses=[status | {"state": {"running": {}}}])
        made["status"] |= _maybe(rng, 0.1, hostIP="10.0.0.1", podIP="10.0.0.2", podIPs=[{"ip": "10.0.0.2"}])
    return made


# -- nodes and workloads


def _node(rng: random.Random) -> Manifest:
    amounts = {"cpu": "4", "memory": "8Gi", "pods": "110"} | _maybe(rng, 0.2, **{"example.com/gpu": "2"})
    made = _object(rng, "v1", "Node", namespaced=False, status={"allocatable": amounts})
    made["status"] |= _maybe(rng, 0.5, capacity=dict(amounts))
    made["status"] |= _maybe(rng, 0.2, images=[{"names": ["example/app:1"], "sizeBytes": 1000}])
    made["status"] |= _maybe(rng, 0.2, conditions=[{"type": "Ready", "status": "True"}])
    made["status"] |= _maybe(rng, 0.2, declaredFeatures=["A", "B"])
    if rng.random() < 0.5:
        made["spec"] = {"taints": [{"key": "dedicated", "value": "a", "effect": "NoSchedule"}]}
        if rng.random() < 0.3:
            made["spec"]["taints"].append({"key": "dedicated", "effect": "NoExecute"})
        made["spec"] |= _maybe(rng, 0.3, unschedulable=True)
    return made


def _template(rng: random.Random, **spec: Any) -> Manifest:
    return {"metadata": {"labels": {"app": "web", "tier": "front"}}, "spec": _pod_spec(rng, template=True) | spec}


def _workload(version: str, kind: str) -> Callable[[random.Random], Manifest]:
    def build(rng: random.Random) -> Manifest:
        spec: Manifest = {"selector": {"matchLabels": {"app": "web"}}, "template": _template(rng)}
        spec |= _maybe(rng, 0.6, replicas=rng.choice((0, 1, 3)))
        if kind == "StatefulSet":
            spec |= {"serviceName": "web"} | _maybe(rng, 0.3, podManagementPolicy="Parallel")
            claim = {"metadata": {"name": "claim"}, "spec": _claim_spec(rng)}
            spec |= _maybe(rng, 0.4, volumeClaimTemplates=[claim])
        made = _object(rng, version, kind, spec=spec)
        counts = {"replicas": 3, "readyReplicas": 2, "availableReplicas": 1, "observedGeneration": 1}
        return made | _maybe(rng, 0.3, status=counts)

    return build


def _replication_controller(rng: random.Random) -> Manifest:
    spec = {"template": _template(rng)} | _maybe(rng, 0.5, selector={"app": "web"}) | _maybe(rng, 0.6, replicas=2)
    return _object(rng, "v1", "ReplicationController", spec=spec)


def _job(rng: random.Random) -> Manifest:
    spec: Manifest = {"template": _template(rng, restartPolicy=rng.choice(("Never", "OnFailure")))}
    spec |= _maybe(rng, 0.4, parallelism=2) | _maybe(rng, 0.4, completions=3) | _maybe(rng, 0.3, backoffLimit=4)
    return _object(rng, "batch/v1", "Job", spec=spec)


def _service(rng: random.Random) -> Manifest:
    spec = {"ports": [{"port": 80}]} | _maybe(rng, 0.8, selector={"app": "web"})
    return _object(rng, "v1", "Service", spec=spec)


def _namespace(rng: random.Random) -> Manifest:
    return _object(rng, "v1", "Namespace", namespaced=False)


def _budget(rng: random.Random) -> Manifest:
    amount = {rng.choice(("minAvailable", "maxUnavailable")): rng.choice((0, 1, 5, "50%", "100%"))}
    spec = {"selector": _selector(rng)} | (amount if rng.random() < 0.8 else {})
    spec |= _maybe(rng, 0.2, unhealthyPodEvictionPolicy=rng.choice(("IfHealthyBudget", "AlwaysAllow")))
    counts = {"disruptionsAllowed": 1, "currentHealthy": 3, "desiredHealthy": 2, "expectedPods": 3}
    counts |= _maybe(rng, 0.3, disruptedPods={"web-1": "2024-01-31T12:00:00Z"})
    return _object(rng, "policy/v1", "PodDisruptionBudget", spec=spec) | _maybe(rng, 0.6, status=counts)


def _priority_class(rng: random.Random) -> Manifest:
    made = _object(
        rng, "scheduling.k8s.io/v1", "PriorityClass", namespaced=False, value=rng.choice((-5, 0, 1000, 10**9))
    )
    return made | _maybe(rng, 0.2, globalDefault=True) | _maybe(rng, 0.3, preemptionPolicy="Never")


def _pod_group(rng: random.Random) -> Manifest:
    policy = rng.choice(({"basic": {}}, {"gang": {"minCount": rng.choice((1, 3))}}))
    spec: Manifest = {"schedulingPolicy": policy}
    spec |= _maybe(rng, 0.3, schedulingConstraints={"topology": [{"key": "example.com/rack"}]})
    spec |= _maybe(rng, 0.3, disruptionMode=rng.choice(({"single": {}}, {"all": {}})))
    spec |= _maybe(rng, 0.3, priority=rng.choice((-5, 0, 1000))) | _maybe(rng, 0.2, preemptionPolicy="Never")
    return _object(rng, "scheduling.k8s.io/v1beta1", "PodGroup", spec=spec)


# -- storage


def _claim_spec(rng: random.Random) -> Manifest:
    modes = rng.choice((["ReadWriteOnce"], ["ReadOnlyMany", "ReadWriteMany"], ["ReadWriteOncePod"]))
    spec: Manifest = {"accessModes": modes, "resources": {"requests": {"storage": "1Gi"}}}
    spec |= _maybe(rng, 0.5, storageClassName=rng.choice(("standard", "")))
    spec |= _maybe(rng, 0.2, volumeMode=rng.choice(("Filesystem", "Block")))
    return spec | _maybe(rng, 0.2, selector=_selector(rng)) | _maybe(rng, 0.2, volumeName="pv-1")


def _claim(rng: random.Random) -> Manifest:
    made = _object(rng, "v1", "PersistentVolumeClaim", spec=_claim_spec(rng))
    status = {"phase": "Bound", "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"]}
    return made | _maybe(rng, 0.3, status=status)


def _volume_source(rng: random.Random) -> Manifest:
    sources = [each for each in _SOURCES if each and not {"persistentVolumeClaim", "image"} & each.keys()]
    source = deepcopy(rng.choice((*sources, {"hostPath": {"path": "/data"}}, {"local": {"path": "/data"}})))
    if "csi" in source:
        source["csi"]["volumeHandle"] = "h"
    return source


def _volume_object(rng: random.Random) -> Manifest:
    spec = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], **_volume_source(rng)}
    affinity = {"required": {"nodeSelectorTerms": [_node_term(rng)]}}
    spec |= {"nodeAffinity": affinity} if "local" in spec else _maybe(rng, 0.3, nodeAffinity=affinity)
    spec |= _maybe(rng, 0.4, storageClassName="standard") | _maybe(rng, 0.2, volumeMode="Filesystem")
    spec |= _maybe(rng, 0.3, persistentVolumeReclaimPolicy=rng.choice(("Retain", "Delete", "Recycle")))
    spec |= _maybe(rng, 0.3, claimRef={"kind": "PersistentVolumeClaim", "namespace": "default", "name": "data"})
    made = _object(rng, "v1", "PersistentVolume", namespaced=False, spec=spec)
    return made | _maybe(rng, 0.3, status={"phase": "Bound"})


def _storage_class(rng: random.Random) -> Manifest:
    made = _object(rng, "storage.k8s.io/v1", "StorageClass", namespaced=False, provisioner="csi.example.com")
    made |= _maybe(rng, 0.6, volumeBindingMode=rng.choice(("Immediate", "WaitForFirstConsumer")))
    made |= _maybe(rng, 0.3, reclaimPolicy=rng.choice(("Delete", "Retain")))
    term = {"matchLabelExpressions": [{"key": "zone", "values": ["a", "b"]}]}
    return made | _maybe(rng, 0.4, allowedTopologies=[term])


def _csi_node(rng: random.Random) -> Manifest:
    driver: Manifest = {"name": "csi.example.com", "nodeID": "n1", "topologyKeys": ["zone", "example.com/rack"]}
    driver |= _maybe(rng, 0.6, allocatable={"count": 16})
    drivers = [driver] + ([{"name": "other.example.com", "nodeID": "n1"}] if rng.random() < 0.3 else [])
    return _object(rng, "storage.k8s.io/v1", "CSINode", namespaced=False, spec={"drivers": drivers})


def _csi_driver(rng: random.Random) -> Manifest:
    spec = _maybe(rng, 0.6, attachRequired=True) | _maybe(rng, 0.6, storageCapacity=False)
    return _object(rng, "storage.k8s.io/v1", "CSIDriver", namespaced=False, spec=spec)


def _storage_capacity(rng: random.Random) -> Manifest:
    made = _object(rng, "storage.k8s.io/v1", "CSIStorageCapacity", storageClassName="standard")
    made |= _maybe(rng, 0.6, nodeTopology=_selector(rng)) | _maybe(rng, 0.7, capacity="1Gi")
    return made | _maybe(rng, 0.4, maximumVolumeSize="512Mi")


def _attachment(rng: random.Random) -> Manifest:
    source: Manifest = {"persistentVolumeName": "pv-1"}
    if rng.random() < 0.3:
        volume = {"accessModes": ["ReadWriteOnce"], "csi": {"driver": "csi.example.com", "volumeHandle": "h"}}
        source = {"inlineVolumeSpec": volume}
    spec = {"attacher": "csi.example.com", "nodeName": "node-a", "source": source}
    made = _object(rng, "storage.k8s.io/v1", "VolumeAttachment", namespaced=False, spec=spec)
    return made | _maybe(rng, 0.4, status={"attached": True})


# -- devices


def _device(rng: random.Random, name: str, each: bool) -> Manifest:
    made: Manifest = {"name": name, "attributes": {"model": {"string": "a100"}, "numa": {"int": 1}}}
    made["attributes"] |= _maybe(rng, 0.4, healthy={"bool": True}) | _maybe(rng, 0.4, driver={"version": "1.2.0"})
    made["capacity"] = {"memory": {"value": "40Gi"}}
    if rng.random() < 0.5:
        ranged = {"min": "2Gi", "max": "20Gi", "step": "2Gi"}
        policy = {"default": "4Gi"} | rng.choice(({"validValues": ["2Gi", "4Gi", "8Gi"]}, {"validRange": ranged}))
        made["capacity"]["memory"]["requestPolicy"] = policy
        made["allowMultipleAllocations"] = True
    made |= _maybe(rng, 0.3, taints=[{"key": "broken", "value": "yes", "effect": "NoSchedule"}])
    made |= _maybe(rng, 0.3, consumesCounters=[{"counterSet": "set-0", "counters": {"slots": {"value": "1"}}}])
    made |= _maybe(rng, 0.3, bindingConditions=["Ready"], bindingFailureConditions=["Failed"])
    return made | (_device_place(rng) if each else {})


def _device_place(rng: random.Random) -> Manifest:
    return rng.choice(({"nodeName": "n1"}, {"allNodes": True}, {"nodeSelector": {"nodeSelectorTerms": [_zone_term()]}}))


def _zone_term() -> Manifest:
    return {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}


def _resource_slice(rng: random.Random) -> Manifest:
    pool = {"name": rng.choice(("p0", "a/b")), "generation": 1, "resourceSliceCount": 2}
    spec: Manifest = {"driver": "gpu.example.com", "pool": pool}
    each = rng.random() < 0.3
    spec |= {"perDeviceNodeSelection": True} if each else _device_place(rng)
    if rng.random() < 0.3:
        spec["sharedCounters"] = [{"name": "set-0", "counters": {"slots": {"value": "4"}}}]
    else:
        spec["devices"] = [_device(rng, f"d{i}", each) for i in range(rng.choice((1, 2)))]
    return _object(rng, "resource.k8s.io/v1", "ResourceSlice", namespaced=False, spec=spec)


def _selectors(rng: random.Random) -> Manifest:
    return _maybe(rng, 0.5, selectors=[{"cel": {"expression": 'device.driver == "gpu.example.com"'}}])


def _settings(rng: random.Random) -> Manifest:
    opaque = {"driver": "gpu.example.com", "parameters": {"kind": "Mode"}}
    return _maybe(rng, 0.4, config=[{"opaque": opaque}])


def _device_class(rng: random.Random) -> Manifest:
    spec = _selectors(rng) | _settings(rng) | _maybe(rng, 0.4, extendedResourceName="example.com/gpu")
    return _object(rng, "resource.k8s.io/v1", "DeviceClass", namespaced=False, spec=spec)


def _taint_rule(rng: random.Random) -> Manifest:
    selector = _maybe(rng, 0.6, driver="gpu.example.com") | _maybe(rng, 0.5, pool="p0") | _maybe(rng, 0.5, device="d0")
    spec = {"deviceSelector": selector, "taint": {"key": "broken", "effect": "NoExecute"}}
    return _object(rng, "resource.k8s.io/v1", "DeviceTaintRule", namespaced=False, spec=spec)


def _asked(rng: random.Random) -> Manifest:
    made: Manifest = {"deviceClassName": "gpu"} | _selectors(rng)
    made |= {"allocationMode": "All"} if rng.random() < 0.3 else _maybe(rng, 0.6, count=2)
    made |= _maybe(
        rng, 0.3, tolerations=[{"key": "broken", "operator": "Equal", "value": "yes", "effect": "NoSchedule"}]
    )
    return made | _maybe(rng, 0.3, capacity={"requests": {"memory": "2Gi"}})


def _claim_of_devices(rng: random.Random) -> Manifest:
    alternatives = [{"name": f"s{i}"} | _asked(rng) for i in range(2)]
    requests: list[Manifest] = [{"name": "r0", "exactly": _asked(rng) | _maybe(rng, 0.2, adminAccess=True)}]
    requests.append({"name": "r1", "firstAvailable": alternatives})
    constraint = rng.choice(({"matchAttribute": "gpu.example.com/numa"}, {"distinctAttribute": "gpu.example.com/numa"}))
    constraint |= _maybe(rng, 0.5, requests=["r0", "r1/s0"])
    devices = {"requests": requests} | _maybe(rng, 0.5, constraints=[constraint]) | _settings(rng)
    return {"devices": devices}


def _resource_claim(rng: random.Random) -> Manifest:
    made = _object(rng, "resource.k8s.io/v1", "ResourceClaim", spec=_claim_of_devices(rng))
    if rng.random() < 0.6:
        return made
    result = {"request": "r0", "driver": "gpu.example.com", "pool": "p0", "device": "d0"}
    result |= _maybe(rng, 0.3, bindingConditions=["Ready"], bindingFailureConditions=["Failed"])
    if rng.random() < 0.3:
        result |= {"shareID": "8f3b5c9e-0000-4000-8000-000000000001", "consumedCapacity": {"memory": "1Gi"}}
    allocation: Manifest = {"devices": {"results": [result]}}
    allocation |= _maybe(rng, 0.5, nodeSelector={"nodeSelectorTerms": [_zone_term()]})
    reserved = _maybe(rng, 0.6, reservedFor=[{"resource": "pods", "name": "web", "uid": "u1"}])
    return made | {"status": {"allocation": allocation} | reserved}


def _template_of_claims(rng: random.Random) -> Manifest:
    spec = {"spec": _claim_of_devices(rng)}
    return _object(rng, "resource.k8s.io/v1", "ResourceClaimTemplate", spec=spec)


VALID: dict[str, Callable[[random.Random], Manifest]] = {
    "Pod": _pod,
    "Node": _node,
    "Namespace": _namespace,
    "Service": _service,
    "ReplicationController": _replication_controller,
    "ReplicaSet": _workload("apps/v1", "ReplicaSet"),
    "StatefulSet": _workload("apps/v1", "StatefulSet"),
    "Deployment": _workload("apps/v1", "Deployment"),
    "Job": _job,
    "PodDisruptionBudget": _budget,
    "PriorityClass": _priority_class,
    "PodGroup": _pod_group,
    "PersistentVolume": _volume_object,
    "PersistentVolumeClaim": _claim,
    "StorageClass": _storage_class,
    "CSINode": _csi_node,
    "CSIDriver": _csi_driver,
    "CSIStorageCapacity": _storage_capacity,
    "VolumeAttachment": _attachment,
    "ResourceSlice": _resource_slice,
    "DeviceClass": _device_class,
    "DeviceTaintRule": _taint_rule,
    "ResourceClaim": _resource_claim,
    "ResourceClaimTemplate": _template_of_claims,
}
