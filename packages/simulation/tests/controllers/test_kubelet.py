import pytest

from kschedlab.build import Manifest, node, pod
from kschedlab.objects.model import Pod
from kschedlab_simulation.controllers.kubelet import EXIT_CODE, RUN_SECONDS, KubeletSettings
from kschedlab_simulation.log import Recorded
from packages.simulation.tests.controllers.stage import NODE, NOON, SECOND, Stage, owner, phase, template


def bound(name: str, on: str = "n1", annotations: dict[str, str] | None = None, **spec: object) -> Manifest:
    """An assigned pod that no kubelet has started yet."""
    manifest = pod(name, on, **spec)
    manifest["metadata"]["annotations"] = annotations or {}
    return manifest | {"status": {}}


def conditions(of: Pod) -> dict[str, str]:
    return {each.type: each.status for each in of.status.conditions}


def test_a_bound_pod_starts_at_once_and_runs_after_the_start_delay():
    stage = Stage(NODE, bound("a"), kubelet=KubeletSettings(start=3 * SECOND)).run(2)
    taken_up = stage.get(Pod, "a")
    assert (taken_up.status.phase, taken_up.status.startTime) == ("Pending", NOON)
    (creating,) = taken_up.status.containerStatuses
    assert (creating.state.waiting.reason, creating.ready, creating.resources) == ("ContainerCreating", False, None)
    assert conditions(taken_up)["Ready"] == "False"
    running = stage.run(2).get(Pod, "a")
    assert (running.status.phase, running.status.startTime) == ("Running", NOON)
    assert [(each.name, each.ready) for each in running.status.containerStatuses] == [("main", True)]
    assert running.status.containerStatuses[0].state.running.startedAt == NOON + 3 * SECOND
    assert set(conditions(running).values()) == {"True"}


def test_conditions_keep_the_time_of_their_last_change():
    running = Stage(NODE, bound("a")).run().get(Pod, "a")
    since = {each.type: each.lastTransitionTime for each in running.status.conditions}
    assert (since["Initialized"], since["Ready"]) == (NOON, NOON + 2 * SECOND)


def test_the_scheduled_condition_and_nomination_survive_kubelet_updates():
    stage = Stage(NODE)
    stage.create(pod("a"))
    stage.run(1)
    stage.api.patch_status(Pod, "default", "a", nominatedNodeName="n7")
    written = stage.run().get(Pod, "a")
    assert conditions(written)["PodScheduled"] == "True"
    assert (written.status.phase, written.status.nominatedNodeName) == ("Running", "n7")


def test_pods_have_addresses_of_their_nodes_and_those_on_the_host_network_the_nodes_own():
    stage = Stage(NODE, node("n2"), *(bound(f"p{i}") for i in range(3)), bound("q", "n2"), bound("h", hostNetwork=True))
    stage.run()
    addresses = {each.metadata.name: each.status.podIP for each in stage.all(Pod)}
    assert len(set(addresses.values())) == 5
    assert addresses["h"] == stage.get(Pod, "h").status.hostIP == stage.get(Pod, "p0").status.hostIP
    assert {addresses[f"p{i}"].rpartition(".")[0] for i in range(3)} != {addresses["q"].rpartition(".")[0]}
    again = Stage(NODE, node("n2"), *(bound(f"p{i}") for i in range(3)), bound("q", "n2"), bound("h", hostNetwork=True))
    assert {each.metadata.name: each.status.podIP for each in again.run().all(Pod)} == addresses


def test_the_addresses_of_a_node_do_not_leave_its_network():
    """The first node is 172.18.0.2, its pods have 10.244.0.2 to 10.244.0.254; then they come round again."""
    names = [f"n{i:03}" for i in range(270)]
    stage = Stage(*map(node, names), *(bound(name, name) for name in names)).run()
    pods = {each.metadata.name: each.status for each in stage.all(Pod)}
    assert (pods["n000"].hostIP, pods["n000"].podIP) == ("172.18.0.2", "10.244.0.2")
    assert (pods["n253"].hostIP, pods["n253"].podIP) == ("172.18.0.255", "10.244.253.2")
    assert (pods["n255"].hostIP, pods["n255"].podIP) == ("172.18.1.1", "10.244.255.2")
    assert (pods["n256"].hostIP, pods["n256"].podIP) == ("172.18.1.2", "10.245.0.2")
    many = Stage(NODE, *(bound(f"p{i:03}") for i in range(254))).run()
    last = [int(each.status.podIP.rpartition(".")[2]) for each in many.all(Pod)]
    assert last == [*range(2, 255), 2]


def test_a_running_pod_goes_when_its_grace_period_is_over_and_not_before():
    stage = Stage(NODE, bound("a", terminationGracePeriodSeconds=12)).run()
    stage.delete("a")
    assert phase(stage.run(11).get(Pod, "a")) == "Terminating"
    assert stage.run(2).names() == []


