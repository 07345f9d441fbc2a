"""DaemonSets, CronJobs and autoscalers, in the cases of their authors.

v1.37: pkg/controller/daemon/{daemon_controller,update}_test.go, pkg/controller/cronjob/utils_test.go,
pkg/controller/podautoscaler/horizontal_test.go.
"""

from collections import Counter

import pytest
from msgspec.structs import replace

from kschedlab.build import deployment, node, pod
from kschedlab.objects.meta import SECOND, Time
from kschedlab.objects.model import (
    CronJob,
    DaemonSet,
    Deployment,
    HorizontalPodAutoscaler,
    Job,
    Node,
    Pod,
    PodCondition,
    ResourceQuota,
)
from kschedlab_simulation import Simulation
from kschedlab_simulation.controllers.autoscalers import desired_replicas
from kschedlab_simulation.controllers.cron_jobs import due_time, job_of, surplus
from kschedlab_simulation.controllers.daemon_sets import (
    daemon_spec,
    max_unavailable,
    next_writes,
    node_of,
    only_on,
    status_of,
    wanted_on,
)
from kschedlab_simulation.controllers.kubelet import KubeletSettings
from kschedlab_simulation.controllers.writes import Create, Delete, RecordEvent
from kschedlab_simulation.log import Recorded
from kschedlab_simulation.timeline.scenario import Settings
from packages.simulation.tests.controllers.stage import documents, template

FULL = {"cpu": 8, "memory": "8Gi", "pods": 20}
TAINT = {"key": "dedicated", "value": "x", "effect": "NoSchedule"}


