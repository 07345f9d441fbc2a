"""Questions from Kubernetes' own issues and documents: one command each, and the answer as the maintainers gave it."""

import json
from collections import Counter

import pytest

from kschedlab.build import as_yaml, budget, deployment, node, node_affinity, pod, term
from kschedlab.program.main import main
from tests.saying import says

ZONE, HOST = "topology.kubernetes.io/zone", "kubernetes.io/hostname"
APP = {"matchLabels": {"app": "a"}}


def in_zone(name, zone, cpu=4, **more):
    return node(name, cpu=cpu, labels={ZONE: zone, HOST: name}, **more)


def spread(key=ZONE, when="DoNotSchedule", **more):
    constraint = {"maxSkew": 1, "topologyKey": key, "whenUnsatisfiable": when, "labelSelector": APP}
    return {"labels": {"app": "a"}, "topologySpreadConstraints": [constraint | more]}


def required(kind, key=ZONE, **labels):
    one = {"labelSelector": {"matchLabels": labels}, "topologyKey": key}
    return {"affinity": {kind: {"requiredDuringSchedulingIgnoredDuringExecution": [one]}}}


@pytest.fixture
def scenario(tmp_path):
    def write(*objects):
        (tmp_path / "scenario.yaml").write_text(as_yaml(objects))
        return str(tmp_path / "scenario.yaml")

    return write


def test_116978_one_zone_is_too_small_and_seven_of_nine_wait(scenario, file, run):
    """kubernetes/kubernetes#116978: the skew counts the small zone, so the others may have one pod more than it."""
    nodes = in_zone("a1", "a", 8), in_zone("b1", "b", 8), in_zone("c1", "c", 1)
    said = run("simulate", scenario(*nodes, deployment("a", 9, cpu=2, **spread())))
    assert says(said, "2 pods of 9 bound", "7 pods without a node")
    running = [pod(f"r{i}", on=f"{i}1", cpu=2, labels={"app": "a"}) for i in "ab"]
    said = run("why", file(*nodes, *running, pod("web", cpu=2, **spread())))
    assert "1 pod like it in topology.kubernetes.io/zone=a, 0 in the emptiest (c), maxSkew 1" in said
    assert "too small for 2 CPU: it has 1 CPU c1" in said


def updated(manifest, jitter="0s"):
    """A timeline in which the Deployment gets this template after a minute."""
    update = {key: manifest[key] for key in ("apiVersion", "kind", "metadata")}
    update["spec"] = {"template": manifest["spec"]["template"]}
    return {
        "simulation": {"kubelet": {"stop": "3s", "jitter": jitter}, "until": "10m"},
        "timeline": [{"at": "1m", "update": update}],
    }


@pytest.mark.parametrize(("jitter", "pods"), [("20s", {"a": 4, "b": 2, "c": 3}), ("0s", {"a": 3, "b": 3, "c": 3})])
def test_98215_a_rolling_update_may_break_the_skew(scenario, run, tmp_path, jitter, pods):
    """kubernetes/kubernetes#98215, #105661: old pods count for maxSkew 1 while new ones come; then the old ones go.

    It needs pods that start and stop at different times.
    """
    nodes = [in_zone(f"{zone}{i}", zone, 16) for zone in "abc" for i in range(6)]
    old, new = (deployment("a", 9, cpu=cpu, **spread()) for cpu in ("1", "1100m"))
    run("simulate", scenario(*nodes, old, updated(new, jitter)), "--seed", "5", "--export", str(tmp_path / "end.json"))
    left = json.loads((tmp_path / "end.json").read_text())["items"]
    assert Counter(each["spec"]["nodeName"][0] for each in left if each["kind"] == "Pod") == pods