def test_containers_may_stop_sooner_than_they_must():
    quick = KubeletSettings(stop=5 * SECOND)
    stage = Stage(NODE, bound("a"), bound("b", terminationGracePeriodSeconds=1), kubelet=quick).run()
    stage.delete("a")
    stage.delete("b")
    assert stage.run(4).names() == ["a"]
    assert stage.run(2).names() == []


def test_a_pod_that_is_not_running_is_deleted_at_once():
    stage = Stage(NODE, bound("a"), kubelet=KubeletSettings(start=100 * SECOND)).run(1)
    stage.delete("a")
    assert stage.run(1).names() == []
    last = stage.changes("Pod")[-1]
    assert (last.type, last.at) == ("DELETED", NOON + SECOND)


def test_a_shortened_grace_period_takes_effect_at_once():
    stage = Stage(NODE, bound("a", terminationGracePeriodSeconds=500)).run()
    stage.delete("a")
    stage.run(1)
    stage.delete("a", grace_seconds=3)
    assert stage.run(4).names() == []


def test_a_pod_of_the_same_name_lives_its_own_life():
    stage = Stage(NODE, bound("a")).run()
    stage.delete("a", grace_seconds=0)
    stage.create(bound("a"))
    assert stage.get(Pod, "a").status.phase == "Pending"
    assert stage.run(3).get(Pod, "a").status.phase == "Running"


@pytest.mark.parametrize(("text", "seconds"), [("10", 10), ("2.5", 2.5), ("500m", 0.5)])
def test_an_annotated_pod_ends_after_its_time(text: str, seconds: float):
    stage = Stage(NODE, bound("a", annotations={RUN_SECONDS: text})).run(2 + seconds - 0.1)
    assert stage.get(Pod, "a").status.phase == "Running"
    ended = stage.run(0.2).get(Pod, "a")
    assert stage.changes("Pod")[-1].at == NOON + 2 * SECOND + seconds * SECOND
    assert ended.status.phase == "Succeeded"
    assert (ended.status.containerStatuses[0].state.terminated.exitCode, conditions(ended)["Ready"]) == (0, "False")


@pytest.mark.parametrize(
    ("spec", "since"),
    [
        ({"annotations": {RUN_SECONDS: "0"}}, {}),
        ({"annotations": {RUN_SECONDS: "-5"}}, {}),
        ({"annotations": {RUN_SECONDS: "20"}}, {"startTime": "2023-11-14T22:12:30Z"}),  # 50 seconds before noon
        ({"activeDeadlineSeconds": 20}, {"startTime": "2023-11-14T22:12:30Z"}),
    ],
)
def test_a_pod_whose_end_is_due_ends_at_once(spec: Manifest, since: dict[str, str]):
    running = bound("a", **spec) | {"status": {"phase": "Running"} | since}
    changes = Stage(NODE, running).run().changes("Pod")
    assert changes[-1].new.status.phase in ("Succeeded", "Failed") and changes[-1].at == NOON


def test_a_pod_with_an_exit_code_fails():
    stage = Stage(NODE, bound("a", annotations={RUN_SECONDS: "1", EXIT_CODE: "3"})).run()
    assert stage.get(Pod, "a").status.phase == "Failed"
    assert stage.get(Pod, "a").status.containerStatuses[0].state.terminated.exitCode == 3


@pytest.mark.parametrize(
    ("text", "code"), [("0", 0), ("1", 1), ("137", 137), ("999", 999), ("1000", 1), ("-1", 1), ("many", 1)]
)
def test_an_exit_code_has_up_to_three_digits(text: str, code: int):
    stage = Stage(NODE, bound("a", annotations={RUN_SECONDS: "1", EXIT_CODE: text})).run()
    status = stage.get(Pod, "a").status
    (ended,) = (each.state.terminated for each in status.containerStatuses)
    assert (status.phase, ended.exitCode) == ("Failed" if code else "Succeeded", code)
    assert ended.reason == ("Error" if code else "Completed")
    assert (ended.startedAt, ended.finishedAt) == (NOON + 2 * SECOND, NOON + 3 * SECOND)
    assert not status.containerStatuses[0].ready


def test_invalid_annotations_are_reported():
    odd = bound("odd", annotations={RUN_SECONDS: "1", EXIT_CODE: "many"})
    stage = Stage(NODE, bound("a", annotations={RUN_SECONDS: "soon"}), odd).run()
    assert [(reason, message.partition(":")[0]) for reason, message in sorted(stage.events())] == [
        ("InvalidAnnotation", EXIT_CODE),
        ("InvalidAnnotation", RUN_SECONDS),
    ]
    assert stage.phases() == {"Running": 1, "Failed": 1}


def test_a_kubelet_reports_each_container():
    both = bound("a", containers=[{"name": "c", "image": "web:1"}], initContainers=[{"name": "i", "image": "init"}])
    stage = Stage(NODE, both).run(10)
    pulled = 'Container image "{}" already present on machine and can be accessed by the pod'
    started = [("Created", "Container created"), ("Started", "Container started")]
    expected = [("Pulled", pulled.format("init")), *started, ("Pulled", pulled.format("web:1")), *started]
    assert stage.events("kubelet") == expected
    assert {entry.host for entry in stage.log if isinstance(entry, Recorded)} == {"n1"}
    stage.delete("a")
    assert stage.run(1).events("kubelet") == [*expected, ("Killing", "Stopping container c")]
    stage.delete("a", grace_seconds=10)
    assert stage.run(5).events("kubelet") == [*expected, ("Killing", "Stopping container c")]


