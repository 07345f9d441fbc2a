"""``kubectl why`` for one pod, with a kubectl that prints files."""

import json
import re

import pytest

from kschedlab.build import budget, node, pod
from kschedlab.program.main import main
from kschedlab_live.program.why import kubectl_why
from tests.saying import says

GPU = {"key": "dedicated", "value": "gpu", "effect": "NoSchedule"}
SAID = (
    "0/2 nodes are available: 2 Insufficient cpu. preemption: 0/2 nodes are available: 2 Preemption is not helpful for "
)
SAID += "scheduling."


def refused_with(message, **more):
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": message}
    return {"status": {"phase": "Pending", "conditions": [condition]}} | more


def test_a_terminal_sees_that_kubectl_reads_until_there_is_an_answer(kubectl, why, monkeypatch, capsys):
    kubectl(node("n1"), pod("web"))
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert main(["why", "web"]) == 0
    announced, erased = capsys.readouterr().err.strip("\r").split("\r")
    assert "kubectl" in announced and erased.isspace()


def test_a_pod_that_is_too_large(kubectl, why):
    kubectl(node("n1"), node("n2"), pod("web", cpu=5) | refused_with(SAID))
    said = why("web")
    assert said.startswith("default/web is pending: none of 2 nodes can take it. It asks for 5 CPU; priority 0.")
    assert "2 too small for 5 CPU: they have at most 4 CPU n1, n2" in said
    assert "asking for 4 CPU instead of 5 CPU it goes to n1 (1 other node would fit)" in said
    assert f"What the scheduler says {SAID} We reach the same result, word for word." in said


def test_what_the_scheduler_said_and_what_we_say_now(kubectl, why):
    kubectl(node("n1"), pod("web", cpu=5) | refused_with("0/9 nodes are available: 9 Insufficient cpu."))
    assert "9 Insufficient cpu. We say now: 0/1 nodes are available: 1 Insufficient cpu." in why("web")


def test_the_most_that_is_free(kubectl, why):
    kubectl(node("n1"), node("n2"), pod("a", on="n1", cpu=3), pod("b", on="n2", cpu="2500m"), pod("web", cpu=2))
    said = why("web")
    assert "2 too little cpu for 2 CPU: at most 1.5 CPU free, on n2 n1, n2" in said
    assert "Evicting pods would not help on any of these nodes." not in said
    assert "Evicting pods of lower priority than 0 does not help anywhere." in said
    assert "with priority 1 instead of 0 it evicts default/a (priority 0) on n1" in said


def test_obstacles_are_named(kubectl, why):
    cordoned = node("n3", unschedulable=True)
    kubectl(node("n1"), node("n2", taints=[GPU]), cordoned, pod("web", nodeSelector={"disk": "ssd"}))
    said = why("pod/web")
    assert "1 cordoned n3" in said and "1 taint dedicated=gpu n2" in said
    assert "1 wants disk=ssd; the node has no such label n1" in said
    assert "without nodeSelector disk=ssd it goes to n1" in said


ZONE = "topology.kubernetes.io/zone"
APP = {"labelSelector": {"matchLabels": {"app": "a"}}}
A, B = {"labels": {ZONE: "a"}}, {"labels": {ZONE: "b"}}


def demands(kind, key=ZONE):
    return {"affinity": {kind: {"requiredDuringSchedulingIgnoredDuringExecution": [APP | {"topologyKey": key}]}}}


def wants(*terms):
    terms = [{"matchExpressions": [dict(zip(("key", "operator", "values"), each, strict=False)) for each in term]}
             for term in terms]  # fmt: skip
    return {
        "affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}
    }


def spread(*hard, soft=()):
    constraints = [APP | {"maxSkew": skew, "topologyKey": key, "whenUnsatisfiable": unsatisfiable}
                   for unsatisfiable, terms in (("DoNotSchedule", hard), ("ScheduleAnyway", soft))
                   for skew, key in terms]  # fmt: skip
    return {"topologySpreadConstraints": constraints}


NAMED = {"affinity": {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
    {"matchFields": [{"key": "metadata.name", "operator": "In", "values": ["n1"]}]}]}}}}  # fmt: skip
