"""An exercise in a real browser: choices, a line, the editor for YAML; in JupyterLab the cell with a function."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from kschedlab_lab.exercises import Lesson, Progress
from kschedlab_lab.exercises.card import Card
from kschedlab_lab.exercises.predict import Predict
from tests.browser.lab import LIMIT, Notebook

PAGE = """<!doctype html><meta charset="utf-8"><style>{css}</style><body style="font-family: system-ui">
<div id="card"></div>"""
MODEL = """async ([code, traits]) => {
    const heard = {};
    Object.assign(window, { sent: 0, late: [], slow: false }); // a slow kernel's replies wait in `late`
    const model = {
        get: (name) => traits[name],
        on: (name, act) => (heard[name] ??= []).push(act),
        off: () => {},
        send: async (message) => {
            const face = JSON.parse(await window.kernel(JSON.stringify(message)));
            window.sent += 1;
            if (window.slow) await new Promise((done) => window.late.push(done));
            traits.face = face;
            (heard["change:face"] ?? []).forEach((act) => act());
        },
    };
    const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
    (await import(url)).default.render({ model, el: document.getElementById("card") });
}"""
Show = Callable[..., Page]


@pytest.fixture
def show(browser: Browser) -> Iterator[Show]:
    """Show a card in a plain page; nothing may have gone wrong in it when the test is over."""
    contexts, problems = [], list[str]()

    def shown(card: Card, large: bool = False, width: int = 900) -> Page:
        def kernel(message: str) -> str:
            card._received(card, json.loads(message), [])
            return json.dumps(card.face)

        contexts.append(browser.new_context(viewport={"width": width, "height": 1000}))
        page = contexts[-1].new_page()
        page.set_default_timeout(LIMIT)
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.expose_function("kernel", kernel)
        page.set_content(PAGE.format(css=card._css))
        page.evaluate(MODEL, [card._esm, {"face": card.face, "large": large}])
        return page

    yield shown
    for each in contexts:
        each.close()
    assert problems == []


def exercise(lesson: str, number: int) -> Any:
    return Lesson(lesson, 1, Progress(None))[number]


def test_an_answer_is_picked_and_checked(show: Show) -> None:
    page = show(Card(exercise("preemption", 1)))
    status = page.get_by_role("status")
    page.get_by_role("button", name="Check").click()
    expect(status).to_contain_text("There is no answer yet.")
    page.get_by_role("radio", name="node-b").check()
    page.get_by_role("button", name="Check").click()
    expect(status).to_contain_text("node-b drops out at rule 1")
    page.get_by_role("button", name="Hint").click()
    expect(status.first).to_contain_text("Hint 1 of 2")
    expect(status.last).to_contain_text("node-b drops out at rule 1")
    page.get_by_role("button", name="Solution").click()
    expect(status.first).to_contain_text("Hint 1 of 2")
    expect(status.last).to_contain_text("1 hint left")


@pytest.mark.parametrize("width", [360, 1280])
def test_a_node_is_picked_in_the_picture(show: Show, width: int) -> None:
    asked = exercise("preemption", 1)
    page = show(Card(asked), width=width)
    node = page.locator(f"[data-pick='{asked.right}']").filter(visible=True)
    node.last.click()
    expect(node.last).to_have_class(re.compile("ks-picked"))
    expect(page.get_by_role("radio", name=asked.right)).to_be_checked()
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_role("status")).to_contain_text("✓")
    expect(page.get_by_role("button", name="Hint")).to_be_hidden()  # nobody asks any more


def test_a_device_is_picked_in_the_picture(show: Show) -> None:
    asked = exercise("devices", 1)
    page = show(Card(asked), width=1280)
    page.locator(f"[data-pick='{asked.right}']").filter(visible=True).first.click()
    expect(page.get_by_role("radio", name=asked.right)).to_be_checked()


def heard(page: Page, count: int) -> None:
    """Wait until the kernel has so many messages."""
    page.wait_for_function(f"window.sent >= {count}")


def test_a_pick_stays_after_it_was_kept(show: Show) -> None:
    asked = exercise("preemption", 1)
    page = show(Card(asked))
    page.locator(f"[data-pick='{asked.right}']").filter(visible=True).last.click()
    heard(page, 1)
    assert asked.given == asked.right
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_role("status")).to_contain_text("✓")


def test_a_late_reply_takes_no_pick_back(show: Show) -> None:
    asked = exercise("preemption", 1)
    page = show(Card(asked))
    page.evaluate("window.slow = true")
    page.get_by_role("button", name="Hint").click()
    heard(page, 1)
    page.locator(f"[data-pick='{asked.right}']").filter(visible=True).last.click()
    heard(page, 2)
    page.evaluate("window.slow = false, window.late.forEach((reply) => reply())")
    expect(page.get_by_role("status")).to_contain_text("Hint 1")
    expect(page.get_by_role("radio", name=asked.right)).to_be_checked()
    page.get_by_role("button", name="Check").click()
    expect(page.get_by_role("status")).to_contain_text("✓")


def test_a_late_reply_takes_nothing_back_that_was_typed(show: Show) -> None:
    page = show(Card(Predict("How many?", "?", "5000", "So.", ("Count.",))))
    field = page.get_by_role("textbox")
    page.evaluate("window.slow = true")
    field.fill("1")
    field.press("Enter")
    heard(page, 1)
    field.fill("12")
    page.evaluate("window.late.shift()()")
    expect(page.get_by_role("status")).to_contain_text("✗")
    expect(field).to_have_value("12")
    heard(page, 2)
    page.evaluate("window.slow = false, window.late.forEach((reply) => reply())")
    expect(field).to_have_value("12")


def test_what_another_view_has_answered_is_shown(show: Show) -> None:
    asked = exercise("preemption", 1)
    card = Card(asked)
    page = show(card)
    page.get_by_role("radio", name="node-a").check()
    heard(page, 1)
    asked.check("node-b")
    page.get_by_role("button", name="Hint").click()
    expect(page.get_by_role("radio", name="node-b")).to_be_checked()


def test_a_node_is_picked_while_a_reply_draws_the_picture_anew(show: Show) -> None:
    asked = exercise("preemption", 1)
    page = show(Card(asked))
    page.evaluate("window.slow = true")
    page.get_by_role("radio", name=next(each for each in asked.choices() if each != asked.right)).check()
    page.get_by_role("button", name="Check").click()
    heard(page, 1)
    page.locator(f"[data-pick='{asked.right}']").filter(visible=True).last.hover()
    page.mouse.down()
    page.evaluate("window.slow = false, window.late.forEach((reply) => reply())")
    expect(page.get_by_role("status")).to_contain_text("✗")
    page.mouse.up()
    expect(page.get_by_role("radio", name=asked.right)).to_be_checked()


def test_the_editor_indents_and_undoes(show: Show) -> None:
    asked = exercise("preemption", 2)
    page = show(Card(asked))
    field = page.get_by_role("textbox")
    field.click()  # the numbers of its lines lie over it
    expect(field).to_be_focused()
    field.fill("")
    field.press_sequentially("metadata:")
    field.press("Enter")
    field.press_sequentially("name: x")
    field.press("Enter")
    expect(field).to_have_value("metadata:\n  name: x\n  ")
    field.press("Tab")
    expect(field).to_have_value("metadata:\n  name: x\n    ")
    field.press("Shift+Tab")
    expect(field).to_have_value("metadata:\n  name: x\n  ")
    field.press("Control+z")
    expect(field).to_have_value("metadata:\n  name: x\n    ")
    expect(page.locator(".ks-numbers > div")).to_have_count(3)
    field.press("Escape")
    field.press("Tab")
    expect(page.get_by_role("button", name="Check")).to_be_focused()
    field.fill(asked.right)
    field.press("Control+Enter")
    expect(page.get_by_role("status")).to_contain_text("✓ urgent goes to ")


def test_the_verdict_comes_into_sight(show: Show) -> None:
    page = show(Card(exercise("devices", 2)))
    page.set_viewport_size({"width": 900, "height": 450})
    field = page.get_by_role("textbox")
    field.fill(field.input_value().rstrip() + " 1\n")
    field.press("Control+Enter")
    expect(page.locator(".ks-reply [role=status]")).to_be_in_viewport()


def test_a_long_line_is_seen_whole_in_a_narrow_window(show: Show) -> None:
    asked = exercise("devices", 2)
    page = show(Card(asked), width=380)
    field, lines = page.get_by_role("textbox"), page.locator(".ks-numbers > div")
    field.fill(asked.right)
    high = [each.evaluate("(line) => line.offsetHeight") for each in lines.all()]
    assert len(high) == field.input_value().count("\n") + 1 and max(high) >= 2 * min(high)
    assert field.evaluate("(area) => [area.scrollWidth - area.clientWidth, area.scrollHeight - area.clientHeight]") == [
        0,
        0,
    ]
    assert field.evaluate("(area) => area.parentElement.scrollWidth - area.parentElement.clientWidth") == 0


@pytest.mark.parametrize("width", [420, 800, 1280])
def test_it_fits_in_class_too(show: Show, width: int) -> None:
    for number in (1, 2):
        asked = exercise("preemption", number)
        asked.check(asked.right)
        page = show(Card(asked), large=True, width=width)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert page.evaluate("parseFloat(getComputedStyle(document.querySelector('.ks-main')).fontSize)") >= 18


def check_runs_the_cell_above(page: Notebook) -> None:
    cell = page.page.locator(".jp-CodeCell").filter(has=page.page.locator(".ks-exercise", has_text="the cell above"))
    status = cell.locator(".ks-reply")
    expect(status).to_contain_text("Not tried yet")
    code = cell.locator(".cm-content")
    code.click()
    page.page.keyboard.press("Control+a")
    page.page.keyboard.type("@exercises[3].answer\ndef mine(starts):\nwhile True: pass\n")
    cell.get_by_role("button", name="Check").click()
    expect(status).to_contain_text("It ran too long, and was stopped.")
    code.click()
    page.page.keyboard.press("Control+a")
    page.page.keyboard.type("exercises[3].answer(exercises[3].right)\n")
    cell.get_by_role("button", name="Check").click()
    expect(status).to_contain_text("✓ For each node, take the earliest start")
    expect(page.page.locator(".ks-asked").filter(has_text="✓ The fifth rule")).to_be_visible()
