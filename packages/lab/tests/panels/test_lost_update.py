"""Two additions to one total, in every order: against a memory that is read and written here."""

from xml.etree import ElementTree

import pytest

from kschedlab_lab.panels.lost_update import (
    DESIGNS,
    LOCKED,
    NODES,
    NONE,
    ORDERS,
    OWN,
    SEQUENCES,
    WHOLE,
    Settings,
    additions,
    amounts,
    decide,
    show,
    what_is_left,
)
from kschedlab_lab.views.lost_update import AXIS, by_write, lost
from kschedlab_lab.views.svg import Room

ROOM = Room(640, 330)
ALL = [Settings(order=" ".join(each)) for each in SEQUENCES]


def total(settings):
    """What is in memory at the end: a worker's first step reads, its second writes."""
    memory, seen = 0, {}
    for worker in settings.taken:
        if worker in seen:
            memory = seen[worker] + {"1": 6, "2": 10}[worker]
        else:
            seen[worker] = memory
    return memory


def drawn(settings):
    return ElementTree.fromstring(str(show(settings).picture(ROOM)))


def sets(settings):
    """By key, what a click on a part of the picture sets."""
    return {each.get("data-key"): each.get("data-set") for each in drawn(settings).iter() if each.get("data-set")}


def test_the_scores_are_those_of_two_priorities_on_node_b():
    scores = decide().scores
    assert scores is not None and decide().best == ["node-b"]
    assert [row[1] for row in amounts()] == [6, 10]
    assert [sum(column) for column in zip(*amounts(), strict=True)] == scores.total.tolist()


def test_of_six_orders_two_are_right():
    assert len(ALL) == 6 and sorted(map(total, ALL)) == [6, 6, 10, 10, 16, 16]
    for settings in ALL:
        both, said = additions(settings), show(settings).sentence
        left, gone = by_write(both)[1].gives, lost(both)
        assert left == total(settings)
        assert 16 - left == (gone.score if gone else 0)
        assert f"The {16 - left} is lost" in said if gone else "node-b wins" in said


def test_a_lost_addition_costs_the_victory_and_the_sums_say_so():
    said = {total(each): show(each).sentence for each in ALL}
    assert said[6].endswith("node-b loses to node-a, node-c and node-d.")
    assert said[10].endswith("node-b only ties with node-a and node-d.")


def sums(root):
    """By node: what is said of its total."""
    shown = {each.get("data-key"): "".join(each.itertext()) for each in root.iter()}
    return [shown[f"sum/{node}"] for node in NODES]


def test_all_totals_are_drawn_and_the_best_have_a_star():
    for each in ALL:
        root = drawn(each)
        assert sums(root) == ["10", str(total(each)), "8", "10"]
        best = {16: ["node-b"], 10: ["node-a", "node-b", "node-d"], 6: ["node-a", "node-d"]}[total(each)]
        assert [node for node in NODES if any(part.text == f"★{node}" for part in root.iter())] == best
    assert sums(drawn(Settings(order="1 2 1")))[1] == "?"


def test_with_a_lock_nobody_reads_before_the_other_has_written():
    waited = 0
    for each in ALL:
        both = additions(each.changed(design=LOCKED))
        first, second = both
        assert first.write < second.read < second.write < AXIS
        assert by_write(both)[1].gives == 16 and lost(both) is None
        assert (second.waits is not None) == (total(each) != 16)
        waited += second.waits is not None
    assert 0 < waited < len(ALL)


def test_who_waits_for_the_lock_cannot_go_on_until_it_is_free():
    settings = Settings(design=LOCKED, order="1 2")
    assert "Worker 2 waits for the lock." in show(settings).sentence
    assert set(sets(settings)) & {"step/1", "step/2"} == {"step/1"}
    assert "lock/1" in str(show(settings).picture(ROOM)) and "lock/2" not in str(show(settings).picture(ROOM))
    free = settings.changed(order="1 2 1")
    assert "Worker 2 reads 6." in show(free).sentence and sets(free)["step/2"] == "order: 1 2 1 2"


def test_with_cells_of_their_own_nobody_reads_waits_or_loses():
    for each in ALL:
        settings = each.changed(design=OWN)
        both, picture = additions(settings), str(show(settings).picture(ROOM))
        assert lost(both) is None and {adding.gives for adding in both} == {6, 10}
        assert all(adding.waits is None for adding in both)
        assert "arrow/read" not in picture and "reads" not in picture
        assert sums(drawn(settings)) == ["10", "16", "8", "10"]


@pytest.mark.parametrize("design", DESIGNS)
def test_clicks_lead_from_no_step_to_every_order_and_back(design):
    seen, reached = set(), [Settings(design=design)]
    while reached:
        settings = reached.pop()
        seen.add(settings.order)
        marks = sets(settings)
        reached += [Settings.parse(f"{settings}, {text}") for key, text in marks.items() if key and "step/" in key]
        assert (f"order: {NONE}" in marks.values()) == (settings.order != NONE)
    if design == WHOLE:
        assert seen == {NONE, "1", "2", "1 2", "2 1"}
    else:
        assert {order for order in ORDERS if len(order) == 7} <= seen or design == LOCKED
        assert any(len(order) == 7 for order in seen)


@pytest.mark.parametrize("design", DESIGNS)
def test_the_sentence_says_the_last_step_and_the_picture_no_later_one(design):
    for order in ORDERS:
        settings = Settings(design=design, order=order)
        root = drawn(settings)
        assert root.get("aria-label") == show(settings).sentence
        keys = [each.get("data-key") for each in root.iter() if each.get("data-key")]
        assert len(keys) == len(set(keys))
        written = {key for key in keys if key.startswith("arrow/write")}
        whole = 1 if design == WHOLE else 2
        assert len(written) <= sum(settings.taken.count(worker) == whole for worker in "12")


def test_in_one_step_nothing_is_lost_in_any_order():
    for order in ORDERS:
        settings = Settings(design=WHOLE, order=order)
        assert (settings.until is None) == ({*settings.taken} == {"1", "2"})
        assert lost(additions(settings)) is None
        if settings.until is None:
            assert sums(drawn(settings)) == ["10", "16", "8", "10"]


def test_who_is_next_is_asked_only_where_there_is_a_choice():
    assert "who takes the next one?" in show(Settings(order="1")).sentence
    for settings in (Settings(order="1 2 1"), Settings(order="1 2", design=LOCKED)):
        assert show(settings).sentence.endswith("Click the next step.")


def test_the_question_has_the_right_answer():
    asked = what_is_left()
    settings = Settings(order="1 2")
    assert asked.choices == ("6", "10", "16")
    assert asked.right(settings) == "10" == str(total(asked.shows(settings)))
    before = str(asked.before(settings)(ROOM))
    assert "data-set" not in before and "lost" not in before and "writes" not in before
    assert asked.why(settings, "6") == "Worker 2 writes 10 over it."
    assert asked.why(settings, "16") == "Worker 2 has read 0, so it writes 10, and the 6 is lost."
