"""The preemption panel at every setting, against the documents' algorithm written out plainly."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

import pytest

from kschedlab.cluster.cluster import Cluster
from kschedlab.generations import V1_20
from kschedlab.lab.panels.preemption import (
    AXES,
    LOWEST,
    MapSettings,
    Settings,
    as_yaml,
    decide,
    manifests,
    map_panel,
    panel,
    show,
    show_map,
    view_of,
    which_node,
    which_pod,
)
from kschedlab.manifests.loading import loads
from kschedlab.scheduler import schedule

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


@pytest.mark.parametrize("priority", Settings.controls()["preemptor"].values)
@pytest.mark.parametrize("generation", ["v1.20", "v1.37"])
def test_every_setting(generation: str, priority: int) -> None:
    for settings in Settings.grid():
        if (settings.generation, settings.preemptor) == (generation, priority):
            check(settings)


def check(settings: Settings) -> None:
    """The decision, its sentence, its ladder, its picture."""
    expected, rule, left = plainly(settings)
    decision = decide(settings)
    preemption, view = decision.preemption, view_of(decision)
    assert preemption is not None
    candidates = preemption.candidates.items()
    found = {node: ([v.pod.metadata.name for v in c.victims], c.violations) for node, c in candidates}
    assert found == {node: ([name for _, _, name in f.victims], f.violations) for node, f in expected.items()}
    assert preemption.tied == left
    drawn = ElementTree.fromstring(str(view.picture))
    assert drawn.get("aria-label") == view.sentence
    if not left:
        assert view.sentence.endswith("and preemption does not help.") and str(view.table) == ""
        return
    victims = " and ".join(name for _, _, name in expected[left[0]].victims)
    assert f"it preempts {victims} on {left[0]}." in view.sentence
    if len(expected) == 1:
        assert "so no rule is asked" in view.sentence
    elif rule:
        assert f"rule {rule} (" in view.sentence and f"▶ {rule}" in str(view.table)
    else:
        assert "rules leave a tie of" in view.sentence and "▶" not in str(view.table)
    texts = ("".join(each.itertext()) for each in drawn.iter("{http://www.w3.org/2000/svg}text"))
    assert [text for text in texts if text.startswith("★")] == [f"★ {left[0]}"]


def test_each_rule_decides_somewhere_and_each_node_is_chosen_that_can_be() -> None:
    rules, chosen = set(), set()
    for settings in Settings.grid():
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
        ({"shop_a": 200, "allowed": 2, "mail_c_start": 540}, "node-b", "tie of node-b, node-c"),
        ({"allowed": 0, "shop_b": 0, "mail_in_shop": True}, "node-b", "rule 2"),
        ({"allowed": 0, "shop_b": 0, "mail_in_shop": True, "generation": "v1.37"}, "node-a", "rule 3"),
    ],
)
def test_the_settings_that_the_lesson_goes_to(changes: dict[str, int], node: str, rule: str) -> None:
    view = show(Settings().changed(**changes))
    assert f"on {node}." in view.sentence and rule in view.sentence


def test_the_yaml_is_the_cluster() -> None:
    settings = Settings(jobs=LOWEST, allowed=0)
    decision = schedule("default/urgent", Cluster(loads(as_yaml(settings)), V1_20.api), V1_20)
    assert str(decision) == str(decide(settings))


def test_the_questions_offer_what_is_in_the_picture() -> None:
    assert set(which_node().remarks) == set(plainly(Settings())[0])
    later = plainly(Settings(shop_a=200, allowed=2))[0]
    assert [text.partition(",")[0] for text in which_pod().remarks] == [
        later[n].victims[0][2] for n in ("node-b", "node-c")
    ]


def test_the_panel_moves_through_the_same_functions() -> None:
    moved = panel(allowed=0)
    assert moved.settings == Settings(allowed=0)
    again = moved.move(allowed=1)
    assert again.view == show(Settings())
    assert repr(again) == f"{Settings()}\n{decide(Settings())}"


@pytest.mark.parametrize("down", AXES)
def test_the_map_shows_what_each_of_its_settings_chooses(down: str) -> None:
    for across in AXES:
        settings = MapSettings(down=down, across=across)
        rows = show_map(settings).text.splitlines()[3:]
        controls = settings.controls()
        for y, row in zip(controls[down].values, rows, strict=True):
            letters = (
                row[len(controls[down].label) :]
                .replace("[", "")
                .replace("]", "")
                .split()[-len(controls[across].values) :]
            )
            nodes = [decide(settings.changed(**{down: y, across: x})).nominated_node for x in controls[across].values]
            assert letters == [node[-1].upper() if node else "–" for node in nodes]


def test_a_click_on_the_map_moves_the_two_sliders_that_it_lays_out() -> None:
    moved = map_panel().click(0, 2)
    assert (moved.settings.shop_b, moved.settings.allowed) == (0, 2)
    assert moved.view.sentence.startswith("Here node-b is chosen")
