"""The work handed out over the whole grid, against a plain clock that ticks; and what the panel says of it."""

import re
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
    Reducing,
    Settings,
    after_map,
    costs,
    decide,
    ends,
    hand_out,
    handout,
    how_long,
    panel,
    pieces,
    show,
    too_soon,
    which_worker,
    who_wins,
)
from kschedlab_lab.views.map_reduce import handing_out
from kschedlab_lab.views.svg import Room
from tests.saying import says

GRID = list(Settings.grid())
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


def test_no_more_workers_than_nodes_and_never_slower_with_more():
    for nodes in NODES:
        times = [ends(Settings(nodes=nodes, workers=workers)) for workers in WORKERS]
        assert times[0] == sum(costs(nodes)) and times == sorted(times, reverse=True)
        assert {p.worker for p in pieces(Settings(nodes=nodes, workers=16))} == set(range(1, min(nodes, 16) + 1))
        assert times[-1] < times[0] and times[-1] >= max(costs(nodes))


def written(settings: Settings) -> set[tuple[int, int]]:
    """The cells (row of a Map, node) that some worker has written."""
    rows = [each for each in handing_out(handout(settings)) if "InterPodAffinity" not in each.name and not each.strong]
    return {(place, node) for place, each in enumerate(rows) for node, cell in enumerate(each.cells) if cell.text}


def test_every_step_of_every_setting():
    for settings in GRID:
        last, view = ends(settings), show(settings)
        cells = written(settings)
        if settings.step == 0:
            assert not cells and "cards are in the channel" in view.sentence
        elif settings.step <= last:
            done = sum(piece.end <= settings.step for piece in pieces(settings))
            tick = f"Tick {settings.step}: {done} of {settings.nodes} nodes are done."
            ended = f"Map is done after {last} ticks."
            assert view.sentence.startswith(ended if settings.step == last else tick)
            assert ("ParallelizeUntil returns" in view.sentence) == (settings.step == last)
        assert (len(cells) == 7 * settings.nodes) == (settings.step >= last)
        function = next(each for each in handing_out(handout(settings)) if "InterPodAffinity" in each.name)
        assert all(bool(cell.text) == (settings.step > last) for cell in function.cells)


def test_cells_are_filled_from_the_first_algorithm_on_and_stay():
    for settings in (Settings(workers=2), Settings(workers=8)):
        before = set[tuple[int, int]]()
        for step in range(ends(settings) + 1):
            now = written(settings.changed(step=step))
            assert before <= now
            assert all((place - 1, node) in now for place, node in now if place)
            before = now


def test_the_numbers_are_the_engine_s():
    for nodes in NODES:
        settings = Settings(nodes=nodes)
        rows, scores = handing_out(handout(settings.changed(step=ends(settings) + 1))), decide(nodes).scores
        assert scores is not None
        for each, scored in zip(rows, scores.rows, strict=True):
            assert [int(cell.text) for cell in each.cells] == scored.normalized.tolist()
    decision = decide(Reducing.nodes, Reducing.first)
    scores, *_, sums = decision.scores, *handing_out(handout(Reducing()))
    assert scores is not None
    common = scores.total.min() // 1000 * 1000
    assert f"{common:,} +" in sums.name
    assert [cell.text for cell in sums.cells] == [str(each - common) for each in scores.total.tolist()]
    assert says(show(Reducing()).sentence, *decision.best, str(scores.total.max() - common))


def test_a_node_takes_the_same_time_however_many_there_are():
    assert costs(4) == costs(12)[:4]


def test_the_first_picture_keeps_the_sums_for_the_question():
    for nodes in NODES:
        settings = Settings(nodes=nodes)
        steps = settings.controls()["step"].allowed(settings)
        assert steps[-1] == ends(settings) + 1
        assert not handing_out(handout(settings.changed(step=steps[-1])))[-1].strong


@pytest.mark.parametrize("settings", GRID[::2])
def test_pictures_are_well_formed_and_say_what_the_sentence_says(settings):
    view = show(settings)
    drawn = ElementTree.fromstring(str(view.picture(ROOM)))
    assert drawn.get("aria-label") == view.sentence
    keys = [each.get("data-key") for each in drawn.iter() if each.get("data-key")]
    assert len(keys) == len(set(keys))
    workers = {key for key in keys if key.startswith("worker/")}
    assert workers == {f"worker/{piece.worker}" for piece in pieces(settings)}
    assert {key for key in keys if key.startswith("card/")} == {f"card/{node}" for node in range(settings.nodes)}


def test_reduce_and_sum_are_the_last_steps():
    reduced, added = (show(Reducing(step=step)) for step in (1, 2))
    assert reduced.sentence.startswith("Reduce changes 3 rows. Map has ended")
    assert "sum: 100,000 +" in str(added.picture(ROOM)) and "sum:" not in str(reduced.picture(ROOM))


