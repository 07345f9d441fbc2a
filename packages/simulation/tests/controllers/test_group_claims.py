"""Claims of pod groups in a whole cluster: made for the group, reserved for it, freed and deleted with it.

v1.37: pkg/controller/resourceclaim/controller_test.go (the cases with a pod group), test/integration/dra.
"""

from typing import Any

import pytest

from kschedlab.build import Manifest, node
from kschedlab.generations import V1_37
from kschedlab.objects.model import PodGroup, ResourceClaim
from kschedlab_simulation.log import Recorded
from kschedlab_simulation.simulation import Simulation
from packages.devices.tests.device_manifests import device_class, exactly, resource_claim, unchecked
from packages.groups.tests.test_cycle import group, member
from packages.simulation.tests.controllers.stage import documents
from packages.simulation.tests.controllers.test_resource_claims import claims, gpus, template

GENERATION = V1_37.with_feature_gates({"GenericWorkload": True, "DRAWorkloadResourceClaims": True})
SHARED = {"name": "all", "resourceClaimTemplateName": "t"}
NAMED = {"name": "all", "resourceClaimName": "c"}


def users(*names: str, entry: Manifest | None = None, **fields: Any) -> list[Manifest]:
    return [member(name, resourceClaims=[SHARED if entry is None else entry], **fields) for name in names]


def simulated(*manifests: Manifest, until: str = "100s") -> Simulation:
    simulation = Simulation([node("n"), device_class(), *manifests], GENERATION)
    simulation.run(until)
    return simulation


def nodes(simulation: Simulation) -> list[str]:
    return [each.spec.nodeName for each in simulation.pods()]


def test_one_claim_is_made_for_the_group_and_reserved_for_it() -> None:
    """create-for-podgroup, update-pod-status-with-podgroup-claim."""
    simulation = simulated(gpus(1), template(), group(resourceClaims=[SHARED]), *users("a", "b", "c"))
    (claim,), (made,) = claims(simulation), simulation.api.list(PodGroup)[0]
    assert nodes(simulation) == ["n"] * 3 and {each.status.phase for each in simulation.pods()} == {"Running"}
    assert claim.metadata.name.startswith("g-all-")
    (owner,) = claim.metadata.ownerReferences
    assert (owner.apiVersion, owner.kind, owner.uid) == ("scheduling.k8s.io/v1beta1", "PodGroup", made.metadata.uid)
    for each in (made, *simulation.pods()):
        assert [(s.name, s.resourceClaimName) for s in each.status.resourceClaimStatuses] == [
            ("all", claim.metadata.name)
        ]
    (consumer,) = claim.status.reservedFor
    assert (consumer.apiGroup, consumer.resource, consumer.name) == ("scheduling.k8s.io", "podgroups", "g")
    assert consumer.uid == made.metadata.uid


def test_a_claim_by_name_is_reserved_for_the_group() -> None:
    claim = resource_claim("c", exactly())
    simulation = simulated(gpus(1), claim, group(resourceClaims=[NAMED]), *users("a", "b", entry=NAMED))
    (found,) = claims(simulation)
    assert nodes(simulation) == ["n", "n"] and [each.resource for each in found.status.reservedFor] == ["podgroups"]


def test_a_pod_with_another_entry_gets_a_claim_of_its_own() -> None:
    other = {"name": "mine", "resourceClaimTemplateName": "t"}
    pods = [*users("a"), *users("b", entry=other)]
    simulation = simulated(gpus(2), template(), group(resourceClaims=[SHARED]), *pods)
    assert sorted(claim.metadata.name[:6] for claim in claims(simulation)) == ["b-mine", "g-all-"]
    assert sorted(each.resource for claim in claims(simulation) for each in claim.status.reservedFor) == [
        "podgroups",
        "pods",
    ]


def test_the_group_keeps_its_devices_until_it_is_deleted() -> None:
    simulation = simulated(gpus(1), template(), group(resourceClaims=[SHARED]), *users("a", "b"))
    for each in simulation.pods():
        simulation.api.delete(type(each), "default", each.metadata.name, by="kubectl")
    simulation.run("200s")
    (claim,) = claims(simulation)
    assert not simulation.pods() and claim.status.allocation is not None
    simulation.api.delete(PodGroup, "default", "g", by="kubectl")
    simulation.run("300s")
    assert not claims(simulation)


