"""Two additions to one total, at every moment: against a memory that is read and written here."""

from itertools import pairwise
from xml.etree import ElementTree

import pytest

from kschedlab_lab.panels.lost_update import (
    DESIGNS,
    FIRST,
    LOCKED,
    LONG,
    NODES,
    OWN,
    Settings,
    additions,
    amounts,
    decide,
    panel,
    show,
    story,
    what_is_left,
)
from kschedlab_lab.views.lost_update import AXIS, by_write, lost
from kschedlab_lab.views.svg import Room

ROOM = Room(640, 330)
ALL = [Settings(start=start) for start in panel().settings.controls()["start"].values]


def total(settings):
    """What is in memory at the end, from the moments alone."""
    events = [(FIRST[0], 1, "r"), (FIRST[1], 1, "w"), (settings.start, 2, "r"), (settings.start + LONG, 2, "w")]
    memory, seen = 0, {}
    for _, worker, does in sorted(events):
        if does == "r":
            seen[worker] = memory
        else:
            memory = seen[worker] + {1: 6, 2: 10}[worker]
    return memory


def test_the_scores_are_those_of_two_priorities_on_node_b():
    scores = decide().scores
    assert scores is not None and decide().best == ["node-b"]
    assert [row[1] for row in amounts()] == [6, 10]
    assert [sum(column) for column in zip(*amounts(), strict=True)] == scores.total.tolist()


def test_every_moment_at_which_worker_2_may_begin():
    assert {total(each) for each in ALL} == {6, 10, 16}
    for settings in ALL:
        both, said = additions(settings), show(settings).sentence
        left, gone = by_write(both)[1].gives, lost(both)
        assert left == total(settings)
        assert 16 - left == (gone.score if gone else 0)
        assert f"the {16 - left} is lost" in said if gone else "node-b wins" in said
        overlap = settings.start < FIRST[1] and FIRST[0] < settings.start + LONG
        assert overlap == bool(gone)


def test_a_lost_addition_costs_the_victory_and_the_sums_say_so():
    said = {total(each): show(each).sentence for each in ALL}
    assert said[6].endswith("node-b loses to node-a, node-c and node-d.")
    assert said[10].endswith("node-b only ties with node-a and node-d.")


def sums(picture):
    """By node: what is said of its total."""
    shown = {
        each.get("data-key"): "".join(each.itertext()) for each in ElementTree.fromstring(str(picture(ROOM))).iter()
    }
    return [shown[f"sum/{node}"] for node in NODES]


def test_all_totals_are_drawn_and_the_best_have_a_star():
    for each in ALL:
        picture = show(each).picture
        assert sums(picture) == ["10", str(total(each)), "8", "10"]
        best = {16: ["node-b"], 10: ["node-a", "node-b", "node-d"], 6: ["node-a", "node-d"]}[total(each)]
        assert [node for node in NODES if f"★{node}" in str(picture(ROOM))] == best
    assert sums(what_is_left().before(Settings()))[1] == "?"


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


def test_with_cells_of_their_own_nobody_reads_waits_or_loses():
    for each in ALL:
        settings = each.changed(design=OWN)
        both, picture = additions(settings), str(show(settings).picture(ROOM))
        spans = {adding.worker: (adding.read, adding.write) for adding in both}
        assert spans == {1: FIRST, 2: (settings.start, settings.start + LONG)}, "each is as fast as alone"
        assert lost(both) is None and {adding.gives for adding in both} == {6, 10}
        assert "arrow/read" not in picture and "reads" not in picture
        assert sums(show(settings).picture) == ["10", "16", "8", "10"]
    captions = [frame.caption for frame in story(Settings(design=OWN), ROOM)]
    assert captions[:3] == ["The cells are empty.", "Worker 2 writes 10.", "Worker 1 writes 6."]


@pytest.mark.parametrize("design", DESIGNS)
def test_worker_2_can_be_moved(design):
    for settings in ALL:
        view = show(settings.changed(design=design))
        drawn = ElementTree.fromstring(str(view.picture(ROOM)))
        assert drawn.get("aria-label") == view.sentence
        assert {each.get("data-drag") for each in drawn.iter()} - {None} == {"start"}
        keys = [each.get("data-key") for each in drawn.iter() if each.get("data-key")]
        assert len(keys) == len(set(keys))


def test_the_story_tells_each_event_and_ends_with_the_picture():
    view = show(Settings())
    captions = [frame.caption for frame in story(Settings(), ROOM)]
    assert captions == [
        "The total is 0.",
        "Worker 1 reads 0.",
        "Worker 2 reads 0.",
        "Worker 2 writes 10.",
        "Worker 1 writes 6, and 10 is lost.",
        view.sentence,
    ]
    assert view.story(ROOM)[-1].picture == view.picture(ROOM)


def test_the_total_grows_to_the_right_as_time_goes_on():
    ends = []
    for frame in story(Settings(), ROOM):
        bars = [
            each for each in ElementTree.fromstring(str(frame.picture)).iter() if "total/" in each.get("data-key", "")
        ]
        ends.append(max(float(each.get("x")) + float(each.get("width")) for each in bars))
    assert all(before < after for before, after in pairwise(ends[1:]))


def test_the_question_has_the_right_answer_for_these_moments():
    asked = what_is_left()
    assert asked.choices == ("6", "10", "16")
    for settings in ALL:
        assert asked.right(settings) == str(total(settings))
    before = str(asked.before(Settings())(ROOM))
    assert "data-drag" not in before and "lost" not in before and "writes 6" not in before