HOST = {"labels": {"kubernetes.io/hostname": "n1"}}


@pytest.mark.parametrize(
    ("objects", "said"),
    [
        (
            [node("n1", **A), node("n2", **A), pod("x", on="n2", labels={"app": "a"}),
             pod("web", **demands("podAntiAffinity"))],
            f"2 its podAntiAffinity: default/x is in {ZONE}=a n1, n2",
        ),
        (
            [node("n1", **A), pod("x", on="n1", **demands("podAntiAffinity")), pod("web", labels={"app": "a"})],
            f"the podAntiAffinity of default/x, in {ZONE}=a",
        ),
        (
            [node("n1", **HOST), pod("x", on="n1", labels={"app": "a"}),
             pod("web", **demands("podAntiAffinity", "kubernetes.io/hostname"))],
            "its podAntiAffinity: default/x is on it",
        ),
        ([node("n1", **A), pod("web", **demands("podAffinity"))], f"its podAffinity: no matching pod is in {ZONE}=a"),
        ([node("n1"), pod("web", **demands("podAffinity"))], f"its podAffinity: the node has no label {ZONE}"),
        (
            [node("n1", **A), node("n2", unschedulable=True, **B), pod("x", on="n1", labels={"app": "a"}),
             pod("web", labels={"app": "a"}, **spread((1, ZONE), soft=[(1, ZONE), (1, "host")]))],
            f"its spreading: 1 pod like it in {ZONE}=a, 0 in the emptiest (b), maxSkew 1 n1",
        ),
        (  # the emptiest is the first of those that the nodeSelector allows
            [node("n0", labels={ZONE: "c"}), node("n2", taints=[GPU], labels={ZONE: "b", "disk": "ssd"}),
             node("n1", labels={ZONE: "a", "disk": "ssd"}), pod("x", on="n1", labels={"app": "a"}),
             pod("web", labels={"app": "a"}, nodeSelector={"disk": "ssd"}, **spread((1, ZONE)))],
            "0 in the emptiest (b, whose nodes all have taints), maxSkew 1 n1",
        ),
        (
            [node("n2", unschedulable=True, **B), node("n1", **A), pod("x", on="n1", labels={"app": "a"}),
             pod("web", labels={"app": "a"}, **spread((1, ZONE)))],
            "0 in the emptiest (b)",
        ),
        (
            [node("n1", labels={ZONE: "a", "h": "1"}), node("n2", unschedulable=True, labels={ZONE: "b", "h": "2"}),
             pod("x", on="n1", labels={"app": "a"}), pod("web", labels={"app": "a"}, **spread((1, ZONE), (2, "h")))],
            f"its spreading: 1 pod like it in {ZONE}=a, 0 in the emptiest (b",
        ),
        (
            [node("n1", labels={ZONE: "a", "h": "1"}), node("n2", unschedulable=True, labels={ZONE: "b", "h": "2"}),
             pod("x", on="n1", labels={"app": "a"}), pod("web", labels={"app": "a"}, **spread((1, ZONE), (1, "h")))],
            "its spreading: 1 pod like it in this domain, 0 in the emptiest, maxSkew 1 n1",
        ),
        (
            [node("n1", **A), pod("web", **wants([(ZONE, "In", ["a", "c"]), ("disk", "In", ["ssd", "nvme"])]))],
            "1 its nodeAffinity wants disk In nvme, ssd, the node has no such label n1",
        ),
        ([node("n1", **A), pod("web", **wants([(ZONE, "NotIn", ["a"])]))], f"wants {ZONE} NotIn a, the node has a"),
        (
            [node("n1", **A), pod("web", **wants([("x", "Exists")], [("y", "Exists")]))],
            "matches none of the 2 terms of its nodeAffinity",
        ),
        (
            [node("n1"), pod("x", on="n1", ports=[{"containerPort": 80, "hostPort": 80}]),
             pod("web", ports=[{"containerPort": 80, "hostPort": 80}])],
            "default/x has the host port 80/TCP",
        ),
        (
            [node("n1", allocatable={"cpu": 4, "memory": "8Gi", "pods": 1}), pod("x", on="n1"), pod("web")],
            "1 as many pods as it may have, 1 n1",
        ),
        ([node("n1", cpu=1), node("n2"), pod("web", cpu=2, **NAMED)], "1 the pod asks for other nodes by name n2"),
    ],
)  # fmt: skip
def test_what_exactly_is_in_the_way(objects, said, kubectl, why):
    kubectl(*objects)
    assert said in why("web")


