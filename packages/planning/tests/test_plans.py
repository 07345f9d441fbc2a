"""Plans for small clusters whose answers can be read off, each confirmed by a simulation."""

import pytest

from kschedlab.build import budget, cluster, node, pod
from kschedlab.text.plain import LIMITS
from kschedlab.text.sections import BAD, GOOD
from kschedlab_planning import plan_add, plan_drain, plan_fit
from kschedlab_planning.drain import volumes
from tests.saying import says


def owned(name, on, owner="web", kind="ReplicaSet", **more):
    made = pod(name, on=on, labels={"app": owner}, **more)
    group = "batch/v1" if kind == "Job" else "apps/v1"
    reference = {"apiVersion": group, "kind": kind, "name": owner, "uid": f"of-{owner}", "controller": True}
    made["metadata"]["ownerReferences"] = [reference]
    return made


def in_pool(name, pool, **more):
    return node(name, labels={"pool": pool}, **more)


# -- fit


def test_fit_says_where_and_what_stops_the_next():
    world = cluster(node("a", cpu=2), node("b", cpu=1), node("gpu", taints=[{"key": "gpu", "effect": "NoSchedule"}]))
    plan = plan_fit(pod("web", cpu="600m"), world)
    assert (plan.replicas, plan.by_node) == (4, {"a": 3, "b": 1})
    assert plan.stop.message == ("0/3 nodes are available: 1 node(s) had untolerated taint(s), 2 Insufficient cpu.")
    assert plan.check.holds
    assert says(str(plan), "4 replicas of default/web fit.", "Insufficient cpu", "web-5")
    one = plan_fit(pod("web", cpu=2), world)
    assert says(str(one), "1 replica of default/web fits.") and one.check.what.startswith("1 of 2 pods without a node")


def test_fit_of_a_pod_gives_the_manifests_of_those_that_fit():
    plan = plan_fit(pod("web", cpu=1, namespace="shop"), cluster(node("a", cpu=2)))
    named = [(each["metadata"]["namespace"], each["metadata"]["name"]) for each in plan.manifests()]
    assert named == [("shop", "web-1"), ("shop", "web-2")]


def test_fit_counts_one_node_more_of_each_pool():
    world = cluster(in_pool("s", "small", cpu=1), in_pool("l", "large", cpu=4))
    plan = plan_fit(pod("web", cpu=1), world)
    assert [(more.kind, more.replicas) for more in plan.runner_up] == [("large", 4), ("small", 1)]


def test_a_pool_in_several_zones_is_named_with_each():
    zone = "topology.kubernetes.io/zone"
    nodes = [
        node(name, cpu=1, labels={"pool": pool, zone: place})
        for name, pool, place in (("a", "wide", "x"), ("b", "wide", "y"), ("c", "small", "x"), ("d", "small", "x"))
    ]
    plan = plan_fit(pod("web", cpu=1), cluster(*nodes))
    assert sorted(more.kind for more in plan.runner_up) == ["small", "wide in x", "wide in y"]


def test_pending_pods_come_before_the_replicas():
    plan = plan_fit(pod("web", cpu=1), cluster(node("a", cpu=4), pod("waits", cpu=3)))
    assert plan.replicas == 1 and plan.first.nodes == {"default/waits": "a"} and plan.check.holds


def test_fit_knows_devices_by_their_resource_and_stops_at_the_limit():
    room = {"cpu": "64", "memory": "64Gi", "pods": "110", "nvidia.com/gpu": "8"}
    world = cluster(node("a", allocatable=room))
    assert plan_fit(pod("train", requests={"nvidia.com/gpu": 3}), world).replicas == 2
    limited = plan_fit(pod("train", requests={"nvidia.com/gpu": 1}), world, most=5)
    assert limited.replicas == 5 and limited.stop is None and limited.check.holds


def test_fit_counts_from_zero():
    world = cluster(node("a", cpu=1))
    none = plan_fit(pod("web", cpu=1), world, most=0)
    assert none.replicas == 0 and none.stop is None and none.check.holds
    with pytest.raises(ValueError, match="from 0, got -1"):
        plan_fit(pod("web", cpu=1), world, most=-1)


def test_fit_of_a_pod_that_runs_plans_for_copies():
    world = cluster(node("a", cpu=3), pod("web", on="a", cpu=1))
    assert plan_fit("default/web", world).replicas == 2
    with pytest.raises(KeyError, match="web"):
        plan_fit("default/wrong", world)


