"""Fields that a decision does not need, but a simulated cluster does."""

from typing import Any

import msgspec
import pytest
from hypothesis import given, strategies as st

from kschedlab.build import pod
from kschedlab.manifests.checks import faults_of
from kschedlab.manifests.decoding import KINDS, decode
from kschedlab.manifests.defaults import with_defaults
from kschedlab.manifests.loading import ManifestError, decode_objects
from kschedlab.manifests.schema import decode_value
from kschedlab.objects.meta import Time
from kschedlab.objects.model import (
    Deployment,
    Job,
    Pod,
    PodCondition,
    PodDisruptionBudget,
    ReplicaSet,
    ReplicationController,
    RollingUpdateDeployment,
    StatefulSet,
)
from kschedlab_validation.workloads import template_faults

TEMPLATE = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [{"name": "c"}]}}


def owner(kind: str, **spec: Any) -> dict[str, Any]:
    version = {"ReplicationController": "v1", "Job": "batch/v1"}.get(kind, "apps/v1")
    return {"apiVersion": version, "kind": kind, "metadata": {"name": "o"}, "spec": spec}


def decoded(manifest: dict[str, Any]) -> Any:
    document, faults = decode(manifest, manifest["kind"])
    assert not faults
    return document


def paths(faults: list[Any]) -> list[str]:
    return [".".join(map(str, fault.path)) for fault in faults]


@given(st.integers(0, 4_000_000_000 * 10**6))
def test_a_time_round_trips(moment: int) -> None:
    assert Time.parse(str(Time(moment))) == moment
    assert Time.parse(str(Time.whole_second(moment))) == Time.whole_second(moment) == moment // 10**6 * 10**6


def test_a_time_has_the_api_s_format() -> None:
    assert str(Time(1_700_000_000_000_000)) == "2023-11-14T22:13:20Z"


def test_an_object_round_trips() -> None:
    """Including times and quantities, as in the log."""
    manifest = pod("p", "n", cpu="100m")
    manifest["metadata"] |= {"resourceVersion": "7", "generation": 2, "finalizers": ["a/b"], "uid": "u"}
    manifest["status"] |= {
        "conditions": [{"type": "Ready", "status": "True", "lastProbeTime": "2024-01-31T12:00:00Z"}],
        "containerStatuses": [
            {"name": "c", "ready": True, "restartCount": 3, "state": {"running": {"startedAt": "2024-01-31T12:00:00Z"}}}
        ],
        "podIP": "10.0.0.1",
        "hostIP": "10.0.0.2",
    }
    (loaded,) = decode_objects([manifest]).pods
    assert loaded.metadata.resourceVersion == "7"
    assert loaded.status.conditions == (
        PodCondition(type="Ready", status="True", lastProbeTime=Time.parse("2024-01-31T12:00:00Z")),
    )
    assert loaded.status.containerStatuses[0].state.running is not None
    encoded = msgspec.json.encode(loaded, enc_hook=str)
    assert msgspec.json.decode(encoded, type=Pod, dec_hook=decode_value) == loaded


def test_workloads_have_templates_and_replicas() -> None:
    selector = {"matchLabels": {"app": "web"}}
    claims = [{"metadata": {"name": "data"}, "spec": {"accessModes": ["ReadWriteOnce"]}}]
    objects = decode_objects(
        [
            owner("ReplicaSet", replicas=3, selector=selector, template=TEMPLATE),
            owner("StatefulSet", selector=selector, template=TEMPLATE, volumeClaimTemplates=claims),
            owner("ReplicationController", replicas=0, template=TEMPLATE),
        ]
    )
    (replica_set,), (stateful_set,) = objects.of(ReplicaSet), objects.of(StatefulSet)
    (controller,) = objects.of(ReplicationController)
    assert [o.spec.replicas for o in (replica_set, stateful_set, controller)] == [3, None, 0]
    assert replica_set.spec.template is not None
    assert replica_set.spec.template.spec.containers[0].name == "c"
    assert stateful_set.spec.volumeClaimTemplates[0].metadata.name == "data"
    assert controller.spec.selector == {"app": "web"}


