"""A simulated cluster, taken out: as a Cluster for decisions, and as a file that can be read again."""

import json
import re
from itertools import permutations
from pathlib import Path

import pytest

from kschedlab import explain, load
from kschedlab.build import as_yaml, deployment, node, pod
from kschedlab.objects.kinds import RESOURCES
from kschedlab.program.main import main
from kschedlab_simulation import Simulation, load_scenario
from kschedlab_simulation.replay import Replay
from kschedlab_simulation.state import manifests_of
from packages.simulation.tests.controllers.stage import documents
from tests.saying import says

PAGE = (Path(__file__).parents[3] / "docs" / "scenarios.md").read_text(encoding="utf-8")
EXAMPLE = re.search("## A complete example\n\n```yaml\n(.*?)```", PAGE, re.DOTALL)[1]


@pytest.fixture
def example(tmp_path):
    (tmp_path / "outage.yaml").write_text(EXAMPLE)
    return str(tmp_path / "outage.yaml")


def run(capsys, *arguments, status=0):
    assert main(arguments) == status
    printed = capsys.readouterr()
    return " ".join((printed.out + printed.err).split())


def test_the_cluster_at_any_moment(example):
    simulation = Simulation.of(load_scenario(example))
    assert len(simulation.cluster.nodes) == 3 and simulation.cluster.pod_keys() == []
    simulation.run("5s")
    before = simulation.cluster
    simulation.run("61s")
    assert len(before.pod_keys()) == 4 and before.nodes[0].spec.unschedulable is False, "it does not follow the run"
    decision = explain("default/report", simulation.cluster).decision
    assert decision.node is None and simulation.cluster.nodes[0].spec.unschedulable


@pytest.mark.parametrize("name", ["out.yaml", "out.json"])
def test_what_is_exported_is_the_cluster_and_can_be_read_again(name, example, tmp_path, capsys):
    out = str(tmp_path / name)
    run(capsys, "simulate", example, "--export", out, "--at", "61s", "--until", "61s")
    simulation = Simulation.of(load_scenario(example))
    simulation.run("61s")
    again = Simulation.of(load_scenario(out))
    for kind in RESOURCES:
        then, now = simulation.api.list(kind)[0], again.api.list(kind)[0]
        assert [(o.metadata.name, o.metadata.uid) for o in then] == [(o.metadata.name, o.metadata.uid) for o in now]
    assert {pod.key: (pod.spec.nodeName, pod.status.phase) for pod in load(out).pods} == {
        pod.key: (pod.spec.nodeName, pod.status.phase) for pod in simulation.pods()
    }
    again.run()
    assert again.report().failures == () and all(pod.spec.nodeName for pod in again.pods())


def test_what_is_new_in_an_exported_cluster_has_uids_of_its_own(tmp_path, capsys):
    first, more, out = (str(tmp_path / f"{name}.yaml") for name in ("first", "more", "out"))
    Path(first).write_text(as_yaml([node("n1"), deployment("web", 3)]))
    Path(more).write_text(as_yaml([deployment("shop", 3)]))
    run(capsys, "simulate", first, "--export", out)
    again = Simulation.of(load_scenario(more, out))
    again.run()
    uids = [each.metadata.uid for kind in RESOURCES for each in again.api.list(kind)[0]]
    assert len(again.pods()) == 6 and len(set(uids)) == len(uids)


def test_the_end_is_exported_without_a_moment(example, tmp_path, capsys):
    out = tmp_path / "out.json"
    run(capsys, "simulate", example, "--export", str(out))
    simulation = Simulation.of(load_scenario(example))
    simulation.run()
    kinds = [item["kind"] for item in json.loads(out.read_text())["items"]]
    assert kinds.count("Pod") == len(simulation.pods()) == 2 and kinds.count("Deployment") == 1
    replay = Replay(simulation.log)
    replay.seek(len(replay))
    assert len(kinds) == sum(map(len, replay.objects.values()))


def test_a_file_is_asked_at_a_moment(example, capsys):
    assert says(run(capsys, "why", example, "report", "--at", "61s"), "default/report", "room is being made")
    assert says(run(capsys, "why", "--pending", example, "--at", "61s"), "1 pod", "room is being made")
    assert says(run(capsys, "explain", example, "--at", "61s"), "default/report", "none of 3 nodes")
    assert says(run(capsys, "explain", example, "--at", "5s"), "no pending pods")
    assert run(capsys, "explain", example, "--at", "5s", "--pod", "report", status=2)


def test_pods_that_controllers_make_are_asked_about_later(tmp_path, capsys):
    (tmp_path / "d.yaml").write_text(as_yaml([node("n1", cpu=1), deployment("web", 2, cpu=3)]))
    file = str(tmp_path / "d.yaml")
    assert says(run(capsys, "explain", file), "no pending pods", "Deployment", "--at")
    assert says(run(capsys, "explain", file, "--at", "10s"), "2 pending pods", "2 left pending")


@pytest.mark.parametrize(
    ("arguments", "facts"),
    [
        (["simulate", "FILE", "--at", "5s"], ["--at", "--export"]),
        (["simulate", "FILE", "--export", "x.yaml", "--at", "5m", "--until", "1m"], ["--at", "--until"]),
        (["simulate", "FILE", "--export", "FILE"], ["is read by this run"]),
        (["simulate", "FILE", "--export", "no/such/x.yaml"], ["cannot be written"]),
        (["explain", "FILE", "--at", "soon"], ["--at", "soon"]),
        (["why", "--at", "5m"], ["--at", "file"]),
    ],
)
def test_wrong_usage(arguments, facts, example, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert says(run(capsys, *(example if each == "FILE" else each for each in arguments), status=2), *facts)


@pytest.mark.parametrize("order", [*permutations(range(5))][::17])
def test_what_others_need_comes_first(order):
    """A file that is read from its beginning has owners before their dependents."""
    storage = {"apiVersion": "storage.k8s.io/v1", "kind": "StorageClass", "metadata": {"name": "s"}, "provisioner": "p"}
    web = deployment("web", 1)
    made = documents(storage, node("a"), web, web | {"kind": "ReplicaSet"}, pod("p"))
    kinds = [each["kind"] for each in manifests_of([made[place] for place in order])]
    assert kinds[0] == "StorageClass" and set(kinds[1:3]) == {"Node", "Deployment"}
    assert kinds[3:] == ["ReplicaSet", "Pod"]