# -- add


def test_add_takes_the_fewest_nodes_and_the_smaller_kind_of_equals():
    world = cluster(in_pool("s", "small", cpu=2), in_pool("l", "large", cpu=8), *pods(3, cpu=2))
    plan = plan_add(world)
    assert plan.best is None and plan.first.nodes  # the large node has room for all
    world.add(*pods(3, cpu=2, prefix="more"))
    plan = plan_add(world)
    assert numbers(plan) == {"small": 1} and plan.proven and plan.check.holds
    assert plan.runner_up is not None and {kind.name for kind in plan.runner_up.numbers} == {"large"}


def test_add_by_price_and_with_other_kinds():
    world = cluster(in_pool("s", "small", cpu=2), *pods(9, cpu=1))
    assert numbers(plan_add(world, prices={"small": "0.10"})) == {"small": 4}
    big = cluster(node("big", cpu=7)).nodes
    plan = plan_add(world, kinds=big, prices={"small": "0.10", "big": "0.35"})
    assert numbers(plan) == {"big": 1} and float(plan.best.price) == 0.35
    assert {kind.name: number for kind, number in plan.runner_up.numbers.items()} == {"small": 4}
    (new,) = plan.manifests()
    assert (new["metadata"]["name"], new["status"]["allocatable"]["cpu"]) == ("big-1", "7") and plan.check.holds
    shown = says(str(plan), "With 1 new node for 0.35, 7 more pods fit.", "No cheaper number does.")
    assert shown and says(str(plan), "Next best: 4 nodes of small (0.4).")
    assert says(str(plan_add(world)), "With 4 new nodes, 7 more pods fit.", "No smaller number does.")
    with pytest.raises(ValueError, match="big"):
        plan_add(world, kinds=big, prices={"small": 1})
    with pytest.raises(KeyError, match="wrong"):
        plan_add(world, prices={"wrong": 1})
    with pytest.raises(ValueError, match="price"):
        plan_add(world, prices={"small": "cheap"})


def test_the_fewest_nodes_are_found_by_halving_where_too_much_is_to_try(monkeypatch):
    """Ten of eleven pods want a node each, which no volume shows: 8 are too few, 11 enough, 9 too few, 10 enough."""
    monkeypatch.setattr("kschedlab_planning.add.TRIES", 1)
    term = {"labelSelector": {"matchLabels": {"app": "a"}}, "topologyKey": "kubernetes.io/hostname"}
    apart = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    alone = pods(10, cpu="100m", labels={"app": "a"}, affinity=apart)
    small = node("s", cpu=2, labels={"pool": "small", "kubernetes.io/hostname": "s"})
    plan = plan_add(cluster(small, pod("full", on="s", cpu=2), *alone, pod("other", cpu="100m")), seed=None)
    assert numbers(plan) == {"small": 10} and not plan.proven and says(str(plan), "The fewest that was found.")


@pytest.mark.parametrize(
    ("prices", "waiting", "found"),
    [
        ({"small": 1, "large": 3}, 10, {"small": 1, "large": 1}),
        ({"small": 1, "large": 3}, 8, {"large": 1}),
        ({"small": 1, "large": 4}, 8, {"large": 1}),
        ({"small": 1, "large": 5}, 10, {"small": 5}),
        ({"small": 2, "large": 3}, 12, {"large": 2}),
    ],
)
def test_a_mix_is_found_without_trying_everything(prices, waiting, found, monkeypatch):
    """Small nodes have room for two pods, large ones for eight. What adds most for its price comes first."""
    monkeypatch.setattr("kschedlab_planning.add.TRIES", 0)
    world = cluster(in_pool("s", "small", cpu=2), in_pool("l", "large", cpu=8), *pods(10, cpu=1))
    world.add(*pods(waiting, "more", cpu=1))
    assert numbers(plan_add(world, prices=prices, seed=None)) == found


def test_nothing_is_added_where_nothing_waits():
    plan = plan_add(cluster(node("a"), pod("p", on="a")))
    assert plan.best is None and plan.proven and says(str(plan), "All pending pods fit: no new node is needed.")


def test_add_mixes_pools_that_different_pods_need():
    wants = ({"nodeSelector": {"pool": name}} for name in ("red", "blue"))
    full = (pod(f"full-{name}", on=name, cpu=4) for name in ("r", "b"))
    waiting = (pod(f"w{i}", cpu=3, **spec) for i, spec in enumerate(wants))
    plan = plan_add(cluster(in_pool("r", "red"), in_pool("b", "blue"), *full, *waiting))
    assert numbers(plan) == {"red": 1, "blue": 1} and plan.proven and plan.check.holds


