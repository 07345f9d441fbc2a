"""The parts of v1.13's queue at every setting: where web goes, and that it is never in two places."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from kschedlab.lab.panels.queue_parts import (
    AFTERWARDS,
    BEFORE,
    CHANGED,
    DURING,
    ERROR,
    NEVER,
    UNSCHEDULABLE,
    Frame,
    NominatedSettings,
    Settings,
    as_yaml,
    calls_of,
    frames,
    nominated_panel,
    panel,
    show,
    show_nominated,
    where_to,
)

ALL = [
    (meanwhile, reason, then)
    for meanwhile in (NEVER, BEFORE, DURING, CHANGED)
    for reason in (UNSCHEDULABLE, ERROR)
    for then in AFTERWARDS
]
BRINGS_BACK = {"MoveAllToActiveQueue", "Update of its labels", "AssignedPodAdded: db", "flush 61 s later"}


def given_back(seen: tuple[Frame, ...]) -> Frame:
    return next(each for each in seen if each.call.startswith("AddUnschedulable"))


@pytest.mark.parametrize("case", ALL)
def test_where_a_failed_pod_goes_and_what_brings_it_back(case: tuple[str, str, str]) -> None:
    meanwhile, reason, then = case
    seen = frames(*case)
    waits = reason == UNSCHEDULABLE and meanwhile in (NEVER, BEFORE)
    assert given_back(seen).where == ("unschedulableQ" if waits else "activeQ")
    if then != "nothing":
        assert seen[-1].where == ("unschedulableQ" if waits and then not in BRINGS_BACK else "activeQ")
    for each in seen:
        assert not {"web", "mail"} <= set(each.unschedulable)
        assert not set(each.active) & set(each.unschedulable)


def test_an_update_during_the_attempt_is_the_one_way_to_be_refused() -> None:
    for case in ALL:
        assert ("already present in the activeQ" in given_back(frames(*case)).said) == (case[0] == CHANGED)


def test_the_view_of_every_step() -> None:
    for settings in Settings.grid():
        view, seen = show(settings), frames(settings.meanwhile, settings.reason, settings.then)
        here = seen[settings.step]
        assert here.where in view.sentence and here.call in view.sentence
        assert view.text.count("\n") == len(seen) + 1
        assert f"moveRequestCycle {here.cycles[1]}" in str(view.picture)
        assert ElementTree.fromstring(str(view.picture)).get("aria-label") == view.sentence


def test_panel_and_question() -> None:
    moved = panel().move(meanwhile=DURING, step=3)
    assert moved.view is not None and moved.view.sentence.endswith("web is in activeQ.")
    assert "podAffinity" in as_yaml(Settings())
    assert [answer for answer, remark in where_to().remarks.items() if remark.startswith("Yes")] == ["to activeQ"]


@pytest.mark.parametrize("kept", [False, True])
def test_nominations(kept: bool) -> None:
    calls = calls_of(kept)
    lists = [each.by_node for each in calls]
    after_update = {"node-a": ("batch",), "node-b": ("urgent",)} if kept else {"node-a": ("batch",)}
    assert lists == [
        {},
        {"node-a": ("urgent",)},
        {"node-a": ("urgent", "batch")},
        {"node-a": ("batch",), "node-b": ("urgent",)},
        after_update,
        {"node-a": ("batch",), "node-b": ("urgent",)},
        {"node-b": ("urgent",)},
    ]
    for each in calls:
        pairs = {(f"uid-{name}", node) for node, names in each.by_node.items() for name in names}
        assert pairs == set(each.node_of.items())


def test_the_view_of_every_nomination() -> None:
    for settings in NominatedSettings.grid():
        view, here = show_nominated(settings), calls_of(settings.kept)[settings.step]
        assert here.call in view.sentence
        assert all(f"{node}: {', '.join(names)}" in view.sentence for node, names in here.by_node.items())
    assert nominated_panel().move(step=3).view == show_nominated(NominatedSettings(step=3))