def test_a_resource_that_no_node_has(kubectl, why):
    kubectl(node("n1"), node("g1", taints=[GPU], allocatable={"cpu": 8, "memory": "8Gi", "pods": 9, "x.io/gpu": 1}),
            pod("web", requests={"x.io/gpu": 1}))  # fmt: skip
    said = why("web")
    assert "no x.io/gpu on it n1" in said
    tolerate, without = (
        said.index("tolerating dedicated=gpu it goes to g1"),
        said.index("without asking for x.io/gpu"),
    )
    assert tolerate < without


def test_devices_are_named(kubectl, why):
    version, select = "resource.k8s.io/v1", {"cel": {"expression": "device.driver == 'gpu.x.io'"}}
    kind = {"apiVersion": version, "kind": "DeviceClass", "metadata": {"name": "gpu"}, "spec": {"selectors": [select]}}
    pool = {"name": "n1", "generation": 1, "resourceSliceCount": 1}
    spec = {"driver": "gpu.x.io", "nodeName": "n1", "pool": pool, "devices": [{"name": "gpu-0"}]}
    piece = {"apiVersion": version, "kind": "ResourceSlice", "metadata": {"name": "s"}, "spec": spec}
    request = {"requests": [{"name": "r", "exactly": {"deviceClassName": "gpu"}}]}
    claim = {"apiVersion": version, "kind": "ResourceClaim", "metadata": {"name": "one", "namespace": "default"}}
    web = pod("web", resourceClaims=[{"name": "g", "resourceClaimName": "one"}])
    kubectl(node("n1"), node("n2"), kind, piece, claim | {"spec": {"devices": request}}, web)
    said = why("web")
    assert "it fits now, and would go to n1." in said
    assert "Devices on n1 one" in said and "gpu.x.io/n1/gpu-0" in said
    assert "Nodes that cannot serve the claims n2: the search finds no device to try" in said


def test_whom_it_would_evict(kubectl, why):
    kubectl(node("n1", cpu=2), pod("low", on="n1", cpu=2), pod("vip", cpu=2, priority=100), budget("b", 0, {"a": "b"}))
    said = why("vip")
    assert "it fits on no node as it is, but may evict 1 pod on n1." in said
    assert "Whom it evicts On n1: default/low (priority 0) n1 is the only candidate" in said


@pytest.mark.parametrize(
    ("running", "proposed"), [(999_999_999, "1000000000"), (1_000_000_000, ""), (2_000_000_000, "")]
)
def test_no_priority_beyond_what_a_user_may_have(running, proposed, kubectl, why):
    kubectl(node("n1", cpu=2), pod("high", on="n1", cpu=2, priority=running), pod("web", cpu=2))
    said = why("web", "--all")
    assert (f"with priority {proposed} instead of 0" in said) if proposed else ("with priority" not in said)


def test_a_budget_is_violated(kubectl, why):
    low = pod("low", on="n1", cpu=2, labels={"app": "b"})
    kubectl(node("n1", cpu=2), low, pod("vip", cpu=2, priority=100), budget("b", 0))
    assert "This violates 1 PodDisruptionBudget." in why("vip")


def test_a_pod_that_fits_is_not_stuck_by_the_nodes(kubectl, why):
    kubectl(node("n1"), pod("web", cpu=1))
    said = why("web")
    assert "default/web is pending: it fits now, and would go to n1." in said
    assert "see whether kube-scheduler runs" in said


def test_a_bound_pod(kubectl, why):
    kubectl(node("n1"), node("n2", cpu=8), pod("web", on="n1", cpu=1))
    said = why("web")
    assert said.startswith("default/web runs on n1.")
    assert "Where it would go now Decided again, without it on its node, it goes to n2" in said
    assert re.search(r"weighted score n2 n1 \(now\) .* total \d+ \d+", said)


