"""LimitRanges and ResourceQuotas, with the cases of their authors."""

import json
from pathlib import Path
from typing import Any

import pytest

from kschedlab.build import Manifest, pod
from kschedlab.objects.meta import Time
from kschedlab.objects.model import Pod, ResourceQuota
from kschedlab_simulation.server.quotas import matches, usage
from kschedlab_simulation.simulation import Simulation
from kschedlab_simulation.status import ApiError
from packages.simulation.tests.controllers.stage import NODE, Stage, documents, owner
from tests.storage import claim

CASES = json.loads(Path(__file__).with_name("limit_ranges.json").read_text())


def limit_range(*items: Manifest, name: str = "l") -> Manifest:
    metadata = {"name": name, "namespace": "default"}
    return {"apiVersion": "v1", "kind": "LimitRange", "metadata": metadata, "spec": {"limits": list(items)}}


def quota(name: str = "q", **spec: object) -> Manifest:
    metadata = {"name": name, "namespace": "default"}
    hard = {key: str(value) for key, value in spec.pop("hard").items()}  # type: ignore[attr-defined]
    return {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": metadata, "spec": {"hard": hard, **spec}}


def containers(name: str, number: int, requests: Manifest, limits: Manifest) -> list[Manifest]:
    resources = {"requests": requests, "limits": limits}
    return [{"name": f"{name}-{i}", "image": "i", "resources": resources} for i in range(number)]


def refused(stage: Stage, made: Manifest) -> str:
    with pytest.raises(ApiError) as error:
        stage.create(made)
    assert error.value.code == 403
    return str(error.value)


# -- limit ranges (v1.37: plugin/pkg/admission/limitranger/admission_test.go)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_limits_as_their_authors_have_them(case):
    """Of TestPodLimitFunc, without defaults: limits that a request fills in are not the range's."""
    from kschedlab_simulation.server.limit_ranges import violations

    made = pod("p")
    made["spec"]["containers"] = containers("foo", case["containers"], case["requests"], case["limits"])
    made["spec"]["initContainers"] = [
        each for i, c in enumerate(case["init"]) for each in containers(f"init-{i}", 1, c["requests"], c["limits"])
    ]
    bounds, subject = documents(limit_range(case["item"]), made)
    assert (violations(subject, [bounds]) == "") == case["allowed"]


def test_defaults_of_a_limit_range():
    """TestMergePodResourceRequirements: what a container does not say, the range does, and an annotation names it."""
    item = {"type": "Container", "default": {"cpu": "50m", "memory": "10Mi"}, "defaultRequest": {"cpu": "30m"}}
    stage = Stage(NODE, limit_range(item), binds=False)
    stage.create(pod("empty"), pod("own", cpu="20m"))
    resources = stage.get(Pod, "empty").spec.containers[0].resources
    assert {k: str(v) for k, v in resources.requests.items()} == {"cpu": "30m", "memory": "10Mi"}
    assert {k: str(v) for k, v in resources.limits.items()} == {"cpu": "50m", "memory": "10Mi"}
    note = "LimitRanger plugin set: cpu, memory request for container main; cpu, memory limit for container main"
    assert stage.get(Pod, "empty").metadata.annotations["kubernetes.io/limit-ranger"] == note
    assert str(stage.get(Pod, "own").spec.containers[0].resources.requests["cpu"]) == "20m"


def test_a_maximum_is_a_default():
    stage = Stage(NODE, limit_range({"type": "Container", "max": {"cpu": "2"}}), binds=False)
    stage.create(pod("p"))
    assert str(stage.get(Pod, "p").spec.containers[0].resources.requests["cpu"]) == "2"
    big = pod("big")
    big["spec"]["containers"] = containers("c", 1, {"cpu": "1"}, {"cpu": "3"})
    why = refused(stage, big)
    assert why == 'pods "big" is forbidden: maximum cpu usage per Container is 2, but limit is 3'


def test_claims_have_bounds_too():
    stage = Stage(limit_range({"type": "PersistentVolumeClaim", "min": {"storage": "2Gi"}, "max": {"storage": "3Gi"}}))
    why = "maximum storage usage per PersistentVolumeClaim is 3Gi, but request is 4Gi"
    assert why in refused(stage, claim("c", size="4Gi"))
    assert "minimum storage usage" in refused(stage, claim("c", size="1Gi"))
    stage.create(claim("c", size="2Gi"), claim("d", size="3Gi"))


def test_containers_may_ask_for_exactly_the_bounds():
    bounds = limit_range({"type": "Container", "min": {"cpu": "1"}, "max": {"cpu": "2"}})
    stage = Stage(NODE, bounds, binds=False)
    for name, request, limit in (("a", "1", "1"), ("b", "1", "2"), ("c", "2", "2")):
        made = pod(name)
        made["spec"]["containers"] = containers("c", 1, {"cpu": request}, {"cpu": limit})
        stage.create(made)
    made["spec"]["containers"] = containers("c", 1, {"cpu": "999m"}, {"cpu": "2"})
    assert "minimum cpu usage per Container is 1, but request is 999m" in refused(stage, made)
    made["spec"]["containers"] = containers("c", 1, {"cpu": "2"}, {"cpu": "2001m"})
    assert "maximum cpu usage per Container is 2, but limit is 2001m" in refused(stage, made)


def test_what_already_runs_is_left_as_it_is():
    stage = Stage(NODE, limit_range({"type": "Container", "default": {"cpu": "3"}}), pod("old", on="n1"))
    assert stage.get(Pod, "old").spec.containers[0].resources.requests == {}


# -- quotas (v1.37: plugin/pkg/admission/resourcequota/admission_test.go)


def test_a_quota_forbids_what_exceeds_it():
    """TestAdmitExceedQuotaLimit."""
    stage = Stage(
        NODE, quota(hard={"cpu": 3, "memory": "100Gi", "pods": 5}), pod("a", cpu="1", memory="50Gi"), binds=False
    )
    why = refused(stage, pod("p", cpu="3", memory="2Gi"))
    assert why == 'pods "p" is forbidden: exceeded quota: q, requested: cpu=3, used: cpu=1, limited: cpu=3'
    stage.create(pod("small", cpu="2", memory="2Gi"))


def test_a_quota_of_cpu_wants_requests():
    """TestAdmitEnforceQuotaConstraints."""
    stage = Stage(NODE, quota(hard={"requests.cpu": 3, "limits.memory": "1Gi"}), binds=False)
    why = refused(stage, pod("p"))
    assert why.endswith("failed quota: q: must specify limits.memory for: main; requests.cpu for: main")


def test_a_limit_range_fills_in_what_a_quota_wants():
    ranges = limit_range({"type": "Container", "defaultRequest": {"cpu": "1"}})
    stage = Stage(NODE, quota(hard={"requests.cpu": 1}), ranges, binds=False)
    stage.create(pod("p"))
    assert "requested: requests.cpu=1, used: requests.cpu=1, limited: requests.cpu=1" in refused(stage, pod("q"))


@pytest.mark.parametrize(
    ("spec", "made", "limited"),
    [
        ({"scopes": ["BestEffort"]}, pod("p"), True),
        ({"scopes": ["BestEffort"]}, pod("p", cpu="1"), False),
        ({"scopes": ["NotBestEffort"]}, pod("p", cpu="1"), True),
        ({"scopes": ["Terminating"]}, pod("p", activeDeadlineSeconds=5), True),
        ({"scopes": ["NotTerminating"]}, pod("p", activeDeadlineSeconds=5), False),
        (
            {"scopeSelector": {"matchExpressions": [
                {"scopeName": "PriorityClass", "operator": "In", "values": ["system-node-critical"]}]}},
            pod("p", priorityClassName="system-node-critical"), True,
        ),
        (
            {"scopeSelector": {"matchExpressions": [{"scopeName": "PriorityClass", "operator": "Exists"}]}},
            pod("p"), False,
        ),
    ],
)  # fmt: skip
def test_scopes(spec, made, limited):
    stage = Stage(NODE, quota(hard={"pods": 0}, **spec), binds=False)
    if limited:
        assert "exceeded quota" in refused(stage, made)
    else:
        stage.create(made)


def by_class(operator: str, *values: str) -> Manifest:
    expression = {"scopeName": "PriorityClass", "operator": operator} | ({"values": [*values]} if values else {})
    return {"scopeSelector": {"matchExpressions": [expression]}}


def near(kind: str, **where: Any) -> Manifest:
    """Affinity to pods of these namespaces."""
    term = {"topologyKey": "zone", "labelSelector": {}} | where
    weighted = {"preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "podAffinityTerm": term}]}
    return {kind: weighted if kind == "podAntiAffinity" else {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


CRITICAL = {"priorityClassName": "system-node-critical"}


@pytest.mark.parametrize(
    ("spec", "made", "limited"),
    [
        (by_class("In", "system-node-critical"), CRITICAL, True),
        (by_class("In", "other"), CRITICAL, False),
        (by_class("NotIn", "other"), CRITICAL, True),
        (by_class("NotIn", "system-node-critical"), CRITICAL, False),
        (by_class("Exists"), CRITICAL, True),
        (by_class("In", "other"), {}, False),
        (by_class("NotIn", "other"), {}, True),
        (by_class("DoesNotExist"), CRITICAL, False),
        (by_class("DoesNotExist"), {}, True),
        ({"scopes": ["PriorityClass"]}, CRITICAL, True),
        ({"scopes": ["PriorityClass"]}, {}, False),
        ({"scopes": ["CrossNamespacePodAffinity"]}, {}, False),
        ({"scopes": ["CrossNamespacePodAffinity"]}, {"affinity": near("podAffinity")}, False),
        ({"scopes": ["CrossNamespacePodAffinity"]}, {"affinity": near("podAffinity", namespaces=["x"])}, True),
        ({"scopes": ["CrossNamespacePodAffinity"]}, {"affinity": near("podAntiAffinity", namespaces=["x"])}, True),
        ({"scopes": ["CrossNamespacePodAffinity"]}, {"affinity": near("podAffinity", namespaceSelector={})}, True),
        ({"scopes": ["VolumeAttributesClass"]}, {}, False),
        ({"scopes": ["Terminating", "NotBestEffort"]}, {"activeDeadlineSeconds": 5, "cpu": "1"}, True),
        ({"scopes": ["Terminating", "NotBestEffort"]}, {"activeDeadlineSeconds": 5}, False),
        ({"scopes": ["Terminating", "NotBestEffort"]}, {"cpu": "1"}, False),
    ],
)
def test_all_scopes_of_a_quota_must_include_a_pod(spec: Manifest, made: Manifest, limited: bool):
    """v1.37: pkg/quota/v1/evaluator/core/pods.go, podMatchesScopeFunc."""
    bounds, subject = documents(quota(hard={"pods": 0}, **spec), pod("p", **made))
    assert matches(bounds, subject) is limited


def test_claims_count_for_their_storage_class():
    """v1.37: pkg/quota/v1/evaluator/core/persistent_volume_claims.go."""
    prefix = "fast.storageclass.storage.k8s.io"
    hard = {f"{prefix}/requests.storage": "5Gi", f"{prefix}/persistentvolumeclaims": 2}
    stage = Stage(NODE, quota(hard=hard), binds=False)
    stage.create(claim("a", size="4Gi", of="fast"), claim("slow", size="9Gi", of="slow"))
    assert f"requested: {prefix}/requests.storage=2Gi" in refused(stage, claim("b", size="2Gi", of="fast"))
    stage.create(claim("b", size="512Mi", of="fast"))
    assert f"requested: {prefix}/persistentvolumeclaims=1" in refused(stage, claim("c", size="512Mi", of="fast"))


def test_counts_of_objects():
    stage = Stage(
        NODE, quota(hard={"count/pods": 1, "persistentvolumeclaims": 1, "requests.storage": "5Gi"}), binds=False
    )
    stage.create(pod("p"), claim("c", size="3Gi"))
    assert "count/pods=1" in refused(stage, pod("q"))
    assert "requests.storage=3Gi, used: persistentvolumeclaims=1,requests.storage=3Gi" in refused(
        stage, claim("d", size="3Gi")
    )


def test_some_kinds_count_by_their_bare_name_too():
    """v1.37: pkg/quota/v1/evaluator/core/registry.go, legacyObjectCountAliases."""
    (controller,), (deployed,) = documents(owner("ReplicationController")), documents(owner("Deployment"))
    assert usage(controller, 0).keys() == {"count/replicationcontrollers", "replicationcontrollers"}
    assert usage(deployed, 0).keys() == {"count/deployments.apps"}


ONE, TWO = {"limits": {"cpu": "1"}}, {"limits": {"cpu": "2"}}
PLAIN = {"name": "a", "image": "i"}


@pytest.mark.parametrize(
    ("spec", "used"),
    [
        ({"containers": [PLAIN]}, None),
        ({"containers": [PLAIN], "overhead": {"cpu": "1"}}, None),
        ({"containers": [PLAIN | {"resources": ONE}]}, 1),
        ({"containers": [PLAIN | {"resources": ONE}], "overhead": {"cpu": "1"}}, 2),
        ({"containers": [PLAIN | {"resources": ONE}, {"name": "b", "image": "i", "resources": TWO}]}, 3),
        ({"containers": [PLAIN], "initContainers": [{"name": "b", "image": "i", "resources": TWO}]}, 2),
        ({"containers": [PLAIN], "resources": TWO}, 2),
    ],
)
def test_the_limits_of_all_containers_and_of_the_pod_count(spec: Manifest, used: int | None):
    """v1.37: pkg/quota/v1/evaluator/core/pods.go (PodUsageFunc); component-helpers resource/helpers.go (PodLimits)."""
    made = pod("p")
    made["spec"] |= spec
    (subject,) = documents(made)
    assert usage(subject, 0).get("limits.cpu") == (None if used is None else used * 10**9)


def test_what_is_gone_or_done_counts_no_more():
    stage = Stage(NODE, quota(hard={"pods": 1}), pod("done", on="n1") | {"status": {"phase": "Succeeded"}}, binds=False)
    stage.create(pod("p"))
    assert "exceeded quota" in refused(stage, pod("q"))
    stage.delete("p")
    stage.create(pod("q"))


def test_a_replica_set_gets_as_many_pods_as_the_quota_allows():
    stage = Stage(NODE, quota(hard={"pods": 2}), owner("ReplicaSet", replicas=5)).run(30)
    assert len(stage.all(Pod)) == 2
    assert any("exceeded quota: q" in message for reason, message in stage.events() if reason == "FailedCreate")


def test_the_status_of_a_quota():
    from kschedlab_simulation.server.quotas import used_of, with_status

    stage = Stage(NODE, quota(hard={"requests.memory": "4Gi", "pods": 3}), pod("p", memory="1Gi"), binds=False)
    found = stage.get(ResourceQuota, "q")
    status = with_status(found, used_of(found, stage.all(Pod), stage.api.now)).status
    assert {name: str(amount) for name, amount in status.used.items()} == {"requests.memory": "1Gi", "pods": "1"}


def test_the_status_of_a_quota_follows_the_pods_of_its_namespace():
    elsewhere = pod("p", memory="2Gi", namespace="other")
    simulation = Simulation([NODE, quota(hard={"requests.memory": "4Gi"}), elsewhere, pod("p", memory="1Gi")])
    simulation.run("5s")
    (found,) = simulation.api.list(ResourceQuota)[0]
    assert {name: str(amount) for name, amount in found.status.used.items()} == {"requests.memory": "1Gi"}


@pytest.mark.parametrize(
    ("metadata", "phase", "seconds", "counts"),
    [
        ({}, "Running", 0, True),
        ({}, "Succeeded", 0, False),
        ({}, "Failed", 0, False),
        ({"deletionGracePeriodSeconds": 30}, "Running", 30, True),
        ({"deletionGracePeriodSeconds": 30}, "Running", 31, False),
        ({"deletionGracePeriodSeconds": None}, "Running", 99, True),
    ],
)
def test_a_pod_counts_until_it_is_finished_or_should_be_gone(metadata, phase, seconds, counts):
    """v1.37: pkg/quota/v1/evaluator/core/pods.go, QuotaV1Pod."""
    deleted = {"deletionTimestamp": "2023-11-14T22:13:20Z"} if metadata else {}
    made = pod("p")
    made["metadata"] |= metadata | deleted
    (found,) = documents(made | {"status": {"phase": phase}})
    assert bool(usage(found, Time.parse("2023-11-14T22:13:20Z") + seconds * 1_000_000).get("pods")) is counts


@pytest.mark.parametrize(
    ("requests", "limits", "why"),
    [
        ({}, {}, "no request is specified or request is 0"),
        ({"cpu": "0"}, {"cpu": "1"}, "no request is specified or request is 0"),
        ({"cpu": "1"}, {}, "no limit is specified or limit is 0"),
        ({"cpu": "1"}, {"cpu": "2500m"}, "provided ratio is 2.500000"),
        ({"cpu": "1"}, {"cpu": "2"}, ""),
    ],
)
def test_the_ratio_of_limit_and_request_has_a_maximum(requests, limits, why):
    """v1.37: plugin/pkg/admission/limitranger/admission.go, limitRequestRatioConstraint."""
    stage = Stage(NODE, limit_range({"type": "Container", "maxLimitRequestRatio": {"cpu": "2"}}))
    made = pod("p")
    made["spec"]["containers"] = containers("c", 1, requests, limits)
    if not why:
        stage.create(made)
    else:
        assert f"cpu max limit to request ratio per Container is 2, but {why}" in refused(stage, made)