def test_add_counts_the_pods_of_daemonsets_on_new_nodes():
    agent = owned("agent", "s", "agent", "DaemonSet", cpu=1)
    plan = plan_add(cluster(in_pool("s", "small", cpu=2), agent, *pods(3, cpu=1)))
    assert numbers(plan) == {"small": 2}  # one fits on s; a new node has room for one


def test_new_nodes_are_like_one_that_is_well():
    not_ready = {"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"}
    ill = [in_pool("a", "small", cpu=2, taints=[not_ready]), in_pool("b", "small", cpu=2, unschedulable=True)]
    assert numbers(plan_add(cluster(*ill, in_pool("c", "small", cpu=2), *pods(2, cpu=2)))) == {"small": 1}


def test_add_names_pods_that_no_node_helps():
    world = cluster(in_pool("s", "small", cpu=2), pod("far", nodeSelector={"zone": "moon"}), pod("big", cpu=64))
    plan = plan_add(world)
    assert plan.best is None and set(plan.stuck) == {"default/far", "default/big"}
    assert says(str(plan), "default/far", "default/big", "Insufficient cpu")


def test_of_two_pods_for_one_old_node_the_second_is_stuck():
    """They want node a itself; a new node of its pool would be another one."""
    label = "kubernetes.io/hostname"
    old = node("a", cpu=2, labels={"pool": "small", label: "a"})
    own = [pod(name, cpu="1500m", nodeSelector={label: "a"}) for name in ("first", "second")]
    plan = plan_add(cluster(old, *own, pod("other", cpu=2)))
    assert set(plan.stuck) == {"default/second"} and numbers(plan) == {"small": 1}
    assert plan.pods == {"default/other": "a-new"}


def test_a_plan_says_how_many_pods_go_onto_the_new_nodes_of_each_kind():
    world = cluster(in_pool("full", "small", cpu=1), *pods(5, cpu=1))
    for kinds, row in (([], ["small", "4", "4"]), (cluster(node("big", cpu=2)).nodes, ["big", "2", "4"])):
        assert row in [line.split() for line in str(plan_add(world, kinds=kinds)).splitlines()]


def pods(number, prefix="p", **more):
    return [pod(f"{prefix}{i}", **more) for i in range(number)]


def numbers(plan):
    return {kind.name: number for kind, number in plan.best.numbers.items()}


def test_commands_scale_pools_of_known_providers():
    label = "eks.amazonaws.com/nodegroup"
    world = cluster(node("a", cpu=1, labels={label: "web"}), *pods(3, cpu=1))
    assert plan_add(world).commands()[1:] == ['eksctl scale nodegroup --cluster "$CLUSTER" --name web --nodes 3']


# -- drain


def test_a_search_of_all_orders_finds_what_no_greedy_order_does():
    world = cluster(
        *(node(f"n{i}", cpu=cpu) for i, cpu in enumerate((2, 3, 4, 4))),
        owned("r0", "n2", cpu=2),
        owned("r1", "n3", cpu=2),
        owned("r2", "n1", cpu=2),
        owned("r3", "n0", cpu=1),
        owned("r4", "n2", cpu=1),
    )
    plan = plan_drain(world, seed=None)
    assert plan.nodes == ("n1", "n0") and plan.proven


def test_drain_empties_nodes_and_says_what_is_in_the_way():
    world = cluster(
        *(node(name, cpu=4) for name in "abc"),
        owned("p1", "a", cpu=1),
        owned("p2", "b", cpu=2),
        pod("alone", on="c", cpu=1),
        owned("agent", "a", "agent", "DaemonSet", cpu=1),
    )
    plan = plan_drain(world)
    assert plan.nodes == ("a", "b") or plan.nodes == ("b", "a")
    assert plan.proven and plan.check.holds
    assert [each.node for each in plan.obstacles] == ["c"]
    assert plan.commands()[:2] == [
        f"kubectl drain {plan.nodes[0]} --ignore-daemonsets --delete-emptydir-data",
        f"kubectl delete node {plan.nodes[0]}",
    ]
    first, second = plan.nodes
    assert plan.manifests() == [
        {
            "timeline": [
                {"at": "1h", "drain": f"node/{first}"},
                {"at": "1h59m", "delete": f"node/{first}"},
                {"at": "2h", "drain": f"node/{second}"},
                {"at": "2h59m", "delete": f"node/{second}"},
            ]
        }
    ]


