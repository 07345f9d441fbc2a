"""Pod groups: what the API server refuses, and which gate lets it store them."""

import pytest

from kschedlab.manifests.checks import faults_of
from kschedlab.manifests.decoding import decode
from kschedlab.objects.model import PodGroup, PriorityClass
from kschedlab.objects.problems import path_text
from kschedlab_simulation.simulation import Simulation
from kschedlab_simulation.status import ApiError

GANG = {"schedulingPolicy": {"gang": {"minCount": 2}}}
CLAIM = {"name": "c", "resourceClaimName": "shared"}
FAULTS = {
    "no policy": ({}, "spec.schedulingPolicy: is missing: expected either basic or gang"),
    "two policies": (
        {"schedulingPolicy": {"basic": {}, "gang": {"minCount": 2}}},
        "spec.schedulingPolicy: has both: expected either basic or gang",
    ),
    "minCount": ({"schedulingPolicy": {"gang": {"minCount": -1}}}, "gang.minCount: -1 is less than 1"),
    "two keys": (
        GANG | {"schedulingConstraints": {"topology": [{"key": "a"}, {"key": "b"}]}},
        "spec.schedulingConstraints.topology: has 2 constraints: only one is allowed",
    ),
    "no mode": (GANG | {"disruptionMode": {}}, "spec.disruptionMode: is missing: expected either single or all"),
    "a claim twice": (GANG | {"resourceClaims": [CLAIM, CLAIM]}, 'spec.resourceClaims[1].name: "c" appears twice'),
    "a claim of nothing": (
        GANG | {"resourceClaims": [{"name": "c"}]},
        "spec.resourceClaims[0]: must have exactly one of resourceClaimName and resourceClaimTemplateName",
    ),
    "five claims": (
        GANG | {"resourceClaims": [CLAIM | {"name": f"c{i}"} for i in range(5)]},
        "spec.resourceClaims: has 5 items: at most 4 are allowed",
    ),
    "policy": (GANG | {"preemptionPolicy": "Now"}, 'spec.preemptionPolicy: "Now" is not a valid value'),
}


def group(spec: object = None, **metadata: str) -> PodGroup:
    data = {"kind": "PodGroup", "metadata": {"name": "g"} | metadata, "spec": GANG if spec is None else spec}
    found, faults = decode(data, "PodGroup")
    assert isinstance(found, PodGroup) and not faults
    return found


@pytest.mark.parametrize("case", FAULTS)
def test_faults(case: str) -> None:
    spec, said = FAULTS[case]
    assert any(said in f"{path_text(fault.path)}: {fault.message}" for fault in faults_of(group(spec)))
    assert not faults_of(group())


def test_without_its_feature_gate_the_api_server_has_no_pod_groups() -> None:
    with pytest.raises(ApiError, match="could not find the requested resource"):
        Simulation().api.create(group())


def test_a_pod_group_gets_the_priority_of_its_class() -> None:
    from kschedlab.generations import V1_37

    api = Simulation((), V1_37.with_feature_gates({"GenericWorkload": True})).api
    named, _ = decode({"kind": "PriorityClass", "metadata": {"name": "high"}, "value": 7}, "PriorityClass")
    assert isinstance(named, PriorityClass)
    api.create(named)
    created = api.create(group(GANG | {"priorityClassName": "high"}))
    assert (created.spec.priority, created.metadata.generation) == (7, 1)
    with pytest.raises(ApiError, match="no PriorityClass with name low was found"):
        api.create(group(GANG | {"priorityClassName": "low"}, name="h"))