def test_97687_anyway_does_not_mean_that_nodes_without_the_key_are_as_good(file, run):
    """kubernetes/kubernetes#97687: nodes without the label are feasible, and the constraint gives them no points."""
    cluster = file(in_zone("a1", "a"), in_zone("b1", "b"), node("none"), pod("web", **spread(when="ScheduleAnyway")))
    assert says(run("why", cluster), "1 node", ZONE, "none", "ScheduleAnyway", "no points")
    assert says(run("explain", cluster), "1 node", ZONE, "none", "ScheduleAnyway", "no points")
    assert "PodTopologySpread +" in run("why", cluster, "web", "--node", "none")


def test_129138_a_pod_without_requests_is_not_drawn_to_a_full_node(file, run):
    """kubernetes/kubernetes#129138: v1.37 skips NodeResourcesBalancedAllocation for pods without requests."""
    pods = pod("busy", on="full", cpu=4, memory="8Gi"), pod("web")
    said = run("explain", file(node("full", memory="8Gi"), node("empty"), *pods))
    assert says(said, "default/web goes to empty")


def test_112699_an_image_on_one_node_of_many_gives_few_points(file, run, tmp_path):
    """kubernetes/kubernetes#112699: ImageLocality's points follow the image's size and how many nodes have it."""
    config = tmp_path / "config.yaml"
    config.write_text(
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
        "profiles: [{plugins: {score: {enabled: [{name: ImageLocality, weight: 100}]}}}]\n"
    )
    images = [{"names": ["web:1"], "sizeBytes": 120_000_000}]
    world = file(node("a", images=images), node("b"), node("c"), pod("web", image="web:1"))
    assert "1 → 1 × 100 = 100" in run("explain", world, "--config", str(config))