def test_pods_that_wait_have_their_nodes_before_the_first_drain():
    """By its order of nodes, zone after zone, a scheduler would take c; the plan takes b, which is as good."""
    zones = {name: {"labels": {"topology.kubernetes.io/zone": zone}} for name, zone in zip("abc", "xxy", strict=True)}
    tainted = [{"key": "gpu", "effect": "NoSchedule"}]
    nodes = node("a", taints=tainted, **zones["a"]), node("b", **zones["b"]), node("c", **zones["c"])
    plan = plan_drain(cluster(*nodes, pod("alone")))
    assert len(plan.nodes) == 2 and plan.check.holds
    assert [each.pod for each in plan.obstacles] == ["default/alone"]


def test_forced_drains_lose_pods_without_a_controller():
    world = cluster(node("a"), node("b"), pod("alone", on="a", cpu=1))
    assert plan_drain(world, nodes=["a"]).nodes == ()
    plan = plan_drain(world, nodes=["a"], force=True)
    assert plan.nodes == ("a",) and plan.steps[0].lost == ("default/alone",) and plan.check.holds
    assert "--force" in plan.commands()[0]


def test_a_budget_that_allows_nothing_keeps_a_node():
    web = [owned(f"p{i}", name, cpu="100m") for i, name in enumerate("aab")]
    tight = cluster(node("a"), node("b"), node("c"), *web, budget("web", 0, minAvailable=3))
    plan = plan_drain(tight)
    assert plan.nodes == ("c",) and plan.check.holds
    assert says(plan.obstacles[0].why, "web", "3 healthy pods")
    loose = cluster(node("a"), node("b"), node("c"), *web, budget("web", 0, minAvailable=2))
    plan = plan_drain(loose)
    assert len(plan.nodes) == 2 and plan.check.holds


def test_a_budget_that_cannot_be_counted_keeps_a_node():
    """A Job has no scale: the budget's controller allows nothing (v1.37, disruption.go, failSafe)."""
    objects = node("a"), node("b"), owned("import", "a", "job", "Job", cpu=1)
    plan = plan_drain(cluster(*objects), nodes=["a"])
    assert plan.nodes == ("a",) and plan.check.holds
    assert plan_drain(cluster(*objects, budget("job", 1, maxUnavailable=1)), nodes=["a"]).nodes == ()


@pytest.mark.parametrize(("least", "lost"), [(1, ("default/one", "default/two")), (2, None)])
def test_each_pod_that_is_lost_uses_up_a_budget(least, lost):
    alone = [pod(name, on=on, labels={"app": "web"}) for name, on in (("one", "a"), ("two", "a"), ("three", "b"))]
    world = cluster(node("a"), node("b"), *alone, budget("web", 0, minAvailable=least))
    plan = plan_drain(world, nodes=["a"], force=True)
    assert [each.lost for each in plan.steps] == ([lost] if lost else [])
    assert [each.pod for each in plan.obstacles] == ([] if lost else ["default/two"])


@pytest.mark.parametrize("change", [{"selector": None}, {"namespace": "other"}])
def test_a_budget_that_does_not_cover_a_pod_keeps_no_node(change):
    """v1.37: pkg/registry/core/pod/storage/eviction.go, getPodDisruptionBudgets."""
    other = budget("other", 0, labels={"app": "web"}, minAvailable=9)
    if "namespace" in change:
        other["metadata"]["namespace"] = change["namespace"]
    else:
        other["spec"] |= change
    plan = plan_drain(cluster(node("a"), node("b"), owned("p", "a"), other), nodes=["a"], seed=None)
    assert plan.nodes == ("a",)


def test_two_budgets_of_one_pod_are_in_the_way():
    budgets = [budget(name, 1, labels={"app": "web"}, maxUnavailable=1) for name in ("one", "two")]
    plan = plan_drain(cluster(node("a"), node("b"), owned("p", "a"), *budgets), nodes=["a"])
    assert plan.nodes == () and says(plan.obstacles[0].why, "more than one")


