"""Lesson 00: the first picture answers to the hand, and the map of the course leads to a lesson."""

import re
from pathlib import Path

from playwright.sync_api import expect

from kschedlab_lab.panels import contents, first
from tests.browser.conftest import Show
from tests.browser.lab import Notebook, behind_dots


def test_the_pod_is_resized_until_others_leave_for_it(shown: Show) -> None:
    page = shown(first.panel(priority=500))
    sentence = page.sentence
    expect(sentence).to_contain_text("web goes to node-b")
    expect(page.picture.locator('[data-key="node/node-b"][data-state="chosen"]')).to_have_count(1)
    cpu = page.key("ask/box").bounding_box()["height"] / 1.5
    page.drag("ask", 0, 2 * cpu)
    expect(sentence).to_contain_text("web goes to node-a")
    page.drag("ask", 0, -5.1 * cpu)
    expect(sentence).to_contain_text("goes to node-c; shop has to leave")
    expect(page.key("pod/shop")).to_have_attribute("data-tip", re.compile("evicted"))
    page.drag("priority", -200, 0)
    expect(sentence).to_contain_text("none has enough pods of lower priority")
    expect(page.key("way")).to_have_count(0)


def test_a_colour_sets_the_priority_and_a_click_on_a_node_answers(shown: Show) -> None:
    page = shown(first.panel(request=6500, priority=500).ask(first.where()))
    expect(page.page.locator("body")).not_to_contain_text("leaves")
    page.key("node/node-c/pick").click()
    expect(page.page.locator(".ks-wrong")).to_contain_text("On node-c, db (800) stays.")
    expect(page.key("node/node-d")).to_have_attribute("data-state", "chosen")
    page.picture.locator('[data-set="priority: 300"]').click()
    expect(page.sentence).to_contain_text("none has enough pods of lower priority")


def test_a_remark_covers_nothing_that_a_key_changes(shown: Show) -> None:
    page = shown(first.panel())
    page.key("ask").focus()
    remark = page.page.locator(".ks-tip")
    expect(remark).to_have_text("drag it: what web asks for")
    page.page.keyboard.press("ArrowUp")
    expect(page.sentence).to_contain_text("405")
    expect(page.key("ask")).to_be_focused()
    expect(remark).to_be_hidden()


def test_arrows_lead_over_the_map(shown: Show) -> None:
    page = shown(contents.panel())
    page.key("lesson/02").focus()
    for key, lesson in (("ArrowLeft", "03"), ("ArrowRight", "05"), ("ArrowDown", "06"), ("ArrowUp", "05")):
        page.page.keyboard.press(key)
        expect(page.key(f"lesson/{lesson}")).to_be_focused()
    page.page.keyboard.press("Enter")
    expect(page.sentence).to_contain_text("05 preemption: Nothing fits")
    expect(page.key("lesson/05")).to_be_focused()


def the_map_leads_to_a_lesson(page: Notebook, _: Path) -> None:
    panel = page.page.locator(".kschedlab").filter(has=page.page.get_by_label("lesson", exact=True)).first
    sentence = panel.locator(".ks-sentence")
    expect(sentence).to_contain_text("01 overview: How does")
    panel.locator('[data-key="lesson/09"]').click()
    expect(sentence).to_contain_text("09 your plugin:")
    behind_dots(panel)
    panel.get_by_label("lesson", exact=True).select_option("05 preemption")
    expect(sentence).to_contain_text("05 preemption: Nothing fits")
    page.page.evaluate("window.stays = true")
    panel.get_by_role("link", name="Open lesson 05").click()
    expect(page.page.get_by_role("heading", name="05 · Preemption")).to_be_visible(timeout=60_000)
    assert page.page.evaluate("window.stays"), "JupyterLab was loaded again"