def test_kinds_that_the_scheduler_does_not_read_are_only_reported() -> None:
    objects = decode_objects([owner("Job", template=TEMPLATE), owner("Deployment")])
    assert objects.report.unknown == {"Job.batch": 1, "Deployment.apps": 1}
    assert (KINDS["Job"], KINDS["Deployment"]) == (Job, Deployment)


@pytest.mark.parametrize("kind", ["ReplicaSet", "StatefulSet", "ReplicationController", "Deployment"])
def test_replicas_must_not_be_negative(kind: str) -> None:
    assert paths(faults_of(decoded(owner(kind, replicas=-1)))) == ["spec.replicas"]
    assert not faults_of(decoded(owner(kind, replicas=0)))


def test_a_job_s_numbers_must_not_be_negative() -> None:
    wrong = owner("Job", parallelism=-1, completions=-1, backoffLimit=-1)
    assert paths(faults_of(decoded(wrong))) == ["spec.parallelism", "spec.completions", "spec.backoffLimit"]


TEMPLATE_FAULTS: list[tuple[dict[str, Any], list[str]]] = [
    (owner("ReplicaSet", selector={"matchLabels": {"app": "web"}}, template=TEMPLATE), []),
    (owner("ReplicaSet", template=TEMPLATE), ["spec.selector"]),
    (owner("ReplicaSet", selector={}, template=TEMPLATE), ["spec.template.metadata.labels"]),
    (
        owner("Deployment", selector={"matchLabels": {"app": "db"}}, template=TEMPLATE),
        ["spec.template.metadata.labels"],
    ),
    (
        owner("StatefulSet", selector={"matchExpressions": [{"key": "a", "operator": "?"}]}, template=TEMPLATE),
        ["spec.template.metadata.labels"],
    ),
    (owner("ReplicaSet", selector={"matchLabels": {"app": "web"}}), ["spec.template"]),
    (owner("ReplicationController", selector={"app": "web"}, template=TEMPLATE), []),
    (owner("ReplicationController", template=TEMPLATE), []),
    (owner("ReplicationController", template={"spec": TEMPLATE["spec"]}), ["spec.selector"]),
    (
        owner("ReplicationController", selector={"app": "web"}, template=TEMPLATE | {"spec": {}}),
        ["spec.template.spec.containers"],
    ),
    (owner("Job", template=TEMPLATE), ["spec.template.spec.restartPolicy"]),
    (owner("Job", template=TEMPLATE | {"spec": TEMPLATE["spec"] | {"restartPolicy": "Never"}}), []),
    (pod("p"), []),
]


@pytest.mark.parametrize(("manifest", "wrong"), TEMPLATE_FAULTS, ids=range(len(TEMPLATE_FAULTS)))
def test_the_selector_must_match_the_template(manifest: dict[str, Any], wrong: list[str]) -> None:
    assert paths(template_faults(decoded(manifest))) == wrong
    lacking = template_faults(decoded(manifest), may_lack=True)
    assert paths(lacking) == [path for path in wrong if path != "spec.template"]