def test_the_table_alone_has_the_same_sentences_and_other_nodes():
    for step in range(2):
        alone, whole = Reducing(step=step), Settings(nodes=4, step=ends(Settings(nodes=4)) + step)
        assert show(alone).sentence == show(whole).sentence if step else "channel" not in show(alone).sentence
        drawn = str(after_map(step=step).view.picture(ROOM))
        assert ">node-r<" in drawn.replace("★", "") and "card/" not in drawn and "worker/" not in drawn
        assert ">node-a<" not in drawn, "no numbers that an earlier picture has reduced"


def test_other_workers_keep_the_stage():
    for settings in GRID:
        after = settings.step - ends(settings)
        for index in range(len(WORKERS)):
            found = settings.at({"workers": index})
            assert found.workers == WORKERS[index] and found.nodes == settings.nodes
            assert found.step == (ends(found) + after if after >= 0 else min(settings.step, ends(found)))


def test_the_function_s_row_has_a_frame_of_its_own():
    settings = Settings()
    row = next(i for i, each in enumerate(handing_out(handout(settings))) if each.name == "InterPodAffinity")
    for after, number in ((0, 1), (1, 4)):
        drawn = str(show(settings.changed(step=ends(settings) + after)).picture(ROOM))
        assert (">Function, running<" in drawn, ">Function<" in drawn) == (not after, bool(after))
        frames = [each for each in ElementTree.fromstring(drawn).iter() if each.get("data-key", "").startswith("row/")]
        dashed = [each.get("data-key") for each in frames if each.get("stroke-dasharray")]
        assert len(frames) == number and dashed == [f"row/{row}"]


def test_the_yaml_is_the_cluster():
    settings = Settings(nodes=12)
    decision = schedule(NEW, Cluster(loads(panel().restore(str(settings)).yaml()), V1_16.api), V1_16)
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
    crowd = show(Settings(workers=16, step=1)).sentence
    assert "worker 4 takes node-d, others take 8 more." in crowd


def test_fewer_steps_take_the_panel_back():
    moved = panel(workers=1, step=20).move(workers=16)
    assert moved.settings.step == ends(Settings(workers=16)) + 1
    assert moved.error == ""


def test_numbers_show_with_as_many_workers_as_there_can_be():
    settings = Settings(workers=16)
    drawn = ElementTree.fromstring(str(show(settings.changed(step=ends(settings))).picture(Room(540, 320))))
    row = {each.get("data-key"): "".join(each.itertext()) for each in drawn.iter() if each.get("data-key")}
    assert all(row[f"cell/5/{node}"] == "10" for node in range(12)), "NodePreferAvoidPods gives 10 to each"


def test_the_times_are_those_of_the_workers_and_the_longest_card_is_the_least():
    asked, settings = how_long(), Settings(workers=8)
    assert [ends(Settings(workers=workers)) for workers in WORKERS] == [25, 13, 8, 5, 4]
    assert asked.right(settings) == "5" and max(costs(12)) == 4
    assert "take 4 ticks" in asked.why(settings, "3")
    assert asked.why(settings, "5") == "Worker 3 takes node-k at the end of tick 1, and needs 4 ticks more."
    answered = panel(workers=8).ask(asked).answer("4")
    assert "Map is done after 5 ticks" in answered.view.sentence, "the end that was asked for"
    assert callable(asked.before) and ">5 ticks<" not in str(asked.before(settings)(ROOM))


def test_the_verdict_is_said_at_its_own_tick_alone():
    asked = panel(step=4).ask(which_worker()).answer("worker 1")
    here, there = (asked.state(Settings(step=step), ROOM) for step in (4, 5))
    assert here["verdict"] is not None and there["verdict"] is None


def test_reduce_takes_the_victory_from_the_node_with_the_largest_raw_score():
    asked, settings = who_wins(), Reducing()
    assert asked.right(settings) == "node-r"
    surprise = asked.why(settings, "node-s")
    assert [int(number) for number in re.findall(r"\d+", surprise)] == [77, 50, 10, 3]
    assert asked.why(settings, "node-r") == surprise
    assert asked.why(settings, "node-u") == "node-u ends 10 points behind node-r."


def test_reduce_before_map_has_ended_gives_a_wrong_score():
    asked, settings = too_soon(), Settings(nodes=4, workers=2, step=3)
    assert asked.right(settings) == "10"
    assert "20 × 10 / 50 = 4" in asked.why(settings, "4")
    filled = written(settings.changed(step=1))
    assert {node for _, node in filled} == {0, 1}, "what the question says of its picture"


def times(settings: Settings) -> list[str]:
    """The numbers of workers whose time the picture has."""
    drawn = ElementTree.fromstring(str(show(settings).picture(ROOM)))
    return [key for key in (each.get("data-key", "") for each in drawn.iter()) if key.startswith("time/")]


def test_the_times_of_fewer_workers_stay_once_map_has_ended():
    assert times(Settings(workers=8, step=4)) == []
    for place, workers in enumerate(WORKERS):
        at_the_end = Settings(workers=workers, step=ends(Settings(workers=workers)))
        assert times(at_the_end) == [f"time/{each}" for each in WORKERS[: place + 1]]
