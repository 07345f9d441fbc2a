"""Pods that look alike to every query are one kind, and a query is asked once for each kind."""

from dataclasses import dataclass

import numpy as np
import pytest

from kschedlab.cluster.signatures import Signature, Signatures
from kschedlab.testing import pod
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
def test_what_no_question_reads_makes_no_kind(like):
    kinds = Signatures()
    assert kinds.of(model(WEB)) == kinds.of(model(like))
    assert len(kinds) == 1


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
def test_what_a_question_reads_makes_a_kind(other):
    kinds = Signatures()
    assert kinds.of(model(WEB)) != kinds.of(model(other))


def test_the_same_ports_in_an_init_container_and_in_a_sidecar_are_two_kinds():
    kinds = Signatures()
    init = {"name": "i", "image": "img", "ports": [PORT]}
    sidecar = init | {"restartPolicy": "Always"}
    assert kinds.of(model(pod("a", initContainers=[init]))) != kinds.of(model(pod("a", initContainers=[sidecar])))


def test_a_question_is_asked_once_for_each_kind_and_again_only_for_new_kinds():
    kinds = Signatures()
    kinds.of(model(WEB))
    kinds.of(model(pod("b")))
    ASKED.clear()
    assert kinds.evaluate(HasLabel("app")).tolist() == [1, 0]
    assert kinds.evaluate(HasLabel("app")).tolist() == [1, 0]
    assert len(ASKED) == 2
    kinds.of(model(pod("c", labels={"app": "db"})))
    assert kinds.evaluate(HasLabel("app")).tolist() == [1, 0, 1]
    assert len(ASKED) == 3


def test_a_kind_shows_what_its_pods_have_in_common():
    kinds = Signatures()
    kind = kinds[kinds.of(model(pod("a", labels={"app": "web"}, namespace="n", deleted="2024-01-31T12:00:00Z")))]
    assert (kind.namespace, kind.labels, kind.terminating) == ("n", {"app": "web"}, True)


def test_what_is_found_in_the_kinds_grows_with_them():
    kinds = Signatures()
    kinds.of(model(WEB))
    assert list(kinds.extracted(keys)) == ["app", "tier"]
    kinds.of(model(pod("b", labels={"app": "db", "zone": "a"})))
    assert list(kinds.extracted(keys)) == ["app", "tier", "zone"]


def keys(kind: Signature) -> list[str]:
    return sorted(kind.labels)


@dataclass(eq=False)
class Uses:
    """Names that the label gives, as the table says that they are."""

    volumes: dict[str, frozenset[str]]

    def handles(self, kind: Signature) -> frozenset[str]:
        return self.volumes[kind.labels["uses"]]

    def of(self, kind: Signature) -> int:
        return len(self.handles(kind))

    def listed(self, kind: Signature) -> frozenset[str]:
        return self.handles(kind)


def test_what_is_known_of_kinds_is_revised_when_the_volumes_change():
    kinds, query = Signatures(), Uses({"x": frozenset("ab"), "y": frozenset("b")})
    x, y = (kinds.of(model(pod("p", labels={"uses": label}))) for label in "xy")

    def known():
        length, numbers = kinds.volume_table(query).of(np.array([y, x, y]))
        names = {kinds.volume_table(query).number(name): name for name in "abc"}
        each = np.split(numbers, np.cumsum(length)[:-1])
        return kinds.evaluate(query).tolist(), ["".join(sorted(names[n] for n in one)) for one in each]

    assert known() == ([2, 1], ["b", "ab", "b"]) and list(kinds.signatures_with(query.listed, "b")) == [x, y]
    query.volumes["y"] = frozenset("cab")
    kinds.refresh(query.volumes, [y])
    assert known() == ([2, 3], ["abc", "ab", "abc"]) and list(kinds.signatures_with(query.listed, "c")) == [y]
    kinds.refresh(object(), [x])
    query.volumes["x"] = frozenset()
    kinds.drop(query.volumes)
    assert known() == ([0, 3], ["abc", "", "abc"]) and list(kinds.signatures_with(query.listed, "a")) == [y]
