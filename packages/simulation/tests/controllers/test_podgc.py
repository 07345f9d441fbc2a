from kschedlab.build import Manifest, node, pod
from kschedlab.objects.model import Node, Pod
from kschedlab_simulation.controllers.podgc import PodGC, PodGCSettings
from kschedlab_simulation.informers import Informers
from packages.simulation.tests.controllers.stage import NODE, NOON, SECOND, Stage, owner, phase, template


def finished(name: str, **metadata: str) -> Manifest:
    manifest = pod(name, "n1")
    manifest["metadata"] |= metadata
    return manifest | {"status": {"phase": "Succeeded"}}


def test_pods_of_a_deleted_node_are_deleted_after_the_quarantine():
    stage = Stage(NODE, node("n2"), pod("a", "n1"), pod("b", "n2")).run(7)
    stage.api.delete(Node, "", "n1")
    assert stage.run(50).phases() == {"Running": 2}
    assert stage.run(30).names() == ["b"]
    last = [entry for entry in stage.changes("Pod") if entry.key == "default/a"][-2]
    assert last.at == NOON + 60 * SECOND, "a round every 20 s; the second one that misses the node is 40 s before"
    last = last.new
    assert last.status.phase == "Failed"
    target = next(each for each in last.status.conditions if each.type == "DisruptionTarget")
    assert (target.reason, target.message) == ("DeletionByPodGC", "PodGC: node no longer exists")


def test_a_node_that_comes_back_in_time_keeps_its_pods():
    stage = Stage(NODE, pod("a", "n1")).run(5)
    stage.api.delete(Node, "", "n1")
    stage.run(30)
    stage.create(NODE)
    assert stage.run(200).phases() == {"Running": 1}
    stage.api.delete(Node, "", "n1")
    assert stage.run(30).phases() == {"Running": 1}
    assert stage.run(60).names() == []


def test_owners_replace_the_pods_of_a_deleted_node():
    there = owner("ReplicaSet", template=template(nodeSelector={"node": "n2"}))
    stage = Stage(NODE, node("n2"), there).run(5)
    stage.api.delete(Node, "", "n2")
    stage.create(node("n2"))
    stage.run(5)
    assert stage.phases() == {"Running": 3}


def test_a_terminating_pod_without_a_node_is_deleted():
    waiting = pod("a", deleted="2023-11-14T22:13:20Z")
    assert Stage(waiting, binds=False).run(1).names() == []


def test_surplus_finished_pods_are_deleted_evicted_and_old_ones_first():
    old, new = finished("z", creationTimestamp="2020-01-01T00:00:00Z"), finished("b")
    evicted = finished("e") | {"status": {"phase": "Failed", "reason": "Evicted"}}
    stage = Stage(NODE, new, old, evicted, pod("runs", "n1"))
    informers = Informers(stage.env, stage.api)
    PodGC(stage.env, stage.api, informers, PodGCSettings(period=SECOND, terminated_threshold=2)).start()
    informers.start()
    assert stage.run(5).names() == ["b", "runs", "z"]
    stage.create(pod("more", "n1"))
    stage.api.patch_status(Pod, "default", "more", phase="Succeeded")
    assert stage.run(5).names() == ["b", "more", "runs"]


def test_nothing_is_done_while_there_is_nothing_to_collect():
    stage = Stage(NODE, pod("a", "n1")).run(10)
    while stage.env.peek() < stage.env.now + 3600 * SECOND:
        stage.env.step()
    assert stage.now < 70  # bookmarks and the like aside, the clock has nothing more to wait for
    assert phase(stage.get(Pod, "a")) == "Running"
