"""What is said of workers that share a sum."""

from kschedlab_lab.views.cells import Dial
from kschedlab_lab.views.shared_sum import (
    LUCKY,
    RIGHT,
    TIED,
    WRONG,
    Moment,
    Orders,
    Race,
    Sum,
    describe,
    draw_moment,
    moment_rows,
    result,
    sentence,
)
from kschedlab_lab.views.svg import Room
from tests.saying import says

RACE = Race(["One", "Two"], ["node-a", "node-b"], [[6, 1], [10, 2]])


def at(who, does, node, value, totals, **more):
    return Moment(who, does, node, value, tuple(totals), **more)


def test_a_sum_knows_whose_scores_are_in_it():
    assert Sum().plus(0, 6).plus(1, 10) == Sum(16, frozenset({0, 1}))


def test_a_total_that_is_overwritten_loses_what_it_had():
    first = at(0, "writes", 0, 6, [Sum(6, frozenset({0})), Sum()], written=frozenset({(0, 0)}))
    second = at(1, "writes", 0, 10, [Sum(10, frozenset({1})), Sum()], written=frozenset({(0, 0), (1, 0)}))
    assert (first.lost(), second.lost()) == ([], [(0, 0)])
    assert describe(RACE, [first, second], 1) == (
        "Worker 2 writes 10 to node-a. Worker 1's 6 for node-a is lost: worker 2 had read the total before."
    )
    fates = [[cell.small for cell in row.cells] for row in moment_rows(RACE, second)[:2]]
    assert fates == [["lost", ""], ["in", ""]]


def test_a_number_in_hand_is_shown_where_it_belongs():
    moment = at(0, "reads", 1, 7, [Sum(), Sum(7)], in_hand={0: (1, Sum(7))})
    assert moment_rows(RACE, moment)[0].cells[1].small == "has 7"
    assert sentence(RACE, moment) == "Worker 1 reads the total of node-b, 7."


def test_own_cells_are_not_lost_before_they_are_added_up():
    race = Race(RACE.names, RACE.nodes, RACE.scores, shares=False)
    moment = at(0, "writes its cell", 0, 6, [Sum(), Sum()], written=frozenset({(0, 0)}))
    assert moment_rows(race, moment)[0].cells[0].small == "own"
    assert "lost" not in describe(race, [moment, moment], 1)


def test_how_it_ended():
    right = at(None, "ends", 0, 0, [Sum(16, frozenset({0, 1})), Sum(3, frozenset({0, 1}))])
    assert says(result(RACE, right), "right", "node-a 16", "node-b 3", "highest")
    wrong = at(None, "ends", 0, 0, [Sum(0), Sum(3, frozenset({0, 1}))], written=frozenset({(0, 0), (1, 0)}))
    assert result(RACE, wrong) == (
        "2 of 4 scores above 0 are lost, and node-b wins instead of node-a. The sums: node-a 0, node-b 3."
    )


def test_the_legend_explains_only_signs_that_are_there():
    for fates in ([RIGHT] * 4, [WRONG, LUCKY, WRONG, WRONG]):
        orders = Orders(Dial("2 workers"), ("shared sum",), "shared sum", fates, 1)
        drawn = str(draw_moment(RACE, at(None, "starts", 0, 0, [Sum(), Sum()]), orders, Room(640, 330), ""))
        signs = (LUCKY, TIED, WRONG)
        assert [each for each in signs if f">{each}</text>" in drawn] == [each for each in signs if each in fates]
