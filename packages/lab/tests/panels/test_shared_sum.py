"""Goroutines that share sums: every order ends as a replay of its reads and writes says."""

from itertools import product
from xml.etree import ElementTree

import pytest

from kschedlab_lab.panels.shared_sum import (
    DESIGNS,
    PRIORITIES,
    Settings,
    decide,
    fates,
    interleave,
    moments,
    panel,
    race,
    show,
    wrong_node,
)
from kschedlab_lab.views.shared_sum import LUCKY, RIGHT, TIED, WRONG
from kschedlab_lab.views.svg import Room
from tests.saying import says

ROOM = Room(640, 330)
CURES = [each for each in DESIGNS if each != "shared sum"]
SETTINGS = [Settings(design, workers, seed) for design, workers, seed in product(DESIGNS, (2, 3, 4), range(1, 21))]


def last(settings):
    return settings.changed(step=len(moments(settings)) - 1)


def replayed(settings):
    """The totals at the end, from the reads and writes alone."""
    scores = race(settings.workers).scores
    totals, seen = [0] * len(scores[0]), {}
    for moment in moments(settings):
        if moment.does == "reads":
            seen[moment.who] = totals[moment.node]
        if moment.does == "writes":
            totals[moment.node] = seen[moment.who] + scores[moment.who][moment.node]
    return totals


@pytest.mark.parametrize("workers", [2, 3, 4])
def test_a_shared_sum_is_what_reads_and_writes_make_of_it(workers):
    for seed in range(1, 21):
        settings = Settings(workers=workers).changed(seed=seed)
        assert [each.value for each in moments(settings)[-1].totals] == replayed(settings)


@pytest.mark.parametrize("design", CURES)
def test_every_cure_gives_the_right_sums_in_every_order(design):
    for workers, seed in product((2, 3, 4), range(200)):
        scores = race(workers).scores
        end = interleave(scores, design, seed)[-1]
        assert [each.value for each in end.totals] == race(workers).right()
        assert end.lost() == []


def test_what_is_lost_is_what_is_missing():
    for settings in SETTINGS:
        end, adding = moments(settings)[-1], race(settings.workers)
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
    for workers in (2, 3, 4):
        scores, adding = decide(workers).scores, race(workers)
        assert scores is not None
        assert set(scores.plugins) == set(PRIORITIES[:workers])
        assert adding.right() == scores.total.tolist()
        assert adding.highest(adding.right()) == decide(workers).best == ["node-b"]


def test_sentences_over_the_grid():
    for settings in SETTINGS:
        adding, end = race(settings.workers), show(last(settings))
        totals = [each.value for each in moments(settings)[-1].totals]
        if totals == adding.right():
            assert end.sentence.startswith("Every sum is right")
        else:
            wins = adding.highest(totals)
            known = f"{' or '.join(wins)} wins instead of node-b" if wins != ["node-b"] else "the same node wins"
            if "node-b" in wins[1:] or wins[1:] and wins[0] == "node-b":
                known = f"node-b only ties with {' and '.join(node for node in wins if node != 'node-b')}"
            assert known in end.sentence and "scores above 0 are lost" in end.sentence
        if settings.seed == 1:
            for step in range(len(moments(settings))):
                view = show(settings.changed(step=step))
                assert ElementTree.fromstring(str(view.picture(ROOM))).get("aria-label") == view.sentence


def test_a_lost_update_is_told_at_the_step_at_which_it_happens():
    view = show(Settings(step=9))
    assert view.sentence == (
        "Worker 1 writes 6 to node-b. Worker 2's 10 for node-b is lost: worker 1 had read the total before."
    )
    assert show(Settings(step=25)).sentence.startswith(
        "4 of 8 scores above 0 are lost, and node-c wins instead of node-b."
    )


def test_every_order_of_steps_is_shown_with_its_end():
    for design, workers in product(DESIGNS, (2, 3, 4)):
        settings = Settings(design, workers)
        ends, adding = fates(settings), race(workers)
        for seed, end in enumerate(ends, 1):
            totals = [each.value for each in moments(settings.changed(seed=seed))[-1].totals]
            best = adding.highest(totals)
            expected = LUCKY if best == ["node-b"] else TIED if len(best) > 1 else WRONG
            assert end == (RIGHT if totals == adding.right() else expected)
        assert set(ends) == {RIGHT} or design == "shared sum"
        drawn = str(show(settings).picture(ROOM))
        assert all(f'aria-label="seed {seed}: {end}"' in drawn for seed, end in enumerate(ends, 1))


def test_the_question_counts_the_right_orders():
    asked, settings = wrong_node(), Settings()
    assert fates(settings).count(RIGHT) == 0 and asked.right(settings) == asked.choices[0]
    assert asked.right(Settings(design="atomic addition")) == asked.choices[2]
    assert says(asked.why(settings, asked.choices[1]), "0 of 20 orders", "node-b")


def test_another_design_is_shown_at_its_end():
    there = Settings(step=25)
    for name, value in (("design", 1), ("workers", 0), ("seed", 4)):
        other = there.at({**there.indices(), name: value})
        assert moments(other)[other.step].does == "ends"
    assert there.at({**there.indices(), "step": 3}).step == 3


def test_workers_are_drawn_where_they_work():
    settings = Settings(step=9)
    drawn = ElementTree.fromstring(str(show(settings).picture(ROOM)))
    keys = [each.get("data-key") for each in drawn.iter() if each.get("data-key")]
    assert {"worker/1", "worker/2", "worker/3", "cell/0/1", "total/3"} < set(keys) and len(keys) == len(set(keys))


def test_the_panel_moves_through_the_same_functions():
    moved = panel(step=14).move(design="atomic addition")
    assert moved.settings.step == 13 and moved.view.sentence == show(moved.settings).sentence
