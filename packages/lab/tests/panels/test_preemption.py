"""The preemption panel at every setting, against the documents' algorithm written out plainly."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any
from xml.etree import ElementTree

import pytest

from kschedlab.cluster.cluster import Cluster
from kschedlab.generations import V1_20
from kschedlab.manifests.loading import loads
from kschedlab.plugins import node_filter
from kschedlab.scheduler import schedule
from kschedlab_lab.panels import base
from kschedlab_lab.panels.preemption import (
    LOWEST,
    RULES,
    VICTIMS,
    Settings,
    decide,
    manifests,
    panel,
    view_of,
)
from kschedlab_lab.panels.preemption_questions import how_low, which_node, which_pod, who_returns
from kschedlab_lab.views.svg import Room
from packages.lab.tests.grids import each_of
from tests.samples import sampled
from tests.saying import says

OFFSET = 2**31


@dataclass
class Found:
    """A candidate: its victims as (priority, start, name), in the generation's order, and its violations."""

    victims: list[tuple[int, str, str]]
    violations: int


def plainly(settings: Settings) -> tuple[dict[str, Found], int, list[str]]:
    """(candidates, the number of the rule that decides or 0, the nodes that are left), pod by pod."""
    objects = manifests(settings)
    pods = [each for each in objects if each["kind"] == "Pod" and "nodeName" in each["spec"]]
    (urgent,) = (each for each in objects if each["metadata"]["name"] == "urgent")
    candidates = {}
    for node in sorted({each["spec"]["nodeName"] for each in pods}):
        here = [each for each in pods if each["spec"]["nodeName"] == node]
        found = victims_on(here, urgent, settings)
        if found is not None:
            candidates[node] = found
    return candidates, *ladder(candidates)


def cpu(pod: dict[str, Any]) -> int:
    return int(pod["spec"]["containers"][0]["resources"]["requests"]["cpu"])


def victims_on(here: list[dict[str, Any]], urgent: dict[str, Any], settings: Settings) -> Found | None:
    allowed = settings.allowed
    lower = [each for each in here if each["spec"]["priority"] < urgent["spec"]["priority"]]
    free = 4 - sum(cpu(each) for each in here if each not in lower) - cpu(urgent)
    if not lower or free < 0:
        return None
    lower.sort(key=lambda each: (-each["spec"]["priority"], each["status"]["startTime"]))
    violating = []
    for each in lower:
        if each["metadata"].get("labels", {}).get("app") == "shop":
            allowed -= 1
            if allowed < 0:
                violating.append(each)
    victims, violations = [], 0
    for each in violating + [each for each in lower if each not in violating]:
        if cpu(each) <= free:
            free -= cpu(each)
        else:
            victims.append((each["spec"]["priority"], each["status"]["startTime"], each["metadata"]["name"]))
            violations += each in violating
    if settings.generation == "v1.37":
        victims.sort(key=lambda v: (-v[0], v[1]))
    return Found(victims, violations)


def ladder(candidates: dict[str, Found]) -> tuple[int, list[str]]:
    left = sorted(candidates)
    if len(left) < 2:
        return 0, left

    def newest(found: Found) -> int:
        highest = max(priority for priority, _, _ in found.victims)
        start = min(start for priority, start, _ in found.victims if priority == highest)
        return -int("".join(filter(str.isdigit, start)))

    rules = (
        lambda found: found.violations,
        lambda found: found.victims[0][0],
        lambda found: sum(priority + OFFSET for priority, _, _ in found.victims),
        lambda found: len(found.victims),
        newest,
    )
    for number, rule in enumerate(rules, start=1):
        best = min(rule(candidates[node]) for node in left)
        left = [node for node in left if rule(candidates[node]) == best]
        if len(left) == 1:
            return number, left
    return 0, left


@cache
def grid() -> list[Settings]:
    return list(each_of(Settings))


@pytest.mark.parametrize("start", sampled(range(0, 210, 7), 1))
@pytest.mark.parametrize("priority", Settings.controls()["preemptor"].values)
@pytest.mark.parametrize("generation", ["v1.20", "v1.37"])
def test_many_settings(generation: str, priority: int, start: int) -> None:
    mine = [each for each in grid() if (each.generation, each.preemptor) == (generation, priority)]
    for number, settings in enumerate(mine[start::210]):
        check(settings, drawn=number % 5 == 0)


