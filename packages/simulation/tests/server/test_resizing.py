"""The subresource resize: what it takes over, what it refuses, and what it causes."""

import gzip
import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from kschedlab.build import node, pod
from kschedlab.objects.model import Pod
from kschedlab.objects.quantity import Quantity
from kschedlab_simulation.qos import qos_class
from kschedlab_simulation.simulation import Simulation
from kschedlab_simulation.status import ApiError
from tests.oracle.resizing import ours

RECORDED = Path(__file__).parent / "resizes.jsonl.gz"


def test_resizes_as_the_real_api_server():
    lines = gzip.decompress(RECORDED.read_bytes()).decode().splitlines()
    cases = [json.loads(line) for line in lines]
    assert len(cases) >= 400
    assert {next(iter(answer)) for _, answer in cases} == {"errors", "forbidden", "spec"}
    for case, answer in cases:
        assert json.loads(json.dumps(ours(case))) == answer, case


@pytest.mark.parametrize(
    ("requests", "limits", "expected"),
    [
        ({}, {}, "BestEffort"),
        ({"example.com/gpu": "1"}, {"example.com/gpu": "1"}, "BestEffort"),
        ({"cpu": "1"}, {}, "Burstable"),
        ({"cpu": "1"}, {"cpu": "1"}, "Burstable"),
        ({"cpu": "1", "memory": "1Gi"}, {"cpu": "1", "memory": "1Gi"}, "Guaranteed"),
        ({"cpu": "1", "memory": "1Gi"}, {"cpu": "1", "memory": "2Gi"}, "Burstable"),
    ],
)
def test_the_qos_class(requests, limits, expected):
    manifest = pod("a")
    manifest["spec"]["containers"][0]["resources"] = {"requests": requests, "limits": limits}
    stored = Simulation([node("n"), manifest]).pods()[0]
    assert qos_class(stored) == expected


def resize(simulation, name, **requests):
    found = simulation.api.get(Pod, "default", name)
    container = found.spec.containers[0]
    amounts = {resource: Quantity(amount) for resource, amount in requests.items()}
    container = replace(container, resources=replace(container.resources, requests=amounts))
    simulation.api.resize(replace(found, spec=replace(found.spec, containers=(container,))), by="kubectl")


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"cpu": "4"}, None),
        ({"cpu": "4001m"}, "cpu, requested: 4001, allocatable: 4000"),
        ({"cpu": "1", "memory": "1"}, "memory, requested: 1, allocatable: 0"),
        ({"cpu": "5", "memory": "2"}, "cpu, requested: 5000, allocatable: 4000; memory, requested: 2, allocatable: 0"),
    ],
)
def test_a_node_refuses_more_than_it_has(asked, why):
    simulation = Simulation([node("n", allocatable={"cpu": "4", "pods": "9"}), pod("a", cpu="1", nodeName="n")])
    if why is None:
        resize(simulation, "a", **asked)
        assert simulation.pods()[0].spec.containers[0].resources.requests["cpu"] == Quantity(asked["cpu"])
        return
    with pytest.raises(ApiError) as refused:
        resize(simulation, "a", **asked)
    assert str(refused.value) == f'pods "a" is forbidden: node didn\'t have enough allocatable resources: {why}'
    assert [cause.reason for cause in refused.value.status.details.causes] == ["NodeCapacity"]
