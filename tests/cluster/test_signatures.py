"""Pods that no query can tell apart share a signature, and a query is evaluated once for each signature."""

from dataclasses import dataclass

import numpy as np
import pytest

from kschedlab.build import pod
from kschedlab.cluster.clues import Clue, labels_of
from kschedlab.cluster.interning import FEW, Signatures
from kschedlab.cluster.signatures import Signature
from kschedlab.cluster.volume_answers import drop, refresh, volume_table
from tests.cluster.checking import check_signatures
from tests.verdicts import model

WEB = pod("a", labels={"app": "web", "tier": "front"})
PORT = {"containerPort": 80, "hostPort": 80}
ANTI = {
    "podAntiAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [{"topologyKey": "zone", "labelSelector": {}}]
    }
}


@dataclass(frozen=True)
class HasLabel:
    key: str
    clues: tuple[Clue, ...] = ()

    def of(self, kind: Signature) -> int:
        ASKED.append(kind.labels)
        return int(self.key in kind.labels)


ASKED: list[object] = []


@pytest.mark.parametrize(
    "like",
    [
        pod("b", labels={"tier": "front", "app": "web"}),
        pod("b", "n1", labels={"app": "web", "tier": "front"}, cpu="7", priority=9),
        pod("b", labels={"app": "web", "tier": "front"}, ports=[]),
    ],
    ids=["order of the labels", "node, request, priority", "no ports"],
)
def test_fields_that_no_query_reads_do_not_change_the_signature(like):
    signatures = Signatures()
    one = signatures.of(model(WEB))
    assert signatures.of(model(like)) is one and len(signatures.living()) == 1


@pytest.mark.parametrize(
    "other",
    [
        pod("a", labels={"app": "web"}),
        pod("a", labels={"app": "web", "tier": "back"}),
        pod("a", labels={"app": "web", "tier": "front"}, namespace="team-a"),
        pod("a", labels={"app": "web", "tier": "front"}, deleted="2024-01-31T12:00:00Z"),
        pod("a", labels={"app": "web", "tier": "front"}, affinity=ANTI),
        pod("a", labels={"app": "web", "tier": "front"}, ports=[PORT]),
        pod(
            "a",
            labels={"app": "web", "tier": "front"},
            initContainers=[{"name": "i", "image": "img", "restartPolicy": "Always", "ports": [PORT]}],
        ),
    ],
    ids=["label", "value", "namespace", "deletion", "affinity", "host port", "sidecar's host port"],
)
def test_fields_that_a_query_reads_change_the_signature(other):
    signatures = Signatures()
    one = signatures.of(model(WEB))
    assert signatures.of(model(other)).number != one.number


def test_host_port_1_is_a_port_like_any_other():
    ports = [{"containerPort": 80, "hostPort": 1}]
    sidecar = {"name": "i", "image": "img", "restartPolicy": "Always", "ports": ports}
    signatures = Signatures()
    pods = [pod("a"), pod("a", ports=ports), pod("a", initContainers=[sidecar])]
    held = [signatures.of(model(each)) for each in pods]
    assert len({each.number for each in held}) == 3


def test_the_same_ports_in_an_init_container_and_in_a_sidecar_are_two_signatures():
    signatures = Signatures()
    init = {"name": "i", "image": "img", "ports": [PORT]}
    sidecar = init | {"restartPolicy": "Always"}
    first = signatures.of(model(pod("a", initContainers=[init])))
    assert signatures.of(model(pod("a", initContainers=[sidecar]))).number != first.number


def test_a_query_is_evaluated_once_for_each_signature():
    signatures = Signatures()
    kept = [signatures.of(model(WEB)), signatures.of(model(pod("b")))]
    ASKED.clear()
    assert signatures.evaluate(HasLabel("app")).tolist() == [1, 0, 0]
    assert signatures.evaluate(HasLabel("app")).tolist() == [1, 0, 0]
    assert len(ASKED) == 2
    kept.append(signatures.of(model(pod("c", labels={"app": "db"}))))
    assert signatures.evaluate(HasLabel("app")).tolist() == [1, 0, 1, 0]
    assert signatures.answers(HasLabel("app")) == {0: 1, 2: 1}
    assert len(ASKED) == 3