def test_what_keeps_a_bound_pod_from_running_is_not_the_scheduler(kubectl, why):
    waiting = {"name": "main", "state": {"waiting": {"reason": "ImagePullBackOff", "message": "no such image"}}}
    web = pod("web", on="n1")
    web["status"] = {"phase": "Pending", "containerStatuses": [waiting]}
    kubectl(node("n1"), web)
    assert "is bound to n1." in why("web")
    assert "Scheduling is done. Its container main waits: ImagePullBackOff: no such image" in why("web")


def test_why_not_that_node(kubectl, why):
    kubectl(node("n1"), node("n2", cpu=8), node("n3", taints=[GPU]), pod("web", on="n2", cpu=1))
    assert "Why not n1? n1 fits too, but" in why("web", "--node", "n1")
    assert "Why not n3? TaintToleration refuses n3: taint dedicated=gpu." in why("web", "--node=n3")
    moved = node("n1"), node("n2", cpu=8), node("n4"), pod("web", on="n1", cpu=1)
    kubectl(*moved)
    assert "Why not n4? Decided again now, it goes to n2. Compared with that: n4 fits too" in why("web", "--node=n4")
    kubectl(node("n1"), node("n2", cpu=8), node("n3", taints=[GPU]), pod("web", on="n2", cpu=1))
    assert 'no node "n9"; there are 3: n1, n2, n3' in why("web", "--node", "n9", status=1)


def test_another_scheduler_s_pod(kubectl, why):
    ours = pod("web", schedulerName="volcano")
    kubectl(node("n1"), ours)
    said = why("web")
    assert said.startswith("default/web is another scheduler's pod: its schedulerName is volcano.")
    assert "It is the only pod of volcano. Does a scheduler of that name run here?" in said
    assert "goes to" not in said and "Decided with kube-scheduler's pod is not visible" in said
    kubectl(node("n1"), ours, pod("b", schedulerName="volcano", on="n1"), pod("c", schedulerName="volcano"))
    assert "Of 2 other pods of volcano, 1 has a node." in why("web")
    kubectl(node("n1"), ours, pod("c", schedulerName="volcano"))
    assert "volcano has given none of its 2 pods a node. Does it run here?" in why("web")


def test_a_gated_pod(kubectl, why):
    kubectl(node("n1"), pod("web", schedulingGates=[{"name": "example.com/quota"}]))
    said = why("web")
    assert "it waits for its scheduling gates: example.com/quota." in said
    assert "without its scheduling gates it goes to n1" in said


def test_a_nominated_pod(kubectl, why):
    low = pod("low", on="n1", cpu=2, deleted="2026-03-02T10:00:00Z")
    kubectl(node("n1", cpu=2), low, pod("vip", cpu=2, priority=100, nominated="n1"))
    said = why("vip")
    assert "default/vip is pending: room is being made for it on n1." in said
    assert "On n1, default/low is still ending. Then it goes there, unless another node is free." in said
    kubectl(node("n1", cpu=2), pod("vip", cpu=2, priority=100, nominated="n1"))
    assert "No pod is ending on n1 any more" in why("vip")


def test_finished_and_ending_pods(kubectl, why):
    kubectl(node("n1"), pod("done") | {"status": {"phase": "Succeeded"}}, pod("gone", deleted="2026-03-02T10:00:00Z"))
    assert "default/done has finished (Succeeded); nothing schedules it any more." in why("done")
    assert "default/gone is being deleted before it got a node" in why("gone")
    assert "Decided with" not in why("done"), "nothing was decided"


def test_one_node_more(kubectl, why):
    kubectl(node("n1", cpu=4), node("n2", cpu=2), pod("a", on="n1", cpu=4), pod("b", on="n2", cpu=2), pod("web", cpu=3))
    assert "With 1 more node (n1-new) It goes to n1-new" in why("web", "--add-node", "like=n1")
    small = why("web", "--add-node=like=n2", "--add-node=like=n2")
    assert "With 2 more nodes (n2-new, n2-new-2) It still fits on none of 4 nodes" in small
    assert "NodeResourcesFit refuses n2-new: asks for 3 CPU, 2 free." in small
    assert 'no node "n7"' in why("web", "--add-node", "like=n7", status=1)


