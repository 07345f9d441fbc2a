"""The stages of lesson 02 in a plain page: pods, dots, the event and the time are dragged, and the queue follows."""

import pytest
from playwright.sync_api import expect

from kschedlab_lab.panels import queue_clock, queue_heap, queue_nominated, queue_order, queue_parts
from tests.browser.conftest import Show


def test_the_gap_is_predicted_in_the_picture(shown: Show) -> None:
    page = shown(queue_heap.panel().ask(queue_heap.after_pop()))
    expect(page.key("pod/cat")).to_be_visible()
    expect(page.sentence).to_have_text("")
    page.key("pod/gnu").click()
    expect(page.question).to_contain_text("gnu is the head in the end")
    expect(page.sentence).to_contain_text("Pop returns cat; gnu is the head now.")


def test_a_pod_dragged_in_the_tree_is_updated_and_rises(shown: Show) -> None:
    page = shown(queue_heap.panel(pops=0))
    page.drag("pod/dog", 0, -98)
    expect(page.sentence).to_contain_text("Update(dog, ")
    expect(page.sentence).to_contain_text("The head is cat (900).")
    for _ in range(3):
        page.key("Pop").click()
    expect(page.sentence).to_contain_text("Pop returns dog;")
    page.key("pod/elk").focus()
    page.page.keyboard.press("ArrowUp")
    expect(page.sentence).to_contain_text("Update(elk, 750)")
    page.key("Add").click()
    expect(page.sentence).to_contain_text("Add(new, 1000)")
    page.key("Pop").click()
    page.key("Pop").click()
    page.key("pod/new").click()
    expect(page.sentence).to_contain_text("Pop returns new;")


def test_the_swaps_are_played_one_by_one(shown: Show) -> None:
    page = shown(queue_heap.panel(which="new", pops=0))
    page.page.get_by_role("button", name="Show how").click()
    expect(page.picture).to_contain_text("+ new")
    expect(page.picture).to_contain_text("⇄ new")


def test_the_other_field_decides(shown: Show) -> None:
    page = shown(queue_order.panel(mail_probe=9 * 60 + 40))
    expect(page.sentence).to_contain_text("web is next")
    page.drag("mail/lastProbeTime", -900, 0)
    expect(page.sentence).to_contain_text("mail is next. The priorities are equal, and its creationTimestamp 08:00")
    page.drag("pod/web", 0, -12)
    expect(page.sentence).to_contain_text("web is next. Its priority is 150, the other's 100.")


def test_the_event_is_dragged_to_another_moment(shown: Show) -> None:
    page = shown(queue_parts.panel())
    expect(page.sentence).to_contain_text("web is in unschedulableQ.")
    box = page.page.locator(".ks-picture svg").bounding_box()
    assert box is not None
    page.drag("event", box["width"] / 5 * 2, 0)
    expect(page.sentence).to_contain_text("web is in activeQ.")
    expect(page.picture).to_contain_text("✕ podSchedulingCycle 1 > moveRequestCycle 1")
    page.key("event").focus()
    page.page.keyboard.press("ArrowRight")
    expect(page.sentence).to_contain_text("MoveAllToActiveQueue(): it brings back everybody.")


def test_a_nomination_is_forgotten_in_v1_13_only(shown: Show) -> None:
    page = shown(queue_nominated.panel(calls=3))
    page.page.get_by_role("button", name="Next").click()
    expect(page.picture).to_contain_text("✕ urgent: no list")
    page.page.get_by_role("checkbox").check()
    expect(page.sentence).to_contain_text("node-b: urgent")


def test_the_time_is_dragged(shown: Show) -> None:
    page = shown(queue_clock.panel(lanes=queue_clock.ALL, time=7))
    expect(page.sentence).to_contain_text("web backs off (3 attempts)")
    page.key("now").focus()
    for _ in range(4):
        page.page.keyboard.press("ArrowRight")
    expect(page.sentence).to_contain_text("web is tried at 10 s and bound at 10.1 s (4 attempts).")
    expect(page.page.get_by_role("group", name="time")).to_contain_text("11 s")
    page.drag("now", -400, 0)
    expect(page.sentence).to_contain_text("web is")
    expect(page.key("now")).not_to_contain_text("11 s")


def test_the_time_is_dragged_in_all_versions(shown: Show) -> None:
    page = shown(queue_clock.panel(lanes=queue_clock.OLDER))
    expect(page.sentence).to_contain_text("In v1.13, web is tried at 7 s and bound at 7.1 s (4 attempts).")
    page.key("now").focus()
    for _ in range(8):
        page.page.keyboard.press("ArrowLeft")
    expect(page.sentence).to_contain_text("In v1.13, v1.16, v1.20, v1.37, web waits (3 attempts).")


ASKED = {
    "newest": queue_clock.panel().ask(queue_clock.when_is_web_tried()),
    "versions": queue_clock.panel(lanes=queue_clock.OLDER, pod="ssd").ask(queue_clock.how_often_is_ssd_tried()),
    "woken": queue_clock.panel(lanes=queue_clock.ALL).ask(queue_clock.who_is_woken()),
    "gap": queue_heap.panel().ask(queue_heap.after_pop()),
    "next": queue_order.panel(mail_transition=500, mail_probe=580).ask(queue_order.who_is_next()),
    "where": queue_parts.panel(when=queue_parts.DURING).ask(queue_parts.where_to()),
    "back": queue_parts.panel(when=queue_parts.AFTER).ask(queue_parts.what_leaves_it()),
    "list": queue_nominated.panel(calls=3).ask(queue_nominated.where_is_urgent()),
}


@pytest.mark.parametrize("name", ASKED)
def test_an_open_question_fits_every_window(shown: Show, name: str) -> None:
    for width, large in ((432, False), (880, True), (1520, False)):
        assert shown(ASKED[name], width=width, large=large).faults() == [], f"{width} px"
