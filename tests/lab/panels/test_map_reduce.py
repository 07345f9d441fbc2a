"""The work handed out over the whole grid, against a plain clock that ticks; and what the panel says of it."""

from xml.etree import ElementTree

import pytest

from kschedlab.cluster.cluster import Cluster
from kschedlab.generations import V1_16
from kschedlab.lab.panels.map_reduce import (
    FUNCTION_TICKS,
    NEW,
    Settings,
    as_yaml,
    costs,
    decide,
    ends,
    hand_out,
    panel,
    pieces,
    show,
    which_worker,
    written,
)
from kschedlab.manifests.loading import loads
from kschedlab.scheduler import schedule

GRID = list(Settings.grid())


def by_clock(costs: list[int], workers: int) -> list[tuple[int, int, int, int]]:
    """Tick by tick: (node, worker, start, end)."""
    free, busy, found, waiting, tick = list(range(1, min(workers, len(costs)) + 1)), {}, [], list(range(len(costs))), 0
    while waiting or busy:
        for worker in [each for each, end in busy.items() if end == tick]:
            del busy[worker]
            free.append(worker)
        for worker in sorted(free):
            if waiting:
                node = waiting.pop(0)
                free.remove(worker)
                busy[worker] = tick + costs[node]
                found.append((node, worker, tick, busy[worker]))
        tick += 1
    return found


@pytest.mark.parametrize("nodes", [4, 12, 20])
def test_whoever_is_free_takes_the_next_index(nodes):
    for seed in range(1, 4):
        for workers in range(1, 17):
            work = hand_out(costs(nodes, seed), workers)
            assert [(p.node, p.worker, p.start, p.end) for p in work] == by_clock(costs(nodes, seed), workers)


def test_no_more_workers_than_nodes_and_never_slower_with_more():
    for nodes in (4, 12, 20):
        times = [ends(Settings(nodes=nodes, workers=workers)) for workers in range(1, 17)]
        assert times[0] == sum(costs(nodes, 1))
        assert {p.worker for p in pieces(Settings(nodes=nodes, workers=16))} == set(range(1, min(nodes, 16) + 1))
        assert times[-1] < times[0] and times[-1] >= max(costs(nodes, 1))


def test_every_step_of_every_setting():
    for settings in GRID:
        last, view = ends(settings), show(settings)
        cells, scores = written(settings), decide(settings.nodes).scores
        assert scores is not None
        assert all(len(who) == 1 for who in cells.values())
        assert "cells with two writers" in view.text and view.text.endswith(" 0")
        if settings.step == 0:
            assert not cells and "The channel holds the indices" in view.sentence
        elif settings.step <= last:
            assert view.sentence.startswith(f"Tick {settings.step}: ")
            assert f"{len(cells)} of {7 * settings.nodes} cells written" in view.sentence
            assert ("ParallelizeUntil returns" in view.sentence) == (settings.step == last)
        assert (len(cells) == 7 * settings.nodes) == (settings.step >= last)
        function = next(line for line in view.text.splitlines() if "InterPodAffinityPriority" in line)
        assert (":F" in function) == (settings.step >= min(FUNCTION_TICKS, last + 1))


def test_cells_are_filled_from_the_first_algorithm_on_and_stay():
    for settings in (Settings(workers=3), Settings(nodes=20, workers=7, seed=3)):
        before: dict[tuple[int, int], list[int]] = {}
        for step in range(ends(settings) + 1):
            now = written(settings.changed(step=step))
            assert before.items() <= now.items()
            assert all((place - 1, node) in now for place, node in now if place)
            before = now


def test_the_numbers_are_the_engine_s():
    for nodes in (4, 12, 20):
        settings = Settings(nodes=nodes)
        settings, scores = settings.changed(step=ends(settings) + 2), decide(nodes).scores
        assert scores is not None
        lines = show(settings).text.splitlines()
        for name, scored in zip(scores.plugins, scores.rows, strict=True):
            line = next(line for line in lines if name in line)
            assert [int(cell.split(":")[0]) for cell in line.split()[2:]] == scored.normalized.tolist()
        assert lines[-3 - settings.workers].split()[-nodes:] == [str(total) for total in scores.total.tolist()]
        assert f"{NEW} goes to {decide(nodes).node}" in show(settings).sentence


@pytest.mark.parametrize("settings", GRID[:: len(GRID) // 25])
def test_pictures_are_well_formed_and_say_what_the_sentence_says(settings):
    view = show(settings)
    assert ElementTree.fromstring(str(view.picture)).get("aria-label") == view.sentence


def test_reduce_and_sum_are_the_last_steps():
    settings = Settings()
    reduced, added = (show(settings.changed(step=ends(settings) + n)) for n in (1, 2))
    assert reduced.sentence.startswith("After the last Map, Reduce has changed 3 rows: NodeAffinityPriority,")
    assert "sum of score × weight" in added.text and "sum of score × weight" not in reduced.text


def test_the_yaml_is_the_cluster():
    settings = Settings(nodes=12)
    decision = schedule(NEW, Cluster(loads(as_yaml(settings)), V1_16.api), V1_16)
    assert str(decision) == str(decide(12))


def test_the_answer_to_the_question_is_not_the_worker_whose_turn_it_would_be():
    assert "node 8" in which_worker().text
    assert pieces(Settings())[8].worker != 8 % 4 + 1


def test_fewer_steps_take_the_panel_back():
    moved = panel(workers=1, step=20).move(workers=16)
    assert moved.settings.step == ends(Settings(workers=16)) + 2
    assert moved.error == ""
