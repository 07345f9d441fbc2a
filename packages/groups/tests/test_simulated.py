"""Pod groups in a running scheduler: the queue, the cycle, Permit, evictions and the group's condition."""

from typing import Any

import pytest
from msgspec.structs import replace

from kschedlab.build import node, pod
from kschedlab.generations import V1_37
from kschedlab.objects.model import PodGroup, ResourceClaim, Toleration
from kschedlab_groups.queue import WithGroups
from kschedlab_simulation.log import Moved, Recorded, Step
from kschedlab_simulation.simulation import Simulation
from packages.devices.tests.device_manifests import device_class, exactly, resource_claim
from packages.devices.tests.test_plugin import allocated, gpus
from packages.groups.tests.test_cycle import group, member

GATED = V1_37.with_feature_gates({"GenericWorkload": True})


def running(*objects: Any) -> Simulation:
    return Simulation(objects, GATED)


def created(simulation: Simulation, manifest: dict[str, Any]) -> None:
    from kschedlab.manifests.decoding import decode

    simulation.api.create(decode(manifest, manifest["kind"])[0])


def nodes_of(simulation: Simulation) -> dict[str, str]:
    return {each.metadata.name: each.spec.nodeName for each in simulation.pods()}


def condition_of(simulation: Simulation) -> Any:
    (found,) = simulation.api.get(PodGroup, "default", "g").status.conditions
    return found


def test_a_gang_is_bound_together() -> None:
    simulation = running(node("n1", cpu="1"), node("n2", cpu="1"), group(), member("a", cpu="1"), member("b", cpu="1"))
    simulation.run()
    assert sorted(nodes_of(simulation).values()) == ["n1", "n2"]
    assert (condition_of(simulation).status, condition_of(simulation).reason) == ("True", "Scheduled")
    waited = [each.pod for each in simulation.log.entries if isinstance(each, Step) and each.step == "waitOnPermit"]
    assert set(waited) == {"default/a"}, "the last one finds its gang complete"


def test_a_gang_with_a_topology_constraint_is_bound_in_one_rack() -> None:
    nodes = [node(name, cpu="1", labels={"rack": rack}) for name, rack in (("a", "r1"), ("b", "r2"), ("c", "r2"))]
    wanted = group(schedulingConstraints={"topology": [{"key": "rack"}]})
    gated = GATED.with_feature_gates({"TopologyAwareWorkloadScheduling": True})
    simulation = Simulation([*nodes, wanted, member("x", cpu="1"), member("y", cpu="1")], gated)
    simulation.run()
    assert sorted(nodes_of(simulation).values()) == ["b", "c"]


def test_a_gang_waits_for_its_pods_and_then_for_its_group() -> None:
    simulation = running(node("n1"), member("a"))
    simulation.run(1_000_000)
    created(simulation, group())
    simulation.run(2_000_000)
    queue = simulation.scheduler.context.queue
    assert isinstance(queue, WithGroups) and queue.places()["default/a"].part == "unschedulable"
    created(simulation, member("b"))
    simulation.run()
    assert nodes_of(simulation) == {"a": "n1", "b": "n1"}


def test_a_smaller_minimum_lets_a_waiting_gang_go() -> None:
    simulation = running(node("n1"), group(minimum=3), member("a"), member("b"))
    simulation.run(1_000_000)
    assert nodes_of(simulation) == {"a": "", "b": ""}
    smaller = group(minimum=2)
    from kschedlab.manifests.decoding import decode

    simulation.api.update(decode(smaller, "PodGroup")[0])
    simulation.run()
    assert nodes_of(simulation) == {"a": "n1", "b": "n1"}


