"""``kschedlab why FILE``: the same answers as for a live cluster, without one."""

import json
import os

import pytest

from kschedlab import load
from kschedlab.build import node, pod
from kschedlab.program.main import main
from kschedlab.text.sections import BAD, GOOD, WARNING
from kschedlab_why import Setting, answer, sorted_out
from kschedlab_why.text import answer_sections
from tests.saying import says


def test_one_pod_of_a_file(file, run):
    cluster = file(node("n1"), node("n2"), pod("a", on="n1", cpu=3), pod("b", on="n2", cpu="2500m"), pod("web", cpu=2))
    said = run("why", cluster, "web")
    assert says(said, "default/web", "pending", "none", "2 nodes")
    assert "2 too little cpu for 2 CPU: at most 1.5 CPU free, on n2 n1, n2" in said
    assert "asking for 1.5 CPU instead of 2 CPU it goes to n2" in said
    assert "with priority 1 instead of 0 it evicts default/a (priority 0) on n1" in said
    assert run("why", cluster) == said, "the only pending pod needs no name"
    assert run("why", cluster, "default/web") == run("why", cluster, "pod/web") == said


def test_pending_pods_of_a_file(file, run):
    cluster = file(
        node("n1"), *(pod(f"big-{i}", cpu=9) for i in range(5)), pod("gated", schedulingGates=[{"name": "q"}])
    )
    said = run("why", cluster)
    assert said == run("why", "--pending", cluster)
    assert says(said, "6 pending pods") and "5 pods: no node fits: Insufficient cpu" in said
    assert "asking for 4 CPU instead of 9 CPU it goes to n1" in said and "1 pod: gated by q default/gated" in said
    cluster = file(node("n1"), pod("x", namespace="shop"), pod("y"))
    assert "1 pending pod in namespace shop" in run("why", cluster, "-n", "shop", "--pending")


def test_what_helps_counts_the_pods_before_it(file, run):
    said = run("why", "--pending", file(node("n1", cpu=4), pod("a", cpu=3), pod("b", cpu=3)))
    assert "asking for 1 CPU instead of 3 CPU it goes to n1" in said


def test_many_causes_begin_with_a_table_of_all(file, run):
    pods = [pod(f"p{i}", requests={f"x.io/{i}": 1}) for i in range(8)]
    said = run("why", "--pending", file(node("n1"), *pods))
    assert said.startswith("8 pending pods. pods because 1 no node fits: Insufficient x.io/0")


@pytest.mark.parametrize(("causes", "table"), [(3, False), (4, True)])
def test_the_table_of_all_causes_is_for_more_than_three(causes, table, file, run):
    pods = [pod(f"p{i}", requests={f"x.io/{i}": 1}) for i in range(causes)]
    assert ("pods because" in run("why", "--pending", file(node("n1"), *pods))) == table


def test_six_groups_learn_what_helps_and_all_with_all(file, run):
    cluster = file(node("n1"), *(pod(f"p{i}", requests={f"x.io/{i}": 1}) for i in range(7)))
    for arguments, number in (((), 6), (("--all",), 7)):
        assert run("why", "--pending", cluster, *arguments).count("What would help:") == number


def test_some_obstacles_and_changes_are_shown_and_all_with_all(file, run):
    """Eight nodes, each with an obstacle of its own."""
    ssd = {"labels": {"disk": "ssd"}}
    tainted = [node(f"t{i}", taints=[{"key": f"k{i}", "effect": "NoSchedule"}], **ssd) for i in range(4)]
    others = node("c", unschedulable=True, **ssd), node("d", labels={"disk": "hdd"}), node("e"), node("s", cpu=1, **ssd)
    cluster = file(*tainted, *others, *(pod(name, cpu=2, nodeSelector={"disk": "ssd"}) for name in ("web", "twin")))
    some, each = run("why", cluster, "web"), run("why", cluster, "web", "--all")
    obstacles = ["1 cordoned c", *(f"1 taint k{i} t{i}" for i in range(4)), "1 too small for 2 CPU: it has 1 CPU s",
                 "1 wants disk=ssd; the node has hdd d", "1 wants disk=ssd; the node has no such label e"]  # fmt: skip
    assert [text for text in obstacles if text in some] == obstacles[:6]
    assert "and 2 more nodes for other reasons" in some and all(text in each for text in obstacles)
    assert "tolerating k0" in some and "tolerating k1" not in some and "and 3 more changes" in some
    assert "tolerating k3" in each and "more change" not in each
    group = run("why", cluster, "--pending")
    assert [text for text in obstacles if text in group] == obstacles[:4]
    assert all(text in run("why", cluster, "--pending", "--all") for text in obstacles)