def test_only_signatures_that_a_clue_leads_to_are_asked():
    signatures = Signatures()
    kept = [signatures.of(model(pod("p", labels={"app": app, "tier": "front"}))) for app in ("web", "db", "web", "x")]
    query = HasLabel("app", (Clue(labels_of, (("tier", "front"),)), Clue(labels_of, (("app", "web"), ("app", "x")))))
    ASKED.clear()
    assert signatures.answers(query) == {kept[0].number: 1, kept[3].number: 1}
    assert [labels["app"] for labels in ASKED] == ["web", "x"]
    kept.append(signatures.of(model(pod("p", labels={"app": "x", "tier": "back"}))))
    kept.append(signatures.of(model(pod("p", labels={"app": "db", "tier": "back"}))))
    assert signatures.answers(query) == {kept[0].number: 1, kept[3].number: 1, kept[4].number: 1}
    assert len(ASKED) == 3


def test_a_signature_is_forgotten_when_nobody_has_it():
    signatures = Signatures()
    stays = signatures.of(model(WEB))
    for number in range(5 * FEW):
        passing = signatures.of(model(pod("p", labels={"name": str(number)})))
        assert passing.number <= FEW and signatures.evaluate(HasLabel("app"))[stays.number] == 1
    assert len(signatures.living()) == 2 and signatures.of(model(WEB)) is stays
    check_signatures(signatures)


def test_a_signature_holds_what_its_pods_have_in_common():
    signatures = Signatures()
    terminating = model(pod("a", labels={"app": "web"}, namespace="n", deleted="2024-01-31T12:00:00Z"))
    signature = signatures.of(terminating)
    assert (signature.namespace, signature.labels, signature.terminating) == ("n", {"app": "web"}, True)


def test_extracted_items_grow_with_the_signatures():
    signatures = Signatures()
    kept = [signatures.of(model(WEB))]
    assert list(signatures.extracted(keys)) == ["app", "tier"]
    kept.append(signatures.of(model(pod("b", labels={"app": "db", "zone": "a"}))))
    assert signatures.with_item(keys, "app") == kept and signatures.with_item(keys, "zone") == kept[1:]
    assert list(signatures.extracted(keys)) == ["app", "tier", "zone"]


def keys(kind: Signature) -> list[str]:
    return sorted(kind.labels)


@dataclass(eq=False)
class Uses:
    """Names from a table, by the label."""

    volumes: dict[str, frozenset[str]]
    clues = ()

    def handles(self, kind: Signature) -> frozenset[str]:
        return self.volumes[kind.labels["uses"]]

    def of(self, kind: Signature) -> int:
        return len(self.handles(kind))

    def listed(self, kind: Signature) -> frozenset[str]:
        return self.handles(kind)


def test_answers_are_refreshed_when_the_volumes_change():
    signatures, query = Signatures(), Uses({"x": frozenset("ab"), "y": frozenset("b")})
    x, y = (signatures.of(model(pod("p", labels={"uses": label}))) for label in "xy")

    def known():
        length, numbers = volume_table(signatures, query).of(np.array([y.number, x.number, y.number]))
        names = {volume_table(signatures, query).number(name): name for name in "abc"}
        each = np.split(numbers, np.cumsum(length)[:-1])
        return signatures.evaluate(query)[:-1].tolist(), ["".join(sorted(names[n] for n in one)) for one in each]

    assert known() == ([2, 1], ["b", "ab", "b"]) and list(signatures.with_item(query.listed, "b")) == [x, y]
    query.volumes["y"] = frozenset("cab")
    refresh(signatures, query.volumes, [y])
    assert known() == ([2, 3], ["abc", "ab", "abc"]) and list(signatures.with_item(query.listed, "c")) == [y]
    refresh(signatures, object(), [x])
    query.volumes["x"] = frozenset()
    drop(signatures, query.volumes)
    assert known() == ([0, 3], ["abc", "", "abc"]) and list(signatures.with_item(query.listed, "a")) == [y]
