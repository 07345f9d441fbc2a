"""A tie in v1.37: our swaps against Python's view of a heap, and against the example of the source."""

from itertools import product
from xml.etree import ElementTree

from kschedlab_lab.panels.heap_head import NAMES, Settings, head, heaps, init, panel, show, which_comes_out
from kschedlab_lab.views.svg import Room
from tests.saying import says

ROOM = Room(640, 330)


def by_down(scores):
    """container/heap's Init, written as Go writes it: the indices in the heap's order."""
    order = list(range(len(scores)))

    def less(i, j):
        return scores[order[i]] > scores[order[j]]

    for start in range(len(order) // 2 - 1, -1, -1):
        i = start
        while True:
            left = 2 * i + 1
            if left >= len(order):
                break
            j = left
            if left + 1 < len(order) and less(left + 1, left):
                j = left + 1
            if not less(j, i):
                break
            order[i], order[j] = order[j], order[i]
            i = j
    return order


def test_the_head_is_go_s_for_all_small_lists():
    for scores in product((1, 5, 9), repeat=4):
        settings = Settings(*scores)
        assert head(settings) == NAMES[by_down(scores)[0]]
        assert scores[NAMES.index(head(settings))] == max(scores)


def test_the_second_of_two_equals_can_come_out_first():
    assert by_down([5, 6, 9, 9])[0] == 3 and head(Settings()) == "node-d"
    assert says(show(Settings()).sentence, "node-d", "node-c", "first in the list")
    assert head(Settings(9, 9, 9, 9)) == "node-a" and len(heaps(Settings(9, 9, 9, 9))) == 1
    assert list(init([5, 6, 9, 9])) == [(1, 3), (0, 1), (1, 3)]


def test_no_node_scores_higher_than_the_one_above_it():
    for scores in product((2, 4, 7), repeat=4):
        settings = Settings(*scores)
        items = heaps(settings)[-1].items
        assert all(items[(place - 1) // 2][1] >= items[place][1] for place in range(1, 4))
        assert sorted(items) == sorted(zip(NAMES, scores, strict=True))


def test_the_story_shows_each_swap_and_the_story_ends_with_the_picture():
    view = show(Settings())
    frames = view.story(ROOM)
    assert [frame.caption.split(":")[0] for frame in frames[:3]] == [
        "The list as it is. No node may score higher than the one above it.",
        "Swap 1 of 3",
        "Swap 2 of 3",
    ]
    assert frames[-1] == (view.picture(ROOM), view.sentence)
    drawn = ElementTree.fromstring(str(view.picture(ROOM)))
    assert {each.get("data-drag") for each in drawn.iter()} - {None} == set("abcd")
    assert str(view.picture(ROOM)).count("★") == 1
    legends = ["thick line between two nodes: the latest swap" in str(frame.picture) for frame in frames]
    assert legends == ['stroke-width="3"></path>' in str(frame.picture) for frame in frames]
    assert legends == [False, True, True, True, True]


def test_the_question():
    asked, settings = which_comes_out(), Settings()
    assert asked.right(settings) == "node-d"
    assert says(asked.why(settings, "node-a"), "node-a", 5) and says(asked.why(settings, asked.choices[-1]), "extender")
    assert "★" not in str(asked.before(settings)(ROOM))
    assert says(panel().move(c=8).view.sentence, "node-d", "highest score", "first")
