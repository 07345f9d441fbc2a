"""NodeDeclaredFeatures: which features a pod needs, and which nodes declare them."""

from typing import Any

import pytest

from kschedlab.build import node, pod
from kschedlab.filter.node_declared_features import NOT_DECLARED, NodeDeclaredFeatures
from tests.verdicts import judged, refused

RESTART, USERNS = "RestartAllContainersOnContainerExits", "UserNamespacesHostNetworkSupport"
EXIT = {"operator": "In", "values": [1]}


def declaring(name: str, *features: str) -> dict[str, Any]:
    made = node(name)
    made["status"]["declaredFeatures"] = sorted(features)
    return made


NODES = [declaring("both", RESTART, USERNS), declaring("restart", RESTART), declaring("userns", USERNS), node("none")]


def restarting(action: str, containers: str = "containers") -> dict[str, Any]:
    made = pod("p")
    rules = [{"action": "Restart", "exitCodes": EXIT}, {"action": action, "exitCodes": EXIT}]
    container = {"name": "r", "image": "i", "restartPolicy": "Never", "restartPolicyRules": rules}
    made["spec"][containers] = [*made["spec"].get(containers, []), container]
    return made


def on_host_network(host_users: bool | None) -> dict[str, Any]:
    made = pod("p")
    made["spec"] |= {"hostNetwork": True} | ({} if host_users is None else {"hostUsers": host_users})
    return made


def both() -> dict[str, Any]:
    made = restarting("RestartAllContainers")
    made["spec"] |= {"hostNetwork": True, "hostUsers": False}
    return made


@pytest.mark.parametrize(
    ("asked", "names"),
    [
        (pod("p"), set()),
        (restarting("Restart"), set()),
        (restarting("RestartAllContainers"), {"userns", "none"}),
        (restarting("RestartAllContainers", "initContainers"), {"userns", "none"}),
        (on_host_network(None), set()),
        (on_host_network(True), set()),
        (on_host_network(False), {"restart", "none"}),
        (both(), {"restart", "userns", "none"}),
    ],
    ids=[
        "nothing",
        "restart",
        "restart all",
        "in an init container",
        "host network",
        "host users",
        "own users",
        "both",
    ],
)
def test_nodes_that_do_not_declare_what_the_pod_needs_are_refused(asked, names):
    assert refused(NodeDeclaredFeatures(), asked, *NODES) == {name: [NOT_DECLARED] for name in names}


def test_evicting_pods_cannot_help():
    _, verdicts = judged(NodeDeclaredFeatures(), restarting("RestartAllContainers"), *NODES)
    assert verdicts.unresolvable().tolist() == [False, False, True, True]