@pytest.mark.parametrize(
    ("field", "amount", "message"),
    [
        ("minAvailable", -1, "-1 is negative"),
        ("minAvailable", "half", '"half" is neither a number nor a percentage such as 50%'),
        ("maxUnavailable", "-5%", '"-5%" is neither a number nor a percentage such as 50%'),
        ("maxUnavailable", "101%", '"101%" is more than 100%'),
        ("minAvailable", "100%", None),
        ("maxUnavailable", 0, None),
    ],
)
def test_a_budget_is_a_number_or_a_percentage(field: str, amount: int | str, message: str | None) -> None:
    manifest = {"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "b"}}
    manifest["spec"] = {field: amount}
    if message is None:
        assert decode_objects([manifest]).of(PodDisruptionBudget)
        return
    with pytest.raises(ManifestError) as caught:
        decode_objects([manifest])
    assert f"spec.{field}: {message}" in str(caught.value)


ROLLOUT_FAULTS: list[tuple[str, dict[str, Any], list[str]]] = [
    ("Deployment", {"strategy": {"rollingUpdate": {"maxSurge": "150%", "maxUnavailable": 0}}}, []),
    ("Deployment", {"strategy": {"type": "Recreate"}}, []),
    ("Deployment", {"strategy": {"type": "Canary"}}, ["spec.strategy.type"]),
    ("Deployment", {"strategy": {"type": "Recreate", "rollingUpdate": {}}}, ["spec.strategy.rollingUpdate"]),
    (
        "Deployment",
        {"strategy": {"rollingUpdate": {"maxSurge": "0%", "maxUnavailable": 0}}},
        ["spec.strategy.rollingUpdate.maxUnavailable"],
    ),
    (
        "Deployment",
        {"strategy": {"rollingUpdate": {"maxSurge": "some", "maxUnavailable": "101%"}}},
        ["spec.strategy.rollingUpdate.maxSurge", "spec.strategy.rollingUpdate.maxUnavailable"],
    ),
    ("Deployment", {"minReadySeconds": 10, "progressDeadlineSeconds": 10}, ["spec.progressDeadlineSeconds"]),
    ("Deployment", {"revisionHistoryLimit": -1}, ["spec.revisionHistoryLimit"]),
    ("ReplicaSet", {"minReadySeconds": -1}, ["spec.minReadySeconds"]),
    ("StatefulSet", {"updateStrategy": {"rollingUpdate": {"partition": 1, "maxUnavailable": "50%"}}}, []),
    ("StatefulSet", {"updateStrategy": {"type": "Recreate"}}, ["spec.updateStrategy.type"]),
    (
        "StatefulSet",
        {"updateStrategy": {"type": "OnDelete", "rollingUpdate": {}}},
        ["spec.updateStrategy.rollingUpdate"],
    ),
    (
        "StatefulSet",
        {"updateStrategy": {"rollingUpdate": {"partition": -1, "maxUnavailable": 0}}},
        ["spec.updateStrategy.rollingUpdate.partition", "spec.updateStrategy.rollingUpdate.maxUnavailable"],
    ),
]


@pytest.mark.parametrize(("kind", "spec", "wrong"), ROLLOUT_FAULTS, ids=range(len(ROLLOUT_FAULTS)))
def test_how_templates_roll_out_is_checked(kind: str, spec: dict[str, Any], wrong: list[str]) -> None:
    assert paths(faults_of(decoded(owner(kind, **spec)))) == wrong


def test_templates_roll_out_by_default() -> None:
    deployment = with_defaults(decoded(owner("Deployment", strategy={"type": ""})), {})
    assert deployment.spec.strategy.type == "RollingUpdate"
    assert deployment.spec.strategy.rollingUpdate == RollingUpdateDeployment("25%", "25%")
    stateful_set = with_defaults(decoded(owner("StatefulSet")), {})
    assert stateful_set.spec.updateStrategy.rollingUpdate.partition == 0


def test_defaults_of_restart_policy_and_grace_period() -> None:
    named = pod("a", restartPolicy="", terminationGracePeriodSeconds=-7)
    (loaded,) = decode_objects([named]).pods
    assert (loaded.spec.restartPolicy, loaded.spec.terminationGracePeriodSeconds) == ("Always", 1)
    with pytest.raises(ManifestError, match="expected Always, OnFailure or Never"):
        decode_objects([pod("a", restartPolicy="Sometimes")])


@pytest.mark.parametrize(("length", "faulty"), [(63, []), (64, ["metadata.name"])])
def test_a_job_s_name_is_a_label_of_its_pods(length: int, faulty: list[str]) -> None:
    job = owner("Job", template=TEMPLATE)
    job["metadata"]["name"] = "j" * length
    assert paths(faults_of(decoded(job))) == faulty
