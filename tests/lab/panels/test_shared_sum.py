"""Goroutines that share sums: every order ends as a replay of its reads and writes says."""

from itertools import product
from xml.etree import ElementTree

import pytest

from kschedlab.lab.panels.shared_sum import (
    DESIGNS,
    PRIORITIES,
    Settings,
    decide,
    interleave,
    moments,
    outcomes,
    panel,
    race,
    show,
    what_is_left,
)

CURES = [each for each in DESIGNS if each != "shared sum"]
SETTINGS = [
    Settings(design, goroutines, seed) for design, goroutines, seed in product(DESIGNS, (2, 3, 4), range(1, 21))
]


def last(settings):
    return settings.changed(step=len(moments(settings)) - 1)


def replayed(settings):
    """The totals at the end, from the reads and writes alone."""
    scores = race(settings.goroutines).scores
    totals, seen = [0] * len(scores[0]), {}
    for moment in moments(settings):
        if moment.does == "reads":
            seen[moment.who] = totals[moment.node]
        if moment.does == "writes":
            totals[moment.node] = seen[moment.who] + scores[moment.who][moment.node]
    return totals


@pytest.mark.parametrize("goroutines", [2, 3, 4])
def test_a_shared_sum_is_what_reads_and_writes_make_of_it(goroutines):
    for seed in range(1, 101):
        settings = Settings(goroutines=goroutines).changed(seed=seed % 20 + 1)
        assert [each.value for each in moments(settings)[-1].totals] == replayed(settings)


@pytest.mark.parametrize("design", CURES)
def test_every_cure_gives_the_right_sums_in_every_order(design):
    for goroutines, seed in product((2, 3, 4), range(200)):
        scores = race(goroutines).scores
        end = interleave(scores, design, seed)[-1]
        assert [each.value for each in end.totals] == race(goroutines).right()
        assert end.lost() == []


def test_what_is_lost_is_what_is_missing():
    for settings in SETTINGS:
        end, adding = moments(settings)[-1], race(settings.goroutines)
        missing = [
            sum(adding.scores[who][node] for who, at in end.lost() if at == node) for node in range(len(adding.nodes))
        ]
        assert [total.value + gap for total, gap in zip(end.totals, missing, strict=True)] == adding.right()


def test_in_a_lock_is_one_goroutine_at_a_time():
    for settings in (each for each in SETTINGS if each.design == "shared sum with a lock"):
        holder = None
        for moment in moments(settings):
            if moment.does == "locks":
                assert holder is None
                holder = moment.who
            elif moment.does in ("reads", "adds", "writes"):
                assert moment.who == holder
            if moment.does == "writes":
                holder = None


def test_the_scores_are_the_engine_s():
    for goroutines in (2, 3, 4):
        scores, adding = decide(goroutines).scores, race(goroutines)
        assert scores is not None
        assert set(scores.plugins) == set(PRIORITIES[:goroutines])
        assert adding.right() == scores.total.tolist()
        assert adding.highest(adding.right()) == decide(goroutines).best == ["node-b"]


def test_sentences_over_the_grid():
    for settings in SETTINGS:
        adding, end = race(settings.goroutines), show(last(settings))
        totals = [each.value for each in moments(settings)[-1].totals]
        if totals == adding.right():
            assert end.sentence.startswith("All is added up rightly")
        else:
            wins = adding.highest(totals)
            known = f"{' or '.join(wins)} wins instead of node-b" if wins != ["node-b"] else "the same node wins"
            assert known in end.sentence and "additions are lost" in end.sentence
        if settings.seed == 1:
            for step in range(len(moments(settings))):
                view = show(settings.changed(step=step))
                assert ElementTree.fromstring(str(view.picture)).get("aria-label") == view.sentence
                assert view.text.startswith(view.sentence)


def test_a_lost_update_is_told_at_the_step_at_which_it_happens():
    view = show(Settings(step=14))
    assert view.sentence == (
        "Step 14: G1 writes 6 to node-b. G2's 10 for node-b is lost: G1 had read the total before."
    )
    assert len(moments(Settings())) - 1 == 37
    assert show(Settings(step=37)).sentence.endswith("node-c wins instead of node-b.")


def test_outcomes_count_every_order():
    assert sum(outcomes("shared sum").values()) == 200
    assert len(outcomes("shared sum")) > 3
    assert all(outcomes(design) == {"node-b": 200} for design in CURES)


def test_the_question_s_answers_are_the_possible_totals():
    found = {interleave([[6], [10]], "shared sum", seed)[-1].totals[0].value for seed in range(50)}
    assert found == {6, 10, 16}
    assert "6, 10 or 16" in what_is_left().remarks


def test_the_panel_moves_through_the_same_functions():
    moved = panel(step=14).move(design="atomic addition")
    assert moved.settings.step == 13 and moved.view == show(moved.settings)