def test_the_control_plane_stays_unless_it_is_named():
    world = cluster(node("m", labels={"node-role.kubernetes.io/control-plane": ""}), node("w"), owned("p", "w"))
    plan = plan_drain(world)
    assert plan.nodes == ("w",) and [each.node for each in plan.obstacles] == ["m"]
    assert plan_drain(world, nodes=["m"]).nodes == ("m",)
    with pytest.raises(KeyError, match="x"):
        plan_drain(world, nodes=["x"])


def test_a_volume_on_one_node_is_in_the_way():
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "data", "namespace": "default", "annotations": {"pv.kubernetes.io/bind-completed": "yes"}},
        "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "local", "volumeName": "disk"}
        | {"resources": {"requests": {"storage": "1Gi"}}},
        "status": {"phase": "Bound"},
    }
    terms = [{"matchExpressions": [{"key": "kubernetes.io/hostname", "operator": "In", "values": ["a"]}]}]
    volume = {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": "disk"},
        "spec": {
            "capacity": {"storage": "1Gi"},
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "local",
            "local": {"path": "/disk"},
            "claimRef": {"namespace": "default", "name": "data"},
            "nodeAffinity": {"required": {"nodeSelectorTerms": terms}},
        },
    }
    mounted = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
    world = cluster(
        *(node(name, labels={"kubernetes.io/hostname": name}) for name in "ab"),
        claim,
        volume,
        owned("db", "a", "db", "StatefulSet", volumes=mounted),
    )
    plan = plan_drain(world)
    assert plan.nodes == ("b",) and plan.obstacles[0].pod == "default/db"
    assert says(plan.obstacles[0].why, "PersistentVolume's node affinity")


def test_a_next_best_plan_has_other_nodes():
    plan = plan_drain(cluster(node("a", cpu=2), node("b", cpu=2), owned("p", "a", cpu=1), owned("q", "b", cpu=1)))
    assert len(plan.nodes) == 1 and len(plan.runner_up) == 1 and set(plan.runner_up) != set(plan.nodes)


def test_plans_show_themselves():
    world = cluster(node("a"), pod("big", cpu=9), owned("p", "a"))
    for plan in (plan_fit(pod("x", cpu=1), world), plan_add(world), plan_drain(world)):
        assert str(plan) and plan._repr_html_() and plan.to_dict()


def test_a_drain_is_told_with_its_number_and_what_is_certain():
    full = cluster(*(node(name, cpu=2) for name in "ab"), owned("p", "a", cpu=2), owned("q", "b", cpu=2))
    roomy = cluster(*(node(name, cpu=4) for name in "ab"), owned("p", "a", cpu=1))
    for world, number, title, mark in ((full, 0, "No node can go.", BAD), (roomy, 1, "1 node can go.", GOOD)):
        plan = plan_drain(world)
        first = next(plan.sections(LIMITS))
        assert (len(plan.nodes), first.title, first.mark) == (number, title, mark)
        assert says(str(plan), "No larger number can.") and "may be possible" not in str(plan)
        assert (plan_drain(world, seed=None).to_dict()["check"], plan.to_dict()["check"] is None) == (None, False)


@pytest.mark.parametrize("role", ["control-plane", "master"])
def test_either_label_of_the_control_plane_keeps_a_node(role):
    world = cluster(node("m", labels={f"node-role.kubernetes.io/{role}": ""}), node("a"), node("b"))
    plan = plan_drain(world)
    assert "m" not in plan.nodes and [each.node for each in plan.obstacles if "control plane" in each.why] == ["m"]
    named = plan_drain(world, nodes=["m"])
    assert named.nodes == ("m",) and not any("control plane" in each.why for each in named.obstacles)


@pytest.mark.parametrize(("force", "cpu", "places"), [(False, 1000, 8), (True, 3000, 9)])
def test_pods_that_stay_take_room_from_those_that_move(force, cpu, places):
    """Of node a: p moves, the agent stays, and the pod of nobody stays or is lost. More runs on b than it has."""
    room = {"cpu": 4, "memory": "8Gi", "pods": 10}
    world = cluster(
        *(node(name, allocatable=room) for name in "ab"),
        pod("alone", "a", cpu=2),
        owned("agent", "a", "agent", "DaemonSet", cpu=1),
        owned("p", "a", cpu=1),
        owned("q", "b", cpu=5),
    )
    row = world.resources["cpu"]
    free, moving = volumes(world, force)
    assert (free[row].tolist(), free[-1].tolist()) == ([cpu, 5000], [places, 10])
    assert (moving[row], moving[-1]) == (6000, 2)
