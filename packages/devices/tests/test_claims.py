"""The pod's claims: which they are, and what it waits for."""

import msgspec
import pytest
from msgspec.structs import replace

from kschedlab.build import cluster, pod
from kschedlab.manifests.loading import decode_objects
from kschedlab.objects.model import Pod, PodResourceClaim, PodStatus, ResourceClaim
from kschedlab_devices.claims import ClaimError, claims_fault, claims_of, is_reserved_for
from packages.devices.tests.device_manifests import exactly, resource_claim
from tests.verdicts import model

OWNED = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "uid-p", "controller": True}


def claiming(*entries: dict[str, str], statuses: tuple[dict[str, str], ...] = ()) -> Pod:
    """A pod with these claims, even if the API server would refuse them."""
    manifest = pod("p")
    manifest["metadata"]["uid"] = "uid-p"
    made = model(manifest)
    claims = msgspec.convert(entries, tuple[PodResourceClaim, ...])
    status = msgspec.convert({"resourceClaimStatuses": statuses}, PodStatus)
    return replace(made, spec=replace(made.spec, resourceClaims=claims), status=status)


def made(name: str, **metadata: object) -> dict[str, object]:
    manifest = resource_claim(name, exactly())
    manifest["metadata"] |= metadata
    return manifest


NAMED = {"name": "gpu", "resourceClaimName": "one"}
FROM_TEMPLATE = {"name": "gpu", "resourceClaimTemplateName": "many"}
STATUS = {"name": "gpu", "resourceClaimName": "one"}


def fault(asking: Pod, *claims: dict[str, object]) -> str:
    world = cluster(*claims)
    return claims_fault(asking, lambda key: world.find(ResourceClaim, key), False)


def test_a_claim_is_found_by_its_name_or_by_the_status_of_its_template() -> None:
    world = cluster(made("one", ownerReferences=[OWNED]), made("two"))
    asking = claiming(FROM_TEMPLATE, {"name": "b", "resourceClaimName": "two"}, statuses=(STATUS,))
    found = claims_of(asking, lambda key: world.find(ResourceClaim, key), False)
    assert [claim.metadata.name for claim in found] == ["one", "two"]


def test_a_template_may_need_no_claim() -> None:
    asking = claiming(FROM_TEMPLATE, statuses=({"name": "gpu"},))
    assert claims_of(asking, lambda key: None, False) == ()


def test_a_claim_that_two_entries_name_counts_twice() -> None:
    world = cluster(made("one"))
    asking = claiming(NAMED, NAMED | {"name": "again"})
    assert len(claims_of(asking, lambda key: world.find(ResourceClaim, key), False)) == 2


@pytest.mark.parametrize(
    ("asking", "claims", "why"),
    [
        (claiming(NAMED), [], 'could not find ResourceClaim "default/one"'),
        (claiming(NAMED), [made("one")], ""),
        (claiming(FROM_TEMPLATE), [made("one")], 'pod "default/p": ResourceClaim not created yet'),
        (
            claiming({"name": "gpu"}),
            [],
            'pod "default/p", spec.resourceClaim "gpu": none of the supported fields are set',
        ),
        (
            claiming(NAMED),
            [made("one", deletionTimestamp="2024-01-01T00:00:00Z")],
            'resourceclaim "one" is being deleted',
        ),
        (
            claiming(FROM_TEMPLATE, statuses=(STATUS,)),
            [made("one")],
            "ResourceClaim default/one was not created for Pod default/p (Pod is not owner)",
        ),
        (
            claiming(FROM_TEMPLATE, statuses=(STATUS,)),
            [made("one", ownerReferences=[OWNED | {"controller": False}])],
            "ResourceClaim default/one was not created for Pod default/p (Pod is not owner)",
        ),
        (claiming(FROM_TEMPLATE, statuses=(STATUS,)), [made("one", ownerReferences=[OWNED])], ""),
    ],
)
def test_what_the_pod_waits_for(asking: Pod, claims: list[dict[str, object]], why: str) -> None:
    assert fault(asking, *claims) == why


def test_the_first_claim_that_is_not_ready_decides() -> None:
    with pytest.raises(ClaimError, match="default/two"):
        claims_of(claiming({"name": "a", "resourceClaimName": "two"}, {"name": "b"}), lambda key: None, False)


def test_a_claim_is_reserved_for_a_pod_by_its_uid() -> None:
    asking = claiming(NAMED)
    for uid, expected in (("uid-p", True), ("uid-q", False)):
        consumer = {"resource": "pods", "name": "p", "uid": uid}
        reserved = resource_claim("one", exactly(), allocation={"devices": {}}, reservedFor=[consumer])
        (claim,) = decode_objects([reserved]).of(ResourceClaim)
        assert is_reserved_for(claim, asking) is expected
