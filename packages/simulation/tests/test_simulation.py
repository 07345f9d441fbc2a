"""Whole runs: timelines that succeed or fail, reproducibly, and step by step."""

import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

import benchmarks.perf  # noqa: F401  # reads scheduler_perf
from kschedlab.build import deployment, node, pod
from kschedlab.manifests.loading import decode_objects
from kschedlab.objects.meta import Time
from kschedlab.objects.model import Deployment, Node, Pod, PodDisruptionBudget, ReplicaSet
from kschedlab.objects.problems import ManifestError
from kschedlab_simulation.log import Acted, Began, Changed, Moved, Recorded, Step, read_log
from kschedlab_simulation.replay import Replay
from kschedlab_simulation.simulation import SETTLE_TIMEOUT, START, Simulation
from kschedlab_simulation.timeline.scenario import load_scenario, loads_scenario
from packages.simulation.tests.controllers.stage import documents
from tests.course import GENERATIONS

ROOT = Path(__file__).parents[3]
DOCUMENT = (ROOT / "docs" / "scenarios.md").read_text()
EXAMPLE = DOCUMENT.split("## A complete example\n\n```yaml\n")[1].split("```")[0]
SECOND = 1_000_000
ROOM = {"cpu": "2", "memory": "4Gi", "pods": "20"}
TWO_NODES = """---
{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {allocatable: {cpu: 2, memory: 4Gi, pods: 20}}}
---
{apiVersion: v1, kind: Node, metadata: {name: n2}, status: {allocatable: {cpu: 2, memory: 4Gi, pods: 20}}}
"""


def a_pod(name, cpu="1", **more):
    fields = "".join(f", {key}: {value}" for key, value in more.items())
    container = f"{{name: c, image: i, resources: {{requests: {{cpu: {cpu}}}}}}}"
    return f"{{apiVersion: v1, kind: Pod, metadata: {{name: {name}}}, spec: {{containers: [{container}]{fields}}}}}"


def ran(entries, more=TWO_NODES, until=None, head="", **given):
    lines = "".join(f"- {entry}\n" for entry in entries)
    simulation = Simulation.of(loads_scenario(f"{head}timeline:\n{lines}{more}", "run.yaml"), **given)
    simulation.run(until)
    return simulation


def where(simulation):
    return {one.metadata.name: one.spec.nodeName for one in simulation.pods()}


def seconds(simulation):
    return (simulation.now - simulation.start) / SECOND


def test_entries_act_at_their_time_to_the_microsecond():
    simulation = ran(["{at: 0s, cordon: n1}", "{at: 1us, cordon: n2}", "{at: 1s, uncordon: n1}"])
    acted = [each.at - simulation.start for each in simulation.log if isinstance(each, Acted)]
    assert acted == [0, 1, SECOND]


# -- the cluster from the beginning

FOUND = """---
{apiVersion: v1, kind: Pod, metadata: {name: a, labels: {app: web}, ownerReferences: [
  {apiVersion: apps/v1, kind: ReplicaSet, name: web, controller: true}]}, spec: {nodeName: n1, containers: [{name: c}]}}
---
{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: web},
 spec: {maxUnavailable: 1, selector: {matchLabels: {app: web}}}}
---
{apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web}, spec: {replicas: 2, selector: {matchLabels: {app: web}}}}
"""


def test_owners_without_templates_and_references_without_uids_are_understood():
    simulation = ran(["{at: 5s, scale: rs/web, replicas: 3}"], TWO_NODES + FOUND)
    (pod,), (owner,) = simulation.pods(), simulation.api.list(ReplicaSet)[0]
    assert simulation.report().failures == ()
    assert pod.metadata.ownerReferences[0].uid == owner.metadata.uid != ""
    status = simulation.api.get(PodDisruptionBudget, "default", "web").status
    assert (owner.spec.replicas, status.expectedPods, status.currentHealthy) == (3, 2, 1)


