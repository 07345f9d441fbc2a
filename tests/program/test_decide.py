"""The stream of ``kschedlab decide``: each line is answered, whatever stands in the lines around it."""

import io
import json
import re
import subprocess
import sys

import pytest

from kschedlab.build import node, node_affinity, pod, term
from kschedlab.program.decide import decide_lines
from kschedlab.program.main import main

GOOD = {"id": "good", "objects": [node("n1"), pod("web")], "pod": "default/web"}
RUNNING = pod("web", "n1")
DONE = pod("done") | {"status": {"phase": "Failed"}}


def queue(*members, objects=None):
    return {"id": "q", "objects": objects or [node("n1")], "queue": list(members)}


BAD = {
    "a queued pod on a node": (queue(pod("a"), RUNNING), "queue[1]: Pod default/web: spec.nodeName: the pod already"),
    "a queued node": (queue(pod("a"), node("n2")), "queue[1]: expected one pod, found Node: list other objects"),
    "a queued list": (queue({"kind": "List", "items": [pod("a"), pod("b")]}), "queue[0]: expected one pod"),
    "a queued stranger": (queue({"apiVersion": "example.com/v1", "kind": "Pod"}), "found Pod.example.com"),
    "a queued finished pod": (queue(DONE), "queue[0]: Pod default/done: status.phase: the pod has finished (Failed)"),
    "a queued pod twice": (queue(pod("a"), pod("a")), "queue[1]: Pod default/a: is there already: give it another"),
    "a queued pod that is there": (queue(pod("a"), objects=[pod("a")]), "queue[0]: Pod default/a: is there already"),
    "a queued fault": (queue(pod("a", cpu="1,5")), "queue[0]: Pod default/a: spec.containers[0].resources.requests"),
    "a pod on a node": ({"objects": [node("n1"), RUNNING], "pod": "default/web"}, "remove its spec.nodeName"),
    "no pod": ({"objects": [node("n1")]}, 'pod "" is not in the scenario: add it'),
    "a number as pod": ({"objects": [], "pod": 3}, "Expected `str`, got `int`"),
    "an unpaired surrogate": ('{"objects": [], "pod": "\\ud800"}', "not a scenario"),
    "not UTF-8": (b'{"objects": [], "pod": "\xff"}', "not a scenario"),
    "deep": ("[" * 100_000, "not a scenario"),
    "deep objects": ('{"objects": [' + "[" * 1_000_000, "not a scenario: it is nested too deep"),
    "a field twice": ('{"objects": [], "pod": "a", "pod" :"b"}', 'the key "pod" appears twice'),
    "a key twice inside": (
        '{"objects": [{"kind": "Pod", "spec": {"priority": 1, "priority" : 2}}], "pod": "a"}',
        'objects[0]: cannot be read: the key "priority" appears twice',
    ),
}


def line(content):
    return content if isinstance(content, str | bytes) else json.dumps(content)


@pytest.mark.parametrize("case", BAD)
def test_a_bad_line_gets_an_error_and_the_stream_goes_on(case):
    bad, said = BAD[case]
    first, second, third = map(json.loads, decide_lines([line(GOOD), line(bad), line(GOOD)]))
    assert first == third and first["feasible"] == ["n1"]
    assert (second["feasible"], second["version"]) == ([], "v1.37")
    assert second["error"].startswith("line 2: ") and said in second["error"]


def test_a_line_as_deep_as_some_python_reads_gets_an_error():
    """Python 3.11 cannot read it; 3.13 can, and finds a list where an object should be."""
    deep = '{"objects": [' + "[" * 5000 + "]" * 5000 + '], "pod": "a"}'
    first, second, third = map(json.loads, decide_lines([line(GOOD), deep, line(GOOD)]))
    assert first == third and first["feasible"] == ["n1"]
    assert re.match(r"line 2: .*(it is nested too deep|objects\[0\]: expected a Kubernetes object)", second["error"])


def test_the_id_of_a_bad_line_is_kept_where_it_can_be_read():
    (verdict,) = map(json.loads, decide_lines([line(queue(RUNNING))]))
    assert verdict["id"] == "q"


def test_all_faults_of_a_queue_are_named():
    members = [pod("a", cpu="1,5"), pod("fine"), node("n2"), RUNNING, pod("b", cpu="1,5")]
    (verdict,) = map(json.loads, decide_lines([line(queue(*members))]))
    assert re.findall(r"queue\[\d\]", verdict["error"]) == ["queue[0]", "queue[2]", "queue[3]", "queue[4]"]


def test_a_queue_of_pods_is_placed_in_its_order():
    """A service among the objects comes after the pods there: the queue is still the queue."""
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "s"}}
    scenario = queue(pod("b"), pod("a", priority=5), objects=[node("n1"), RUNNING, pod("later"), service])
    (verdict,) = map(json.loads, decide_lines([line(scenario)]))
    assert verdict["placements"] == [{"pod": "default/b", "node": "n1"}, {"pod": "default/a", "node": "n1"}]


def test_a_line_that_is_too_long_is_answered_and_the_next_one_too(monkeypatch, capsys):
    monkeypatch.setattr("kschedlab.program.decide.LONGEST", 2000)
    content = b"\n".join([line(GOOD).encode(), b"x" * 9999, line(GOOD).encode()])
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    assert main(["decide"]) == 0
    first, second, third = map(json.loads, capsys.readouterr().out.splitlines())
    assert first == third and "line 2: not a scenario" in second["error"]


def test_input_without_an_end_ends():
    with open("/dev/zero", "rb") as zero:
        command = [sys.executable, "-m", "kschedlab", "decide"]
        done = subprocess.run(command, stdin=zero, capture_output=True, text=True, timeout=100)
    assert (done.returncode, done.stderr) == (2, "<stdin>: a line does not end: write one JSON object per line\n")


def test_a_verdict_says_what_the_decision_leaves_out():
    asked = {
        "id": "kata",
        "objects": [node("n1"), pod("web", schedulingGroup={"podGroupName": "g"})],
        "pod": "default/web",
    }
    (left_out,) = map(json.loads, decide_lines([json.dumps(asked)]))
    assert left_out["notModelled"] == [
        "objects[1]: Pod default/web: spec.schedulingGroup: is not modelled without the feature gate GenericWorkload: "
        "the pod is scheduled on its own"
    ]
    (whole,) = map(json.loads, decide_lines([json.dumps(GOOD)]))
    assert "notModelled" not in whole


def test_a_fault_of_ours_costs_one_line(monkeypatch):
    def faulty(*_):
        raise RuntimeError("no such thing")

    with monkeypatch.context() as patched:
        patched.setattr("kschedlab.program.decide.decode_objects", faulty)
        (broken,) = map(json.loads, decide_lines([json.dumps(GOOD)]))
    assert broken["error"].startswith("line 1: RuntimeError: no such thing (test_decide.py:")
    assert broken["feasible"] == []
    (whole,) = map(json.loads, decide_lines([json.dumps(GOOD)]))
    assert "error" not in whole


def test_a_node_that_a_prefilter_excludes_has_the_words_of_kube_scheduler():
    """v1.37: pkg/scheduler/schedule_one.go, findNodesThatFitPod."""
    pinned = pod("web", cpu=8, affinity=node_affinity(term("metadata.name In n1")))
    asked = {"objects": [node("n1"), node("n2"), node("n3"), pinned], "pod": "default/web"}
    (verdict,) = map(json.loads, decide_lines([json.dumps(asked)]))
    words = "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) didn't satisfy plugin(s) [NodeAffinity]."
    assert verdict["message"] == words and verdict["event"].startswith(words)
