"""Why a node serves claims or not."""

import json
from pathlib import Path

import pytest

from kschedlab.build import Manifest, cluster, node
from kschedlab.explanation import each_pending
from kschedlab.filter.dynamic_resources import DynamicResources
from kschedlab.program.main import main
from kschedlab.scheduler import schedule
from kschedlab_devices.check import DevicesCheck
from kschedlab_devices.text import given, tried, why_not
from packages.devices.tests.device_manifests import device, device_class, exactly, resource_claim, resource_slice
from packages.devices.tests.test_plugin import allocated, claiming, gpus, named

BROKEN = {"key": "broken", "effect": "NoSchedule"}
SLICE = resource_slice("a", [device("gpu-0"), device("gpu-1", taints=[BROKEN]), device("gpu-2")])
WANTS_TWO = resource_claim("c", exactly(count=2))


def world(*more: Manifest) -> list[Manifest]:
    return [node("a"), node("b"), device_class(), SLICE, WANTS_TWO, *more]


def test_the_text_of_a_decision_says_what_became_of_each_device() -> None:
    objects = world(allocated("x", "a", 0, "uid-x"), claiming("c"))
    text = str(schedule("default/p", cluster(*objects)))
    assert "Nodes that cannot serve the claims" in text
    assert (
        "a: c/r wants 2 devices of class gpu: gpu.example.com/a/gpu-0 in use; gpu.example.com/a/gpu-1 tainted; "
        "gpu.example.com/a/gpu-2 found" in text
    )
    assert "b: the search finds no device to try" in text


def test_the_text_of_a_decision_says_which_devices_the_pod_gets() -> None:
    objects = [*world(gpus("b", 1)), allocated("d", "a", 0, on="a"), claiming("c", "d")]
    objects[3] = resource_slice("a", [device(f"gpu-{i}") for i in range(3)])
    text = str(schedule("default/p", cluster(*objects)))
    assert (
        "Devices on a\n  c gets gpu.example.com/a/gpu-1, gpu.example.com/a/gpu-2\n  d has gpu.example.com/a/gpu-0"
        in text
    )
    assert "b: c/r wants 2 devices of class gpu: gpu.example.com/b/gpu-0 found" in text


def test_an_allocated_claim_is_named() -> None:
    objects = [node("a"), node("b"), device_class(), allocated("c", "a", on="a"), claiming("c")]
    made = cluster(*objects)
    check = DynamicResources().prepare(made.pending["default/p"], made)
    assert isinstance(check, DevicesCheck)
    assert why_not(check.demand, 1) == ["c is allocated: its devices are elsewhere"]
    assert why_not(check.demand, 0) == [] and given(check.demand, 0) == ["c has gpu.example.com/a/gpu-0"]
    assert tried(check.demand, 0) == []


def test_of_two_pending_pods_one_gets_the_only_device() -> None:
    made = [node("a"), device_class(), gpus("a", 1), *(resource_claim(name, exactly()) for name in "cd")]
    (first, one), (second, other) = each_pending(cluster(*made, named("x", claiming("c")), named("y", claiming("d"))))
    assert (first.key, second.key) == ("default/x", "default/y") and one is not None and other is not None
    assert (one.node, other.node) == ("a", None)
    assert "c gets gpu.example.com/a/gpu-0" in str(one)


def test_explain_says_it_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "cluster.json"
    items = [{"apiVersion": "v1"} | each for each in world(allocated("x", "a", 0, "uid-x"), claiming("c"))]
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    main(["explain", "--wide", str(file)])
    said = " ".join(capsys.readouterr().out.split())
    assert "Nodes that cannot serve the claims a: c/r wants 2 devices of class gpu" in said