def check(settings: Settings, drawn: bool) -> None:
    """The decision, its sentence, its ladder, and its picture if it is ``drawn``."""
    expected, rule, left = plainly(settings)
    decision = decide(settings)
    preemption, view = decision.preemption, view_of(settings, decision)
    assert preemption is not None
    candidates = preemption.candidates.items()
    found = {node: ([v.pod.metadata.name for v in c.victims], c.violations) for node, c in candidates}
    assert found == {node: ([name for _, _, name in f.victims], f.violations) for node, f in expected.items()}
    assert preemption.tied == left
    if drawn:
        check_picture(view, rule, left)
    if not left:
        assert view.sentence.endswith("and preemption does not help.")
        return
    victims = " and ".join(name for _, _, name in expected[left[0]].victims)
    if len(left) == 1:
        assert view.sentence.startswith(f"urgent goes to {left[0]}; {victims} ha")
    else:
        assert says(view.sentence.partition(".")[0], "tie", *left, "here", left[0])
    if len(expected) == 1:
        assert "so no rule is asked" in view.sentence
    elif rule:
        assert f"Rule {rule} decides" in view.sentence and f"\n  ▶ {rule}  " in view.text
    else:
        assert "tie" in view.sentence and "\n  ▶ " not in view.text


def check_picture(view: base.View, rule: int, left: list[str]) -> None:
    """The star is on the chosen node, and on the rung that decides; a tie is called so on the last one."""
    svg = ElementTree.fromstring(str(base.drawn(view.picture, Room())))
    assert svg.get("aria-label") == view.sentence
    states = {each.get("data-key"): state for each in svg.iter() if (state := each.get("data-state"))}
    starred = [key for key, state in states.items() if state in ("chosen", "wins")]
    last = [f"rung/{rule}/{left[0]}"] if rule else []
    assert starred == ([f"node/{left[0]}", *last] if left else [])
    tied = [key for key, state in states.items() if state == "tied" and key.startswith("rung/")]
    assert tied == ([f"rung/5/{node}" for node in left] if len(left) > 1 else [])


def test_each_rule_decides_somewhere_and_each_node_is_chosen_that_can_be() -> None:
    rules, chosen = set(), set()
    for settings in grid()[::13]:
        candidates, rule, left = plainly(settings)
        rules.add((rule, min(len(candidates), 2)))
        chosen |= set(left[:1])
    assert rules == {(0, 0), (0, 1), (0, 2), *((rule, 2) for rule in range(1, 6))}
    assert chosen == {"node-a", "node-b", "node-c", "node-d"}


@pytest.mark.parametrize(
    ("changes", "node", "rule"),
    [
        ({}, "node-a", "rule 3"),
        ({"allowed": 0}, "node-c", "rule 1"),
        ({"shop_b": 0, "allowed": 2}, "node-b", "rule 2"),
        ({"jobs": LOWEST}, "node-a", "rule 4"),
        ({"shop_a": 200, "allowed": 2}, "node-c", "rule 5"),
        ({"shop_a": 200, "allowed": 2, "mail_c_start": 540}, "node-b", "node-b and node-c tie"),
        ({"allowed": 0, "shop_b": 0, "mail_in_shop": True}, "node-b", "rule 2"),
        ({"allowed": 0, "shop_b": 0, "mail_in_shop": True, "generation": "v1.37"}, "node-a", "rule 3"),
    ],
)
def test_the_settings_that_the_lesson_goes_to(changes: dict[str, int], node: str, rule: str) -> None:
    view = panel(**changes).view
    assert says(view.sentence.partition(".")[0], "urgent", node) and rule in view.sentence.lower()


def test_the_yaml_is_the_cluster() -> None:
    settings = Settings(jobs=LOWEST, allowed=0)
    decision = schedule("default/urgent", Cluster(loads(panel().restore(str(settings)).yaml()), V1_20.api), V1_20)
    assert str(decision) == str(decide(settings))