def daemon_set(name="agent", strategy=None, **spec):
    body = {"selector": {"matchLabels": {"app": "web"}}, "template": template(**spec)}
    if strategy is not None:
        body["updateStrategy"] = strategy
    metadata = {"name": name, "namespace": "default"}
    return {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": metadata, "spec": body}


def nodes(count, **fields):
    return [node(f"n{i}", allocatable=FULL, **fields) for i in range(count)]


def running(*objects, until="30s", **more):
    simulation = Simulation(list(objects), **more)
    simulation.run(until)
    return simulation


def where(simulation):
    return sorted(pod.spec.nodeName for pod in simulation.pods())


def notes(simulation, key):
    """(reason, message) of the events about this object."""
    return [(each.reason, each.message) for each in simulation.log if isinstance(each, Recorded) and each.key == key]


# -- DaemonSets


def test_one_pod_on_each_node():
    """TestSimpleDaemonSetScheduleDaemonSetLaunchesPods."""
    simulation = running(*nodes(3), daemon_set())
    assert where(simulation) == ["n0", "n1", "n2"]
    status = simulation.api.get(DaemonSet, "default", "agent").status
    assert (status.desiredNumberScheduled, status.currentNumberScheduled, status.numberReady) == (3, 3, 3)
    assert {pod.metadata.ownerReferences[0].name for pod in simulation.pods()} == {"agent"}


def test_a_new_node_gets_a_pod_and_a_deleted_one_loses_it():
    simulation = running(*nodes(1), daemon_set())
    simulation.api.create(documents(node("new", allocatable=FULL))[0])
    simulation.run("60s")
    assert where(simulation) == ["n0", "new"]
    simulation.api.delete(Node, "", "n0")
    simulation.run("5m")
    assert where(simulation) == ["new"]


@pytest.mark.parametrize(
    ("fields", "spec", "wanted"),
    [
        ({"taints": [TAINT]}, {}, (False, True)),  # TestTaintedNodeDaemonDoesNotLaunchIntolerantPod
        ({"taints": [TAINT]}, {"tolerations": [{"operator": "Exists"}]}, (True, True)),
        ({"taints": [TAINT | {"effect": "NoExecute"}]}, {}, (False, False)),
        ({"unschedulable": True}, {}, (True, True)),  # TestUnschedulableNodeDaemonDoesLaunchPod
        ({"taints": [{"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"}]}, {}, (True, True)),
        ({"taints": [{"key": "node.kubernetes.io/network-unavailable", "effect": "NoSchedule"}]}, {}, (False, True)),
        (
            {"taints": [{"key": "node.kubernetes.io/network-unavailable", "effect": "NoSchedule"}]},
            {"hostNetwork": True}, (True, True),
        ),
        ({"labels": {"color": "blue"}}, {"nodeSelector": {"color": "blue"}}, (True, True)),  # TestSelectorDaemon...
        ({"labels": {"color": "red"}}, {"nodeSelector": {"color": "blue"}}, (False, False)),
        ({}, {"nodeName": "other"}, (False, False)),  # TestInconsistentNameDaemonSetDoesNothing
        ({}, {"nodeName": "n1"}, (True, True)),
    ],
)  # fmt: skip
def test_where_a_pod_belongs(fields, spec, wanted):
    """TestNodeShouldRunDaemonPod."""
    spec = dict(spec)
    name = spec.pop("nodeName", "")
    (made,) = documents(daemon_set(**spec))
    asked = replace(daemon_spec(made.spec.template.spec), nodeName=name)
    assert wanted_on(documents(node("n1", **fields))[0], asked) == wanted


def test_a_full_node_keeps_its_pod_pending():
    simulation = running(node("n0", cpu=1), node("n1", cpu=8), daemon_set(cpu="4"))
    assert where(simulation) == ["", "n1"]
    (waiting,) = [each for each in simulation.pods() if not each.spec.nodeName]
    assert node_of(waiting) == "n0", "the scheduler may bind it nowhere else"


def test_pods_of_nodes_that_match_no_more_go():
    """TestSelectorDaemonDeletesUnselectedPods."""
    simulation = running(node("n0", labels={"color": "blue"}), daemon_set(nodeSelector={"color": "blue"}))
    found = simulation.api.get(Node, "", "n0")
    simulation.api.update(replace(found, metadata=replace(found.metadata, labels={"color": "red"})))
    simulation.run("5m")
    assert simulation.pods() == []


@pytest.mark.parametrize("cpu", ["1", "100"])
def test_a_new_node_gets_its_pod_while_another_one_goes(cpu):
    """A pod that runs takes its grace period to go, one that waits goes at once."""
    blue = {"color": "blue"}
    simulation = running(*nodes(1, labels=blue), daemon_set(nodeSelector=blue, cpu=cpu))
    found = simulation.api.get(Node, "", "n0")
    simulation.api.update(replace(found, metadata=replace(found.metadata, labels={"color": "red"})))
    simulation.run("32s")
    simulation.api.create(documents(node("new", allocatable=FULL, labels=blue))[0])
    simulation.run("33s")
    assert "new" in map(node_of, simulation.pods())


def test_it_takes_room_that_other_pods_miss():
    simulation = running(*nodes(2), daemon_set(cpu="6"), deployment("d", 6, cpu="3"), until=None)
    names = [each.metadata.name.partition("-")[0] for each in simulation.pods() if each.spec.nodeName]
    assert len(names) < 8 and simulation.report().unschedulable


def test_a_daemon_set_tells_which_pods_it_made_and_which_it_was_refused():
    """v1.37: controller_utils.go, RealPodControl; a quota has room for one of two pods."""
    metadata, hard = {"name": "q", "namespace": "default"}, {"pods": "1"}
    full = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": metadata, "spec": {"hard": hard}}
    simulation = running(*nodes(2), full, daemon_set(), until="5s")
    (made,) = simulation.pods()
    events = dict(notes(simulation, "default/agent"))
    assert events["SuccessfulCreate"] == f"Created pod: {made.metadata.name}"
    assert "exceeded quota: q" in events["FailedCreate"]


def test_a_finished_pod_is_replaced():
    simulation = running(*nodes(1), daemon_set())
    (old,) = simulation.pods()
    simulation.api.patch_status(Pod, "default", old.metadata.name, phase="Failed")
    simulation.run("5m")
    (new,) = simulation.pods()
    assert new.metadata.uid != old.metadata.uid and new.spec.nodeName == "n0"


def test_a_pod_is_available_once_it_has_been_ready_long_enough():
    agent = daemon_set()
    agent["spec"]["minReadySeconds"] = 60
    simulation = running(*nodes(2), agent)
    for until, available in (("50s", 0), ("70s", 2)):
        simulation.run(until)
        status = simulation.api.get(DaemonSet, "default", "agent").status
        assert (status.numberReady, status.numberAvailable) == (2, available)


def test_pods_of_an_exported_cluster_stay():
    """Their label is the hash of a template with fields that are not known here; they do not roll for that."""
    old = pod("old", on="n0", labels={"app": "web", "controller-revision-hash": "real"})
    simulation = running(*nodes(2), old, daemon_set())
    names = {each.spec.nodeName: each.metadata.name for each in simulation.pods()}
    assert names["n0"] == "old" and set(names) == {"n0", "n1"}
    assert {each.metadata.labels["controller-revision-hash"] for each in simulation.pods()} == {"real"}
    assert {each.metadata.ownerReferences[0].name for each in simulation.pods()} == {"agent"}


def of_daemon_set(name, on="", waits_for="", age=0, phase="Running", deleted=None, version="new", ready=True):
    """A pod of the DaemonSet, bound to a node or waiting for one."""
    (made,) = documents(pod(name, on, labels={"controller-revision-hash": version}, deleted=deleted))
    created = Time.parse("2026-01-01T00:00:00Z") - age * SECOND
    return replace(
        made,
        metadata=replace(made.metadata, creationTimestamp=created),
        spec=only_on(made.spec, waits_for) if waits_for else made.spec,
        status=replace(made.status, phase=phase, conditions=(PodCondition("Ready", str(ready)),)),
    )


def deleted_of(pods, on=("n1",), strategy=None):
    """The pods that the DaemonSet deletes."""
    owner, *known = documents(daemon_set(strategy=strategy), *(node(name) for name in on))
    writes = next_writes(owner, pods, known, "new", Time.parse("2026-01-01T00:00:00Z"))
    return [each.obj.metadata.name for each in writes if isinstance(each, Delete)]


def test_at_most_250_pods_are_made_and_250_deleted_at_once():
    """daemon_controller.go, syncNodes (BurstReplicas): each of the two is limited alone."""
    owner, *known = documents(daemon_set(), *(node(f"n{i}") for i in range(600)))
    failed = [of_daemon_set(f"p{i}", f"n{i}", phase="Failed") for i in range(300)]
    writes = next_writes(owner, failed, known, "new", Time.parse("2026-01-01T00:00:00Z"))
    assert Counter(type(each) for each in writes) == {RecordEvent: 300, Create: 250, Delete: 250}


GOING = "2026-01-01T00:00:00Z"


@pytest.mark.parametrize(
    ("pods", "gone"),
    [
        ([of_daemon_set("a", "n1"), of_daemon_set("b", "n1", age=5)], ["a"]),
        ([of_daemon_set("b", "n1"), of_daemon_set("a", "n1")], ["b"]),
        ([of_daemon_set("a", "n1", age=5), of_daemon_set("b", "n1"), of_daemon_set("c", "n1")], ["b", "c"]),
        ([of_daemon_set("a", waits_for="n1", age=5), of_daemon_set("b", "n1")], ["a"]),
        ([of_daemon_set("a", "n1", age=5, deleted=GOING), of_daemon_set("b", "n1")], []),
        ([of_daemon_set("a", "n1", phase="Failed"), of_daemon_set("b", "n1")], ["a"]),
        ([of_daemon_set("a", "n1"), of_daemon_set("b", "n9")], []),
        ([of_daemon_set("a", "n1"), of_daemon_set("b", waits_for="n9")], ["b"]),
    ],
)
def test_the_oldest_bound_pod_of_a_node_stays(pods, gone):
    """v1.37: daemon_controller.go, podsShouldBeOnNode, getUnscheduledPodsWithoutNode (PodGC deletes bound ones)."""
    assert deleted_of(pods) == gone


@pytest.mark.parametrize(
    ("first", "gone"),
    [
        (of_daemon_set("a", "n1"), ["b", "c"]),
        (of_daemon_set("a", "n1", deleted=GOING), ["b"]),
        (of_daemon_set("a", "n1", ready=False), ["b"]),
        (of_daemon_set("a", "n1", ready=False, version="old"), ["a", "b"]),
    ],
)
def test_a_node_without_an_available_pod_counts_as_one_that_is_missing(first, gone):
    """v1.37: update.go, rollingUpdate; with maxUnavailable 2. An old pod that is not available goes in any case."""
    old = [of_daemon_set(name, on, version="old") for name, on in (("b", "n2"), ("c", "n3"))]
    assert deleted_of([first, *old], ("n1", "n2", "n3"), {"rollingUpdate": {"maxUnavailable": 2}}) == gone


def test_the_status_counts_the_oldest_pod_of_a_node():
    """v1.37: daemon_controller.go, updateDaemonSetStatus."""
    owner, *known = documents(daemon_set(), node("n1"))
    pods = [of_daemon_set("new", "n1", ready=False, version="old"), of_daemon_set("first", "n1", age=5)]
    status = status_of(owner, pods, known, "new", Time.parse("2026-01-01T00:00:00Z"))
    assert (status.numberReady, status.numberAvailable, status.updatedNumberScheduled) == (1, 1, 1)


@pytest.mark.parametrize(("most", "together"), [(1, 1), ("50%", 2), ("100%", 4)])
def test_a_rolling_update_keeps_the_others(most, together):
    """TestDaemonSetUpdatesPods: never more pods missing than maxUnavailable."""
    simulation = running(*nodes(4), daemon_set(strategy={"rollingUpdate": {"maxUnavailable": most}}))
    found = simulation.api.get(DaemonSet, "default", "agent")
    before = {each.metadata.uid for each in simulation.pods()}
    (other,) = documents(daemon_set(strategy={"rollingUpdate": {"maxUnavailable": most}}, cpu="1"))
    simulation.api.update(replace(found, spec=other.spec))
    fewest = 4
    for seconds in range(31, 400):
        simulation.run(f"{seconds}s")
        ready = sum(c.status == "True" for p in simulation.pods() if p.metadata.deletionTimestamp is None
                    for c in p.status.conditions if c.type == "Ready")  # fmt: skip
        fewest = min(fewest, ready)
    assert before.isdisjoint(each.metadata.uid for each in simulation.pods()) and len(simulation.pods()) == 4
    assert 4 - fewest == together


@pytest.mark.parametrize(
    ("most", "desired", "expected"),
    [(None, 9, 1), (3, 9, 3), ("30%", 10, 3), ("31%", 10, 4), ("100%", 101, 101), ("0%", 10, 1), ("many", 10, 1)],
)
def test_at_least_one_pod_may_be_missing_and_shares_are_rounded_up(most, desired, expected):
    """v1.37: pkg/controller/daemon/util/daemonset_util.go, UnavailableCount."""
    (owner,) = documents(daemon_set(strategy=most and {"rollingUpdate": {"maxUnavailable": most}}))
    assert max_unavailable(owner, desired) == expected


def test_on_delete_nothing_rolls():
    simulation = running(*nodes(1), daemon_set(strategy={"type": "OnDelete"}))
    found, before = simulation.api.get(DaemonSet, "default", "agent"), simulation.pods()[0].metadata.uid
    spec = documents(daemon_set(strategy={"type": "OnDelete"}, cpu="1"))[0].spec
    simulation.api.update(replace(found, spec=spec))
    simulation.run("5m")
    assert simulation.pods()[0].metadata.uid == before
    assert simulation.api.get(DaemonSet, "default", "agent").status.updatedNumberScheduled == 0


# -- CronJobs


def cron_job(schedule="*/5 * * * *", **spec):
    job = {"spec": {"template": template(restartPolicy="Never")}}
    metadata = {"name": "tick", "namespace": "default"}
    body = {"schedule": schedule, "jobTemplate": job, **spec}
    return {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": metadata, "spec": body}


def test_a_job_at_each_time():
    simulation = running(*nodes(1), cron_job(successfulJobsHistoryLimit=2), until="22m")
    made = sorted(each.metadata.name for each in simulation.api.list(Job)[0])
    minute = int(Time.parse("2026-01-01T00:00:00Z")) // (60 * SECOND)
    assert made == [f"tick-{minute + 15}", f"tick-{minute + 20}"], "older ones are over, and removed"
    assert len({each for each in simulation.report().waits}) == 1 and simulation.report().bound == 4
    said = [each.message for each in simulation.log if isinstance(each, Recorded) and each.key == "default/tick"]
    assert [each for each in said if each.startswith("Created")] == [
        f"Created job tick-{minute + later}" for later in (5, 10, 15, 20)
    ]


def test_a_settled_cluster_does_not_wait_for_the_next_time():
    simulation = running(*nodes(1), cron_job(), until=None)
    assert simulation.api.list(Job)[0] == [] and simulation.settled


@pytest.mark.parametrize(("policy", "jobs"), [("Allow", 3), ("Forbid", 1), ("Replace", 1)])
def test_concurrency(policy, jobs):
    job = cron_job("* * * * *", concurrencyPolicy=policy)
    slow = {"kschedlab.io/run-seconds": "600"}
    job["spec"]["jobTemplate"]["spec"]["template"] = template(restartPolicy="Never", annotations=slow)
    simulation = running(*nodes(1), job, until="3m10s")
    active = [each for each in simulation.api.list(Job)[0] if each.status.active]
    assert len(active) == jobs
    told = [(each.type, each.reason) for each in simulation.log if isinstance(each, Recorded)]
    assert told.count(("Normal", "JobAlreadyActive")) == (2 if policy == "Forbid" else 0), (
        "at each time that it leaves out"
    )


def test_the_history_keeps_the_jobs_that_began_last():
    """v1.37: cronjob/utils.go, byJobStartTime: those without a time are last, equal ones go by name."""
    (owner,) = documents(cron_job(successfulJobsHistoryLimit=2, failedJobsHistoryLimit=1))
    began = {"late": "12:00", "early": "10:00", "unknown": None, "b": "11:00", "a": "11:00"}
    jobs = [
        {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": f"{name}-{end}"}}
        | {"spec": {"template": template(restartPolicy="Never")}}
        | {
            "status": {"conditions": [{"type": end, "status": true}]}
            | ({"startTime": f"2026-01-01T{at}:00Z"} if at else {})
        }
        for end, true in (("Complete", "True"), ("Failed", "True"), ("Suspended", "True"), ("Failed", "False"))
        for name, at in began.items()
    ]
    assert [job.metadata.name for job in surplus(owner, documents(*jobs))] == [
        *("early-Complete", "a-Complete", "b-Complete"),
        *("early-Failed", "a-Failed", "b-Failed", "late-Failed"),
    ]


@pytest.mark.parametrize(("owned", "last"), [(True, "2026-01-01T00:10:00Z"), (False, None)])
def test_the_name_of_a_job_is_taken(owned, last):
    """By its own Job, which it then counts, or by another's, which it leaves alone: then it makes no later one."""
    minute = int(Time.parse("2026-01-01T00:05:00Z")) // (60 * SECOND)
    reference = {"apiVersion": "batch/v1", "kind": "CronJob", "name": "tick", "uid": "c", "controller": True}
    tick = cron_job()
    tick["metadata"]["uid"] = "c"
    metadata = {"name": f"tick-{minute}", "namespace": "default", "ownerReferences": [reference] if owned else []}
    spec = {"template": template(restartPolicy="Never")}
    taken = {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec}
    simulation = running(*nodes(1), tick, taken, until="12m")
    assert len(simulation.api.list(Job)[0]) == (2 if owned else 1)
    found = simulation.api.get(CronJob, "default", "tick").status.lastScheduleTime
    assert found == (last and Time.parse(last))


def test_a_job_that_is_refused_is_told_and_made_once_there_is_room():
    """v1.37: cronjob_controllerv2.go, syncCronJob (FailedCreate)."""
    metadata, hard = {"name": "q", "namespace": "default"}, {"count/jobs.batch": "0"}
    full = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": metadata, "spec": {"hard": hard}}
    simulation = running(*nodes(1), full, cron_job(), until="5m10s")
    assert simulation.api.list(Job)[0] == []
    name = f"tick-{int(Time.parse('2026-01-01T00:05:00Z')) // (60 * SECOND)}"
    why = "exceeded quota: q, requested: count/jobs.batch=1, used: count/jobs.batch=0, limited: count/jobs.batch=0"
    said = {(each.type, each.reason, each.message) for each in simulation.log if isinstance(each, Recorded)}
    assert said == {("Warning", "FailedCreate", f'Error creating job: jobs.batch "{name}" is forbidden: {why}')}
    simulation.api.delete(ResourceQuota, "default", "q")
    simulation.run("8m")
    assert [each.metadata.name for each in simulation.api.list(Job)[0]] == [name]


@pytest.mark.parametrize(
    ("spec", "reason", "message"),
    [
        ({"timeZone": "Moon"}, "UnknownTimeZone", 'invalid timeZone: "Moon": unknown time zone Moon'),
        ({"timeZone": "../x", "suspend": True}, "UnknownTimeZone", 'invalid timeZone: "../x": unknown time zone ../x'),
        (
            {"schedule": "* *"},
            "UnparseableSchedule",
            'unparseable schedule: "* *" : expected exactly 5 fields, found 2: * *',
        ),
    ],
)
def test_a_time_that_is_none_is_told(spec, reason, message):
    simulation = running(*nodes(1), cron_job(**spec), until="20m")
    assert {(each.reason, each.message) for each in simulation.log if isinstance(each, Recorded)} == {(reason, message)}


def test_a_deadline_and_suspension():
    """TestMostRecentScheduleTime."""
    (owner,) = documents(cron_job("0 * * * *"))
    created = Time.parse("2016-05-19T09:30:00Z")
    owner = replace(owner, metadata=replace(owner.metadata, creationTimestamp=created))
    now = Time.parse("2016-05-19T12:10:00Z")
    assert due_time(owner, now) == Time.parse("2016-05-19T12:00:00Z")
    late = replace(owner, spec=replace(owner.spec, startingDeadlineSeconds=60))
    assert due_time(late, now) is None
    assert job_of(owner, int(now)).metadata.name == f"tick-{int(now) // (60 * SECOND)}"
    simulation = running(*nodes(1), cron_job(suspend=True), until="20m")
    assert simulation.api.list(Job)[0] == []
    assert simulation.api.get(CronJob, "default", "tick").status.lastScheduleTime is None


# -- autoscalers (v1.37: horizontal_test.go, TestMinReplicas, TestMaxReplicas, TestZeroReplicas)


def autoscaler(least, most):
    spec = {"scaleTargetRef": {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"}, "maxReplicas": most}
    spec |= {"minReplicas": least} if least is not None else {}
    metadata = {"name": "h", "namespace": "default"}
    return {"apiVersion": "autoscaling/v2", "kind": "HorizontalPodAutoscaler", "metadata": metadata, "spec": spec}


@pytest.mark.parametrize(
    ("current", "least", "most", "desired"),
    [
        (1, 2, 6, 2),
        (9, 2, 6, 6),
        (3, 2, 6, 3),
        (0, 2, 6, 0),
        (0, 0, 6, 0),
        (0, 1, 6, 0),
        (0, None, 6, 0),
        (1, None, 5, 1),
        (6, 2, 6, 6),
    ],
)
def test_the_bounds_of_replicas(current, least, most, desired):
    assert desired_replicas(current, documents(autoscaler(least, most))[0])[0] == desired


def test_a_deployment_is_kept_within_its_bounds():
    simulation = running(*nodes(2), deployment("d", 1, cpu="1"), autoscaler(3, 5))
    assert len(simulation.pods()) == 3
    found = simulation.api.get(Deployment, "default", "d")
    simulation.api.update(replace(found, spec=replace(found.spec, replicas=9)))
    simulation.run("45s")
    assert simulation.api.get(Deployment, "default", "d").spec.replicas == 9, "it looks every 15 seconds"
    simulation.run("45.9s")
    assert simulation.api.get(Deployment, "default", "d").spec.replicas == 5
    assert simulation.api.get(HorizontalPodAutoscaler, "default", "h").status.desiredReplicas == 5
    assert notes(simulation, "default/h") == [
        ("SuccessfulRescale", "New size: 3; reason: Current number of replicas below Spec.MinReplicas"),
        ("SuccessfulRescale", "New size: 5; reason: Current number of replicas above Spec.MaxReplicas"),
    ]


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ({"name": "nowhere"}, 'deployments.apps "nowhere" not found'),
        ({"kind": "Rollout", "apiVersion": "x.io/v1"}, 'no matches for kind "Rollout" in group "x.io"'),
    ],
)
def test_an_autoscaler_says_that_its_target_is_missing(target, message):
    made = autoscaler(3, 5)
    made["spec"]["scaleTargetRef"] |= target
    assert notes(running(made), "default/h") == [("FailedGetScale", message)]


# -- jitter


ZONE = "topology.kubernetes.io/zone"


def rollout(seed, jitter):
    """The pods of each zone after a rolling update of nine replicas that are spread over three zones."""
    zones = [node(f"{zone}{i}", allocatable=FULL, labels={ZONE: zone}) for zone in "abc" for i in range(6)]
    spread = {"maxSkew": 1, "topologyKey": ZONE, "whenUnsatisfiable": "DoNotSchedule"}
    spread["labelSelector"] = {"matchLabels": {"app": "d"}}
    settings = Settings(kubelet=KubeletSettings(stop=3 * SECOND, jitter=jitter))
    old = deployment("d", 9, cpu="1", topologySpreadConstraints=[spread])
    simulation = Simulation([*zones, old], seed=seed, settings=settings)
    simulation.run("60s")
    found = simulation.api.get(Deployment, "default", "d")
    (new,) = documents(deployment("d", 9, cpu="1100m", topologySpreadConstraints=[spread]))
    simulation.api.update(replace(found, spec=new.spec))
    simulation.run("10m")
    return tuple(sorted(sum(pod.spec.nodeName[:1] == zone for pod in simulation.pods()) for zone in "abc"))


def test_with_jitter_the_races_of_a_rollout_show():
    """kubernetes/kubernetes#98215, #105661: old pods count while new ones are placed, so a rollout breaks maxSkew."""
    results = [rollout(seed, 20 * SECOND) for seed in range(8)]
    assert {(3, 3, 3), (2, 3, 4)} <= {*results}
    assert [rollout(seed, 20 * SECOND) for seed in range(3)] == results[:3]
    assert {rollout(seed, 0) for seed in range(3)} == {(3, 3, 3)}
