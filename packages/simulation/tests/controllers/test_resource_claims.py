"""Claims in a whole cluster: made from templates, freed by finished pods, deleted with their pods."""

from typing import Any

import pytest
from msgspec.structs import replace

from kschedlab.build import Manifest, node, pod
from kschedlab.objects.model import Namespace, ObjectMeta, Pod, ResourceClaim
from kschedlab_simulation.log import Changed, Moved, Recorded
from kschedlab_simulation.simulation import Simulation
from kschedlab_simulation.status import ApiError
from packages.devices.tests.device_manifests import (
    device,
    device_class,
    exactly,
    resource_claim,
    resource_slice,
    unchecked,
)

RUN = "kschedlab.io/run-seconds"
RESOURCE = "example.com/gpu"


def template(name: str = "t", **metadata: Any) -> Manifest:
    spec = {"metadata": metadata, "spec": {"devices": {"requests": [exactly()]}}}
    wanted = {"name": name, "namespace": "default"}
    return {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate", "metadata": wanted, "spec": spec}


def gpus(number: int) -> Manifest:
    return resource_slice("n", [device(f"gpu-{i}") for i in range(number)])


def from_template(name: str, runs: str = "", of: str = "t", **more: Any) -> Manifest:
    manifest = pod(name, resourceClaims=[{"name": "g", "resourceClaimTemplateName": of}], **more)
    return with_run(manifest, runs)


def sharing(name: str, runs: str = "", claim: str = "c") -> Manifest:
    return with_run(pod(name, resourceClaims=[{"name": "g", "resourceClaimName": claim}]), runs)


def with_run(manifest: Manifest, runs: str) -> Manifest:
    if runs:
        manifest["metadata"]["annotations"] = {RUN: runs}
    return manifest


def simulated(*manifests: Manifest, until: str = "100s") -> Simulation:
    simulation = Simulation([node("n"), device_class(), *manifests])
    simulation.run(until)
    return simulation


def claims(simulation: Simulation) -> list[ResourceClaim]:
    return simulation.api.list(ResourceClaim)[0]


def nodes(simulation: Simulation) -> list[str]:
    return [each.spec.nodeName for each in simulation.pods()]


def test_a_claim_is_made_from_the_template_and_named_in_the_pod() -> None:
    simulation = simulated(gpus(1), template(labels={"team": "a"}, annotations={"why": "x"}), from_template("p"))
    (found,), (stored,) = simulation.pods(), claims(simulation)
    assert found.spec.nodeName == "n"
    assert [(each.name, each.resourceClaimName) for each in found.status.resourceClaimStatuses] == [
        ("g", stored.metadata.name)
    ]
    assert stored.metadata.name.startswith("p-g-") and len(stored.metadata.name) == len("p-g-") + 5
    assert stored.metadata.labels == {"team": "a"}
    assert stored.metadata.annotations == {"why": "x", "resource.kubernetes.io/pod-claim-name": "g"}
    (owner,) = stored.metadata.ownerReferences
    assert (owner.kind, owner.uid, owner.controller) == ("Pod", found.metadata.uid, True)
    assert [each.uid for each in stored.status.reservedFor] == [found.metadata.uid]


def test_a_pod_gets_its_claim_once_the_template_is_made() -> None:
    simulation = simulated(gpus(1), from_template("a"), until="300s")
    assert not claims(simulation)
    simulation.api.create(unchecked(template()), by="kubectl")
    simulation.run("305s")
    assert len(claims(simulation)) == 1 and nodes(simulation) == ["n"]


def test_the_status_that_names_the_claim_requeues_the_pod() -> None:
    """PreEnqueue keeps the pod out of the queue until the claim is there."""
    simulation = simulated(gpus(1), from_template("p"), until="4s")
    assert nodes(simulation) == [""] and not claims(simulation)
    failed = {entry.message for entry in simulation.log if isinstance(entry, Recorded)}
    missing = 'resource claim template "t": resourceclaimtemplate.resource.k8s.io "t" not found'
    assert failed == {f"PodResourceClaim g: {missing}"}
    simulation.api.create(unchecked(template()), by="kubectl")
    simulation.run("6s")
    assert nodes(simulation) == ["n"]
    moves = [entry.event for entry in simulation.log if isinstance(entry, Moved) and entry.event]
    assert "TargetPodUpdatePodGeneratedResourceClaim" in moves


def test_a_finished_pod_gives_its_devices_back() -> None:
    """The claim stays, for it is the user's; its devices serve the next pod."""
    simulation = simulated(
        gpus(1),
        resource_claim("c", exactly()),
        resource_claim("d", exactly()),
        sharing("a", "10"),
        sharing("b", claim="d"),
    )
    assert nodes(simulation) == ["n", "n"]
    first, second = claims(simulation)
    assert first.status.allocation is None and not first.status.reservedFor and not first.metadata.finalizers
    assert second.status.allocation is not None
    bound = [
        (entry.at - simulation.start) // 1_000_000
        for entry in simulation.log
        if isinstance(entry, Changed)
        and entry.key == "default/b"
        and entry.new.spec.nodeName
        and not entry.old.spec.nodeName
    ]
    assert bound and 12 <= bound[0] <= 14


def test_a_shared_claim_stays_allocated_until_its_last_pod_is_done() -> None:
    simulation = simulated(gpus(1), resource_claim("c", exactly()), sharing("a", "10"), sharing("b", "50"), until="30s")
    (shared,) = claims(simulation)
    assert [each.name for each in shared.status.reservedFor] == ["b"]
    assert shared.status.allocation is not None
    simulation.run("100s")
    (idle,) = claims(simulation)
    assert idle.status.allocation is None and not idle.status.reservedFor


@pytest.mark.parametrize("grace", [None, 0])
def test_a_deleted_pod_gives_back_the_devices_of_a_claim_that_stays(grace: int | None) -> None:
    simulation = simulated(gpus(1), resource_claim("c", exactly()), sharing("a"), until="10s")
    simulation.api.delete(Pod, "default", "a", grace)
    simulation.run("100s")
    (idle,) = claims(simulation)
    assert idle.status.allocation is None and not idle.status.reservedFor


@pytest.mark.parametrize(("others", "reserved"), [(255, True), (256, False)])
def test_at_most_256_pods_share_a_claim(others: int, reserved: bool) -> None:
    """v1.37: resource/v1/types.go, ResourceClaimReservedForMaxSize."""
    simulation = simulated(gpus(1), resource_claim("c", exactly()), sharing("a"), until="10s")
    (claim,) = claims(simulation)
    consumer = replace(claim.status.reservedFor[0], resource="robots", uid="other")
    full = tuple(replace(consumer, name=f"r{i}", uid=f"u{i}") for i in range(others))
    simulation.api.update_status(replace(claim, status=replace(claim.status, reservedFor=full)), by="kubectl")
    other = sharing("b")
    other["spec"]["nodeName"] = "n"
    simulation.api.create(unchecked(other), by="kubectl")
    simulation.run("20s")
    (claim,) = claims(simulation)
    assert len(claim.status.reservedFor) == 256
    assert any(each.name in ("a", "b") for each in claim.status.reservedFor) is reserved


def test_a_claim_of_a_finished_pod_goes_although_the_pod_stays() -> None:
    simulation = simulated(gpus(1), template(), from_template("a", "10"), from_template("b"))
    assert nodes(simulation) == ["n", "n"]
    (left,) = claims(simulation)
    assert left.metadata.ownerReferences[0].name == "b"


@pytest.mark.parametrize("running", [True, False])
def test_a_deleted_pod_takes_its_claim_along(running: bool) -> None:
    simulation = simulated(gpus(int(running)), template(), from_template("a"), until="20s")
    assert len(claims(simulation)) == 1
    simulation.api.delete(Pod, "default", "a")
    simulation.run("100s")
    assert not simulation.pods() and not claims(simulation)


def test_a_lost_claim_is_made_again_and_the_other_one_stays() -> None:
    """v1.37: pkg/controller/resourceclaim/controller.go, handleClaim ("perhaps it was deleted accidentally")."""
    two = [{"name": name, "resourceClaimTemplateName": "t"} for name in ("a", "b")]
    simulation = simulated(template(), pod("p", resourceClaims=two), until="5s")
    lost, other = (each.metadata.name for each in claims(simulation))
    simulation.api.delete(ResourceClaim, "default", lost)
    simulation.run("10s")
    found, other_found = (each.metadata.name for each in claims(simulation))
    assert (found[:4], other_found) == ("p-a-", other) and found != lost
    (user,) = simulation.pods()
    assert [each.resourceClaimName for each in user.status.resourceClaimStatuses] == [found, other]


def test_an_idle_claim_that_is_deleted_gives_its_devices_back_and_goes() -> None:
    """v1.37: pkg/controller/resourceclaim/controller.go, syncClaim."""
    simulation = simulated(gpus(1), resource_claim("c", exactly()), sharing("a"), until="10s")
    (used,) = claims(simulation)
    simulation.api.delete(Pod, "default", "a", grace_seconds=0)
    idle = replace(used, status=replace(used.status, reservedFor=()))
    simulation = Simulation([node("n"), gpus(1), unchecked(device_class()), idle])
    simulation.run("5s")
    assert claims(simulation)[0].status.allocation is not None
    simulation.api.delete(ResourceClaim, "default", "c")
    simulation.run("10s")
    changes = [each for each in simulation.log if isinstance(each, Changed) and each.kind == "ResourceClaim"]
    assert not claims(simulation) and changes[-1].old.status.allocation is None


def test_a_reservation_that_is_not_a_pods_stays() -> None:
    """v1.37: pkg/controller/resourceclaim/controller.go, syncClaim ("We don't know how to check this entry")."""
    others = [{"resource": "trains", "name": "x", "uid": "1"}, {"resource": "pods", "name": "gone", "uid": "2"}]
    held = {"devices": {"results": []}}
    simulation = simulated(resource_claim("c", exactly(), allocation=held, reservedFor=others), until="5s")
    assert [each.resource for each in claims(simulation)[0].status.reservedFor] == ["trains"]


def test_a_claim_for_extended_resources_goes_with_its_pod() -> None:
    simulation = Simulation(
        [
            node("n"),
            device_class(extendedResourceName=RESOURCE),
            gpus(1),
            with_run(
                pod(
                    "a",
                    requests={RESOURCE: "1"},
                ),
                "10",
            ),
            pod("b", requests={RESOURCE: "1"}),
        ]
    )
    simulation.run("100s")
    assert nodes(simulation) == ["n", "n"]
    (left,) = claims(simulation)
    assert left.metadata.ownerReferences[0].name == "b"


def test_a_long_name_is_cut_at_both_parts() -> None:
    long = from_template("p" * 60)
    long["spec"]["resourceClaims"][0]["name"] = "g" * 40
    simulation = simulated(gpus(1), template(), long)
    (stored,) = claims(simulation)
    assert stored.metadata.name.startswith("p" * 33 + "-" + "g" * 22)
    assert nodes(simulation) == ["n"]


def test_a_pod_that_was_put_onto_a_node_reserves_its_allocated_claim() -> None:
    simulation = simulated(gpus(1), resource_claim("c", exactly()), sharing("a"), until="10s")
    other = sharing("b")
    other["spec"]["nodeName"] = "n"
    simulation.api.create(unchecked(other), by="kubectl")
    simulation.run("20s")
    (shared,) = claims(simulation)
    assert [each.name for each in shared.status.reservedFor] == ["a", "b"]


def test_a_kubelet_does_not_start_a_pod_whose_claim_is_not_its_own() -> None:
    simulation = simulated(gpus(1), resource_claim("c", exactly()), until="1s")
    early = sharing("b")
    early["spec"]["nodeName"] = "n"
    simulation.api.create(unchecked(early), by="kubectl")
    simulation.run("5s")
    (waiting,) = simulation.pods()
    (claim,) = claims(simulation)
    why = f"pod b ({waiting.metadata.uid}) is not allowed to use ResourceClaim c ({claim.metadata.uid})"
    (event,) = (e for e in simulation.log if isinstance(e, Recorded) and e.reason == "FailedPrepareDynamicResources")
    assert event.message == f"Failed to prepare dynamic resources: prepare dynamic resources: {why}"
    assert waiting.status.phase == "Pending" and simulation.settled
    simulation.api.create(unchecked(sharing("a")), by="kubectl")
    for until, phase in (("12.9s", "Pending"), ("13.1s", "Running")):
        simulation.run(until)
        assert [each.status.phase for each in simulation.pods()] == ["Running", phase], "it tries every ten seconds"


def test_admin_access_needs_a_label_on_the_namespace() -> None:
    simulation = simulated(gpus(1), until="1s")
    wanted = template()
    wanted["spec"]["spec"]["devices"]["requests"] = [exactly(adminAccess=True)]
    for manifest in (wanted, resource_claim("c", exactly("first"), exactly("second", adminAccess=True))):
        with pytest.raises(ApiError) as refused:
            simulation.api.create(unchecked(manifest), by="kubectl")
        number = 0 if manifest is wanted else 1
        assert str(refused.value).endswith(
            f"is invalid: spec.devices.requests[{number}].adminAccess: Forbidden: admin access to devices requires the "
            "`resource.kubernetes.io/admin-access: true` label on the containing namespace"
        )
    labels = {"resource.kubernetes.io/admin-access": "true"}
    simulation.api.create(Namespace(metadata=ObjectMeta(name="default", labels=labels)), by="kubectl")
    simulation.api.create(unchecked(wanted), by="kubectl")
    simulation.api.create(unchecked(from_template("p")), by="kubectl")
    simulation.run("10s")
    assert nodes(simulation) == ["n"]
