"""PodDisruptionBudgets: which evictions violate them."""

import random
from typing import Any

import numpy as np
import pytest

from kschedlab.build import Manifest, budget, cluster, node, pod
from kschedlab.preemption.budgets import violations
from kschedlab.preemption.rules import BudgetRules

LATEST = BudgetRules()
PODS = [pod(f"p{i}", "n1", labels={"app": "web"}) for i in range(3)]


def broken(*budgets: Manifest, pods: list[Manifest] = PODS, rules: BudgetRules = LATEST) -> list[str]:
    """The names of the pods whose eviction, in the given order, violates a budget."""
    world = cluster(node("n1"), *pods, *budgets)
    rows = np.array([world.pods.row_of[f"default/{p['metadata']['name']}"] for p in pods])
    result = violations(world, rows, world.pods.node[rows], rules)
    return [p["metadata"]["name"] for p, b in zip(pods, result, strict=True) if b]


@pytest.mark.parametrize(
    ("name", "budgets", "want"),
    [
        ("none", [], []),
        ("nothing allowed", [budget("b", 0, {"app": "web"})], ["p0", "p1", "p2"]),
        ("one allowed: the first is free", [budget("b", 1, {"app": "web"})], ["p1", "p2"]),
        ("enough allowed", [budget("b", 3, {"app": "web"})], []),
        ("another application", [budget("b", 0, {"app": "db"})], []),
        ("another namespace", [budget("b", 0, {"app": "web"}, namespace="other")], []),
        ("an empty selector matches nothing", [budget("b", 0, {})], []),
        ("no selector matches nothing", [budget("b", 0, selector=None)], []),
        ("a pod that is already disrupted is free", [budget("b", 0, {"app": "web"}, disrupted=["p1"])], ["p0", "p2"]),
        (
            "a pod that breaks the first budget is not charged to the second",
            [budget("a", 1, {"app": "web"}), budget("b", 2, {"app": "web"})],
            ["p1", "p2"],
        ),
        (
            "a pod that the first budget allows may break the second",
            [budget("a", 2, {"app": "web"}), budget("b", 1, {"app": "web"})],
            ["p1", "p2"],
        ),
    ],
)
def test_violations(name: str, budgets: list[Manifest], want: list[str]) -> None:
    assert broken(*budgets) == want, name


def test_no_budget_covers_a_pod_without_labels() -> None:
    everything: Any = budget("b", 0, selector=None)
    everything["spec"]["selector"] = {"matchExpressions": [{"key": "app", "operator": "DoesNotExist"}]}
    assert broken(everything, pods=[pod("bare", "n1")]) == []
    assert broken(everything, pods=[pod("other", "n1", labels={"tier": "x"})]) == ["other"]


def test_every_node_starts_with_full_budgets() -> None:
    pods = [pod(f"p{i}", f"n{i}", labels={"app": "web"}) for i in (1, 2)]
    world = cluster(node("n1"), node("n2"), *pods, budget("b", 1, {"app": "web"}))
    rows = np.arange(2)
    result = violations(world, rows, world.pods.node[rows], BudgetRules())
    assert result.tolist() == [False, False]


def test_not_counted_down_only_a_budget_that_allows_none_is_violated() -> None:
    rules = BudgetRules(counted_down=False)
    assert broken(budget("b", 1, {"app": "web"}), rules=rules) == []
    assert broken(budget("b", 0, {"app": "web"}), rules=rules) == ["p0", "p1", "p2"]


def test_disrupted_pods_count_by_rule() -> None:
    rules = BudgetRules(disrupted_pods_exempt=False)
    assert broken(budget("b", 0, {"app": "web"}, disrupted=["p1"]), rules=rules) == ["p0", "p1", "p2"]


def test_a_pod_counts_against_every_budget_by_rule() -> None:
    """The second budget allows two, and p0 and p1 use them up, although p1 violates the first."""
    budgets = budget("a", 1, {"app": "web"}, disrupted=["p2"]), budget("b", 2, {"app": "web"})
    assert broken(*budgets) == ["p1"]
    assert broken(*budgets, rules=BudgetRules(stops_at_first_violation=False)) == ["p1", "p2"]


@pytest.mark.parametrize(
    "rules", [LATEST, BudgetRules(stops_at_first_violation=False), BudgetRules(counted_down=False)]
)
def test_many_budgets_at_once_equal_one_pod_and_budget_after_another(rules: BudgetRules) -> None:
    for seed in range(60):
        draw = random.Random(seed)
        apps = [f"app-{n}" for n in range(draw.choice([3, 30]))]
        pods = [
            pod(f"p{n:02}", f"n{n // 10}", labels={"app": draw.choice(apps), "tier": draw.choice("ab"), "own": str(n)})
            for n in range(40)
        ]
        budgets = [budget(app, draw.randrange(3), {"app": app}, disrupted=draw.choice([[], ["p07"]])) for app in apps]
        budgets += [budget(tier, draw.randrange(4), {"tier": tier}) for tier in draw.choice(["", "a", "ab"])]
        world = cluster(*(node(f"n{n}") for n in range(4)), *pods, *budgets)
        rows = np.array([world.pods.row_of[f"default/{p['metadata']['name']}"] for p in pods])
        found = violations(world, rows, world.pods.node[rows], rules).tolist()
        assert found == one_after_another(pods, budgets, rules), seed


def one_after_another(pods: list[Manifest], budgets: list[Manifest], rules: BudgetRules) -> list[bool]:
    result = []
    for place, each in enumerate(pods):
        if place % 10 == 0:
            left = [b["status"]["disruptionsAllowed"] for b in budgets]
        violates = False
        for n, b in enumerate(budgets):
            (label,) = b["spec"]["selector"]["matchLabels"].items()
            exempt = rules.disrupted_pods_exempt and each["metadata"]["name"] in b["status"].get("disruptedPods", {})
            if label not in each["metadata"]["labels"].items() or exempt:
                continue
            if violates and rules.stops_at_first_violation:
                break
            violates |= left[n] <= 0
            left[n] -= rules.counted_down
        result.append(violates)
    return result
