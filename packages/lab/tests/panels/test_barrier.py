"""A Reduce that begins too early, against a table that is worked out here."""

import re
from xml.etree import ElementTree

import pytest

from kschedlab_lab.panels.barrier import (
    NODES,
    WAYS,
    WISH,
    Others,
    Settings,
    others,
    panel,
    reduce,
    row,
    sheet,
    show,
    too_soon,
    who_wins,
)
from kschedlab_lab.panels.map_reduce import decide
from kschedlab_lab.views.svg import Room
from tests.saying import says

ROOM = Room(560, 480)
GRID = [*Settings.grid(), *Others.grid()]


@pytest.mark.parametrize("first", ["a", "r"])
def test_reduce_of_all_nodes_is_the_engine_s(first):
    scores = decide(NODES, first).scores
    assert scores is not None
    for name, each in zip(scores.plugins, scores.rows, strict=True):
        if name in WAYS:
            assert reduce(name, each.raw.tolist()) == each.normalized.tolist()
        else:
            assert (each.raw == each.normalized).all()


def test_the_end_of_each_beginning():
    found = {each.begins: sheet(each) for each in Settings.grid() if each.step == len(each.stages) - 1}
    assert {begins: each.sums for begins, each in found.items()} == {
        1: [35, 35, 67, 24],
        2: [35, 40, 67, 24],
        3: [35, 34, 27, 24],
        4: [35, 34, 32, 32],
    }
    assert [(each.winners, each.wrong > 0) for each in found.values()] == [
        (["node-c"], True),
        (["node-c"], True),
        (["node-a"], True),
        (["node-a"], False),
    ]


def test_a_reduce_that_waits_gives_the_engine_s_sums():
    for settings in (Settings(begins=NODES, step=2), Others()):
        scores = decide(NODES, settings.first).scores
        assert scores is not None and sheet(settings).sums == (scores.total - 100_000).tolist()
        assert sheet(settings).wrong == 0


def test_only_mapped_nodes_have_numbers_and_what_is_wrong_is_marked():
    for settings in GRID:
        now, drawn = sheet(settings), str(show(settings).picture(ROOM))
        assert all(
            (cell.now is None) == (place >= now.mapped) for each in now.rows for place, cell in enumerate(each.cells)
        )
        root = ElementTree.fromstring(drawn)
        assert root.get("aria-label") == show(settings).sentence
        keys = [each.get("data-key") for each in root.iter() if each.get("data-key")]
        assert len(keys) == len(set(keys))
        texts = ["".join(each.itertext()) for each in root.iter() if (each.get("data-key") or "").startswith("cell/")]
        assert sum("✕" in text for text in texts) == now.wrong


def test_the_sums_stay_in_sight_when_reduce_begins_elsewhere():
    for settings in GRID:
        for index in range(NODES):
            found = settings.at({"begins": index})
            is_end = settings.step == len(settings.stages) - 1
            assert not is_end or found.step == len(found.stages) - 1


def test_an_early_reduce_is_told():
    assert show(Settings(step=0)).sentence.startswith("2 of 4 nodes are mapped.")
    assert show(Settings(step=1)).sentence.startswith("Reduce began too early: 1 number is wrong.")
    assert says(show(Settings(step=3)).sentence, "node-c", "67", "node-a")
    assert "only by luck" in show(Settings(begins=3, step=3)).sentence
    assert show(Settings(begins=4, step=1)).sentence.startswith("Reduce changes 3 rows.")
    assert says(show(Others()).sentence, "node-r", "42", "3", "node-s")


def test_reduce_before_map_has_ended_gives_a_wrong_score():
    asked, settings = too_soon(), Settings()
    assert asked.right(settings) == "10"
    assert "20 × 10 / 50 = 4" in asked.why(settings, "4")
    answered = panel().ask(asked).answer("4")
    assert answered.settings == Settings(step=1) and row(answered.settings, WISH)[1].is_wrong
    assert ">20→10 ✕<" in str(answered.view.picture(ROOM)), "the wrong number is drawn"
    assert callable(asked.before) and "data-set" not in str(asked.before(settings)(ROOM))


def test_reduce_takes_the_victory_from_the_node_with_the_largest_raw_score():
    asked, settings = who_wins(), Others()
    assert asked.right(settings) == "node-r"
    surprise = asked.why(settings, "node-s")
    assert [int(number) for number in re.findall(r"\d+", surprise)] == [77, 50, 10, 3]
    assert asked.why(settings, "node-r") == surprise
    assert asked.why(settings, "node-u") == "node-u ends 10 points behind node-r."
    waiting = str(others().ask(asked).question.before(settings)(ROOM))
    assert all(f'data-pick="{choice}"' in waiting for choice in asked.choices) and "sum/" not in waiting
    assert sheet(Others(begins=1, step=3)).winners == ["node-s"], "what the notebook says"
