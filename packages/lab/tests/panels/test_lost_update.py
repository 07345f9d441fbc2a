"""Two additions to one total, at every moment: against a memory that is read and written here."""

from itertools import pairwise, product
from xml.etree import ElementTree

import pytest

from kschedlab_lab.panels.lost_update import (
    ATOMIC,
    DESIGNS,
    LOCKED,
    OWN,
    SHARED,
    Settings,
    amounts,
    decide,
    panel,
    show,
    story,
    times,
    update,
    waits,
    what_is_left,
)
from kschedlab_lab.views.svg import Room

ROOM = Room(640, 330)
PAIRS = [(read, write) for read, write in product(range(1, 6), range(2, 7)) if read < write]
ALL = [Settings(SHARED, *first, *second) for first, second in product(PAIRS, PAIRS)]


def total(settings):
    """What is in memory at the end, from the moments alone."""
    events = [(2 * settings.read1, 1, "r"), (2 * settings.write1, 1, "w")]
    events += [(2 * settings.read2 + 1, 2, "r"), (2 * settings.write2 + 1, 2, "w")]
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


def test_every_order_of_reads_and_writes():
    assert {total(each) for each in ALL} == {6, 10, 16}
    for settings in ALL:
        happens, view = update(settings), show(settings)
        assert happens.total == total(settings)
        lost = sum(write.lost for write in happens.writes)
        assert lost == 16 - happens.total
        assert (f"the {lost} is lost" in view.sentence) == bool(lost)
        assert ("node-b wins" in view.sentence) == (happens.best == ["node-b"])
        overlap = not (settings.write1 <= settings.read2 or settings.write2 < settings.read1)
        assert overlap == bool(lost)


@pytest.mark.parametrize("design", [each for each in DESIGNS if each != SHARED])
def test_every_cure_gives_the_right_total(design):
    for settings in ALL:
        happens = update(settings.changed(design=design))
        assert happens.total == 16 and happens.best == ["node-b"]
        assert all(write.lost == 0 for write in happens.writes) or design == OWN


def test_with_a_lock_nobody_reads_before_the_other_has_written():
    waited = 0
    for each in ALL:
        settings = each.changed(design=LOCKED)
        first, second = sorted(update(settings).addings, key=lambda adding: adding.read)
        assert first.write < second.read < second.write
        assert (second.waits is not None) == (waits(settings) is not None)
        waited += second.waits is not None
    assert 0 < waited < len(ALL)


def test_one_step_is_one_moment():
    assert all(read == write for read, write in times(Settings(ATOMIC)))
    assert set(show(Settings(ATOMIC)).idle) == {"write1", "write2"}
    assert set(show(Settings(OWN)).idle) == {"read1", "read2"} and show(Settings()).idle == {}


def test_a_read_comes_before_its_write():
    moved = panel().move(read1=5)
    assert (moved.settings.read1, moved.settings.write1) == (5, 6)
    assert panel().move(write2=2, read2=2).settings.write2 == 3


@pytest.mark.parametrize("design", DESIGNS)
def test_the_picture_has_handles_for_what_matters(design):
    for settings in ALL[::7]:
        view = show(settings.changed(design=design))
        drawn = ElementTree.fromstring(str(view.picture(ROOM)))
        assert drawn.get("aria-label") == view.sentence
        handles = {each.get("data-drag") for each in drawn.iter()} - {None}
        assert handles == {"read1", "write1", "read2", "write2"} - set(view.idle)
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
    for settings in ALL[::11]:
        assert asked.right(settings) == str(total(settings))
    before = str(asked.before(Settings())(ROOM))
    assert "data-drag" not in before and "lost" not in before and "writes 6" not in before