def test_114788_a_tainted_zone_counts_as_a_domain(file, run):
    """kubernetes/kubernetes#114788: the answer was nodeTaintsPolicy: Honor."""
    taint = {"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}
    nodes = in_zone("a1", "a"), in_zone("c1", "c", taints=[taint])
    said = run("why", file(*nodes, pod("r", on="a1", labels={"app": "a"}), pod("web", **spread())))
    assert "0 in the emptiest (c, whose nodes all have taints), maxSkew 1" in said
    assert says(said, "with nodeTaintsPolicy Honor of its", "it goes to a1")


def test_a_tainted_zone_does_not_count_if_taints_are_honored(file, run):
    taint = {"key": "node-role.kubernetes.io/control-plane", "effect": "NoSchedule"}
    nodes = in_zone("a1", "a"), in_zone("b1", "b", cpu=1), in_zone("c1", "c", taints=[taint])
    running = pod("r", on="a1", labels={"app": "a"})
    said = run("why", file(*nodes, running, pod("web", cpu=2, **spread(nodeTaintsPolicy="Honor"))))
    assert "1 pod like it in topology.kubernetes.io/zone=a, 0 in the emptiest (b), maxSkew 1" in said


def test_a_zone_with_one_node_without_taints_is_not_called_tainted(file, run):
    taint = {"key": "gpu", "effect": "NoSchedule"}
    nodes = in_zone("a1", "a"), in_zone("c1", "c", taints=[taint]), in_zone("c2", "c", unschedulable=True)
    said = run("why", file(*nodes, pod("r", on="a1", labels={"app": "a"}), pod("web", **spread())))
    assert "0 in the emptiest (c), maxSkew 1" in said


def test_91492_budgets_are_kept_if_that_is_possible(file, run):
    """kubernetes/kubernetes#91492 and the docs: a node without violations is taken, else one with."""
    free, kept = pod("free", on="a", cpu=4), pod("kept", on="b", cpu=4, labels={"app": "a"})
    vip, strict = pod("vip", cpu=4, priority=9), budget("strict", 0, {"app": "a"})
    assert says(run("why", file(node("a"), node("b"), free, kept, vip, strict)), "evict", "default/free", "on a")
    said = run("why", file(node("b"), kept, vip, strict))
    assert says(said, "default/kept", "on b", "violates", "1 PodDisruptionBudget")


def test_107888_affinity_to_a_pod_on_a_full_node(file, run):
    """kubernetes/kubernetes#107888: the pod must go where no room is, and one pod less there would help."""
    full = node("full", labels={HOST: "full"}, allocatable={"cpu": 4, "memory": "8Gi", "pods": 2})
    pods = pod("db", on="full", labels={"app": "db"}), pod("other", on="full")
    affine = pod("web", **required("podAffinity", HOST, app="db"))
    said = run("why", file(full, in_zone("free", "a"), *pods, affine))
    assert says(said, "as many pods as it may have, 2", "its podAffinity: no matching pod is on it")
    assert "without default/other (priority 0) on full it goes to full" in said


def test_105220_pods_without_requests_are_spread_evenly(scenario, capsys):
    """kubernetes/kubernetes#105220: v1.22.0 to v1.22.3 drew them to full nodes; the answer was #105845, in v1.22.4.

    From then on NodeResourcesBalancedAllocation reads requests as they are. LeastAllocated counts 100m and 200 MiB for
    each pod, and goes on with memory where it has counted more cpu than there is. The generation v1.22 is v1.22.17.
    """
    cluster = scenario(*[in_zone(name, "a", 1, memory="4Gi") for name in "abc"], *[pod(f"p{i}") for i in range(48)])
    for generation in ("v1.20", "v1.22", "v1.37"):
        assert main(["simulate", cluster, "--generation", generation, "--output", "json"]) == 0
        rows = json.loads(capsys.readouterr().out)["resources"]
        pods = [row["final"]["requested"] for row in rows if (row["scope"], row["resource"]) == ("node", "pods")]
        assert pods == [16, 16, 16], generation


def test_121284_a_rollout_may_end_in_one_zone_unless_each_revision_counts_alone(file, run):
    """kubernetes/kubernetes#121284: the old pods count, so 4 and 2 are within maxSkew 2, and then the old ones go.

    matchLabelKeys counts the pods of one revision; v1.28 has it, v1.20 and v1.22 do not.
    """
    nodes = in_zone("a1", "a", 8), in_zone("b1", "b", 32)
    old = [
        pod(f"p{i}", on=on, labels={"app": "a", "pod-template-hash": "1"}) for i, on in enumerate(("a1", "a1", "b1"))
    ]

    def new(**more):
        constraint = spread(maxSkew=2, **more)
        labels = constraint.pop("labels") | {"pod-template-hash": "2"}
        return [pod(f"p3{i}", cpu=1, labels=labels, **constraint) for i in range(3)]

    for generation in ("v1.20", "v1.22", "v1.28", "v1.37"):
        said = run("explain", file(*nodes, *old, *new()), "--generation", generation)
        assert all(says(said, f"default/p3{i} goes to b1") for i in range(3)), generation
    for generation in ("v1.28", "v1.37"):
        said = run(
            "explain", file(*nodes, *old, *new(matchLabelKeys=["pod-template-hash"])), "--generation", generation
        )
        assert says(said, "default/p31 goes to b1", "default/p32 goes to a1"), generation


def test_hard_anti_affinity_and_a_rollout_on_two_nodes(scenario, file, run):
    """A Deployment of two replicas, apart by hostname, on two nodes: the third pod of its rollout never fits."""
    apart = {"labels": {"app": "a"}} | required("podAntiAffinity", HOST, app="a")
    running = [pod(f"old-{i}", on=f"n{i}", **apart) for i in (1, 2)]
    said = run("why", file(in_zone("n1", "a"), in_zone("n2", "b"), *running, pod("new", **apart)))
    assert "its podAntiAffinity: default/old-1 is on it n1" in said
    assert "one node more like n1" in said.replace("more node", "node more") and "without default/old-1" in said
    old, new = (deployment("a", 2, cpu=cpu, **apart) for cpu in ("1", "1100m"))
    nodes = in_zone("n1", "a"), in_zone("n2", "b")
    said = run("simulate", scenario(*nodes, old, updated(new)))
    assert says(said, "1 rollout", "default/a", "1 of 2 pods", "2 of an older template")
    old["spec"]["strategy"] = {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}
    said = run("simulate", scenario(*nodes, old, updated(new)))
    assert "4 pods of 4 bound" in said and "rollout" not in said


def test_124282_init_containers_count_for_ever(file, run):
    """kubernetes/kubernetes#124282: the largest init container's request holds as long as the pod lives."""
    web = pod(
        "web", cpu="500m", initContainers=[{"name": "migrate", "image": "i", "resources": {"requests": {"cpu": 3}}}]
    )
    cluster = file(node("n1", cpu=4), pod("busy", on="n1", cpu="3500m"), web)
    for command in ("why", "explain"):
        assert says(run(command, cluster), "asks for 3 CPU", "init containers", "migrate", "500m CPU")


def test_126879_host_ports_and_a_rolling_update(file, run):
    """kubernetes/kubernetes#126879, ingress-nginx#4626: the old pod has the port, so the new one never starts."""
    ports = {"ports": [{"containerPort": 9033, "hostPort": 9033}]}
    said = run("why", file(node("n1"), pod("ctl-old", on="n1", **ports), pod("ctl-new", **ports)))
    assert "default/ctl-old has the host port 9033/TCP" in said and "without hostPort 9033 it goes to n1" in said


def test_a_volume_is_in_another_zone(file, run):
    """volume node affinity conflict: where the volume is, what the nodes have, and what would help."""
    claim = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "data", "namespace": "default"},
             "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "x", "volumeName": "pv-1",
                      "resources": {"requests": {"storage": "1Gi"}}}, "status": {"phase": "Bound"}}  # fmt: skip
    affinity = node_affinity(term(f"{ZONE} In a"))["nodeAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    volume = {"apiVersion": "v1", "kind": "PersistentVolume", "metadata": {"name": "pv-1"},
              "spec": {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "storageClassName": "x",
                       "csi": {"driver": "d.x.io", "volumeHandle": "h"}, "nodeAffinity": {"required": affinity},
                       "claimRef": {"namespace": "default", "name": "data"}}, "status": {"phase": "Bound"}}  # fmt: skip
    later = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "later"},
             "provisioner": "d.x.io", "volumeBindingMode": "WaitForFirstConsumer"}  # fmt: skip
    new = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": "new", "namespace": "default"},
           "spec": {"accessModes": ["ReadWriteOnce"], "storageClassName": "later",
                    "resources": {"requests": {"storage": "1Gi"}}}}  # fmt: skip
    claim["metadata"]["annotations"] = {"pv.kubernetes.io/bind-completed": "yes"}
    web = pod(
        "web", cpu=2, volumes=[{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in ("new", "data")]
    )
    others = claim, volume, later, new, pod("x", on="a1", cpu=3)
    said = run("why", file(in_zone("a1", "a"), in_zone("b1", "b"), *others, web))
    assert f"volume pv-1 of claim data is where {ZONE} In a, the node has b b1" in said
    assert "one more node like a1" in said and "1 CPU free" in said


def test_preemption_does_not_cross_nodes_and_one_pod_less_is_enough(file, run):
    """The docs' example: Q, on another node of the zone, keeps P off; only Q needs to go."""
    apart = required("podAntiAffinity", ZONE, app="q")
    q = pod("q", on="m", cpu=1, labels={"app": "q"}, priority=100)
    nodes = in_zone("n", "a"), in_zone("m", "a")
    said = run(
        "why", file(*nodes, q, pod("big", on="m", cpu=3, priority=2000), pod("p", cpu=3, priority=1000, **apart))
    )
    assert "without default/q (priority 100) on m it goes to n" in said and "without default/big" not in said


def test_pods_of_a_zone_that_keep_the_pod_off_by_their_anti_affinity_are_named_together(file, run):
    apart = required("podAntiAffinity", ZONE, app="web")
    guards = pod("guard-1", on="a1", **apart), pod("guard-2", on="a2", **apart)
    nodes = in_zone("a1", "a"), in_zone("a2", "a")
    said = run("why", file(*nodes, *guards, pod("bystander", on="a1"), pod("web", labels={"app": "web"})))
    assert says(said, "without", "default/guard-1", "default/guard-2") and "bystander" not in said