def test_an_owner_that_is_created_needs_a_template():
    created = "{at: 1s, create: {apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: web}, spec: {replicas: 2}}}"
    with pytest.raises(ManifestError, match="template"):
        ran([created])


# -- the example of the documentation


@pytest.mark.parametrize("generation", list(GENERATIONS))
def test_the_documented_example(generation):
    simulation = Simulation.of(loads_scenario(EXAMPLE), generation)
    simulation.run()
    report = simulation.report()
    assert report.failures == ()
    assert report.unschedulable == {}
    assert (report.preemptions, report.waits[1000].pods) == (1, 1)
    assert report.evicted >= 1
    assert len(simulation.pods()) == 2
    assert simulation.api.get(Deployment, "default", "web").status.readyReplicas == 2
    assert 180 < seconds(simulation) < 200
    drained = next(e for e in simulation.log if isinstance(e, Acted) and e.act == "drained n1")
    replay = Replay(simulation.log)
    replay.seek_time(drained.at)
    assert "n1" not in {one.spec.nodeName for one in replay.pods()}


def test_the_other_examples_of_the_document_can_be_read(tmp_path):
    (tmp_path / "busy.yaml").write_text(a_pod("busy"))
    blocks = [block.split("```")[0] for block in DOCUMENT.split("```yaml\n")[2:]]
    assert len(blocks) == 3
    gang, selected, operations = blocks
    node = "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: 4, memory: 8Gi, pods: 9}}"
    placed = Simulation.of(loads_scenario(f"{node}\n---\n{gang}"))
    placed.run()
    assert [pod.spec.nodeName for pod in placed.pods()] == ["n1", "n1"]
    assert len(loads_scenario(f"timeline:\n{selected}").entries) == 1
    simulation = Simulation.of(loads_scenario(operations, str(tmp_path / "run.yaml")))
    simulation.run()
    assert simulation.report().failures == ()
    assert simulation.report().bound >= 40


# -- the same again


def test_the_same_seed_gives_the_same_log():
    first, second, other = (Simulation.of(loads_scenario(EXAMPLE), seed=seed) for seed in (5, 5, 6))
    for simulation in (first, second, other):
        simulation.run()
    assert list(first.log.lines()) == list(second.log.lines())
    assert list(first.log.lines()) != list(other.log.lines())


def test_the_log_does_not_depend_on_hashes(tmp_path):
    file = tmp_path / "run.yaml"
    file.write_text(EXAMPLE)
    logs = []
    for seed in ("0", "1", "4242"):
        log = tmp_path / f"{seed}.jsonl"
        command = [sys.executable, "-m", "kschedlab", "simulate", str(file), "--log", str(log)]
        subprocess.run(command, check=True, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, cwd=ROOT)
        logs.append(log.read_bytes())
    assert logs[0] == logs[1] == logs[2]
    assert logs[0].count(b"\n") > 100


def test_a_log_read_back_is_the_same_and_replays_the_same():
    simulation = Simulation.of(loads_scenario(EXAMPLE))
    simulation.run()
    again = read_log(simulation.log.lines())
    assert again.entries == simulation.log.entries
    one, other = Replay(simulation.log), Replay(again)
    rng = random.Random(1)
    for _ in range(10):
        position = rng.randrange(len(one) + 1)
        one.seek(position)
        other.seek(position)
        assert (one.objects, one.places, one.steps) == (other.objects, other.places, other.steps)


def test_a_replay_ends_where_the_run_does():
    simulation = Simulation.of(loads_scenario(EXAMPLE))
    simulation.run("70s")
    replay = Replay(simulation.log)
    replay.seek(len(replay))
    assert replay.pods() == simulation.pods()
    assert replay.of(Node) == simulation.api.list(Node)[0]
    queue = simulation.scheduler.context.queue.places()
    assert {key: part for key, part in replay.places.items() if part != "in flight"} == {
        key: place.part for key, place in queue.items()
    }


# -- running, stepping, following


