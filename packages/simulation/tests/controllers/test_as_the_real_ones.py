"""The answers of the real controllers of v1.37 to the same objects: budget statuses, and which pod is deleted first.

Beside each case stands what ``getExpectedPodCount``, ``buildDisruptedPodMap``, ``updatePdbStatus`` and ``failSafe`` of
pkg/controller/disruption made of it, and for which pairs of pods ``Less`` of ActivePodsWithRanks (``ranked``) and of
ActivePods (``plain``) of pkg/controller is true.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from kschedlab.manifests.decoding import decode
from kschedlab.objects.meta import Time
from kschedlab.objects.model import PodDisruptionBudgetStatus
from kschedlab_simulation.controllers.budgets import Scaled, ScaleError, budget_status, failed_status
from kschedlab_simulation.controllers.replicas import removal_order
from kschedlab_simulation.pods import is_active
from packages.simulation.tests.controllers.stage import documents

HERE = Path(__file__).parent
BUDGETS = json.loads((HERE / "budgets.json").read_text())
RANKINGS = json.loads((HERE / "rankings.json").read_text())


def status(of: dict[str, Any]) -> PodDisruptionBudgetStatus:
    document, _ = decode({"kind": "PodDisruptionBudget", "status": of}, "PodDisruptionBudget")
    return document.status


@pytest.mark.parametrize("case", BUDGETS)
def test_the_status_of_a_budget(case: dict[str, Any]):
    now = Time.parse(case["now"])
    (budget,) = documents(case["budget"])
    pods = documents(*case.get("pods", ()))
    owners = {(type(each), each.metadata.name): each for each in documents(*case.get("owners", ()))}

    def find(kind: type[Scaled], namespace: str, name: str) -> Scaled | None:
        return owners.get((kind, name))

    unmanaged, requeue_at = [], None
    try:
        new, unmanaged, requeue_at = budget_status(budget, pods, find, now)
        assert (new is not budget.status) == case["written"]
    except ScaleError as error:
        new = failed_status(budget, error, now)
        assert str(error) == case["error"]
    assert new == status(case["status"])
    assert unmanaged == case.get("unmanaged", [])
    assert requeue_at == (Time.parse(case["again"]) if "again" in case else None)


@pytest.mark.parametrize("case", RANKINGS)
def test_which_of_two_pods_is_deleted_first(case: dict[str, Any]):
    pods, related = documents(*case["pods"]), documents(*case["related"])
    neighbours = Counter(pod.spec.nodeName for pod in related if is_active(pod))
    orders = {"ranked": removal_order(neighbours, Time.parse(case["now"])), "plain": removal_order({}, None)}
    for name, order in orders.items():
        before = [[j for j, other in enumerate(pods) if order(pod, other) < 0] for pod in pods]
        assert before == case[name]


def test_the_cases_cover_all_outcomes():
    assert len(BUDGETS) >= 50 and len(RANKINGS) >= 10
    assert {case["written"] for case in BUDGETS} == {True, False}
    assert sum("error" in case for case in BUDGETS) >= 5
