"""The last value that is accepted, and the next one: v1.37, pkg/apis/*/validation. No other package adds checks."""

from typing import Any

import pytest

from kschedlab.manifests import checks
from kschedlab.manifests.loading import ManifestError, decode_objects

Manifest = dict[str, Any]


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    monkeypatch.setattr(checks, "installed", lambda: ())


def pod(**spec: Any) -> Manifest:
    spec = {"containers": [{"name": "a"}]} | spec
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"}, "spec": spec}


def port(**fields: int) -> Manifest:
    return pod(containers=[{"name": "a", "ports": [{"containerPort": 80} | fields]}])


def requests(name: str, amount: Any) -> Manifest:
    return pod(containers=[{"name": "a", "resources": {"requests": {name: amount}}}])


def node_weight(weight: int) -> Manifest:
    term = {"weight": weight, "preference": {}}
    return pod(affinity={"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [term]}})


def pod_weight(weight: int) -> Manifest:
    term = {"weight": weight, "podAffinityTerm": {"topologyKey": "zone", "labelSelector": {}}}
    return pod(affinity={"podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [term]}})


def spread(**fields: Any) -> Manifest:
    usual = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {}}
    return pod(topologySpreadConstraints=[usual | fields])


def selecting(value: str) -> Manifest:
    return spread(labelSelector={"matchExpressions": [{"key": "app", "operator": "In", "values": [value]}]})


def labelled(key: str, value: str) -> Manifest:
    manifest = pod()
    manifest["metadata"]["labels"] = {key: value}
    return manifest


def named(name: str) -> Manifest:
    return pod() | {"metadata": {"name": name}}


def volume(storage: str) -> Manifest:
    spec = {"capacity": {"storage": storage}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/d"}}
    return {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "v"}, "spec": spec}


def claim(storage: str) -> Manifest:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": storage}}}
    return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "c"}, "spec": spec}


def capacity(amount: str) -> Manifest:
    head = {"apiVersion": "storage.k8s.io/v1", "kind": "CSIStorageCapacity", "metadata": {"name": "c"}}
    return head | {"storageClassName": "s", "capacity": amount}


def budget(allowed: int) -> Manifest:
    head = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "b"}}
    return head | {"spec": {"selector": {}, "maxUnavailable": 1}, "status": {"disruptionsAllowed": allowed}}


def attachable(count: int) -> Manifest:
    driver = {"name": "d", "nodeID": "n", "allocatable": {"count": count}}
    head = {"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": "n"}}
    return head | {"spec": {"drivers": [driver]}}


LIMITS = {
    "the least port": (port(containerPort=1), port(containerPort=0)),
    "the greatest port": (port(containerPort=65535), port(containerPort=65536)),
    "the greatest host port": (port(hostPort=65535), port(hostPort=65536)),
    "the least host port": (port(hostPort=0), port(hostPort=-1)),
    "the least amount": (requests("cpu", 0), requests("cpu", "-1n")),
    "the greatest milli cpu": (requests("cpu", "9223372036854775807m"), requests("cpu", "9223372036854775808m")),
    "the greatest memory": (requests("memory", 2**63 - 1), requests("memory", 2**63)),
    "huge pages": (requests("hugepages-2Mi", "4Mi"), requests("hugepages-2Mi", "3Mi")),
    "the least weight of nodes": (node_weight(1), node_weight(0)),
    "the greatest weight of nodes": (node_weight(100), node_weight(101)),
    "the least weight of pods": (pod_weight(1), pod_weight(0)),
    "the greatest weight of pods": (pod_weight(100), pod_weight(101)),
    "the least skew": (spread(maxSkew=1), spread(maxSkew=0)),
    "the least number of domains": (spread(minDomains=1), spread(minDomains=0)),
    "a value in a selector": (selecting("a" * 63), selecting("a" * 64)),
    "a label": (labelled("a" * 63, "b" * 63), labelled("a" * 63, "b" * 64)),
    "the key of a label": (labelled("a" * 63, ""), labelled("a" * 64, "")),
    "the domain of a label": (labelled(f"{'a' * 253}/b", ""), labelled(f"{'a' * 254}/b", "")),
    "a name": (named("a" * 253), named("a" * 254)),
    "the name of a container": (pod(containers=[{"name": "a" * 63}]), pod(containers=[{"name": "a" * 64}])),
    "the least volume": (volume("1n"), volume("0")),
    "the greatest volume": (volume(str(2**63 - 1)), volume(str(2**63))),
    "the least claim": (claim("1n"), claim("0")),
    "the least capacity": (capacity("0"), capacity("-1n")),
    "the fewest disruptions": (budget(0), budget(-1)),
    "the fewest volumes on a node": (attachable(0), attachable(-1)),
    "the least priority": (pod(priority=-(2**31)), pod(priority=-(2**31) - 1)),
    "the greatest priority": (pod(priority=2**31 - 1), pod(priority=2**31)),
}


def test_a_preferred_term_may_name_a_value_that_no_label_can_have():
    """v1.37: pkg/apis/core/validation, ValidatePreferredSchedulingTerms and ValidateNodeSelector."""
    term = {"matchExpressions": [{"key": "disk", "operator": "In", "values": ["a b"]}]}
    preferred = [{"weight": 1, "preference": term}]
    decode_objects([pod(affinity={"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": preferred}})])
    required = {"nodeSelectorTerms": [term]}
    with pytest.raises(ManifestError, match="not a valid label value"):
        decode_objects([pod(affinity={"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": required}})])


@pytest.mark.parametrize(("last", "next_one"), LIMITS.values(), ids=LIMITS)
def test_the_last_value_is_accepted_and_the_next_one_refused(last: Manifest, next_one: Manifest):
    decode_objects([last])
    with pytest.raises(ManifestError):
        decode_objects([next_one])