def test_a_run_can_be_continued():
    simulation = Simulation.of(loads_scenario(EXAMPLE))
    simulation.run("10s")
    assert seconds(simulation) == 10
    assert not simulation.settled
    drains = [e for e in simulation.log if isinstance(e, Acted) and e.act == "drain node n1"]
    assert len(drains) == 1, "what is due at the moment itself is done"
    simulation.run(11 * SECOND)
    assert seconds(simulation) == 11
    simulation.run()
    whole = Simulation.of(loads_scenario(EXAMPLE))
    whole.run()
    assert list(simulation.log.lines()) == list(whole.log.lines())


def test_the_scenario_says_when_it_ends():
    simulation = ran([], head="simulation: {until: 3s}\n")
    assert seconds(simulation) == 3
    simulation.run(5 * SECOND)
    assert seconds(simulation) == 5


def test_steps_and_followers_see_all_that_a_run_writes():
    whole, stepped, followed = (Simulation.of(loads_scenario(EXAMPLE)) for _ in range(3))
    whole.run()
    before = len(stepped.log)
    steps = 0
    while new := stepped.step():
        assert stepped.log.entries[-len(new) :] == new
        steps += 1
    assert steps > 50
    assert stepped.settled
    assert stepped.log.entries == whole.log.entries
    assert list(followed.follow()) == whole.log.entries
    assert isinstance(whole.log.entries[0], Began) and before > 1


def test_progress_is_reported():
    told = []
    simulation = Simulation.of(loads_scenario(EXAMPLE))
    simulation.run("5s", progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (4, 4)
    assert all(done <= total for done, total in told)


def test_a_run_without_anything_is_settled():
    simulation = Simulation()
    simulation.run()
    assert (simulation.pods(), simulation.now, simulation.settled) == ([], START, True)


def test_a_run_settles_with_pods_that_fit_nowhere():
    simulation = ran([f"{{at: 0s, create: {a_pod('large', '3')}}}"])
    assert simulation.settled
    assert seconds(simulation) < 60
    assert list(simulation.report().unschedulable) == ["default/large"]
    assert "Insufficient cpu" in simulation.report().unschedulable["default/large"]


CLAIM = {
    "kind": "PersistentVolumeClaim",
    "metadata": {"name": "c", "namespace": "default"},
    "spec": {
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "1Gi"}},
        "storageClassName": "",
    },
}

CONTENT = {
    "apiVersion": "autoscaling/v2",
    "kind": "HorizontalPodAutoscaler",
    "metadata": {"name": "web", "namespace": "default"},
    "spec": {"scaleTargetRef": {"kind": "Deployment", "name": "small"}, "minReplicas": 1, "maxReplicas": 3},
}


