"""The API server's defaults."""

import pytest

from kschedlab.manifests.loading import ManifestError, Objects, decode_objects, loads
from kschedlab.objects.model import CSIDriver, Namespace, Pod, ReplicationController, StorageClass


def pod(spec: dict | None = None, metadata: dict | None = None, *others: dict, **more) -> Pod:
    spec = {"containers": [{"name": "app"}]} | (spec or {})
    manifest = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p"} | (metadata or {}), "spec": spec} | more
    return load(manifest, *others).pods[0]


def load(*objects: dict) -> Objects:
    return decode_objects(objects)


def priority_class(name: str, value: int, **more) -> dict:
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": name},
        "value": value,
    } | more


def test_a_bare_pod():
    bare = pod()
    assert bare.key == "default/p"
    assert (bare.spec.schedulerName, bare.spec.priority, bare.spec.preemptionPolicy) == (
        "default-scheduler",
        0,
        "PreemptLowerPriority",
    )


@pytest.mark.parametrize(("given", "kept"), [(None, None), (-1, 1), (0, 0), (5, 5)])
def test_a_negative_grace_period_is_a_second(given: int | None, kept: int | None):
    """v1.37: pkg/apis/core/v1/defaults.go, SetDefaults_Pod."""
    assert pod({"terminationGracePeriodSeconds": given}).spec.terminationGracePeriodSeconds == kept


def test_missing_requests_default_to_the_limits():
    resources = {"limits": {"cpu": "2", "memory": "1Gi"}, "requests": {"cpu": "1"}}
    loaded = pod(
        {
            "containers": [{"name": "a", "resources": resources}],
            "initContainers": [{"name": "b", "resources": resources}],
        }
    )
    for container in (*loaded.spec.containers, *loaded.spec.initContainers):
        assert {n: str(q) for n, q in container.resources.requests.items()} == {"cpu": "1", "memory": "1Gi"}


def test_a_null_amount_is_zero_and_not_missing():
    head = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n"
    objects = loads(head + "spec: {containers: [{name: a, resources: {requests: {cpu: ~}}}]}")
    assert objects.pods[0].spec.containers[0].resources.requests["cpu"].value() == 0


def test_amounts_are_rounded_up_to_thousandths():
    loaded = pod(
        {
            "containers": [{"name": "a", "resources": {"requests": {"cpu": "0.1m", "memory": "1"}}}],
            "overhead": {"cpu": "1u"},
        }
    )
    assert str(loaded.spec.containers[0].resources.requests["cpu"]) == "1m"
    assert str(loaded.spec.overhead["cpu"]) == "1m"


def test_ports():
    ports = [
        {"containerPort": 80},
        {"containerPort": 53, "protocol": "UDP", "hostPort": 53},
        {"containerPort": 81, "protocol": ""},
    ]
    tcp, udp, other = pod({"containers": [{"name": "a", "ports": ports}]}).spec.containers[0].ports
    assert [(p.protocol, p.hostPort) for p in (tcp, udp, other)] == [("TCP", 0), ("UDP", 53), ("TCP", 0)]
    on_host = pod({"hostNetwork": True, "containers": [{"name": "a", "ports": ports}]}).spec.containers[0].ports
    assert [p.hostPort for p in on_host] == [80, 53, 81]


def test_priority_of_a_class():
    classes = [priority_class("high", 1000, preemptionPolicy="Never"), priority_class("usual", 10, globalDefault=True)]
    named = pod({"priorityClassName": "high"}, None, *classes).spec
    assert (named.priority, named.preemptionPolicy) == (1000, "Never")
    unnamed = pod(None, None, *classes).spec
    assert (unnamed.priority, unnamed.priorityClassName, unnamed.preemptionPolicy) == (
        10,
        "usual",
        "PreemptLowerPriority",
    )


def test_the_lowest_of_several_global_defaults():
    classes = [priority_class("b", 20, globalDefault=True), priority_class("a", 10, globalDefault=True)]
    assert pod(None, None, *classes).spec.priority == 10


