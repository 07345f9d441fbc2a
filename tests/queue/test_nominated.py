"""Nominations before v1.37."""

import pytest

from kschedlab.queue.nominated import NominatedPodMap, NominationRules
from tests.queue.pods import nominated, pod

A, B = pod("a"), pod("b")


def names(nominations: NominatedPodMap, node: str) -> list[str]:
    return [pod.metadata.name for pod in nominations.pods_for_node(node)]


def test_a_pod_is_nominated_to_the_given_node_or_that_of_its_status() -> None:
    nominations = NominatedPodMap()
    nominations.add(nominated(A, "n1"))
    nominations.add(nominated(B, "n1"), "n2")
    assert (names(nominations, "n1"), names(nominations, "n2"), names(nominations, "n3")) == (["a"], ["b"], [])
    assert nominations.nominated_pod_to_node == {"uid-a": "n1", "uid-b": "n2"}


def test_a_new_nomination_replaces_the_old_one() -> None:
    nominations = NominatedPodMap()
    for node in ("n1", "n2"):
        nominations.add(A, node)
    assert list(nominations.nominated_pods) == ["n2"]
    nominations.add(A)
    assert nominations.nominated_pods == {} == nominations.nominated_pod_to_node


def test_pods_of_a_node_are_in_order_of_nomination_and_an_update_renominates() -> None:
    nominations = NominatedPodMap()
    for each in (A, B):
        nominations.add(nominated(each, "n1"))
    nominations.update(nominated(A, "n1"), nominated(A, "n1"))
    assert names(nominations, "n1") == ["b", "a"]


@pytest.mark.parametrize(("survives_update", "expected"), [(False, []), (True, ["a"])])
def test_an_update_without_a_node_keeps_the_nomination_in_memory_since_v1_14(
    survives_update: bool, expected: list[str]
) -> None:
    nominations = NominatedPodMap(NominationRules(survives_update=survives_update))
    nominations.add(A, "n1")
    nominations.update(A, pod("a", priority=7))
    assert names(nominations, "n1") == expected


def test_a_nomination_removed_from_the_status_is_removed() -> None:
    nominations = NominatedPodMap(NominationRules(survives_update=True))
    nominations.add(nominated(A, "n1"))
    nominations.update(nominated(A, "n1"), A)
    assert names(nominations, "n1") == []


def test_since_v1_20_a_pod_that_the_informer_does_not_know_is_not_nominated() -> None:
    known = {A.key: A}
    for rules, expected in ((NominationRules(), ["a", "b"]), (NominationRules(only_known_pods=True), ["a"])):
        nominations = NominatedPodMap(rules, known.get)
        for each in (A, B):
            nominations.add(each, "n1")
        assert names(nominations, "n1") == expected


def test_nominations_call_the_callback() -> None:
    calls = []
    nominations = NominatedPodMap(on_nominated=lambda pod, node: calls.append((pod.metadata.name, node)))
    nominations.add(A, "n1")
    nominations.add(A, "n2")
    nominations.delete(A)
    nominations.delete(A)
    assert calls == [("a", "n1"), ("a", None), ("a", "n2"), ("a", None)]