@pytest.mark.parametrize(
    ("changes", "right", "wrong", "why"),
    [
        (
            {"allowed": 1},
            "node-a",
            "node-b",
            "node-b drops out at rule 2, first victim: it has logs-b (150), node-a shop-a (100). Step 1",
        ),
        (
            {},
            "node-a",
            "node-c",
            "node-c drops out at rule 3, sum: it has 100 + 2·2³¹, node-a 100 + 2³¹. One more victim",
        ),
        ({}, "node-a", "node-d", "node-d is not a candidate: 900 ≥ 500"),
        (
            {"allowed": 0},
            "node-c",
            "node-a",
            "node-a drops out at rule 1, violations: it has 1, node-c 0. The rule counts",
        ),
        (
            {"shop_b": 0, "allowed": 2},
            "node-b",
            "node-a",
            "node-a drops out at rule 2, first victim: it has shop-a (100), node-b shop-b (0).",
        ),
        ({"jobs": -100}, "node-a", "node-c", "node-c drops out at rule 3, sum: it has 2·2³¹"),
        (
            {"jobs": LOWEST},
            "node-a",
            "node-c",
            "node-c drops out at rule 4, victims: it has 2, node-a 1. A victim of priority −2³¹",
        ),
    ],
)
def test_the_question_about_the_node(changes: dict[str, Any], right: str, wrong: str, why: str) -> None:
    asked = which_node().verdict(wrong, Settings(**changes))
    assert not asked["right"] and asked["why"].startswith(why) and asked["solution"] == right
    assert which_node().verdict(right, Settings(**changes))["right"]


def test_a_right_answer_says_why_the_rival_is_not_chosen() -> None:
    why = which_node().verdict("node-a", Settings(allowed=1))["why"]
    assert says(why, "node-b drops out at rule 2", "node-c drops out at rule 3", "One more victim costs 2³¹ more.")
    assert (
        which_node("", "node-a")
        .verdict("node-c", Settings(allowed=0))["why"]
        .startswith("node-a, node-b drop out at rule 1, violations: each has 1; node-c has 0.")
    )
    hidden = Settings(mail_in_shop=True, allowed=0, shop_b=0)
    assert which_node("", "node-a").verdict("node-b", hidden)["why"].endswith("The rule never looks at logs-b (150).")
    assert which_node("", "node-a").verdict(None, Settings())["why"].startswith("Rule 3 decides")


@pytest.mark.parametrize(("allowed", "returns"), [(1, "jobs-b"), (2, "logs-b")])
def test_who_returns_depends_on_the_budget(allowed: int, returns: str) -> None:
    verdict = who_returns().verdict("shop-b", Settings(allowed=allowed))
    assert verdict["solution"] == returns and says(verdict["why"], f"{returns} (1 CPU) fits", "No other pod")


def test_who_is_evicted_is_answered_by_both_start_times() -> None:
    why = which_pod().verdict("shop-b", Settings(shop_a=200, allowed=2))["why"]
    assert says(why, "node-b drops out at rule 5", "09:00", "node-c 10:00", "later start wins")


def test_questions_are_answered_in_the_picture() -> None:
    for question, picks in (
        (which_node(), ["node-a", "node-b", "node-c", "node-d"]),
        (which_pod(), ["shop-b", "mail-c"]),
        (who_returns(), ["logs-b", "shop-b", "jobs-b"]),
    ):
        assert question.before is not None and question.asked()["drawn"]
        svg = ElementTree.fromstring(str(base.drawn(question.before(Settings()), Room())))
        assert [each.get("data-pick") for each in svg.iter() if each.get("data-pick")] == picks
        assert not [each for each in svg.iter() if each.get("data-drag") or each.get("data-set")]


def test_a_question_after_a_change_says_what_changed() -> None:
    assert which_node().text == "Which node is chosen?"
    assert which_node("The budget allows 2.").text == "The budget allows 2. Which node now?"


@pytest.mark.parametrize(("until", "call"), [(VICTIMS, 'lesson.panel(until="victims")'), (RULES, "lesson.panel()")])
def test_a_link_restores_as_much_of_the_decision_as_is_shown(until: str, call: str) -> None:
    assert panel(until=until).link().startswith(f"{call}.restore(")


