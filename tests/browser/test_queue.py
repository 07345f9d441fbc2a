"""The stages of lesson 02 in a plain page: a button pops pods, and the event and the time are dragged."""

import pytest
from playwright.sync_api import expect

from kschedlab_lab.panels import queue_clock, queue_heap, queue_parts
from tests.browser.conftest import Show


def test_the_gap_is_predicted_in_the_picture(shown: Show) -> None:
    page = shown(queue_heap.panel().ask(queue_heap.after_pop()))
    expect(page.key("pod/cat")).to_be_visible()
    expect(page.sentence).to_have_text("")
    page.key("pod/gnu").click()
    expect(page.question).to_contain_text("gnu is the head in the end")
    expect(page.sentence).to_contain_text("Pop returns cat; gnu is the head now.")


def test_the_button_calls_pop_and_add(shown: Show) -> None:
    page = shown(queue_heap.panel(calls=1))
    page.key("call").click()
    expect(page.sentence).to_contain_text("Pop returns gnu; elk is the head now.")
    expect(page.key("call")).to_have_text("Add(web)")
    page.key("call").click()
    expect(page.sentence).to_contain_text("Add(web): 2 swaps; web is the head now.")
    page.key("call").focus()
    page.page.keyboard.press("Enter")
    expect(page.sentence).to_contain_text("Pop returns web;")


def test_the_swaps_are_played_one_by_one(shown: Show) -> None:
    page = shown(queue_heap.panel(calls=3))
    page.page.get_by_role("button", name="Show how").click()
    expect(page.picture).to_contain_text("+ web")
    expect(page.picture).to_contain_text("⇄ web")


def test_the_event_is_dragged_to_another_moment(shown: Show) -> None:
    page = shown(queue_parts.panel())
    expect(page.sentence).to_contain_text("it goes back to activeQ.")
    box = page.page.locator(".ks-picture svg").bounding_box()
    assert box is not None
    page.drag("event", -box["width"] / 3, 0)
    expect(page.sentence).to_contain_text("it waits in unschedulableQ.")
    expect(page.picture).to_contain_text("Popped after the event (1 > 0)? Yes: to unschedulableQ")
    page.key("event").focus()
    for _ in range(2):
        page.page.keyboard.press("ArrowRight")
    expect(page.sentence).to_contain_text("It moves web to activeQ.")
    page.page.get_by_role("radio", name="v1.37").check()
    expect(page.sentence).to_contain_text("It may help web, which failed less than 1 s ago: to backoffQ.")


def test_where_the_failed_pod_goes_is_picked_in_the_picture(shown: Show) -> None:
    page = shown(queue_parts.panel().ask(queue_parts.where_to()))
    page.key("part/unschedulableQ").click()
    expect(page.question).to_contain_text("In unschedulableQ, web would miss that event")


def test_the_event_that_makes_room_is_dragged_and_web_is_bound_sooner_or_later(shown: Show) -> None:
    page = shown(queue_clock.panel())
    page.drag("event", 900, 0)
    expect(page.sentence).to_contain_text("bound at 13.1 s")
    page.key("event").focus()
    for _ in range(8):
        page.page.keyboard.press("ArrowLeft")
    expect(page.sentence).to_contain_text("bound at 5.1 s")
    box = page.key("event").bounding_box()
    assert box is not None and min(box["width"], box["height"]) >= 24


def test_after_an_answer_the_time_runs_on_in_whatever_room(shown: Show) -> None:
    page = shown(queue_clock.panel().ask(queue_clock.when_is_web_tried()))
    page.page.emulate_media(reduced_motion="no-preference")
    page.page.get_by_role("button", name="at 10 s").click()
    expect(page.key("now")).to_contain_text("8 s")
    page.page.set_viewport_size({"width": 700, "height": 700})
    slider = page.page.locator(".ks-steps input")
    expect(slider).to_be_hidden()  # it is at 14 s already
    for second in (9, 10, 14):
        expect(page.key("now")).to_contain_text(f"{second} s")
    expect(slider).to_be_visible()


def test_the_priority_of_a_pod_is_dragged_and_it_takes_another_place(shown: Show) -> None:
    page = shown(queue_heap.panel(calls=3))
    page.key("pod/web/800").focus()
    page.page.keyboard.press("ArrowLeft")
    expect(page.sentence).to_contain_text("Add(web): 1 swap; elk is the head now.")


def test_the_time_is_dragged(shown: Show) -> None:
    page = shown(queue_clock.panel(lanes=queue_clock.ALL, time=7))
    expect(page.sentence).to_contain_text("web has been woken (3 attempts)")
    page.key("now").focus()
    for _ in range(4):
        page.page.keyboard.press("ArrowRight")
    expect(page.sentence).to_contain_text("web is tried at 10 s and bound at 10.1 s (4 attempts).")
    expect(page.page.get_by_role("group", name="time")).to_contain_text("11 s")
    page.drag("now", -400, 0)
    expect(page.sentence).to_contain_text("web is")
    expect(page.key("now")).not_to_contain_text("11 s")


ASKED = {
    "newest": queue_clock.panel().ask(queue_clock.when_is_web_tried()),
    "beside web": queue_clock.panel(lanes=queue_clock.ALL, pod="ssd").ask(queue_clock.how_often_beside_web()),
    "gap": queue_heap.panel().ask(queue_heap.after_pop()),
    "where": queue_parts.panel().ask(queue_parts.where_to()),
}


@pytest.mark.parametrize("name", ASKED)
def test_an_open_question_fits_every_window(shown: Show, name: str) -> None:
    for width, large in ((432, False), (880, True), (1520, False)):
        assert shown(ASKED[name], width=width, large=large).faults() == [], f"{width} px"
