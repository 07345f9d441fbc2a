import pytest
from msgspec.structs import replace

from kschedlab.build import Manifest, pod
from kschedlab.objects.model import LabelSelector, Pod, PodDisruptionBudget, ReplicaSet
from kschedlab_simulation.controllers.kubelet import KubeletSettings
from kschedlab_simulation.log import Recorded
from kschedlab_simulation.status import ApiError
from packages.simulation.tests.controllers.stage import LABELS, NODE, SECOND, Stage, owner


def budget(name: str = "web", labels: dict[str, str] = LABELS, **spec: object) -> Manifest:
    return {
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"selector": {"matchLabels": labels}} | spec,
    }


def status(stage: Stage, name: str = "web") -> tuple[int, int, int, int]:
    """(healthy, desired healthy, expected, disruptions allowed)."""
    found = stage.get(PodDisruptionBudget, name).status
    return found.currentHealthy, found.desiredHealthy, found.expectedPods, found.disruptionsAllowed


def test_the_status_follows_the_pods():
    stage = Stage(NODE, owner("ReplicaSet"), budget(maxUnavailable=1)).run(1)
    assert status(stage) == (0, 2, 3, 0)
    assert status(stage.run(5)) == (3, 2, 3, 1)
    stage.delete(stage.names()[0])
    assert status(stage.run(0.1)) == (2, 2, 3, 0)
    assert status(stage.run(60)) == (3, 2, 3, 1)


def test_it_is_written_only_when_something_has_changed():
    stage = Stage(NODE, owner("ReplicaSet"), budget(maxUnavailable=1)).run(10)
    written = len(stage.changes("PodDisruptionBudget"))
    stage.api.patch_status(Pod, "default", stage.names()[0], nominatedNodeName="n1")
    stage.create(pod("other", labels={"app": "db"}))
    stage.run(60)
    assert len(stage.changes("PodDisruptionBudget")) == written


def test_evictions_are_allowed_one_after_the_other():
    stage = Stage(NODE, owner("ReplicaSet"), budget(maxUnavailable=1), kubelet=KubeletSettings(stop=SECOND)).run(10)
    first, second, _ = stage.names()
    stage.api.evict("default", first)
    with pytest.raises(ApiError) as error:
        stage.api.evict("default", second)
    assert error.value.code == 429
    stage.run(1)
    with pytest.raises(ApiError):
        stage.api.evict("default", second)
    stage.run(10)
    stage.api.evict("default", second)
    assert stage.run(60).phases() == {"Running": 3}


def test_a_new_or_reselecting_budget_counts_existing_pods():
    stage = Stage(NODE, owner("ReplicaSet")).run(10)
    stage.create(budget(minAvailable=1), budget("none", {"app": "db"}, minAvailable=1))
    stage.run(1)
    assert status(stage) == (3, 1, 3, 2)
    assert status(stage, "none") == (0, 1, 0, 0)
    found = stage.get(PodDisruptionBudget, "none")
    stage.api.update(replace(found, spec=replace(found.spec, selector=LabelSelector(matchLabels=LABELS))), by="test")
    assert status(stage.run(1), "none") == (3, 1, 3, 2)


def test_pods_of_jobs_have_no_scale_and_the_budget_allows_nothing():
    job = owner("Job")
    job["spec"]["template"]["spec"]["restartPolicy"] = "Never"
    stage = Stage(NODE, job, budget(maxUnavailable=1)).run(10)
    found = stage.get(PodDisruptionBudget, "web").status
    assert found.disruptionsAllowed == 0
    assert [(each.status, each.reason) for each in found.conditions] == [("False", "SyncFailed")]
    message = "jobs.batch does not implement the scale subresource"
    why = f"Failed to calculate the number of expected pods: {message}"
    assert ("CalculateExpectedPodCountFailed", why) in stage.events("controllermanager")


def test_a_budget_of_unmanaged_pods_records_one_event():
    stage = Stage(NODE, pod("a", "n1", labels=LABELS), pod("b", "n1", labels=LABELS), budget(maxUnavailable=1))
    assert status(stage.run(10)) == (2, 0, 0, 0)
    assert [reason for reason, _ in stage.events()] == ["UnmanagedPods"]