@pytest.mark.parametrize(
    ("version", "said"),
    [
        ("v1.37.2", ""),
        ("v1.31.0+k3s1", "The server is v1.31: decided as v1.30, the nearest known."),
        ("v1.22.17-gke.1", ""),
        ("v1.27.4", "The server is v1.27: decided as v1.28, the nearest known."),
        ("v1.28.9", ""),
        ("v1.16.15", ""),
        ("v1.9.0", "The server is v1.9: decided as v1.13, the nearest known."),
        ("v1.40.0", "The server is v1.40: decided as v1.37, the nearest known."),
        ("strange", "The server's version is unknown: decided as v1.37 does."),
    ],
)
def test_the_generation_follows_the_server(version, said, kubectl, why):
    kubectl(node("n1"), pod("web"), version=version)
    printed = why("web")
    assert (said in printed) if said else ("decided as" not in printed)
    assert "decided as" not in why("web", "--generation", "v1.20")


def test_an_upgrade_names_the_pods_that_move_and_the_change(kubectl, why):
    soft = [{"key": "old", "value": "yes", "effect": "PreferNoSchedule"}]
    term = {"weight": 1, "preference": {"matchExpressions": [{"key": "disk", "operator": "Exists"}]}}
    liking = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [term]}}
    liked = node("a", cpu="4", memory="8Gi", labels={"disk": "ssd"}, taints=soft)
    busy = pod("w", "b", cpu="1", memory="2Gi")
    kubectl(liked, node("b", cpu="4", memory="8Gi"), busy, pod("web", cpu="100m", affinity=liking))
    printed = why("--upgrade", "v1.24", "--generation", "v1.22")
    assert says(printed, "v1.22", "v1.24", "default/web", "weight of TaintToleration")
    assert "another" not in why("--upgrade", "v1.22", "--generation", "v1.22")


def test_there_is_no_such_pod(kubectl, why):
    kubectl(node("n1"), pod("web-1", namespace="shop"))
    assert "there is no pod default/web-2 similar: shop/web-1" in why("web-2", status=1)
    assert why("shop/web-1").startswith("shop/web-1 is pending")
    assert why("web-1", "-n", "shop").startswith("shop/web-1 is pending")


def test_long_names_fit_the_width(kubectl, why):
    names = [f"gke-production-europe-west1-general-purpose-pool-{i}a2b3c4d-x7k{i}" for i in range(3)]
    kubectl(
        *(node(name, cpu=4 + 2 * i) for i, name in enumerate(names)),
        node("a" * 253),
        pod("w" * 200, on=names[0], cpu=1),
    )
    said = why("w" * 200)
    assert "(now)" in said and "NodeResourcesFit ×1" in said
    assert "×1" in why("w" * 200, "--node", names[1])


def test_a_pod_on_a_node_that_is_gone(kubectl, why):
    kubectl(node("n1"), pod("web", on="gone"))
    said = why("web")
    assert "There is no node gone: the pod is left over" in said and "Where it would go now" in said


def test_a_node_is_no_pod(kubectl, why):
    kubectl(node("n1"), pod("web"))
    assert "there is no pod default/n1 n1 is a node: name a pod, and ask --node n1" in why("n1", status=1)


def test_in_a_pod_the_namespace_is_the_service_account_s(kubectl, why, monkeypatch, tmp_path):
    fake = kubectl(node("n1"), pod("web", namespace="shop"))
    settings = json.loads((fake.folder / "settings.json").read_text())
    (fake.folder / "settings.json").write_text(json.dumps(settings | {"config": {"contexts": []}}))
    (tmp_path / "namespace").write_text("shop\n")
    monkeypatch.setattr("kschedlab_live.why.version.OF_ACCOUNT", tmp_path / "namespace")
    assert why("web").startswith("shop/web is pending")
    monkeypatch.setattr("kschedlab_live.why.version.OF_ACCOUNT", tmp_path / "none")
    assert "there is no pod default/web" in why("web", status=1)


