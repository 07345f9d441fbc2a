import pytest

from kschedlab.objects.model import (
    Pod,
    PodExtendedResourceClaimStatus,
    PodResourceClaimStatus,
    PodStatus,
)
from kschedlab.queue.events import (
    ACTIONS,
    FORCE_ACTIVATE,
    UNSCHEDULABLE_TIMEOUT,
    bits,
    event,
    is_wildcard,
    matches,
    name_of,
    pod_changes,
)
from tests.queue.events import REAL_ACTIONS, REGISTERED


def test_actions_have_the_bits_of_the_real_ones() -> None:
    assert REAL_ACTIONS == ACTIONS
    assert all(bits(happens.actions) == mask for _, happens, mask in REGISTERED)


@pytest.mark.parametrize(
    ("registered", "happened", "expected"),
    [
        (event("Node", "Add"), event("Node", "Add"), True),
        (event("Node", "Add"), event("Node", "Delete"), False),
        (event("Node", "Add"), event("AssignedPod", "Add"), False),
        (event("Node", "Update"), event("Node", "UpdateNodeTaint"), True),
        (event("Node", "UpdateNodeTaint"), event("Node", "Update"), False),
        (event("Node", "Add", "UpdateNodeTaint"), event("Node", "UpdateNodeLabel"), False),
        (event("Node", "Add", "UpdateNodeTaint"), event("Node", "UpdateNodeTaint"), True),
        (event("Pod", "Delete"), event("AssignedPod", "Delete"), True),
        (event("Pod", "Delete"), event("Node", "Delete"), False),
        (event("AssignedPod", "Delete"), event("Pod", "Delete"), False),
        (event("*", "Add"), event("Node", "Add"), True),
        (event("Node", "All"), event("*", "All"), False),
        (event("*", "All"), event("Node", "UpdateNodeLabel"), True),
    ],
)
def test_a_registration_matches_events_at_least_as_specific(registered, happened, expected) -> None:
    assert matches(registered, happened) is expected


def test_wildcard_events_have_their_own_names() -> None:
    assert is_wildcard(UNSCHEDULABLE_TIMEOUT)
    assert is_wildcard(FORCE_ACTIVATE)
    assert name_of(FORCE_ACTIVATE) == "ForceActivate"
    assert name_of(event("Node", "UpdateNodeTaint")) == "NodeUpdateNodeTaint"
    assert not is_wildcard(event("*", "Add"))


def test_an_unknown_action_is_an_error() -> None:
    with pytest.raises(KeyError):
        matches(event("Node", "Explode"), event("Node", "Add"))


@pytest.mark.parametrize(
    "status",
    [
        PodStatus(resourceClaimStatuses=(PodResourceClaimStatus("gpu", "p-gpu-x"),)),
        PodStatus(extendedResourceClaimStatus=PodExtendedResourceClaimStatus((), "p-extended-resources-x")),
    ],
)
def test_a_generated_claim_is_an_event_of_the_pod_itself(status: PodStatus) -> None:
    old, new = Pod(), Pod(status=status)
    assert pod_changes(old, new, target=True) == [event("TargetPod", "UpdatePodGeneratedResourceClaim")]
    assert pod_changes(new, new, target=True) == [event("TargetPod", "Update")]