@pytest.mark.parametrize(
    "added",
    [
        deployment("web", 1, cpu="9"),
        deployment("small", 1),
        pod("a", volumes=[{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]),
        node("later"),
    ],
    ids=[
        "a deadline in ten minutes",
        "a look at a size that is right",
        "a look at waiting claims in 14 seconds",
        "an event in four seconds",
    ],
)
def test_a_run_settles_though_a_controller_looks_again_later(added):
    simulation = Simulation([node("n"), CLAIM, CONTENT])
    simulation.run("1s")
    (made,) = documents(added)
    simulation.api.create(made)
    simulation.run()
    assert simulation.settled and seconds(simulation) < 4


@pytest.mark.parametrize("generation", list(GENERATIONS))
def test_a_run_does_not_settle_while_a_pod_backs_off(generation):
    entries = [f"{{at: 0s, create: {a_pod('large', '3')}}}", "{at: 300ms, label: node/n1, labels: {a: b}}"]
    entries.append("{at: 310ms, update: {kind: Node, metadata: {name: n2}, status: {allocatable: {cpu: 4}}}}")
    simulation = ran(entries, generation=generation)
    assert where(simulation) == {"large": "n2"}


def test_a_run_that_never_settles_ends(monkeypatch):
    class Never:
        name = "Never"

        def pre_bind(self, pod, node):
            raise RuntimeError("not today")

    assert SETTLE_TIMEOUT == 24 * 3600 * SECOND
    monkeypatch.setattr("kschedlab_simulation.simulation.SETTLE_TIMEOUT", 600 * SECOND)
    simulation = ran([f"{{at: 1h, create: {a_pod('web')}}}"], plugins=[Never()])
    assert not simulation.settled
    assert 4190 < seconds(simulation) <= 4200
    assert simulation.step() == []


# -- objects


def test_objects_of_python():
    simulation = Simulation(decode_objects([pod("web"), node("n1", allocatable=ROOM)]), generation="v1.20", seed=3)
    simulation.run()
    assert where(simulation) == {"web": "n1"}
    assert simulation.log.entries[0] == Began(at=START, generation="v1.20", seed=3)


def test_the_clock_starts_at_the_newest_time_of_the_objects():
    """Otherwise pods of an exported cluster would start in the future, and preemption would take the wrong ones."""
    done = {"terminated": {"exitCode": 0, "startedAt": "2026-03-01T00:00:00Z", "finishedAt": "2026-03-05T06:07:08Z"}}
    old, new = pod("old", "n1", start="2026-03-02T00:00:00Z"), pod("new", "n1", start="2026-03-04T00:00:00Z")
    going = pod("going", "n1", deleted="2026-04-01T00:00:00Z")
    exported = [node("n1", allocatable=ROOM), old, new, going]
    for objects in (exported, decode_objects(exported)):
        assert Simulation(objects).start == Time.parse("2026-03-04T00:00:00Z"), "a deletion may lie ahead"
    old["status"]["containerStatuses"] = [{"name": "main", "state": {}, "lastState": done}]
    assert Simulation(exported).start == Time.parse("2026-03-05T06:07:08Z")
    tainted = node("n2", taints=[{"key": "a", "effect": "NoSchedule", "timeAdded": "2026-03-06T00:00:00Z"}])
    assert Simulation([*exported, tainted]).start == Time.parse("2026-03-06T00:00:00Z")
    assert Simulation(exported, start=START).start == START


def test_manifests_of_python():
    simulation = Simulation([deployment("web", 2, cpu=1), node("n1", cpu=2)], "v1.20")
    simulation.run()
    assert [each.spec.nodeName for each in simulation.pods()] == ["n1", "n1"]
    for wrong in (None, node("n1")):
        with pytest.raises(TypeError, match="expected a Cluster or a list of objects, got "):
            Simulation(wrong)
    with pytest.raises(ManifestError, match=r"objects\[1\]: expected a Kubernetes object"):
        Simulation([node("n1"), 5])
    with pytest.raises(TypeError, match="is not a generation"):
        Simulation([], None)


def test_pods_that_run_already_stay_as_they_are():
    running = pod("old", on="n1") | {"metadata": {"name": "old", "uid": "u-1"}}
    simulation = Simulation(
        decode_objects([running, node("n1", allocatable=ROOM)]), start=Time.parse("2026-05-01T00:00:00Z")
    )
    simulation.run()
    (found,) = simulation.pods()
    assert (found.metadata.uid, found.status.phase, found.spec.nodeName) == ("u-1", "Running", "n1")
    assert isinstance(simulation.log.entries[0].at, int)
    assert next(simulation.log.lines()).endswith('"at":1777593600000000}')


def test_rejected_initial_objects_are_reported_with_their_place():
    text = a_pod("web", priorityClassName="gold") + "\n---\n" + a_pod("api", priorityClassName="gold")
    with pytest.raises(ManifestError) as error:
        Simulation.of(loads_scenario(text, "cluster.yaml"))
    assert str(error.value).splitlines() == [
        'cluster.yaml:1: Pod default/web: pods "web" is forbidden: no PriorityClass with name gold was found',
        'cluster.yaml:3: Pod default/api: pods "api" is forbidden: no PriorityClass with name gold was found',
    ]


def test_a_configuration_beside_the_timeline(tmp_path):
    version, kind = "kubescheduler.config.k8s.io/v1", "KubeSchedulerConfiguration"
    text = f"{{apiVersion: {version}, kind: {kind}, profiles: [{{schedulerName: mine}}]}}"
    (tmp_path / "scheduler.yaml").write_text(text)
    run = tmp_path / "run.yaml"
    pods = f"[{a_pod('web', schedulerName='mine')}, {a_pod('other')}]"
    run.write_text(f"simulation: {{config: scheduler.yaml}}\ntimeline:\n- {{at: 0s, create: {pods}}}\n{TWO_NODES}")
    simulation = Simulation.of(load_scenario(run))
    simulation.run()
    assert where(simulation)["web"]
    assert where(simulation)["other"] == "", "nobody is responsible for it"


# -- acts


def test_create_delete_and_grace():
    simulation = ran(
        [
            f"{{at: 0s, create: [{a_pod('a')}, {a_pod('b')}]}}",
            "{at: 10s, delete: pod/a, grace: 4s}",
            "{at: 10s, delete: pods, selector: {app: nobody}}",
        ]
    )
    assert list(where(simulation)) == ["b"]
    gone = next(e for e in simulation.log if isinstance(e, Changed) and e.type == "DELETED")
    assert (gone.at - simulation.start) / SECOND == 14


def test_selectors_are_evaluated_when_the_entry_runs():
    labelled = a_pod("a").replace("{name: a}", "{name: a, labels: {app: web}}", 1)
    simulation = ran(
        [
            f"{{at: 0s, create: [{labelled}, {a_pod('b')}]}}",
            "{at: 5s, label: pods, selector: {app: web}, labels: {tier: front, app: null}}",
            "{at: 6s, delete: pods, selector: {app: web}}",
            "{at: 7s, delete: pods, selector: {tier: front}, grace: 0s}",
        ]
    )
    assert list(where(simulation)) == ["b"]


def test_a_selector_selects_in_its_namespace_only():
    labelled = a_pod("a").replace("{name: a}", "{name: a, labels: {app: web}}", 1)
    simulation = ran(
        [
            f"{{at: 0s, create: [{labelled}]}}",
            f"{{at: 0s, namespace: shop, create: [{labelled}]}}",
            "{at: 5s, delete: pods, namespace: shop, selector: {app: web}, grace: 0s}",
        ]
    )
    assert [each.metadata.namespace for each in simulation.pods()] == ["default"]


def test_updates_change_only_their_fields():
    simulation = ran(
        [
            "{at: 0s, label: node/n1, labels: {zone: a}}",
            "{at: 1s, update: {kind: Node, metadata: {name: n1, labels: {b: c}}, spec: {unschedulable: true},"
            " status: {allocatable: {cpu: 7}}}}",
            "{at: 2s, update: {kind: Node, metadata: {name: n1, labels: {zone: null}}}}",
        ]
    )
    found = simulation.api.get(Node, "", "n1")
    assert found.metadata.labels == {"b": "c"}
    assert found.spec.unschedulable
    assert {name: str(amount) for name, amount in found.status.allocatable.items()} == {
        "cpu": "7",
        "memory": "4Gi",
        "pods": "20",
    }


def test_taints_are_added_and_removed():
    simulation = ran(
        [
            '{at: 0s, taint: [n1, n2], taints: ["gpu=yes:NoSchedule", "old:NoSchedule"]}',
            '{at: 1s, taint: nodes/n1, taints: ["gpu=no:NoSchedule", "gpu:PreferNoSchedule", "old-"]}',
            '{at: 2s, taint: n2, taints: ["gpu:NoSchedule-"]}',
        ]
    )
    taints = {
        each.metadata.name: [(t.key, t.value, t.effect) for t in each.spec.taints]
        for each in simulation.api.list(Node)[0]
    }
    assert taints == {
        "n1": [("gpu", "no", "NoSchedule"), ("gpu", "", "PreferNoSchedule")],
        "n2": [("old", "", "NoSchedule")],
    }


def test_cordoned_nodes_take_no_pods():
    simulation = ran(
        [
            "{at: 0s, cordon: [n1]}",
            f"{{at: 1s, create: {a_pod('a')}}}",
            "{at: 2s, uncordon: n1}",
            "{at: 2s, cordon: n2}",
            f"{{at: 3s, create: {a_pod('b')}}}",
        ]
    )
    assert where(simulation) == {"a": "n2", "b": "n1"}


UNCORDONED = [{"at": f"{at}s", "create": pod(f"p{i}", cpu="2", priority=i)} for at, i in enumerate((1, 3, 2))]
UNCORDONED += [{"at": "8s", "uncordon": "a"}]


@pytest.mark.parametrize(("latency", "failures"), [("0s", [1, 0, 0]), ("10ms", [1, 1, 1])])
def test_pods_fail_while_a_controller_has_yet_to_remove_the_taint(latency, failures):
    """After an uncordon, the taint is there until the controller reacts; it also decides who is first in the end."""
    taint = {"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"}
    closed = node("a", allocatable={"cpu": "4", "pods": "9"}, unschedulable=True, taints=[taint])
    head = {"simulation": {"controllers": {"least": latency, "most": latency}}, "timeline": UNCORDONED}
    simulation = Simulation.of(loads_scenario(f"{json.dumps(head)}\n---\n{json.dumps(closed)}"))
    simulation.run()
    tainted = [each.key for each in simulation.log if isinstance(each, Recorded) and "untolerated" in each.message]
    assert [tainted.count(f"default/p{i}") for i in (3, 2, 1)] == failures
    if latency == "10ms":
        assert where(simulation) == {"p1": "", "p2": "a", "p3": "a"}


@pytest.mark.parametrize(
    ("given", "limits"),
    [
        ({}, (10, 20)),
        ({"least": "30ms"}, (30, 30)),
        ({"most": "5ms"}, (5, 5)),
        ({"least": "0s", "most": "1s"}, (0, 1000)),
    ],
)
def test_the_latency_of_controllers_is_a_setting(given, limits):
    scenario = loads_scenario(json.dumps({"simulation": {"controllers": given}}))
    found = scenario.options.settings.controllers
    assert (found.least, found.most) == (limits[0] * 1000, limits[1] * 1000)


def test_a_latency_has_its_limits_in_order():
    with pytest.raises(ManifestError, match="controllers.least: is more than most"):
        loads_scenario(json.dumps({"simulation": {"controllers": {"least": "2s", "most": "1s"}}}))


def test_recreate_false_disables_the_owners():
    web = EXAMPLE.split("  - apiVersion: policy/v1")[0].split("create:\n")[1].replace("  - api", "    api", 1)
    for recreate, pods in ((True, 4), (False, 0)):
        text = f"simulation: {{recreate: {str(recreate).lower()}}}\ntimeline:\n- at: 0s\n  create:\n{web}{TWO_NODES}"
        simulation = Simulation.of(loads_scenario(text))
        simulation.run()
        assert len(simulation.pods()) == pods


# -- what cannot be


def refusals(simulation):
    return [e for e in simulation.log if isinstance(e, Acted) and e.error]


def test_rejected_requests_do_not_break_the_simulation():
    simulation = ran(
        [
            f"{{at: 0s, create: {a_pod('web')}}}",
            '{at: 1s, update: {kind: Node, metadata: {name: n1, resourceVersion: "1"}, spec: {unschedulable: true}}}',
            "{at: 2s, delete: pod/web, grace: 0s}",
            "{at: 8s, delete: pod/web}",
            f"{{at: 9s, create: [{a_pod('api')}, {a_pod('api')}, {a_pod('more')}]}}",
            "{at: 10s, update: {kind: Pod, metadata: {name: api}, spec: {nodeName: n9}}}",
        ]
    )
    assert [(e.place, e.status.code, e.status.reason, e.act) for e in refusals(simulation)] == [
        ("run.yaml:3", 409, "Conflict", "update node n1"),
        ("run.yaml:5", 404, "NotFound", "delete pod default/web"),
        ("run.yaml:6", 409, "AlreadyExists", "create pod default/api"),
        ("run.yaml:7", 422, "Invalid", "update pod default/api"),
    ]
    assert refusals(simulation)[0].error == (
        'Operation cannot be fulfilled on nodes "n1": the object has been modified; '
        "please apply your changes to the latest version and try again"
    )
    assert all(where(simulation).values())
    assert list(where(simulation)) == ["api", "more"]
    assert not simulation.api.get(Node, "", "n1").spec.unschedulable
    assert simulation.report().failures[1] == 'run.yaml:5: delete pod default/web: pods "web" not found'


def test_an_update_with_the_current_version_succeeds():
    first = ran([])
    version = first.api.get(Node, "", "n1").metadata.resourceVersion
    entry = (
        f'{{at: 0s, update: {{kind: Node, metadata: {{name: n1, resourceVersion: "{version}", labels: {{a: b}}}}}}}}'
    )
    simulation = ran([entry])
    assert refusals(simulation) == []
    assert simulation.api.get(Node, "", "n1").metadata.labels == {"a": "b"}


def test_a_simulation_says_how_far_it_is():
    simulation = Simulation([node("n1", cpu=1), *(pod(name, cpu=1) for name in ("web", "db", "api"))])
    simulation.run("90s")
    assert repr(simulation) == "<Simulation after 90 s: 3 pods, 2 without a node>"


def test_a_drain_of_a_node_that_is_not_there_is_refused():
    entries = ["{at: 1s, create: {kind: Node, metadata: {generateName: extra-}}}", "{at: 2s, drain: extra-abcde}"]
    (refused,) = refusals(ran(entries))
    assert (refused.act, refused.status.code) == ("drain node extra-abcde", 404)


def test_budgets_delay_evictions_and_drains():
    spec = "{minAvailable: 1, selector: {matchLabels: {app: web}}}"
    budget = f"{{apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {{name: b}}, spec: {spec}}}"
    labelled = a_pod("web").replace("{name: web}", "{name: web, labels: {app: web}}", 1)
    entries = [
        f"{{at: 0s, create: [{labelled}, {budget}]}}",
        "{at: 5s, evict: web}",
        "{at: 6s, drain: [n1, n2], timeout: 12s}",
    ]
    simulation = ran(entries)
    evicted, drained = refusals(simulation)
    assert (evicted.act, evicted.status.code) == ("evict pod default/web", 429)
    assert drained.act.startswith("drained n")
    assert drained.error == ("gave up: default/web: Cannot evict pod as it would violate the pod's disruption budget.")
    assert (drained.at - simulation.start) / SECOND == 18
    assert list(where(simulation)) == ["web"]


def test_steps_moves_and_acts_are_in_the_log():
    simulation = ran([f"{{at: 1s, create: {a_pod('web')}}}"])
    (acted,) = [e for e in simulation.log if isinstance(e, Acted)]
    assert (acted.at, acted.act, acted.place, acted.error) == (
        simulation.start + SECOND,
        "create pod default/web",
        "run.yaml:2",
        "",
    )
    steps = [e.step for e in simulation.log if isinstance(e, Step) and e.pod == "default/web"]
    assert [step for step in steps if step in ("pop", "schedule", "assume", "bind")] == [
        "pop",
        "schedule",
        "assume",
        "bind",
    ]
    assert [e.to for e in simulation.log if isinstance(e, Moved)] == ["active", "in flight", "gone"]
    assert {e.by for e in simulation.log if isinstance(e, Changed) and e.kind == "Pod"} == {
        "timeline",
        "default-scheduler",
        "kubelet",
    }
    assert isinstance(simulation.pods()[0], Pod)
