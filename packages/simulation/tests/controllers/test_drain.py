import pytest

from kschedlab.build import Manifest, node, pod
from kschedlab.objects.model import Node
from kschedlab_simulation.controllers.drain import DrainResult, DrainSettings, cordon, drain
from kschedlab_simulation.controllers.kubelet import KubeletSettings
from kschedlab_simulation.status import ApiError
from packages.simulation.tests.controllers.stage import LABELS, NODE, SECOND, Stage, owner
from packages.simulation.tests.controllers.test_disruption import budget


def of_daemon_set(name: str) -> Manifest:
    manifest = pod(name, "n1")
    manifest["metadata"]["ownerReferences"] = [
        {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "d", "uid": "u", "controller": True}
    ]
    return manifest


def mirror(name: str) -> Manifest:
    manifest = pod(name, "n1")
    manifest["metadata"]["annotations"] = {"kubernetes.io/config.mirror": "x"}
    return manifest


def drained(stage: Stage, **settings: int) -> DrainResult:
    """Drain n1, and wait for the result."""
    result = stage.env.run(stage.env.process(drain(stage.env, stage.api, "n1", DrainSettings(**settings))))
    assert isinstance(result, DrainResult)
    return result


def test_a_drain_skips_daemon_set_pods_and_static_pods():
    stage = Stage(NODE, node("n2"), pod("a", "n1"), pod("b", "n1"), pod("c", "n2"), of_daemon_set("d"), mirror("m"))
    result = drained(stage.run(10))
    assert stage.names() == ["c", "d", "m"]
    assert (result.evicted, result.remaining, result.refusals) == (["default/a", "default/b"], {}, 0)
    assert stage.get(Node, "n1", "").spec.unschedulable
    assert 40 <= stage.now <= 41


def test_a_finished_daemon_set_pod_is_evicted():
    ended = of_daemon_set("d") | {"status": {"phase": "Failed"}}
    assert drained(Stage(NODE, ended).run(1)).evicted == ["default/d"]


def test_refused_evictions_are_retried_every_five_seconds():
    quick = KubeletSettings(start=SECOND, stop=SECOND)
    stage = Stage(NODE, owner("ReplicaSet", replicas=4), budget(minAvailable=3), kubelet=quick).run(10)
    before = set(stage.names())
    result = drained(stage)
    assert len(result.evicted) == 4 and not result.remaining and not before & set(stage.names())
    assert result.refusals == 3 + 2 + 1
    assert 25 <= stage.now <= 27


def test_a_drain_times_out_with_the_remaining_pods_and_reasons():
    stage = Stage(NODE, *(pod(name, "n1", labels=LABELS) for name in "ab"), budget(minAvailable=2)).run(10)
    result = drained(stage, timeout=60 * SECOND)
    assert stage.now == 70
    why = "Cannot evict pod as it would violate the pod's disruption budget."
    assert result.remaining == {"default/a": why, "default/b": why}
    assert result.refusals == 2 * 12
    assert stage.phases() == {"Running": 2}


def test_terminating_pods_remain_at_the_timeout():
    stage = Stage(NODE, pod("a", "n1", terminationGracePeriodSeconds=100)).run(10)
    result = drained(stage, timeout=50 * SECOND)
    assert result.remaining == {"default/a": "it is still terminating"}
    assert stage.phases() == {"Terminating": 1}


def test_the_grace_period_can_be_chosen():
    stage = Stage(NODE, pod("a", "n1", terminationGracePeriodSeconds=100)).run(10)
    assert drained(stage, grace_seconds=3).evicted == ["default/a"]
    assert stage.now <= 15


def test_a_pod_with_two_budgets_cannot_be_evicted():
    stage = Stage(NODE, pod("a", "n1", labels=LABELS), budget("x", minAvailable=0), budget("y", minAvailable=0)).run(10)
    result = drained(stage)
    why = "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."
    assert result.remaining == {"default/a": why}


def test_an_empty_node_is_drained_at_once():
    stage = Stage(NODE).run(1)
    assert drained(stage) == DrainResult("n1")
    assert stage.now == 1


def test_a_pod_that_is_gone_before_it_can_be_evicted_is_gone():
    stage = Stage(NODE, pod("a", "n1", labels=LABELS), budget(minAvailable=1)).run(10)
    process = stage.env.process(drain(stage.env, stage.api, "n1"))
    stage.run(12)
    stage.delete("a", grace_seconds=0)
    stage.run(10)
    assert process.value.evicted == ["default/a"]


def test_a_recreated_pod_does_not_delay_a_drain():
    stage = Stage(NODE, owner("StatefulSet", replicas=1), kubelet=KubeletSettings(stop=SECOND)).run(10)
    assert drained(stage).evicted == ["default/web-0"]
    assert stage.run(5).names() == ["web-0"]


def test_a_missing_node_is_an_error():
    stage = Stage(NODE)
    with pytest.raises(ApiError) as error:
        cordon(stage.api, "n7")
    assert str(error.value) == 'nodes "n7" not found'
    with pytest.raises(ApiError):
        stage.env.run(stage.env.process(drain(stage.env, stage.api, "n7")))
