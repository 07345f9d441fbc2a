"""NodePorts: rows of v1.37's node_ports_test.go, and what nominated pods and preemption do to host ports."""

import pytest

from kschedlab.build import cluster, node, pod
from kschedlab.filter.node_ports import PORTS_TAKEN, NodePorts
from kschedlab.scheduler import schedule
from tests.verdicts import judged, refused


def port(text, **more):
    """``TCP/127.0.0.1/8080`` as a container's port; an empty address or protocol is left out."""
    protocol, address, number = text.split("/")
    given = {"containerPort": int(number), "hostPort": int(number)} | more
    return given | ({"protocol": protocol} if protocol else {}) | ({"hostIP": address} if address else {})


def wants(name, on="", /, *texts, **spec):
    return pod(name, on, ports=[port(text) for text in texts], **spec)


@pytest.mark.parametrize(
    ("wanted", "taken", "passes"),
    [
        ([], ["TCP/127.0.0.1/8080"], True),
        (["UDP/127.0.0.1/8080"], ["UDP/127.0.0.1/9090"], True),
        (["UDP/127.0.0.1/8080"], ["UDP/127.0.0.1/8080"], False),
        (["TCP/127.0.0.1/8080"], ["TCP/127.0.0.1/8080"], False),
        (["TCP/127.0.0.1/8080"], ["TCP/127.0.0.2/8080"], True),
        (["UDP/127.0.0.1/8080"], ["TCP/127.0.0.1/8080"], True),
        (["UDP/127.0.0.1/8000", "UDP/127.0.0.1/8080"], ["UDP/127.0.0.1/8080"], False),
        (["TCP/127.0.0.1/8001", "UDP/127.0.0.1/8080"], ["TCP/127.0.0.1/8001", "UDP/127.0.0.1/8081"], False),
        (["TCP/0.0.0.0/8001"], ["TCP/127.0.0.1/8001"], False),
        (["TCP/10.0.10.10/8001", "TCP/0.0.0.0/8001"], ["TCP/127.0.0.1/8001"], False),
        (["TCP/127.0.0.1/8001"], ["TCP/0.0.0.0/8001"], False),
        (["UDP/127.0.0.1/8001"], ["TCP/0.0.0.0/8001"], True),
        (["UDP/127.0.0.1/8001"], ["TCP/0.0.0.0/8001", "UDP/0.0.0.0/8001"], False),
        (["//8001"], ["TCP/127.0.0.1/8001"], False),
        (["TCP/127.0.0.1/8001"], ["//8001"], False),
        (["SCTP//8001"], ["TCP//8001", "UDP//8001"], True),
        (["TCP/::/8001"], ["TCP/127.0.0.1/8001"], True),
        (["TCP//1"], ["TCP//1"], False),
    ],
    ids=[
        "no host port",
        "other port",
        "same udp port",
        "same tcp port",
        "different host ip",
        "different protocol",
        "second udp port conflict",
        "first tcp port conflict",
        "wanted on all addresses",
        "one of two wanted on all addresses",
        "taken on all addresses",
        "taken on all addresses, different protocol",
        "taken on all addresses, the other protocol too",
        "TCP on all addresses is the default of what is wanted",
        "TCP on all addresses is the default of what is taken",
        "sctp beside tcp and udp",
        "only 0.0.0.0 means all addresses",
        "the least port",
    ],
)
def test_host_ports(wanted, taken, passes):
    found = refused(NodePorts(), wants("p", "", *wanted), node("free"), node("n"), wants("running", "n", *taken))
    assert found == ({} if passes else {"n": [PORTS_TAKEN]})


def test_evicting_pods_frees_ports():
    _, verdicts = judged(NodePorts(), wants("p", "", "TCP//80"), node("n"), wants("running", "n", "TCP//80"))
    assert verdicts.unresolvable().tolist() == [False]


@pytest.mark.parametrize(("policy", "passes"), [({}, True), ({"restartPolicy": "Always"}, False)])
@pytest.mark.parametrize("running", [True, False], ids=["running", "wanted"])
def test_init_containers_use_ports_only_as_sidecars(policy, passes, running):
    init = pod(
        "i", "n" if running else "", initContainers=[{"name": "i", "image": "img", "ports": [port("//80")]} | policy]
    )
    other = wants("o", "" if running else "n", "//80")
    asking, present = (other, init) if running else (init, other)
    assert refused(NodePorts(), asking, node("n"), present) == ({} if passes else {"n": [PORTS_TAKEN]})
    assert refused(NodePorts(counts_sidecars=False), asking, node("n"), present) == {}


def test_pods_with_host_network_use_their_containers_ports():
    running = pod("r", "n", hostNetwork=True, ports=[{"containerPort": 80}])
    assert refused(NodePorts(), wants("p", "", "//80"), node("n"), running) == {"n": [PORTS_TAKEN]}


def test_a_port_without_a_host_port_is_ignored():
    plain = pod("r", "n", ports=[{"containerPort": 80}])
    assert refused(NodePorts(), wants("p", "", "//80"), node("n"), plain) == {}


def test_a_pod_without_host_ports_is_skipped():
    world = cluster(node("n"), wants("running", "n", "//81"), pod("p", ports=[{"containerPort": 80}]))
    assert NodePorts().prepare(world.pending["default/p"], world) is None


@pytest.mark.parametrize(("priority", "passes"), [(0, False), (1, True)], ids=["equal priority", "lower priority"])
def test_ports_of_nominated_pods_of_equal_or_higher_priority_are_in_use(priority, passes):
    nominated = wants("nominated", "", "//80", nominated="n")
    found = refused(NodePorts(), wants("p", "", "//80", priority=priority), node("n"), node("m"), nominated)
    assert found == ({} if passes else {"n": [PORTS_TAKEN]})


def test_preemption_evicts_only_the_pod_with_the_port():
    running = [wants("holds", "n", "//80"), wants("other", "n", "//81"), pod("none", "n")]
    decision = schedule("default/p", cluster(node("n"), *running, wants("p", "", "//80", priority=1)))
    assert [victim.key for victim in decision.preemption.victims] == ["default/holds"]


def test_removing_a_victim_frees_its_port_even_if_another_pod_uses_it():
    """The node keeps a set of ports, not a count; v1.37: kube-scheduler/framework/types.go, HostPortInfo.Remove."""
    running = [wants("important", "n", "//80", priority=9), wants("holds", "n", "//80")]
    decision = schedule("default/p", cluster(node("n"), *running, wants("p", "", "//80", priority=1)))
    assert [victim.key for victim in decision.preemption.victims] == ["default/holds"]


def test_a_port_on_another_address_remains_in_use():
    running = [wants("important", "n", "TCP/127.0.0.1/80", priority=9), wants("holds", "n", "TCP/10.0.0.1/80")]
    decision = schedule("default/p", cluster(node("n"), *running, wants("p", "", "//80", priority=1)))
    assert decision.preemption.victims == () and decision.nominated_node is None


def test_the_terms_show_the_conflicting_ports():
    objects = node("n"), node("m"), wants("r", "n", "TCP/127.0.0.1/80")
    world, verdicts = judged(NodePorts(), wants("p", "", "//80"), *objects)
    (part,) = verdicts.refusals[0].parts
    where = dict(zip(world.names, part.terms["127.0.0.1:80/TCP"].tolist(), strict=True))
    assert where == {"n": 1, "m": 0}