def test_the_picture_is_the_control() -> None:
    """Every handle names a control, and what it sets is allowed."""
    controls = Settings.controls()
    svg = ElementTree.fromstring(str(base.drawn(panel(shop_a=200, allowed=2).view.picture, Room())))
    assert {each.get("data-drag") for each in svg.iter() if each.get("data-drag")} == {
        "preemptor",
        "shop_a",
        "shop_b",
        "jobs",
        "mail_c_start",
        "allowed",
        "generation",
    }
    sets = [text for each in svg.iter() if (text := each.get("data-set"))]
    assert sets == []
    assert "mail_in_shop: on" in str(base.drawn(panel(allowed=0).view.picture, Room()))
    assert "mail_in_shop: off" in str(base.drawn(panel(mail_in_shop=True).view.picture, Room()))
    assert all(isinstance(Settings.parse(text), Settings) for text in sets) and controls.keys() >= {"preemptor"}


def test_before_the_ladder_only_the_budget_can_be_changed() -> None:
    view = panel(until="victims").view
    svg = ElementTree.fromstring(str(base.drawn(view.picture, Room())))
    assert [each.get("data-drag") for each in svg.iter() if each.get("data-drag")] == ["allowed"]
    assert not [each for each in svg.iter() if each.get("data-set")]
    assert {*view.idle, "allowed"} == {*Settings.controls()} and not any(view.idle.values())


def test_the_rule_about_sums_says_the_sums_as_the_picture_has_them() -> None:
    said = panel(allowed=1).view.sentence.partition("Rule 3 decides: ")[2]
    assert says(said, "sum", "node-a has 100 + 2³¹", "node-c 100 + 2·2³¹") and "node-b" not in said


def test_the_story_ends_with_the_picture() -> None:
    view = panel(allowed=1).view
    assert view.story is not None
    frames = view.story(Room())
    assert frames[-1].picture == base.drawn(view.picture, Room()) and len(frames) == 4


@node_filter("Mine")
def mine(pod: Any, node: Any) -> str | None:
    return "not for you" if node.name == "node-a" else None


def test_a_plugin_of_ones_own_joins_the_generation() -> None:
    view = panel(plugins=[mine]).view
    assert "urgent goes to node-c;" in view.sentence
    assert "not for you" in str(base.drawn(view.picture, Room()))


def test_the_panel_moves_through_the_same_functions() -> None:
    moved = panel(allowed=0)
    assert moved.settings == Settings(allowed=0)
    again = moved.move(allowed=2)
    assert again.view.text == panel().view.text
    assert repr(again) == f"{Settings()}\n{decide(Settings())}"


@pytest.mark.parametrize("width", [344, 592])
def test_where_numbers_can_be_changed_pods_that_cannot_be_evicted_show_their_number_and_a_lock(width: int) -> None:
    view = panel(preemptor=250, shop_a=300, allowed=1).view
    svg = ElementTree.fromstring(str(base.drawn(view.picture, Room(width, 500))))
    texts = {key: "".join(each.itertext()) for each in svg.iter() if (key := each.get("data-key"))}
    assert texts["pod/shop-a/priority"] == "300" and texts["pod/vault-d"].startswith("vault-d900")
    assert "≥" not in texts["pod/shop-a"] and texts["pod/vault-d"].replace(" ", "").endswith("900≥250")
    for pod in ("shop-a", "vault-d"):
        tips = [each.get("data-tip") or "" for each in svg.iter() if each.get("data-key") == f"pod/{pod}"]
        assert "can't be evicted" in tips[0]


def test_rule_4_decides_only_at_the_lowest_priority_which_the_answer_shows() -> None:
    question, first = how_low(), Settings()
    assert question.right(first) == "−2³¹" and question.shows(first).jobs == LOWEST
    assert says(question.why(first, "−2³¹"), "drops out at rule 4", "adds 0 to the sum")
    for wrong in ("−100", "−10⁹"):
        assert says(question.why(first, wrong), f"With {wrong}", "rule 3 still drops node-c")