def test_a_claim_by_name_is_freed_when_the_group_is_deleted() -> None:
    claim = resource_claim("c", exactly())
    simulation = simulated(gpus(1), claim, group(resourceClaims=[NAMED]), *users("a", "b", entry=NAMED))
    simulation.api.delete(PodGroup, "default", "g", by="kubectl")
    simulation.run("200s")
    (found,) = claims(simulation)
    assert found.status.allocation is None and not found.status.reservedFor and not found.metadata.finalizers


def test_pods_wait_for_their_group_and_its_claim() -> None:
    """skip-create-for-pod-podgroup-does-not-exist, skip-create-podgroup-claim-for-pod."""
    simulation = simulated(gpus(1), *users("a", "b"), until="5s")
    assert not claims(simulation) and nodes(simulation) == ["", ""]
    simulation.api.create(unchecked(group(resourceClaims=[SHARED])), by="kubectl")
    simulation.run("10s")
    (event,) = {e.message for e in simulation.log if isinstance(e, Recorded) and e.kind == "PodGroup"}
    assert event.startswith('PodGroupResourceClaim all: resource claim template "t": ') and not claims(simulation)
    simulation.api.create(unchecked(template()), by="kubectl")
    simulation.run("100s")
    assert len(claims(simulation)) == 1 and nodes(simulation) == ["n", "n"]


def test_without_the_gate_pods_have_claims_of_their_own() -> None:
    generation = V1_37.with_feature_gates({"GenericWorkload": True})
    manifests = [node("n"), device_class(), gpus(2), template(), group(resourceClaims=[SHARED]), *users("a", "b")]
    simulation = Simulation(manifests, generation)
    simulation.run("100s")
    (stored,) = simulation.api.list(PodGroup)[0]
    assert not stored.spec.resourceClaims and nodes(simulation) == ["n", "n"]
    assert sorted(each.resource for claim in claims(simulation) for each in claim.status.reservedFor) == ["pods"] * 2


@pytest.mark.parametrize("many", [4, 30])
def test_the_first_pod_to_bind_writes_the_claim_and_the_others_are_tried_again(many: int) -> None:
    names = [f"p{i}" for i in range(many)]
    simulation = simulated(gpus(1), template(), group(minimum=many, resourceClaims=[SHARED]), *users(*names))
    assert set(nodes(simulation)) == {"n"}
    failed = [e for e in simulation.log if isinstance(e, Recorded) and e.reason == "FailedScheduling"]
    (claim,) = claims(simulation)
    why = f"claim default/{claim.metadata.name} got allocated elsewhere in the meantime"
    assert [each.message for each in failed] == [f'running PreBind plugin "DynamicResources": {why}'] * (many - 1)


def test_devices_stay_taken_while_a_claim_is_being_written() -> None:
    """The finalizer is written before the allocation; what the informer sees then says nothing of devices."""
    manifests = [node("n"), device_class(), gpus(1), *(resource_claim(f"c{i}", exactly()) for i in range(8))]
    simulation = Simulation(manifests, V1_37)
    for i in range(8):
        entry = {"name": "g", "resourceClaimName": f"c{i}"}
        made = member(f"p{i}", resourceClaims=[entry])
        del made["spec"]["schedulingGroup"]
        simulation.api.create(unchecked(made), by="kubectl")
    simulation.run("20s")
    assert sum(claim.status.allocation is not None for claim in simulation.api.list(ResourceClaim)[0]) == 1


def test_a_group_gets_its_claim_once_the_template_is_made() -> None:
    """At once, not when the controller tries again."""
    simulation = simulated(gpus(1), group(resourceClaims=[SHARED]), *users("a", "b", "c"), until="12s")
    assert not claims(simulation)
    simulation.api.create(documents(template())[0], by="test")
    simulation.run("13s")
    assert len(claims(simulation)) == 1
