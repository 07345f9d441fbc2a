"""A Reduce that begins too early, against a table that is worked out here."""

from xml.etree import ElementTree

from kschedlab_lab.panels.barrier import FORMULAS, NODES, WISH, Settings, panel, reduce, row, sheet, show, too_soon
from kschedlab_lab.panels.map_reduce import decide
from kschedlab_lab.views.svg import Room
from packages.lab.tests.grids import each_of
from tests.saying import says

ROOM = Room(560, 480)
GRID = [*each_of(Settings)]
GO = str.maketrans({"×": "*", "−": "-", "/": "//"})
"""What a formula of the picture is in Python."""


def test_reduce_of_all_nodes_is_the_engine_s_and_its_formula_is_in_the_picture():
    scores, drawn = decide(NODES).scores, str(show(Settings()).picture(ROOM))
    assert scores is not None
    for name, each in zip(scores.plugins, scores.rows, strict=True):
        if name in FORMULAS:
            by_formula = [eval(FORMULAS[name].translate(GO), {"n": n, "max": each.raw.max()}) for n in each.raw]
            assert FORMULAS[name] in drawn and by_formula == each.normalized.tolist()
            assert reduce(name, each.raw.tolist()) == each.normalized.tolist()
        else:
            assert (each.raw == each.normalized).all()


def test_the_end_of_each_beginning():
    found = {each.begins: sheet(each) for each in each_of(Settings) if each.step == len(each.stages) - 1}
    assert {begins: each.sums for begins, each in found.items()} == {
        1: [25, 35, 67, 14],
        2: [25, 40, 67, 14],
        3: [25, 34, 27, 14],
        4: [25, 34, 32, 22],
    }
    assert [(each.winners, each.wrong > 0) for each in found.values()] == [
        (["node-c"], True),
        (["node-c"], True),
        (["node-b"], True),
        (["node-b"], False),
    ]


def test_a_reduce_that_waits_gives_the_engine_s_sums():
    settings, scores = Settings(begins=NODES, step=2), decide(NODES).scores
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
    assert says(show(Settings(step=3)).sentence, "node-c", "67", "node-b")
    assert "only by luck" in show(Settings(begins=3, step=3)).sentence
    assert show(Settings(begins=4, step=1)).sentence.startswith("Reduce changes 3 rows.")
    assert says(show(Settings(begins=4, step=2)).sentence, "node-b", "34")


def test_reduce_before_map_has_ended_gives_a_wrong_score():
    asked, settings = too_soon(), Settings()
    assert asked.right(settings) == "10"
    assert "20 × 10 / 50 = 4" in asked.why(settings, "4")
    answered = panel().ask(asked).answer("4")
    assert answered.settings == Settings(step=1) and row(answered.settings, WISH)[1].is_wrong
    assert ">20→10 ✕<" in str(answered.view.picture(ROOM)), "the wrong number is drawn"
    assert callable(asked.before)
    before = str(asked.before(settings)(ROOM))
    assert "data-set" not in before and ">20→?<" in before


def test_a_narrow_cell_has_two_lines_and_loses_nothing():
    drawn = str(show(Settings(step=3)).picture(Room(310, 400)))
    assert all(f">{line}<" in drawn for line in ("20→", "10 ✕", "(max−n)×10/max"))