@pytest.mark.parametrize(
    ("nodes", "taints", "said"),
    [
        (4, 4, "1 taint k0 n0"),
        (5, 5, "5 untolerated taint(s) n0, n1, n2 and 2 more"),
        (300, 1, "300 taint k0 n0"),
        (301, 1, "301 untolerated taint(s) n0"),
    ],
)
def test_four_obstacles_of_a_filter_are_named_on_300_nodes_at_most(nodes, taints, said, file, run):
    tainted = (node(f"n{i}", taints=[{"key": f"k{i % taints}", "effect": "NoSchedule"}]) for i in range(nodes))
    assert said in run("why", file(*tainted, pod("web")))


def test_three_names_of_added_nodes_are_enough(file, run):
    more = ("--add-node", "like=n1")
    for pods, where in ((["web"], "With 4 more nodes"), (["web", "twin"], "2 pending pods, with 4 more nodes")):
        said = run("why", file(node("n1"), *(pod(name, cpu=9) for name in pods)), *more, *more, *more, *more)
        assert f"{where} (n1-new, n1-new-2, n1-new-3 and 1 more)" in said


def test_names_above_numbers_are_whole_up_to_ten_letters(file, run):
    for name, whole in (("abcdefghij", True), ("abcdefghijk", False)):
        nodes = node(name, cpu=8), node("zz-zz-zz-z", cpu=4)
        said = run("why", file(*nodes, pod("web", cpu=1)), "web")
        assert said.partition("weighted score")[2].count(f" {name} ") == whole


def test_why_not_there_and_one_node_more(file, run):
    cluster = file(node("n1", cpu=4), node("n2", cpu=2), pod("a", on="n1", cpu=4), pod("web", cpu=3))
    assert says(run("why", cluster, "web", "--node", "n2"), "Why not n2?", "3 CPU", "2 free")
    assert "It goes to n1-new" in run("why", cluster, "web", "--add-node", "like=n1")
    assert 'no node "n7"' in run("why", cluster, "web", "--node", "n7", status=1)


def test_one_node_and_two_are_counted_in_words(file, run):
    """Pods on n1 ask for more than it has, so less than nothing is free there."""
    small, full = node("n1", cpu=1), [pod("a", on="n1", cpu=1), pod("b", on="n1", cpu=1)]
    large, gpu = pod("web", cpu=2), pod("web", requests={"x.io/gpu": 1})
    for objects, texts in (
        ([small, large], ["the only node cannot take it", "too small for 2 CPU: it has 1 CPU", "would not help there"]),
        ([small, node("n2", cpu=1), large], ["none of 2 nodes can take it", "they have at most 1 CPU"]),
        ([small, gpu], ["no x.io/gpu on it"]),
        ([small, node("n2"), gpu], ["no x.io/gpu on them"]),
        ([small, *full, pod("web", cpu=1)], ["too little cpu for 1 CPU: nothing free"]),
        (
            [small, *full, node("n2", cpu=1), pod("c", on="n2", cpu=1), pod("web", cpu=1)],
            ["1 CPU: nothing free n1, n2"],
        ),
    ):
        said = run("why", file(*objects), "web")
        for text in texts:
            assert text in said


def test_five_names_like_a_wrong_one_are_offered(file, run):
    """All that have it in their name, then of those that are close three at most."""
    have, close = ["checkout-web", "payment-web", "webserver-1"], ["wb", "we", "eb", "wxb"]
    for names, offered in ((have + close, [*have, "we", "wb"]), (close, ["we", "wb", "eb"])):
        said = run("why", file(node("n1"), *map(pod, names)), "web", status=1)
        assert {name for name in names if f"default/{name} " in f"{said} ".replace(",", " ")} == set(offered)


def test_names(file, run):
    pods = pod("web"), pod("web", namespace="shop"), pod("x", namespace="a"), pod("x", namespace="b")
    cluster = file(node("n1"), *pods)
    assert run("why", cluster, "web").startswith("default/web is pending")
    assert run("why", cluster, "web", "-n", "shop").startswith("shop/web is pending")
    assert says(run("why", cluster, "x", status=2), "2 pods", "a/x", "b/x")
    assert says(run("why", cluster, "wob", status=1), "no pod", "shop/web")
    assert says(run("why", cluster, "n1", status=1), "node", "--node n1")
    assert "not a pod" in run("why", cluster, "deploy/web", status=2)
    assert says(run("why", "--pending", "web.yaml", status=2), "web.yaml", "no such file")