def test_priority_of_the_system_classes():
    assert pod({"priorityClassName": "system-node-critical"}).spec.priority == 2000001000
    assert pod({"priorityClassName": "system-cluster-critical"}).spec.priority == 2000000000


def test_a_pod_that_has_a_priority_keeps_it():
    usual = priority_class("usual", 10, globalDefault=True, preemptionPolicy="Never")
    kept = pod({"priority": 7}, None, usual).spec
    assert (kept.priority, kept.preemptionPolicy) == (7, "PreemptLowerPriority")
    assert pod({"priority": 7, "priorityClassName": "gone"}).spec.priority == 7


def test_pod_level_requests_are_completed():
    containers = [{"name": "a", "resources": {"requests": {"cpu": "1"}}}]
    loaded = pod({"containers": containers, "resources": {"limits": {"cpu": "2", "memory": "1Gi"}}})
    assert {n: str(q) for n, q in loaded.spec.resources.requests.items()} == {"cpu": "1", "memory": "1Gi"}


def test_spread_constraints_honor_affinity_and_ignore_taints():
    manifest = {"maxSkew": 1, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {}}
    constraint = pod({"topologySpreadConstraints": [manifest]}).spec.topologySpreadConstraints[0]
    assert (constraint.nodeAffinityPolicy, constraint.nodeTaintsPolicy) == ("Honor", "Ignore")


def test_allocatable_defaults_to_the_capacity():
    def node(**status: dict) -> dict:
        return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "n", "namespace": "x"}, "status": status}

    (bare,) = load(node(capacity={"cpu": "4"})).nodes
    assert str(bare.status.allocatable["cpu"]) == "4"
    assert bare.metadata.namespace == ""
    (loaded,) = load(node(capacity={"cpu": "4", "memory": "1Gi"}, allocatable={"cpu": "3"})).nodes
    assert list(loaded.status.allocatable) == ["cpu"]


def test_a_namespace_is_labelled_with_its_name():
    (namespace,) = load({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "a", "labels": {"b": "c"}}}).of(
        Namespace
    )
    assert namespace.metadata.labels == {"b": "c", "kubernetes.io/metadata.name": "a"}


def test_a_replication_controller_selects_the_labels_of_its_template():
    template = {"metadata": {"labels": {"app": "a"}}}
    controller = {
        "apiVersion": "v1",
        "kind": "ReplicationController",
        "metadata": {"name": "rc"},
        "spec": {"template": template},
    }
    assert load(controller).of(ReplicationController)[0].spec.selector == {"app": "a"}


def test_volumes():
    objects = load(
        {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "s"}, "provisioner": "p"},
        {"apiVersion": "storage.k8s.io/v1", "kind": "CSIDriver", "metadata": {"name": "d"}},
    )
    assert objects.of(StorageClass)[0].volumeBindingMode == "Immediate"
    assert objects.of(CSIDriver)[0].spec.attachRequired is True
    assert objects.of(CSIDriver)[0].spec.storageCapacity is False


def test_defaulting_twice_changes_nothing():
    import msgspec

    from kschedlab.manifests.defaults import priority_classes, with_defaults

    spec = {
        "hostNetwork": True,
        "containers": [{"name": "a", "ports": [{"containerPort": 80}], "resources": {"limits": {"cpu": "0.1m"}}}],
        "resources": {"limits": {"memory": "1Gi"}},
        "overhead": {"cpu": "1u"},
    }
    once = pod(spec, {"uid": "u"})
    assert with_defaults(once, priority_classes([])) == once
    assert msgspec.structs.asdict(once)["metadata"].namespace == "default"


def test_resources_of_a_pod_without_containers_are_no_traceback() -> None:
    with pytest.raises(ManifestError, match="containers"):
        pod({"containers": [], "resources": {"limits": {"cpu": "1"}}})
