"""``kubectl why --pending``: all pending pods, grouped by cause."""

import json

from kschedlab.build import node, pod
from kschedlab.program.main import main


def test_pods_with_the_same_cause_are_one_group(kubectl, why):
    large = [pod(f"big-{i}", cpu=9) for i in range(5)]
    gated = pod("gated", schedulingGates=[{"name": "x.io/q"}])
    kubectl(node("n1"), *large, gated, pod("v", schedulerName="volcano"), pod("fits", cpu=1), pod("run", on="n1"))
    said = why("--pending")
    assert said.startswith("8 pending pods.")
    assert "5 pods: no node fits: Insufficient cpu default/big-0, default/big-1, default/big-2 and 2 more" in said
    assert "In the way of big-0: nodes because 1 too small for 9 CPU: it has 4 CPU n1 What would help big-0:" in said
    assert "asking for 4 CPU instead of 9 CPU it goes to n1" in said
    assert "1 pod: gated by x.io/q default/gated" in said
    assert "1 pod: another scheduler's, volcano default/v" in said
    assert "1 pod: there is room now, and the next attempt should find it default/fits On n1" in said
    assert "default/big-4" in why("--pending", "--all")


def test_pods_are_placed_one_after_the_other(kubectl, why):
    kubectl(node("n1", cpu=4), pod("a", cpu=3), pod("b", cpu=3))
    said = why("--pending")
    assert "1 pod: there is room now" in said and "1 pod: no node fits: Insufficient cpu" in said


def test_preemptors(kubectl, why):
    kubectl(node("n1", cpu=4), pod("low", on="n1", cpu=4), pod("vip", cpu=4, priority=9))
    assert "1 pod: no node has room, but pods of lower priority may be evicted default/vip Eviction on n1" in why(
        "--pending"
    )


def test_a_namespace_alone(kubectl, why):
    kubectl(node("n1"), pod("a", cpu=9), pod("b", cpu=9, namespace="shop"))
    said = why("--pending", "-n", "shop")
    assert said.startswith("1 pending pod in namespace shop.") and "default/a" not in said
    assert why("--pending", "-n", "empty").startswith("No pod is pending in namespace empty.")


def test_with_more_nodes(kubectl, why):
    kubectl(node("n1", cpu=4), pod("x", on="n1", cpu=4), *(pod(f"p{i}", cpu=3) for i in range(3)))
    said = why("--pending", "--add-node", "like=n1", "--add-node", "like=n1")
    assert said.startswith("3 pending pods, with 2 more nodes (n1-new, n1-new-2).")
    assert "2 pods: there is room now" in said and "1 pod: no node fits" in said


def test_rejected_before_any_node(kubectl, why):
    kubectl(node("n1"), pod("p", volumes=[{"name": "d", "persistentVolumeClaim": {"claimName": "none"}}]))
    assert '1 pod: no node is looked at: persistentvolumeclaim "none" not found' in why("--pending")


def test_plain_data(kubectl, capsys):
    kubectl(node("n1"), pod("a", cpu=9))
    assert main(["why", "--pending", "-o", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["pending"] == 1 and data["causes"] == [
        {"cause": "no node fits: Insufficient cpu", "kind": "refused", "pods": ["default/a"]}
    ]