@pytest.mark.parametrize("arguments", [("web", "--pending"), ("dump.json", "--watch"), ("dump.json", "--node", "n1")])
def test_wrong_usage(arguments, file, run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file(node("n1"), pod("a"), pod("b"))
    assert run("why", *arguments, status=2)


def test_a_folder_and_standard_input(file, run, tmp_path, monkeypatch):
    file(node("n1"), name="a.json")
    file(pod("web"), name="b.json")
    assert run("why", f"{tmp_path}/", "web").startswith("default/web is pending: it fits now")
    monkeypatch.chdir(tmp_path)
    assert run("why", "./", "web").startswith("default/web is pending: it fits now")
    assert run("why", "a.json", "b.json", "web").startswith("default/web is pending: it fits now")
    read, write = os.pipe()
    os.write(write, (tmp_path / "a.json").read_bytes())
    os.close(write)
    with os.fdopen(read) as standard_input:
        monkeypatch.setattr("sys.stdin", standard_input)
        assert run("why", "-").startswith("No pod is pending")


def test_a_file_is_as_old_as_its_latest_time(file, run):
    def since(moment):
        return {"metadata": {"name": f"p-{moment[11:13]}", "namespace": "default", "creationTimestamp": moment}}

    pods = [pod("p", cpu=9) | since(f"2026-03-02T{hour:02}:00:00Z") for hour in (10, 13)]
    cluster = file(node("n1"), *pods)
    assert "It has waited for 3h" in run("why", cluster, "p-10")
    assert "The oldest has waited for 3h" in run("why", cluster, "--pending")


def test_json(file, capsys):
    assert main(["why", file(node("n1"), pod("web", cpu=9)), "web", "--output", "json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["situation"] == "pending" and data["generation"] == "v1.37" and data["server"] == ""
    assert data["changes"][0]["change"] == "asking for 4 CPU instead of 9 CPU"


def test_the_generation_and_the_configuration_are_chosen(file, run, tmp_path):
    config = tmp_path / "config.yaml"
    config.write_text(
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
        "profiles: [{schedulerName: mine}]\n"
        "extenders: [{urlPrefix: http://127.0.0.1:9, filterVerb: filter}]\n"
    )
    cluster = file(node("n1"), pod("a"), pod("b", schedulerName="mine"))
    assert says(run("why", cluster, "a", "--config", str(config)), "another scheduler's", "default-scheduler")
    assert says(run("why", cluster, "b", "--config", str(config)), "goes to n1", "Extenders", "not asked")
    assert run("why", cluster, "a", "--generation", "v1.13").startswith("default/a is pending: it fits now")


@pytest.mark.parametrize(
    ("spec", "status", "mark"),
    [
        ({"on": "n1"}, "Running", GOOD),
        ({}, "Succeeded", GOOD),
        ({"cpu": 1}, "Pending", GOOD),
        ({"cpu": 4, "priority": 9}, "Pending", WARNING),
        ({"cpu": 4}, "Pending", BAD),
        ({"schedulingGates": [{"name": "q"}]}, "Pending", ""),
        ({"schedulerName": "volcano"}, "Pending", ""),
    ],
)
def test_the_answer_is_marked_as_good_or_bad(spec, status, mark, file):
    mine = pod("mine", **spec) | {"status": {"phase": status}}
    setting = Setting.of(load(file(node("n1", cpu=4), pod("low", on="n1", cpu=1), mine)))
    found = answer(setting, setting.pod("default/mine"))
    assert next(answer_sections(found, 0, False)).mark == mark


@pytest.mark.parametrize(
    ("type", "status", "reason", "shown"),
    [
        ("PodScheduled", "False", "Unschedulable", True),
        ("PodScheduled", "False", "SchedulerError", True),
        ("PodScheduled", "False", "SchedulingGated", False),
        ("PodScheduled", "True", "", False),
        ("Ready", "False", "Unschedulable", False),
    ],
)
def test_what_the_scheduler_says_is_shown_if_it_refused_the_pod(type, status, reason, shown, file, run):
    condition = {"type": type, "status": status, "reason": reason, "message": "no room today"}
    mine = pod("mine", cpu=9) | {"status": {"phase": "Pending", "conditions": [condition]}}
    said = run("why", file(node("n1"), mine), "mine")
    assert ("What the scheduler says" in said, "no room today" in said) == (shown, shown)


def test_from_python(file):
    causes = sorted_out(Setting.of(load(file(node("n1"), pod("a", cpu=9), pod("b", cpu=9)))))
    assert causes.pods == 2 and [(cause.kind, len(cause.pods)) for cause in causes.causes] == [("refused", 2)]


# -- explain of many pods


def test_explain_of_many_pods_is_one_table_by_cause(file, run):
    pods = [pod(f"p{i:03}", cpu=9 if i % 2 else 1) for i in range(502)]
    cluster = file(node("n1", cpu=4), *pods)
    said = run("explain", cluster)
    assert said.startswith("502 pending pods.") and "--pod NAME" in said and "--all" in said
    assert "498 pods: no node fits: Insufficient cpu" in said and "4 pods: there is room now" in said
    assert says(run("explain", cluster, "--pod", "p007"), "default/p007", "1 node", "9 CPU")


def test_explain_all_of_many_pods_begins_with_the_table(file, run):
    said = run("explain", file(node("n1"), *(pod(f"p{i:03}", cpu=9) for i in range(501))), "--all")
    assert said.startswith("501 pending pods. 501 pods: no node fits") and said.count("Event ") == 501