def test_the_namespace_is_kubectl_s(kubectl, why):
    kubectl(node("n1"), pod("web", namespace="shop"), namespace="shop")
    assert why("web").startswith("shop/web is pending")


def test_a_cluster_without_nodes(kubectl, why):
    kubectl(pod("web"))
    assert "default/web is pending: the cluster has no nodes." in why("web")


def test_names_cannot_steer_the_terminal(kubectl, why):
    web = pod("web", labels={"app": "x"}) | refused_with("\x1b[2J\u202eno")
    web["spec"]["schedulingGates"] = [{"name": "a/\x1b]0;x\x07"}]
    kubectl(node("n\x1b[31m1"), web, pod("ok", schedulerName="\x1b[2J\u202e"), pod("\x1bodd"))
    assert "[U+001B][2J[U+202E]" in why("ok")
    why("web", status=1)
    why("\x1bodd", status=1)
    why("--pending")


def test_an_object_that_cannot_be_understood_is_left_out(kubectl, why):
    broken = pod("broken", on="n1") | {"spec": {"containers": 7}}
    kubectl(node("n1"), pod("web"), broken)
    said = why("web")
    assert "it fits now, and would go to n1" in said
    assert "Not readable left out: Pod default/broken: spec.containers" in said


def test_of_many_objects_that_are_left_out_three_are_named(kubectl, why):
    broken = [pod(f"broken-{number}", on="n1") | {"spec": {"containers": 7}} for number in range(5)]
    kubectl(node("n1"), pod("web"), *broken)
    said = why("web")
    assert "default/broken-2" in said and "default/broken-3" not in said and "and 2 more objects left out" in said


def test_plain_data(kubectl, capsys):
    kubectl(node("n1"), pod("web", cpu=9), refused=["poddisruptionbudgets.policy"])
    from kschedlab.program.main import main

    assert main(["why", "web", "-o", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["pod"], data["situation"], data["generation"]) == ("default/web", "pending", "v1.37")
    assert data["decision"]["event"].startswith("0/1 nodes are available: 1 Insufficient cpu.")
    assert data["changes"][0]["change"] == "asking for 4 CPU instead of 9 CPU"
    assert data["unreadable"][0]["what"] == "poddisruptionbudgets"


def test_six_obstacles_are_shown_and_the_rest_counted(kubectl, why):
    tainted = [node(f"t{i}", taints=[GPU | {"value": f"v{i}"}], labels={"disk": "ssd"}) for i in range(4)]
    other = [node(f"l{i}", labels={"disk": f"hdd{i}"}) for i in range(4)]
    kubectl(*tainted, *other, pod("web", nodeSelector={"disk": "ssd"}))
    said, every = why("web"), why("web", "--all")
    reasons = [text.count(" 1 taint ") + text.count(" 1 wants ") for text in (said, every)]
    assert reasons == [6, 8] and "2 more nodes for other reasons" in said and "--all shows" in said
    assert "for other reasons" not in every


@pytest.mark.parametrize("question", [["web"], ["--pending"], ["web", "--node", "n2"]])
def test_a_file_gives_the_same_answer(question, kubectl, why, tmp_path):
    objects = (node("n1"), node("n2", taints=[GPU]), pod("x", on="n1", cpu=3, priority=-1), pod("web", cpu=2),
               pod("big", cpu=9), pod("other", schedulerName="volcano"))  # fmt: skip
    kubectl(*objects)
    (tmp_path / "dump.json").write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": objects}))
    assert why(*question).startswith(why(str(tmp_path / "dump.json"), *question)), "then what the cluster configures"


def test_as_a_plugin_of_kubectl_it_takes_what_is_said_after_its_name(monkeypatch):
    asked = []
    monkeypatch.setattr("kschedlab_live.program.why.main", lambda *given: asked.append(given) or 0)
    monkeypatch.setattr("sys.argv", ["kubectl-why", "web", "-n", "shop"])
    assert kubectl_why() == 0 and asked == [(["why", "web", "-n", "shop"], "kubectl")]
