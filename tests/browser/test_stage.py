"""The front end in a plain page: handles, motion, questions, stories, and what is left when the kernel has gone."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace

import pytest
from playwright.sync_api import Locator, expect

from kschedlab.text.html import Html, element
from kschedlab.text.tables import row, table
from kschedlab_lab.panels import contents
from kschedlab_lab.panels.base import Frame, Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Nothing, Restorable, choice, slider, steps, switch
from kschedlab_lab.views.svg import Room, label, svg
from tests.browser.conftest import Show
from tests.browser.page import SHOW, PanelPage

NODES = ("node-a", "node-b", "node-c")
ROOM = Room()


def alone(text: str, right: str, why: str) -> Panel[Nothing]:
    """A question without a picture."""
    question = Question[Nothing](text, (right,), lambda _: right, lambda _, answer: why)
    return Panel(Nothing(), lambda _: View(Html(), "", Html(), "")).ask(question)


@dataclass(frozen=True)
class Settings(Restorable):
    priority: int = slider("priority", range(0, 501, 100), 200)
    node: str = choice("node", NODES, "node-a")
    tainted: bool = switch("node-b is tainted")
    step: int = steps("step", 4)


def draw(settings: Settings, room: Room = ROOM) -> Html:
    """Three nodes, one of which has the pod, whose height is its priority."""
    shapes = []
    for i, name in enumerate(NODES):
        shapes.append(
            element(
                "g",
                element("rect", width=100, height=140, fill="#eee", stroke="currentColor"),
                label(name, 8, 130),
                data_key=f"node/{name}",
                data_pick=name,
                transform=f"translate({20 + 120 * i},20)",
            )
        )
    pod = element(
        "g",
        element("rect", width=60, height=10 + settings.priority // 10, fill="#56B4E9", data_key="pod/web/box"),
        element("rect", width=60, height=8, fill="#0072B2", data_drag="priority", data_step="-10"),
        label("web", 6, 22),
        data_key="pod/web",
        transform=f"translate({40 + 120 * NODES.index(settings.node)},40)",
    )
    taint = element(
        "text", "taint", x=390, y=40, data_set=f"tainted: {'off' if settings.tainted else 'on'}", data_tip="a taint"
    )
    return svg([*shapes, pod, taint], 440, 180, "three nodes")


def show(settings: Settings) -> View:
    sentence = f"web of priority {settings.priority} is on {settings.node}, step {settings.step}"
    table = element("table", element("tr", element("td", "web", data_ref="pod/web")))

    def story(room: Room) -> list[Frame]:
        start = Settings(settings.priority, "node-a")
        return [Frame(draw(start, room), "web waits"), Frame(draw(settings, room), "web moves")]

    idle = {"tainted": "node-b was not looked at"} if settings.node == "node-c" else {}
    return View(lambda room: draw(settings, room), sentence, table, sentence, idle, story)


def which() -> Question[Settings]:
    return Question(
        "Where is web?",
        NODES,
        lambda settings: settings.node,
        lambda settings, answer: f"It is on {settings.node}, not simply on {answer}.",
        draw,
    )


def how_far() -> Question[Settings]:
    return Question(
        "At which step is web?",
        (),
        lambda settings: str(settings.step),
        lambda s, _: f"It is at {s.step}.",
        draw,
        most=4,
    )


Open = Callable[..., PanelPage]


@pytest.fixture
def opened(shown: Show) -> Open:
    """Shows this panel if no other is given."""
    return lambda panel=None, **how: shown(panel or Panel(Settings(), show), **how)


def test_a_handle_is_dragged_and_the_slider_follows(opened: Open) -> None:
    page = opened()
    page.drag(page.page.locator("[data-drag]"), 0, -24)
    expect(page.sentence).to_have_text("web of priority 400 is on node-a, step 0")
    expect(page.page.locator(".ks-slider input").first).to_have_value("4")
    page.drag(page.page.locator("[data-drag]"), 0, 400)
    expect(page.sentence).to_contain_text("priority 0 ")


def test_handles_and_sliders_move_from_the_keyboard_and_keep_the_focus(opened: Open) -> None:
    page = opened()
    handle = page.page.locator("[data-drag]")
    expect(handle).to_have_attribute("aria-valuetext", "200")
    handle.focus()
    for key in ("ArrowUp", "ArrowUp", "ArrowDown", "End"):
        page.page.keyboard.press(key)
    expect(page.sentence).to_contain_text("priority 500 ")
    expect(page.page.locator("[data-drag]")).to_be_focused()
    page.page.locator(".ks-slider input").first.focus()
    page.page.keyboard.press("Home")
    expect(page.sentence).to_contain_text("priority 0 ")


def test_what_has_no_effect_is_said(opened: Open) -> None:
    page = opened(Panel(Settings(tainted=True), show))
    page.page.get_by_label("node-c").click()
    expect(page.sentence).to_contain_text("on node-c")
    expect(page.page.locator(".ks-idle")).to_contain_text("node-b was not looked at")


def test_a_switch_in_the_picture_and_what_it_says(opened: Open) -> None:
    page = opened()
    taint = page.page.locator("[data-set]")
    taint.hover()
    expect(page.page.locator(".ks-tip")).to_have_text("a taint")
    taint.click()
    expect(page.page.get_by_label("node-b is tainted")).to_be_checked()
    expect(page.page.locator(".ks-tip")).to_be_hidden()  # it would cover what has changed
    page.page.locator("[data-set]").focus()
    page.page.keyboard.press("Enter")
    expect(page.page.get_by_label("node-b is tainted")).not_to_be_checked()


def test_a_remark_does_not_cover_what_the_panel_says(opened: Open) -> None:
    page = opened()
    page.page.locator("[data-set]").hover()
    remark, words = page.page.locator(".ks-tip"), page.page.locator(".ks-top")
    expect(remark).to_be_visible()
    tip, top = remark.bounding_box(), words.bounding_box()
    assert tip is not None and top is not None and tip["y"] >= top["y"] + top["height"]


def test_a_mouse_leaves_no_ring_around_a_handle_and_a_key_does(opened: Open) -> None:
    page = opened()
    handle, ring = page.page.locator("[data-drag]"), "each => getComputedStyle(each).outlineStyle"
    page.page.keyboard.press("Tab")
    page.drag(handle, 0, -24)
    expect(handle).to_be_focused()
    assert handle.evaluate(ring) == "none"
    page.page.keyboard.press("ArrowUp")
    expect(page.sentence).to_contain_text("priority 500 ")
    assert handle.evaluate(ring) != "none"


def test_a_number_lights_up_what_it_is_about(opened: Open) -> None:
    page = opened()
    page.page.locator("td[data-ref]").hover()
    expect(page.page.locator("[data-key='pod/web'].ks-lit")).to_have_count(1)


def test_what_has_a_key_travels_to_its_new_place(opened: Open) -> None:
    page = opened(still=False)
    page.page.evaluate("document.querySelector('[data-key=\"pod/web\"]').dataset.seen = 'old'")
    page.page.get_by_label("node-c").click()
    page.page.wait_for_function("document.querySelector('[data-key=\"pod/web\"]').dataset.seen === undefined")
    moves = page.page.evaluate(
        """document.getAnimations().map(({ effect }) =>
            [effect.target.dataset.key, effect.getKeyframes()[0].translate])"""
    )
    [[key, start]] = [each for each in moves if each[1]]
    assert key == "pod/web" and start.startswith("-240px")
    page.settled()
    assert page.page.evaluate("document.querySelector('[data-key=\"pod/web\"]').getCTM().e") > 240


def test_with_reduced_motion_nothing_moves_and_the_end_is_the_same(opened: Open) -> None:
    page = opened()
    page.page.get_by_label("node-c").click()
    expect(page.sentence).to_contain_text("on node-c")
    assert page.page.evaluate("document.getAnimations().length") == 0
    shown = page.page.locator(".ks-picture svg g").first.inner_html()
    assert "translate(280,40)" in shown


def drawn_anew(page: PanelPage) -> None:
    """The kernel sends the same picture for another room."""
    shown = page.session.look()
    page.page.evaluate(SHOW, [{**shown, "picture": shown["picture"] + " "}])


@pytest.mark.parametrize("finger", [False, True])
def test_a_click_counts_where_the_picture_is_drawn_anew_under_it(opened: Open, finger: bool) -> None:
    page = opened(Panel(Settings(node="node-b"), show).ask(which()))
    press(page, "node/node-b", finger)
    expect(page.question).to_contain_text("Right.")
    press(page, page.page.locator("[data-set]"), finger)
    expect(page.page.get_by_label("node-b is tainted")).to_be_checked()


def test_a_press_that_moves_away_is_no_click(opened: Open) -> None:
    page = opened(Panel(Settings(node="node-b"), show).ask(which()))
    page.page.mouse.move(*page.middle("node/node-b"))
    page.page.mouse.down()
    drawn_anew(page)
    page.page.mouse.move(*page.middle("node/node-c"))
    page.page.mouse.up()
    page.settled()
    expect(page.question).to_contain_text("Click here or in the picture")


def press(page: PanelPage, what: str | Locator, finger: bool) -> None:
    """A click during which the picture is drawn anew."""
    x, y = page.middle(what)
    if not finger:
        page.page.mouse.move(x, y)
        page.page.mouse.down()
        drawn_anew(page)
        return page.page.mouse.up()
    screen = page.context.new_cdp_session(page.page)
    screen.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    screen.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x, "y": y}]})
    drawn_anew(page)
    screen.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    return None


def test_a_question_is_answered_in_the_picture(opened: Open) -> None:
    page = opened(Panel(Settings(node="node-b"), show).ask(which()))
    expect(page.question).to_contain_text("Where is web?")
    expect(page.page.locator(".ks-controls")).to_be_hidden()
    page.key("node/node-c").click()
    said = "✕ Not quite. It is on node-b, not simply on node-c. Your answer: node-c"
    expect(page.page.locator(".ks-wrong")).to_have_text(said)
    expect(page.sentence).to_contain_text("on node-b")
    expect(page.page.locator(".ks-controls")).to_be_visible()


def test_a_pod_is_dropped_on_the_node_that_is_guessed(opened: Open) -> None:
    """Elsewhere it goes back, and the question stays open."""
    page = opened(Panel(Settings(node="node-b"), lambda settings: replace(show(settings), story=None)).ask(waits()))
    expect(page.question).to_contain_text("Click a node, or drag the pod to it.")
    place = page.key("pod/web").bounding_box()
    drop(page, 0, 90)
    expect(page.key("node/node-c")).not_to_have_class("ks-under")
    assert page.key("pod/web").bounding_box() == place
    drop(page, *page.middle("node/node-c"))
    expect(page.page.locator(".ks-wrong")).to_contain_text("Your answer: node-c")


def waits() -> Question[Settings]:
    """Which node the pod goes to; until then it is below them."""

    def before(settings: Settings, room: Room = ROOM) -> Html:
        web = element(
            "g", element("rect", width=60, height=20, fill="#56B4E9"), data_key="pod/web", transform="translate(20,180)"
        )
        nodes = [
            element(
                "rect",
                x=20 + 120 * i,
                y=20,
                width=100,
                height=140,
                fill="#eee",
                data_key=f"node/{name}",
                data_pick=name,
            )
            for i, name in enumerate(NODES)
        ]
        return svg([*nodes, web], 440, 210, "a pod waits")

    why = "It has room."
    return Question("Where does web go?", NODES, lambda settings: settings.node, lambda *_: why, before, drawn=True)


def drop(page: PanelPage, x: float, y: float) -> None:
    page.page.mouse.move(*page.middle("pod/web"))
    page.page.mouse.down()
    page.page.mouse.move(x, y, steps=4)
    expect(page.key("pod/web")).to_have_class("ks-carried")  # with its name
    page.page.mouse.up()


def test_what_stands_between_backquotes_is_code_and_never_markup(opened: Open) -> None:
    page = opened(alone("What does `Less<b>` say?", "`<i>pod</i>`", "`Less` says <u>more</u>."))
    expect(page.question.locator("code")).to_have_text(["Less<b>", "<i>pod</i>"])
    page.page.get_by_role("button", name="<i>pod</i>").click()
    expect(page.question.locator("code")).to_have_text(["Less<b>", "Less"])
    expect(page.page.locator(".ks-right")).to_have_text("✓ Right. Less says <u>more</u>.")
    assert page.question.locator("i, u").count() == 0


def test_a_verdict_goes_with_the_settings_that_were_asked_about(opened: Open) -> None:
    page = opened(Panel(Settings(node="node-b"), show).ask(which()))
    page.key("node/node-b").click()
    expect(page.page.locator(".ks-right")).to_have_text("✓ Right. It is on node-b, not simply on node-b.")
    page.page.get_by_label("priority", exact=True).first.press("ArrowRight")
    expect(page.page.locator(".ks-right, .ks-guess")).to_have_count(0)
    page.page.get_by_role("button", name="Start again").click()
    expect(page.page.locator(".ks-right")).to_contain_text("Right. It is on node-b")


def test_a_number_that_is_not_allowed_is_refused_beside_the_field(opened: Open) -> None:
    page = opened(Panel(Settings(step=3), show).ask(how_far()))
    expect(page.question).to_contain_text("Type a whole number from 0 to 4.")
    field, alert = page.page.get_by_role("textbox").first, page.page.get_by_role("alert")
    field.fill("-5")
    field.press("Enter")
    expect(alert).to_have_text('⚠ "-5" is not a whole number from 0 to 4')
    field.fill("")
    field.press("Enter")
    expect(alert).to_have_text("⚠ Type a number first.")
    assert alert.bounding_box()["y"] < page.picture.bounding_box()["y"]  # type: ignore[index]


def test_a_question_alone_can_be_shown_to_a_class_but_not_begun_again(opened: Open) -> None:
    asked = opened(alone("Does it?", "yes", "It does."))
    expect(asked.page.get_by_role("button", name="Classroom")).to_be_visible()
    expect(asked.page.get_by_role("button", name="Start again")).to_be_hidden()


def test_escape_closes_the_menu_and_then_makes_an_enlarged_panel_small(opened: Open) -> None:
    page = opened(Panel(Settings(node="node-b"), show), large=True)
    panel = page.page.locator(".ks")
    page.page.get_by_role("button", name="Classroom").press("Escape")
    expect(page.page.locator(".ks-drawer")).to_be_hidden()
    expect(page.page.locator(".ks-more")).to_be_focused()
    expect(panel).to_have_class(re.compile("ks-large"))
    page.page.keyboard.press("Escape")
    expect(panel).not_to_have_class(re.compile("ks-large"))


def test_an_answer_is_back_after_a_class_that_gave_none(opened: Open) -> None:
    page = opened(Panel(Settings(node="node-b"), show).ask(which()))
    page.key("node/node-b").click()
    expect(page.question).to_contain_text("Right.")
    page.page.get_by_role("button", name="Classroom").click()
    expect(page.question).to_contain_text("Where is web?")
    page.page.keyboard.press("Escape")
    expect(page.question).to_contain_text("Right.")


def test_the_next_class_is_asked_again(opened: Open) -> None:
    page = opened(Panel(Settings(node="node-b"), show).ask(which()), large=True)
    page.page.keyboard.press("2")
    page.page.get_by_role("button", name="Open the answer").click()
    expect(page.page.locator(".ks-votes")).to_be_visible()
    page.page.get_by_role("button", name="Back to the lesson").click()
    page.page.get_by_role("button", name="Classroom").click()
    expect(page.page.get_by_title("take the last vote back")).to_have_text("↶ 0")
    expect(page.page.locator(".ks-votes")).to_have_count(0)


def test_a_class_is_polled_and_the_teacher_opens_the_answer(opened: Open) -> None:
    page = opened(Panel(Settings(node="node-b"), show).ask(which()), large=True)
    choices = page.page.locator(".ks-choices")
    expect(choices.get_by_title("take the last vote back")).to_be_disabled()
    for name in ("node-c", "node-b", "node-b", "node-c"):
        choices.get_by_role("button", name=name).click()
    choices.get_by_title("take the last vote back").click()
    expect(page.page.locator(".ks-controls")).to_be_hidden()
    expect(page.page.locator(".ks-vote")).to_have_text(["node-a", "node-b", "node-c"])  # late hands would follow
    expect(choices.get_by_title("take the last vote back")).to_have_text("↶ 3")
    choices.get_by_role("button", name="Open the answer").click()
    expect(page.page.locator(".ks-votes li")).to_have_text(["node-b ✓2", "node-c1", "node-a0"])
    two, one, _ = (bar.bounding_box() or {} for bar in page.page.locator(".ks-votes i").all())
    whole = page.page.locator(".ks-votes li").first.bounding_box() or {}
    assert two["width"] == pytest.approx(whole["width"] * 2 / 3, abs=1)
    assert one["width"] == pytest.approx(whole["width"] / 3, abs=1)
    expect(page.page.locator(".ks-right")).to_contain_text("✓ Most votes: node-b.")
    page.page.locator(".ks-top").get_by_role("button", name="Ask again").click()
    expect(choices.get_by_title("take the last vote back")).to_have_text("↶ 0")
    page.page.get_by_role("button", name="Back to the lesson").click()
    expect(page.page.locator(".ks")).not_to_have_class(re.compile("ks-large"))
    expect(page.page.get_by_role("button", name="Back to the lesson")).to_be_hidden()


def test_in_a_poll_a_key_is_a_hand(opened: Open) -> None:
    page = opened(Panel(Settings(node="node-b"), show).ask(which()), large=True)
    hands = page.page.get_by_title("take the last vote back")
    page.page.keyboard.press("1")
    expect(hands).to_have_text("↶ 1")
    page.page.evaluate("document.querySelector('.ks-bar button').click()")
    expect(hands).to_have_text("↶ 0")
    for key in "3221":
        page.page.keyboard.press(key)
    expect(hands).to_have_text("↶ 4")
    page.page.get_by_role("button", name="Open the answer").click()
    expect(page.page.locator(".ks-votes li")).to_have_text(["node-b ✓2", "node-c1", "node-a1"])


def test_keys_take_a_hand_back_and_open_the_answer(opened: Open) -> None:
    page = opened(Panel(Settings(node="node-b"), show).ask(which()), large=True)
    for key in ("2", "3", "3", "Backspace", "Backspace"):
        page.page.keyboard.press(key)
    expect(page.page.get_by_title("take the last vote back")).to_have_text("↶ 1")
    page.page.locator(".ks-choices").get_by_role("button", name="node-b").press("Enter")
    expect(page.page.get_by_title("take the last vote back")).to_have_text("↶ 2")
    page.page.keyboard.press("Enter")
    expect(page.page.locator(".ks-votes li")).to_have_text(["node-b ✓2", "node-a0", "node-c0"])


def test_answers_that_are_numbers_have_letters_as_keys(opened: Open) -> None:
    page = opened(Panel(Settings(node="node-b"), show).ask(replace(which(), choices=("0", "1", "node-b"))), large=True)
    for key in "1bA":
        page.page.keyboard.press(key)
    expect(page.page.get_by_title("take the last vote back")).to_have_text("↶ 2")
    page.page.get_by_role("button", name="Open the answer").click()
    expect(page.page.locator(".ks-votes li")).to_have_text(["01", "11", "node-b ✓0"])


def test_the_first_hand_moves_nothing(opened: Open) -> None:
    page = opened(Panel(Settings(node="node-b"), show).ask(which()), large=True)
    picture, before = page.page.locator(".ks-picture"), page.page.locator(".ks-picture").bounding_box()
    page.page.keyboard.press("1")
    expect(page.page.get_by_title("take the last vote back")).to_have_text("↶ 1")
    assert picture.bounding_box() == before


def test_numbers_of_a_class_are_typed_one_after_the_other(opened: Open) -> None:
    page = opened(Panel(Settings(step=3), show).ask(how_far()))
    hands = page.page.get_by_title("take the last vote back")
    page.page.get_by_role("button", name="Classroom").click()
    for typed in ("2", "3", "3"):
        page.page.keyboard.type(typed)
        page.page.keyboard.press("Enter")
    expect(hands).to_have_text("↶ 3")
    page.page.get_by_role("button", name="Open the answer").click()
    expect(page.page.locator(".ks-votes li")).to_have_text(["3 ✓2", "21"])
    page.page.get_by_role("button", name="Ask again").click()
    expect(page.page.get_by_role("textbox").first).to_be_focused()
    hands.evaluate("(each) => each.closest('.ks').focus()")
    page.page.keyboard.type("12")
    expect(page.page.get_by_role("textbox").first).to_have_value("12")


def test_the_votes_stay_when_the_panel_changes(opened: Open) -> None:
    page = opened(Panel(Settings(node="node-b"), show).ask(which()), large=True)
    for key in "223":
        page.page.keyboard.press(key)
    page.page.get_by_role("button", name="Open the answer").click()
    page.page.get_by_role("radio", name="node-c").check()
    expect(page.sentence).to_contain_text("on node-c")
    expect(page.page.locator(".ks-votes li")).to_have_text(["node-b2", "node-c1", "node-a0"])  # was right, there
    expect(page.page.locator(".ks-votes")).to_be_visible()
    expect(page.page.locator(".ks-right")).to_have_count(0)
    page.page.get_by_role("button", name="Ask again").click()
    expect(page.page.locator(".ks-votes")).to_have_count(0)


def test_a_class_that_is_divided_says_nothing_wrong(opened: Open) -> None:
    page = opened(Panel(Settings(node="node-b"), show).ask(which()), large=True)
    for name in ("node-c", "node-b", "Open the answer"):
        page.page.locator(".ks-choices").get_by_role("button", name=name).click()
    expect(page.page.locator(".ks-votes li")).to_have_text(["node-c1", "node-b ✓1", "node-a0"])
    expect(page.question).to_contain_text("The answer:")
    expect(page.page.locator(".ks-wrong")).to_have_count(0)


def test_a_class_gives_numbers_and_votes_for_them(opened: Open) -> None:
    page = opened(Panel(Settings(step=3), show).ask(how_far()), large=True)
    field, choices = page.page.get_by_role("textbox").first, page.page.locator(".ks-choices")
    for typed in ("2", "3", "3", "many", "-1", "5"):
        field.fill(typed)
        choices.get_by_role("button", name="OK").click()
    expect(choices.get_by_title("take the last vote back")).to_have_text("↶ 3")
    expect(field).to_have_js_property("validationMessage", "a whole number from 0 to 4")
    choices.get_by_role("button", name="Open the answer").click()
    expect(page.page.locator(".ks-votes li")).to_have_text(["3 ✓2", "21"])
    expect(page.page.locator(".ks-right")).to_contain_text("✓ Most votes: 3.")


def test_a_story_is_played_scrubbed_and_closed(opened: Open) -> None:
    page = opened(Panel(Settings(node="node-c"), show))
    page.page.get_by_role("button", name="Show how").click()
    expect(page.sentence).to_have_text("web waits")
    page.page.get_by_role("button", name="Next").last.click()
    expect(page.sentence).to_have_text("web moves")
    page.page.get_by_label("Moment of the story").fill("0")
    expect(page.sentence).to_have_text("web waits")
    page.page.get_by_role("button", name="Play", exact=True).click()
    expect(page.page.get_by_role("button", name="Pause")).to_be_visible()
    again = page.page.get_by_role("button", name="Again", exact=True)
    expect(page.sentence).to_have_text("web moves")
    expect(again).to_be_visible(timeout=1000)  # nothing plays at the last moment
    again.click()
    expect(page.sentence).to_have_text("web waits")
    expect(again).to_have_count(0)
    page.page.get_by_role("button", name="Close the story").click()
    expect(page.sentence).to_contain_text("on node-c")
    assert "translate(280,40)" in page.page.locator(".ks-picture svg").inner_html()


def test_a_story_ends_when_the_panel_goes_elsewhere(opened: Open) -> None:
    page = opened(Panel(Settings(node="node-a"), show))
    page.page.get_by_role("radio", name="node-c").check()
    page.page.get_by_role("button", name="Show how").click()
    expect(page.sentence).to_have_text("web waits")
    page.page.get_by_role("button", name="Start again").click()
    expect(page.sentence).to_contain_text("on node-a")
    expect(page.page.get_by_role("button", name="Close the story")).to_have_count(0)
    page.page.get_by_role("button", name="Show how").click()
    page.page.get_by_role("button", name="Classroom").click()
    expect(page.page.get_by_role("button", name="Close the story")).to_have_count(0)
    expect(page.sentence).to_contain_text("on node-a")
    page.page.get_by_role("button", name="Show how").click()
    expect(page.page.get_by_role("button", name="Close the story")).to_be_visible()
    page.page.evaluate("window.model.set('large', false); window.tell('change:large')")  # classroom(False) in a cell
    expect(page.page.get_by_role("button", name="Close the story")).to_have_count(0)


def test_steps_play_to_their_end_and_again(opened: Open) -> None:
    page = opened(Panel(Settings(), lambda settings: replace(show(settings), story=None)))
    for _ in range(2):
        page.page.get_by_role("button", name="Play").click()
        expect(page.sentence).to_contain_text("step 1")
        expect(page.sentence).to_contain_text("step 4")
        expect(page.page.get_by_role("button", name="Play")).to_be_visible()


def test_a_panel_with_steps_and_a_story_has_one_button_that_plays(opened: Open) -> None:
    page = opened()
    expect(page.page.get_by_role("button", name="Show how")).to_be_visible()
    expect(page.page.get_by_role("button", name="Play")).to_have_count(0)


def test_state_code_and_a_wrong_state(opened: Open) -> None:
    page = opened()
    page.page.get_by_text("State, code").click()
    expect(page.page.get_by_label("Python")).to_have_value(
        'lesson.panel().restore("priority: 200, node: node-a, tainted: off, step: 0")'
    )
    state = page.page.get_by_label("State", exact=True)
    state.fill("node: <b>")
    state.press("Enter")
    alert = page.page.get_by_role("alert")
    expect(alert).to_contain_text('node: "<b>" is not one of node-a, node-b, node-c')
    expect(alert).to_be_in_viewport()
    low, field = alert.bounding_box(), state.bounding_box()
    assert low is not None and field is not None and 0 <= field["y"] - low["y"] - low["height"] < 20
    state.fill("node: node-b")
    state.press("Enter")
    expect(page.sentence).to_contain_text("on node-b")
    page.page.get_by_role("button", name="Start again").click()
    expect(page.sentence).to_contain_text("on node-a")


def test_a_link_leaves_the_page_where_it_is(opened: Open) -> None:
    page = opened(contents.panel())
    with page.page.expect_popup() as other:
        page.page.get_by_role("link").first.click()
    other.value.close()
    expect(page.page.locator(".ks-picture svg")).to_be_visible()


def test_when_the_kernel_has_gone_the_last_picture_says_so(opened: Open) -> None:
    page = opened()
    page.page.evaluate("window.model.comm_live = false; window.tell('comm_live_update')")
    expect(page.page.locator(".ks-lost")).to_contain_text("Run the cell again")
    expect(page.key("pod/web")).to_be_visible()


def test_a_kernel_that_was_shut_down_is_noticed_at_the_first_move(opened: Open) -> None:
    page = opened()
    page.page.evaluate("() => { window.model.send = () => { throw new Error('Cannot send'); }; }")
    for _ in range(2):
        page.page.locator(".ks-slider input").first.press("ArrowRight")
        expect(page.page.locator(".ks-lost")).to_contain_text("Run the cell again")
        expect(page.page.locator(".ks-slider input").first).to_have_value("2")
    expect(page.sentence).to_contain_text("priority 200")


def test_fast_moves_end_at_the_last_one(opened: Open) -> None:
    page = opened()
    handle = page.page.locator(".ks-slider input").first
    handle.focus()
    for key in ["ArrowRight", "ArrowLeft"] * 15 + ["Home"]:
        page.page.keyboard.press(key)
    expect(page.sentence).to_contain_text("priority 0 ")
    page.settled()
    assert page.session.panel.settings.priority == 0
    assert page.page.locator("[data-key='pod/web/box']").get_attribute("height") == "10"


NUMBERS = table(["a", "b", "c"], [row("first", "b", "+1000000"), row("v1.13", "b", "-47")])


def test_numbers_and_versions_in_a_narrow_table_stay_whole(opened: Open) -> None:
    view = View(Html(), "", NUMBERS, "")
    page = opened(Panel(Nothing(), lambda _: view)).page
    page.locator(".ks-table").evaluate("(table) => { table.style.width = '70px'; }")
    lines = """(cell) => {
        const all = document.createRange();
        all.selectNodeContents(cell);
        return new Set([...all.getClientRects()].map((line) => line.top)).size;
    }"""
    for text in ("+1000000", "v1.13", "-47"):
        assert page.locator("td", has_text=text).evaluate(lines) == 1
