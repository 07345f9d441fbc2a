import pytest

from kschedlab.queue.events import (
    FORCE_ACTIVATE,
    UNSCHEDULABLE_TIMEOUT,
    event,
    is_wildcard,
    matches,
    name_of,
)


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
def test_a_plugin_is_told_of_what_is_as_specific_as_its_registration(registered, happened, expected) -> None:
    assert matches(registered, happened) is expected


def test_wildcards_have_names_of_their_own() -> None:
    assert is_wildcard(UNSCHEDULABLE_TIMEOUT)
    assert is_wildcard(FORCE_ACTIVATE)
    assert name_of(FORCE_ACTIVATE) == "ForceActivate"
    assert name_of(event("Node", "UpdateNodeTaint")) == "NodeUpdateNodeTaint"
    assert not is_wildcard(event("*", "Add"))


def test_an_unknown_action_is_an_error() -> None:
    with pytest.raises(KeyError):
        matches(event("Node", "Explode"), event("Node", "Add"))
