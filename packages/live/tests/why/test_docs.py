"""docs/live.md: its example is printed, and its role has what is read."""

from pathlib import Path

import yaml

from kschedlab.build import node, pod
from kschedlab.program.main import main
from kschedlab_live.program.why import NO_SUCH, UNREADABLE
from kschedlab_live.why.reading import DEVICES, FIRST, OWNERS, STORAGE

PAGE = (Path(__file__).parents[4] / "docs" / "live.md").read_text(encoding="utf-8")
SAID = (
    "0/4 nodes are available: 1 node(s) had untolerated taint(s), 1 node(s) were unschedulable, 2 Insufficient cpu. "
    "preemption: 0/4 nodes are available: 2 No preemption victims found for incoming pod, 2 Preemption is not helpful "
    "for scheduling."
)


def test_the_example_is_what_is_printed(kubectl, capsys):
    general = {"labels": {"pool": "general"}}
    taint = {"key": "dedicated", "value": "gpu", "effect": "NoSchedule"}
    nodes = node("node-1", **general), node("node-2", **general), node("node-3", unschedulable=True, **general)
    condition = {"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": SAID}
    web = pod("web-1", cpu=2, namespace="shop") | {"status": {"phase": "Pending", "conditions": [condition]}}
    running = pod("a", on="node-1", cpu=3, namespace="shop"), pod("b", on="node-2", cpu="2500m", namespace="shop")
    settings = pod("kube-scheduler-cp", on="node-1", namespace="kube-system")
    settings["spec"]["containers"][0]["command"] = ["kube-scheduler"]
    kubectl(*nodes, node("gpu-1", taints=[taint], labels={"pool": "gpu"}), web, *running, settings)
    assert main(["why", "shop/web-1"]) == 0
    example = PAGE.partition("<!-- why -->\n```text\n")[2].partition("```\n<!-- /why -->")[0]
    assert capsys.readouterr().out == example


def test_the_role_has_every_kind_that_is_read():
    texts = (text.partition("```")[0] for text in PAGE.split("```yaml\n")[1:])
    (text,) = (text for text in texts if "name: kubectl-why" in text)
    role, in_system = yaml.safe_load_all(text)
    allowed = {
        f"{resource}.{group}".removesuffix(".")
        for rule in role["rules"]
        for group in rule["apiGroups"]
        for resource in rule["resources"]
        if "list" in rule["verbs"]
    }
    read = {kind.partition(".")[0]: kind for kind in (*FIRST, *OWNERS, *STORAGE, *DEVICES)}
    assert {kind.partition(".")[0] for kind in allowed} == set(read)
    assert all(kind in allowed for kind in read.values())
    assert in_system["rules"][0] == {"verbs": ["get"], "apiGroups": [""], "resources": ["configmaps"]}
    assert not {verb for rule in role["rules"] for verb in rule["verbs"]} - {"list", "watch"}


def test_the_exit_statuses_are_listed(capsys):
    assert f"| {NO_SUCH} | there is no such pod" in PAGE and f"| {UNREADABLE} | kubectl could not read" in PAGE