def test_a_pod_that_is_active_for_too_long_fails():
    stage = Stage(NODE, bound("a", activeDeadlineSeconds=30)).run(29)
    assert stage.get(Pod, "a").status.phase == "Running"
    status = stage.run(2).get(Pod, "a").status
    assert (status.phase, status.reason) == ("Failed", "DeadlineExceeded")
    assert status.containerStatuses[0].state.terminated.exitCode == 137, "killed"


def test_a_pod_that_ends_at_its_deadline_succeeds():
    """It is active since it was taken up, two seconds before its container runs."""
    ends = bound("a", annotations={RUN_SECONDS: "28"}, activeDeadlineSeconds=30)
    assert Stage(NODE, ends).run().phases() == {"Succeeded": 1}


def test_the_pods_of_jobs_end_by_themselves():
    job = owner("Job", template=template(restartPolicy="Never"))
    stage = Stage(NODE, job, kubelet=KubeletSettings(run=20 * SECOND))
    assert stage.run(21).phases() == {"Running": 1}
    assert stage.run(2).phases() == {"Succeeded": 1}


def test_an_initially_running_pod_ends_at_its_original_time():
    running = bound("a", annotations={RUN_SECONDS: "100"})
    running["status"] = {"phase": "Running", "startTime": "2023-11-14T22:12:30Z"}  # 50 seconds before noon
    stage = Stage(NODE, running).run(49)
    assert stage.phases() == {"Running": 1}
    assert stage.run(2).phases() == {"Succeeded": 1}


def test_a_pod_of_a_job_runs_for_a_minute_by_default():
    stage = Stage(NODE, owner("Job", template=template(restartPolicy="Never")))
    assert stage.run(61.9).phases() == {"Running": 1}
    assert stage.run(0.2).phases() == {"Succeeded": 1}


def test_a_container_of_a_cluster_runs_since_it_was_started():
    running = bound("a", annotations={RUN_SECONDS: "100"})
    since = {"running": {"startedAt": "2023-11-14T22:12:50Z"}}  # 30 seconds before noon, and 20 after the pod
    status = {"name": "main", "image": "i", "imageID": "", "ready": True, "restartCount": 0, "state": since}
    running["status"] = {"phase": "Running", "startTime": "2023-11-14T22:12:30Z", "containerStatuses": [status]}
    stage = Stage(NODE, running).run(69)
    assert stage.phases() == {"Running": 1}
    assert stage.run(2).phases() == {"Succeeded": 1}


def test_pods_on_a_missing_node_wait_for_it():
    stage = Stage(bound("a", "n9")).run(10)
    assert stage.get(Pod, "a").status.startTime is None
    stage.create(node("n9"))
    assert stage.run(5).get(Pod, "a").status.phase == "Running"


def test_deletions_on_an_unreachable_node_wait_until_it_recovers():
    stage = Stage(NODE, bound("a", tolerations=[{"operator": "Exists"}])).run(10)
    stage.ready("Unknown")
    stage.run(1)
    stage.delete("a", grace_seconds=5)
    assert stage.run(100).phases() == {"Terminating": 1}
    stage.ready("True")
    assert stage.run(6).names() == []


def test_an_initially_running_pod_becomes_ready():
    running = bound("a") | {"status": {"phase": "Running", "podIP": "10.1.2.3"}}
    status = Stage(NODE, running).run(1).get(Pod, "a").status
    assert ("Ready", "True") in [(each.type, each.status) for each in status.conditions]
    assert status.podIP == "10.1.2.3"


def test_init_containers_are_done_and_sidecars_run():
    spec = {"initContainers": [{"name": "once"}, {"name": "beside", "restartPolicy": "Always"}]}
    status = Stage(NODE, bound("a", **spec)).run().get(Pod, "a").status
    states = {each.name: each.state for each in status.initContainerStatuses}
    assert states["once"].terminated is not None and states["beside"].running is not None
    assert (states["once"].terminated.exitCode, states["once"].terminated.reason) == (0, "Completed")
    assert all(each.ready for each in status.initContainerStatuses)


def test_a_pod_waits_for_the_claim_of_its_extended_resources():
    """v1.37: pkg/kubelet/cm/dra/manager.go, prepareResources: the status names it like a claim of the pod's own."""
    waiting = bound("a") | {"status": {"extendedResourceClaimStatus": {"resourceClaimName": "gone"}}}
    stage = Stage(NODE, waiting).run(5)
    why = 'fetch ResourceClaim gone: resourceclaims.resource.k8s.io "gone" not found'
    told = f"Failed to prepare dynamic resources: prepare dynamic resources: {why}"
    assert stage.events() == [("FailedPrepareDynamicResources", told)]
    assert stage.phases() == {"Pending": 1}
