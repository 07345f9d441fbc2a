"""The work handed out over the whole grid, against a plain clock that ticks; and what the panel says of it."""

from xml.etree import ElementTree

import pytest

from kschedlab.cluster.cluster import Cluster
from kschedlab.generations import V1_16
from kschedlab.manifests.loading import loads
from kschedlab.scheduler import schedule
from kschedlab_lab.panels.map_reduce import (
    NEW,
    NODES,
    WORKERS,
    Settings,
    costs,
    decide,
    ends,
    hand_out,
    panel,
    pieces,
    show,
    which_worker,
)
from kschedlab_lab.views.svg import Room
from packages.lab.tests.grids import each_of

GRID = list(each_of(Settings))
ROOM = Room(640, 330)


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
    for workers in range(1, 17):
        work = hand_out(costs(nodes), workers)
        assert [(p.node, p.worker, p.start, p.end) for p in work] == by_clock(costs(nodes), workers)


def keys(settings: Settings) -> list[str]:
    """The keys of the picture's parts."""
    drawn = ElementTree.fromstring(str(show(settings).picture(ROOM)))
    return [each.get("data-key", "") for each in drawn.iter() if each.get("data-key")]


def written(settings: Settings) -> set[tuple[int, int]]:
    """The cells (row, node) that some worker has written."""
    cells = (key.split("/") for key in keys(settings) if key.startswith("cell/"))
    return {(int(row), int(node)) for _, row, node in cells}


def test_every_step_of_every_setting():
    for settings in GRID:
        last, view = ends(settings), show(settings)
        if settings.step == 0:
            assert "12 cards are in the channel" in view.sentence
        elif settings.step == last:
            assert view.sentence.startswith(f"Map is done after {last} ticks.")
        else:
            done = sum(piece.end <= settings.step for piece in pieces(settings))
            assert view.sentence.startswith(f"Tick {settings.step}: {done} of {NODES} nodes are done.")
        assert (len(written(settings)) == 6 * NODES) == (settings.step == last)


def test_cells_are_filled_from_the_first_algorithm_on_and_stay():
    for settings in (Settings(workers=2), Settings(workers=8)):
        before = set[tuple[int, int]]()
        for step in range(ends(settings) + 1):
            now = written(settings.changed(step=step))
            assert before <= now
            assert all((place - 1, node) in now for place, node in now if place)
            before = now


def test_a_cell_says_its_score():
    drawn = str(show(Settings(step=ends(Settings()))).picture(ROOM))
    assert 'data-tip="NodeAffinity of c: 50"' in drawn and ">50<" in drawn
    assert "InterPodAffinity" not in drawn and "AvoidPods" not in drawn, "they give the same to all"
    for wide in (308, 328):
        assert ">50<" in str(show(Settings(step=ends(Settings()))).picture(Room(wide, 480))), "on a phone, too"


def test_a_node_takes_the_same_time_however_many_there_are():
    assert costs(4) == costs(12)[:4]


@pytest.mark.parametrize("settings", GRID[::2])
def test_pictures_are_well_formed_and_say_what_the_sentence_says(settings):
    view = show(settings)
    drawn = ElementTree.fromstring(str(view.picture(ROOM)))
    assert drawn.get("aria-label") == view.sentence
    found = keys(settings)
    assert len(found) == len(set(found))
    workers = {key for key in found if key.startswith("worker/")}
    assert workers == {f"worker/{piece.worker}" for piece in pieces(settings)}
    assert {key for key in found if key.startswith("card/")} == {f"card/{node}" for node in range(NODES)}


def test_other_workers_keep_the_end():
    for settings in GRID:
        for index in range(len(WORKERS)):
            found = settings.at({"workers": index})
            assert found.workers == WORKERS[index]
            is_end = settings.step == ends(settings)
            assert found.step == (ends(found) if is_end else min(settings.step, ends(found)))


def test_the_yaml_is_the_cluster():
    decision = schedule(NEW, Cluster(loads(panel().restore(str(Settings())).yaml()), V1_16.api), V1_16)
    assert str(decision) == str(decide(12))


def test_the_question_is_answered_by_the_engine():
    asked, settings = which_worker(), Settings()
    assert "node-i" in asked.text and asked.right(settings) == f"worker {pieces(settings)[8].worker}"
    assert pieces(settings)[8].worker != 8 % 4 + 1
    before = pieces(settings)[6]
    fact = f"Worker 3 finishes node-g at the end of tick {before.end}, and node-i is the next card in the channel."
    assert (before.worker, before.end) == (3, pieces(settings)[8].start)
    assert asked.why(settings, "worker 3") == fact
    for other in ("worker 1", "worker 2", "worker 4"):
        why = asked.why(settings, other)
        assert why.startswith(f"{other.capitalize()} works on node-") and why.endswith(fact)
    waiting = str(asked.before(settings)(ROOM))
    assert all(f'data-pick="{choice}"' in waiting for choice in asked.choices)


def test_a_node_that_is_filled_in_the_tick_in_which_it_is_taken_says_so():
    taking = {step: show(Settings(step=step)).sentence.split(". ")[1].rstrip(".") for step in (2, 4)}
    assert taking == {
        2: "Worker 1 takes node-e, worker 2 takes node-f, worker 3 takes node-g",
        4: "Worker 3 takes and fills node-i",
    }
    assert "worker 4 takes node-d, others take 4 more." in show(Settings(workers=8, step=1)).sentence


def test_the_verdict_is_said_at_its_own_tick_alone():
    asked = panel(step=4).ask(which_worker()).answer("worker 1")
    here, there = (asked.state(Settings(step=step), ROOM) for step in (4, 5))
    assert here["verdict"] is not None and there["verdict"] is None