def test_a_gang_without_room_backs_off_and_keeps_its_condition() -> None:
    simulation = running(node("n1", cpu="1"), group(), member("a", cpu="1"), member("b", cpu="1"))
    simulation.run(20_000_000)
    assert nodes_of(simulation) == {"a": "", "b": ""}
    assert condition_of(simulation).reason == "Unschedulable"
    attempts = [each.at for each in simulation.log.entries if isinstance(each, Step) and each.step == "pop"]
    seconds = sorted({(at - simulation.start) // 1_000_000 for at in attempts})
    assert seconds == [0, 2, 5, 10, 19], "1, 2, 4 and 8 seconds, each to the end of a whole one"


@pytest.mark.parametrize(
    ("size", "gaps"),
    [(1, [2, 3, 5, 9, 11, 11]), (4, [2, 3, 5, 9, 17, 21]), (9, [2, 3, 5, 9, 17, 31])],
)
def test_a_larger_group_waits_up_to_ten_seconds_times_the_root_of_its_size(size: int, gaps: list[int]) -> None:
    """v1.37: pkg/scheduler/backend/queue/backoff_queue.go, calculateBackoffDuration."""
    pods = [member(f"p{i}", cpu="2") for i in range(size)]
    simulation = running(node("n1", cpu="1"), group(minimum=size), *pods)
    simulation.run(100_000_000)
    attempts = [each.at for each in simulation.log.entries if isinstance(each, Step) and each.step == "pop"]
    seconds = sorted({(at - simulation.start) // 1_000_000 for at in attempts})
    assert [later - earlier for earlier, later in zip(seconds, seconds[1:], strict=False)][:6] == gaps


def test_victims_make_room_for_a_gang() -> None:
    objects = [node("n1", cpu="1"), node("n2", cpu="1"), pod("low", "n1", cpu="1", terminationGracePeriodSeconds=1)]
    simulation = running(*objects, group(priority=5), *(member(name, cpu="1", priority=5) for name in "ab"))
    simulation.run()
    assert sorted(nodes_of(simulation).values()) == ["n1", "n2"]
    events = [each for each in simulation.log.entries if isinstance(each, Recorded) and each.reason == "Preempted"]
    uid = simulation.api.get(PodGroup, "default", "g").metadata.uid
    assert [each.message for each in events] == [f"Preempted by podgroup {uid} on node cluster"]


def test_pods_beyond_the_minimum_are_tried_again_at_once() -> None:
    simulation = running(node("n1", cpu="2"), group(), *(member(name, cpu="1") for name in "abc"))
    simulation.run(500_000)
    assert sorted(nodes_of(simulation).values()) == ["", "n1", "n1"]
    assert condition_of(simulation).status == "True", "a group that was scheduled once stays so"


def test_a_deleted_group_sets_its_pods_aside() -> None:
    simulation = running(node("n1"), group(minimum=3), member("a"), member("b"))
    simulation.run(1_000_000)
    simulation.api.delete(PodGroup, "default", "g")
    simulation.run(2_000_000)
    assert len(simulation.scheduler.context.queue) == 2
    created(simulation, group(minimum=2))
    simulation.run()
    assert nodes_of(simulation) == {"a": "n1", "b": "n1"}


def test_a_deleted_pod_leaves_its_group() -> None:
    from kschedlab.objects.model import Pod

    simulation = running(node("n1"), group(minimum=3), member("a"), member("b"))
    simulation.run(1_000_000)
    simulation.api.delete(Pod, "default", "b")
    simulation.run(2_000_000)
    assert set(simulation.scheduler.context.queue.places()) == {"default/a"}
    moves = [entry for entry in simulation.log if isinstance(entry, Moved) and entry.pod == "default/b"]
    assert moves[-1].to == "gone", "the log shows where it went"


def test_pods_that_are_gone_do_not_count_for_their_gang() -> None:
    from kschedlab.objects.model import Pod

    simulation = running(node("n1"), group(), member("a"), member("b"))
    simulation.run(1_000_000)
    for name in "ab":
        simulation.api.delete(Pod, "default", name, 0)
    simulation.run(2_000_000)
    created(simulation, member("c"))
    simulation.run(3_000_000)
    steps = [each.step for each in simulation.log if isinstance(each, Step) and each.pod == "default/c"]
    assert steps == [], "alone, it is not tried"
    created(simulation, member("d"))
    simulation.run()
    assert nodes_of(simulation) == {"c": "n1", "d": "n1"}


def test_a_pod_that_goes_before_its_group_comes_leaves_the_queue() -> None:
    from kschedlab.objects.model import Pod

    simulation = running(node("n1"), member("a"))
    simulation.run(1_000_000)
    simulation.api.delete(Pod, "default", "a")
    simulation.run(2_000_000)
    assert len(simulation.scheduler.context.queue) == 0
    moves = [entry.to for entry in simulation.log if isinstance(entry, Moved)]
    assert moves == ["unschedulable", "gone"], "the log shows where it went"


def test_pods_of_different_priorities_are_an_error_of_all() -> None:
    simulation = running(node("n1"), group(), member("a"), member("b", priority=1))
    simulation.run(500_000)
    assert condition_of(simulation).reason == "SchedulerError"
    assert nodes_of(simulation) == {"a": "", "b": ""}
    failed = 'scheduler_schedule_attempts_total{profile="default-scheduler",result="error"} 2.0'
    assert failed in simulation.scheduler.context.metrics.text().decode()


def popped(simulation: Simulation) -> list[str]:
    return [each.pod for each in simulation.log if isinstance(each, Step) and each.step == "pop"]


def test_an_error_of_a_group_is_tried_again_after_a_wait() -> None:
    simulation = running(node("n1"), group(), member("a"), member("b", priority=1))
    simulation.run(900_000)
    assert sorted(popped(simulation)) == ["default/a", "default/b"]
    simulation.run(2_500_000)
    assert sorted(popped(simulation)) == ["default/a", "default/a", "default/b", "default/b"]


@pytest.mark.parametrize(
    ("priority", "order"),
    [
        (0, ["high", "low", "a", "b", "last"]),
        (1, ["high", "a", "b", "low", "last"]),
        (3, ["a", "b", "high", "low", "last"]),
    ],
)
def test_a_group_takes_its_turn_among_pods_by_priority_and_then_by_time(priority: int, order: list[str]) -> None:
    """v1.37: plugins/queuesort/priority_sort.go, Less."""
    gang = [group(priority=priority), *(member(name, priority=priority) for name in "ab")]
    others = pod("low", priority=1), pod("high", priority=2), pod("last")
    simulation = running(node("n1"), *gang, *others)
    simulation.run(1_000_000)
    assert popped(simulation) == [f"default/{name}" for name in order]


def test_groups_of_one_name_in_two_namespaces_are_two() -> None:
    other: list[dict[str, Any]] = [group(), member("a"), member("b")]
    for each in other:
        each["metadata"]["namespace"] = "other"
    simulation = running(node("n1"), group(minimum=3), member("a"), member("b"), *other)
    simulation.run(1_000_000)
    bound = {(each.metadata.namespace, each.spec.nodeName) for each in simulation.pods()}
    assert bound == {("default", ""), ("other", "n1")}


def test_pods_of_a_group_that_now_tolerate_a_taint_are_tried_again() -> None:
    from kschedlab.objects.model import Pod

    simulation = running(node("n1", taints=[{"key": "k", "effect": "NoSchedule"}]), group(), member("a"), member("b"))
    simulation.run(20_000_000)
    assert set(nodes_of(simulation).values()) == {""}
    for name in "ab":
        found = simulation.api.get(Pod, "default", name)
        tolerations = (*found.spec.tolerations, Toleration(operator="Exists"))
        simulation.api.update(replace(found, spec=replace(found.spec, tolerations=tolerations)))
    simulation.run(60_000_000)
    assert set(nodes_of(simulation).values()) == {"n1"}


def test_pods_that_now_have_one_priority_are_tried_again() -> None:
    from kschedlab.objects.model import Pod

    simulation = running(node("n1"), group(), member("a"), member("b", priority=1))
    simulation.run(500_000)
    simulation.api.delete(Pod, "default", "b")
    created(simulation, member("b"))
    simulation.run()
    assert nodes_of(simulation) == {"a": "n1", "b": "n1"}


@pytest.mark.parametrize("seed", [1, 2])
def test_other_pods_are_scheduled_as_ever(seed: int) -> None:
    simulation = Simulation([node("n1"), pod("web"), pod("db")], GATED, seed=seed)
    simulation.run()
    assert nodes_of(simulation) == {"web": "n1", "db": "n1"}


def test_a_run_ends_once_a_rejected_gang_was_tried_again_in_vain() -> None:
    simulation = running(node("n1", cpu="1"), group(), member("a", cpu="1"), member("b", cpu="1"))
    simulation.run()
    cycles = [each.at for each in simulation.log.entries if isinstance(each, Step) and each.step == "pop"]
    assert simulation.settled and len(cycles) == 4, "two pods, twice"
    created(simulation, node("n2", cpu="1"))
    simulation.run()
    assert simulation.settled and sorted(nodes_of(simulation).values()) == ["n1", "n2"]


def test_pods_that_go_before_their_turn_leave_room_for_others() -> None:
    """Members that come while the group's last pods are skipped are scheduled."""
    going = {"deletionTimestamp": OLD, "finalizers": ["example.com/wait"]}
    leaving = [member(name) for name in "ab"]
    for each in leaving:
        each["metadata"] |= going
    simulation = running(node("n1"), group(), *leaving)
    simulation.run(1_000_000)
    for name in "cd":
        created(simulation, member(name))
    simulation.run()
    assert nodes_of(simulation) == {"a": "", "b": "", "c": "n1", "d": "n1"}


def problems_of(simulation: Simulation) -> list[str]:
    return [each.detail for each in simulation.log if isinstance(each, Step) and each.step == "podGroup"]


def test_a_group_that_goes_during_its_cycle_is_a_problem_in_the_log() -> None:
    simulation = running(node("n1"), group(), member("a"), member("b"))
    simulation.run(1_000)
    simulation.api.delete(PodGroup, "default", "g")
    simulation.run()
    assert nodes_of(simulation) == {"a": "n1", "b": "n1"}
    assert problems_of(simulation) == ['default/g: podgroups.scheduling.k8s.io "g" not found']


OLD = "2020-01-01T00:00:00Z"
CONDITIONS = {
    # name: (the condition before, whether there is room, whether the pods differ, the condition after, its time stays)
    "scheduled at first": (None, True, False, ("True", "Scheduled"), False),
    "unschedulable at first": (None, False, False, ("False", "Unschedulable"), False),
    "an error at first": (None, True, True, ("False", "SchedulerError"), False),
    "unschedulable, then scheduled": (("False", "Unschedulable"), True, False, ("True", "Scheduled"), False),
    "an error, then scheduled": (("False", "SchedulerError"), True, False, ("True", "Scheduled"), False),
    "scheduled, then unschedulable": (("True", "Scheduled"), False, False, ("True", "Scheduled"), True),
    "scheduled, then an error": (("True", "Scheduled"), True, True, ("True", "Scheduled"), True),
    "unschedulable, then an error": (("False", "Unschedulable"), True, True, ("False", "SchedulerError"), True),
    "an error, then unschedulable": (("False", "SchedulerError"), False, False, ("False", "Unschedulable"), True),
    "scheduled again": (("True", "Scheduled"), True, False, ("True", "Scheduled"), True),
}


@pytest.mark.parametrize("name", CONDITIONS)
def test_the_authors_cases_of_the_condition(name: str) -> None:
    """v1.37: schedule_one_podgroup_test.go, UpdatePodGroupCondition."""
    before, room, differ, after, stays = CONDITIONS[name]
    wanted = group(minimum=1)
    if before is not None:
        known = {"type": "PodGroupInitiallyScheduled", "status": before[0], "reason": before[1], "message": "m"}
        wanted["status"] = {"conditions": [known | {"lastTransitionTime": OLD}]}
    simulation = running(
        node("n1", cpu="1" if room else "100m"), wanted, member("a", cpu="1", priority=1 if differ else 0)
    )
    simulation.run(2_000_000)
    found = condition_of(simulation)
    assert (found.status, found.reason) == after
    assert (str(found.lastTransitionTime) == OLD) == stays
    assert found.observedGeneration == simulation.api.get(PodGroup, "default", "g").metadata.generation


# -- devices


def sharing(name: str, *claims: str, **fields: Any) -> dict[str, Any]:
    return member(name, resourceClaims=[{"name": each, "resourceClaimName": each} for each in claims], **fields)


def messages_of(simulation: Simulation) -> list[str]:
    return [each.message for each in simulation.log.entries if isinstance(each, Recorded)]


def claim_of(simulation: Simulation, name: str) -> ResourceClaim:
    return simulation.api.get(ResourceClaim, "default", name)


def test_a_gang_is_bound_with_devices_of_its_own() -> None:
    claims = [resource_claim(name, exactly()) for name in "cd"]
    simulation = running(
        node("n1"), device_class(), gpus("n1", 2), *claims, group(), sharing("a", "c"), sharing("b", "d")
    )
    simulation.run()
    assert nodes_of(simulation) == {"a": "n1", "b": "n1"}
    held = [claim_of(simulation, name).status.allocation for name in "cd"]
    assert [each.devices.results[0].device for each in held if each is not None] == ["gpu-0", "gpu-1"]


def test_pods_that_share_a_new_claim_are_bound_one_after_the_other() -> None:
    objects = [node("n1"), device_class(), gpus("n1", 1), resource_claim("c", exactly()), group()]
    simulation = running(*objects, sharing("a", "c"), sharing("b", "c"))
    simulation.run(60_000_000)
    assert nodes_of(simulation) == {"a": "n1", "b": "n1"}
    assert sorted(each.name for each in claim_of(simulation, "c").status.reservedFor) == ["a", "b"]
    said = 'running PreBind plugin "DynamicResources": claim default/c got allocated elsewhere in the meantime'
    assert [each for each in messages_of(simulation) if "elsewhere" in each] == [said]


def test_a_rejected_gang_gives_its_claim_back_and_is_placed_elsewhere() -> None:
    stale = allocated("c", "n1", on="n1")
    objects = [node("n1", cpu="1"), node("n2"), device_class(), gpus("n1", 1), gpus("n2", 1), stale]
    simulation = running(*objects, group(minimum=1), sharing("a", "c", cpu="2"))
    simulation.run(60_000_000)
    assert nodes_of(simulation) == {"a": "n2"}


def test_a_claim_that_goes_before_its_gang_gives_it_back_is_a_problem_in_the_log() -> None:
    stale = allocated("c", "n1", on="n1")
    objects = [node("n1", cpu="1"), node("n2"), device_class(), gpus("n1", 1), stale, group(minimum=1)]
    simulation = running(*objects, sharing("a", "c", cpu="2"))
    simulation.run(500)
    simulation.api.delete(ResourceClaim, "default", "c")
    simulation.run(1_000_000)
    assert problems_of(simulation) == ['default/g: resourceclaims.resource.k8s.io "c" not found']