def test_a_status_of_a_manifest_stays_if_the_controller_is_off():
    given = budget(maxUnavailable=1) | {"status": {"disruptionsAllowed": 7, "currentHealthy": 9}}
    stage = Stage(NODE, given, owner("ReplicaSet"), disruption=False).run()
    assert status(stage) == (9, 0, 0, 7)


def test_an_unconfirmed_eviction_times_out_after_two_minutes():
    given = budget(minAvailable=1)
    given["status"] = {"disruptedPods": {"a": "2023-11-14T22:13:20Z"}}  # at noon of the stage
    stage = Stage(NODE, pod("a", "n1", labels=LABELS), pod("b", "n1", labels=LABELS), given).run(100)
    assert status(stage)[0] == 1
    assert status(stage.run(25))[0] == 2
    assert stage.get(PodDisruptionBudget, "web").status.disruptedPods == {}


def test_scale_of_the_owner_counts_at_the_next_change_of_a_pod():
    stage = Stage(NODE, owner("ReplicaSet"), budget(minAvailable="50%")).run(10)
    assert stage.get(ReplicaSet, "web").status.readyReplicas == 3
    assert status(stage) == (3, 2, 3, 1)


def test_a_relabelled_pod_moves_to_another_budget():
    other = {"app": "db"}
    stage = Stage(NODE, pod("a", "n1", labels=LABELS), budget(minAvailable=1), budget("db", other, minAvailable=1)).run(
        5
    )
    assert (status(stage)[0], status(stage, "db")[0]) == (1, 0)
    found = stage.get(Pod, "a")
    stage.api.update(replace(found, metadata=replace(found.metadata, labels=other)), by="test")
    stage.run(1)
    assert (status(stage)[0], status(stage, "db")[0]) == (0, 1)
    stage.delete("db", PodDisruptionBudget)
    stage.delete("a", grace_seconds=0)
    assert status(stage.run(1)) == (0, 1, 0, 0)


def messages(stage: Stage) -> list[tuple[str, str, str]]:
    return [
        (each.key, each.type, each.reason) for each in stage.log if isinstance(each, Recorded) if "Pods" in each.reason
    ]


def test_a_budget_without_pods_tells_so_once_and_again_if_a_new_one_has_its_name():
    """v1.37: disruption.go, trySync (NoPods, Normal)."""
    told = ("default/web", "Normal", "NoPods")
    stage = Stage(NODE, budget(minAvailable=1)).run(5)
    stage.create(pod("other", labels={"app": "db"}))
    assert messages(stage.run(5)) == [told]
    stage.delete("web", PodDisruptionBudget)
    stage.run(1)
    stage.create(budget(minAvailable=2))
    assert messages(stage.run(5)) == [told, told]
    assert status(stage) == (0, 2, 0, 0)


def test_a_budget_that_changes_or_goes_is_counted_with_its_new_spec_and_then_no_longer():
    stage = Stage(NODE, owner("ReplicaSet"), budget(minAvailable=1)).run(10)
    assert status(stage) == (3, 1, 3, 2)
    found = stage.get(PodDisruptionBudget, "web")
    stage.api.update(replace(found, spec=replace(found.spec, minAvailable=3)), by="test")
    assert status(stage.run(1)) == (3, 3, 3, 0)
    stage.delete("web", PodDisruptionBudget)
    stage.run(1)
    written = len(stage.changes("PodDisruptionBudget"))
    stage.delete(stage.names()[0])
    assert len(stage.run(60).changes("PodDisruptionBudget")) == written
    stage.create(budget("web", {"app": "db"}, minAvailable=1))
    assert status(stage.run(1)) == (0, 1, 0, 0), "the old one's pods are forgotten"


@pytest.mark.parametrize("selector", [LabelSelector(matchLabels={"app": "db"}), None])
def test_pods_that_a_budget_selects_no_more_do_not_count_when_they_change(selector: LabelSelector | None):
    stage = Stage(NODE, owner("ReplicaSet"), budget(minAvailable=1)).run(10)
    found = stage.get(PodDisruptionBudget, "web")
    stage.api.update(replace(found, spec=replace(found.spec, selector=selector)), by="test")
    assert status(stage.run(1)) == (0, 1, 0, 0)
    stage.api.patch_status(Pod, "default", stage.names()[0], nominatedNodeName="n1")
    assert status(stage.run(1)) == (0, 1, 0, 0)
