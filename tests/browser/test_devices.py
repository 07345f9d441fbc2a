"""The panels of lesson 10 in a plain page: what is drawn, clicked and played."""

import re

import pytest
from playwright.sync_api import expect

from kschedlab_lab.panels import devices, selector
from kschedlab_lab.views.evaluation import result_of, worth_showing
from tests.browser.conftest import Show

DRIVER = "gpu.example.com"
TWO = devices.panel(count=2, together=True)


@pytest.mark.parametrize("width", [662, 862, 880, 1182, 1520])
def test_three_nodes_stand_side_by_side_and_their_devices_in_a_row(shown: Show, width: int) -> None:
    page = shown(TWO, width=width)
    boxes = [page.key(f"node/node-{name}").bounding_box() for name in "abc"]
    assert len({box["y"] for box in boxes if box}) == 1
    boxes = [page.key(f"device/{DRIVER}/node-a/gpu-{number}").bounding_box() for number in range(3)]
    ends = [box["y"] + box["height"] for box in boxes if box]
    assert max(ends) - min(ends) < 1


def test_on_a_phone_each_search_is_beside_its_node_and_all_are_on_a_screen(shown: Show) -> None:
    page = shown(TWO, width=360)
    first, second, third = (page.key(f"node/node-{name}").bounding_box() or {} for name in "abc")
    assert first["x"] == second["x"] == third["x"] and first["y"] < second["y"] < third["y"]
    tree = page.key("branch/node-c/0").bounding_box() or {}
    assert tree["x"] > third["x"] + third["width"] and third["y"] < tree["y"] < third["y"] + third["height"]
    assert third["y"] + third["height"] < 640
    expect(page.page.locator(".ks-picture svg")).to_contain_text("root p0")


def test_a_question_is_answered_by_a_click_on_a_device(shown: Show) -> None:
    page = shown(devices.one().ask(devices.first_fit()))
    page.key(f"device/{DRIVER}/node-c/gpu-2").click()
    page.settled()
    expect(page.page.locator(".ks-verdict, .ks-question").first).to_contain_text("gpu-1")


def test_the_line_is_dragged_by_any_part_of_it(shown: Show) -> None:
    page = shown(devices.panel())
    line = page.key("line/node-c").bounding_box() or {}
    x, y = line["x"] + line["width"] / 2, line["y"] + 10
    page.page.mouse.move(x, y)
    page.page.mouse.down()
    page.page.mouse.move(x, y - 15)
    page.page.mouse.move(x, y - 30)
    page.page.mouse.up()
    page.settled()
    assert page.session.panel.settings == devices.Settings().changed(memory=60)


def test_a_click_on_a_device_takes_rival_away(shown: Show) -> None:
    page = shown(TWO)
    page.key(f"device/{DRIVER}/node-b/gpu-0").click()
    page.settled()
    expect(page.sentence).to_have_text(re.compile("^train .*node-b .*gpu-0 .*gpu-1"))
    page.key(f"device/{DRIVER}/node-b/gpu-0").press("Enter")
    page.settled()
    assert page.session.panel.settings == devices.Settings().changed(count=2, together=True)


def test_the_claim_is_changed_in_the_picture(shown: Show) -> None:
    page = shown(devices.panel())
    page.key("least/node-b").press("ArrowUp")
    page.settled()
    for sets in ("count: 2", "model: any", "tolerates: on"):
        page.page.locator(f'[data-set="{sets}"]').click()
        page.settled()
    assert page.session.panel.settings == devices.Settings().changed(memory=60, count=2, model="any", tolerates=True)
    expect(page.page.locator(".ks-foot .ks-control")).to_have_count(0)  # none is there twice


def test_the_search_is_played(shown: Show) -> None:
    page = shown(devices.panel(model="any", memory=0, count=2, together=True))
    page.page.get_by_role("button", name="Show how").click()
    player = page.page.locator(".ks-story")
    player.get_by_role("slider").press("Home")
    expect(page.sentence).to_have_text("node-a: gpu-0 is taken so far.")
    for said in ("gpu-1 breaks a constraint: another pcieRoot", "gpu-2 breaks a constraint: another pcieRoot"):
        player.get_by_role("slider").press("ArrowRight")
        expect(page.sentence).to_have_text(f"node-a: {said}.")
    player.get_by_role("slider").press("ArrowRight")
    expect(page.sentence).to_have_text(re.compile("^node-a: gpu-0 .*given back"))
    player.get_by_role("slider").press("End")
    expect(page.sentence).to_have_text(re.compile("^train .*node-a .*gpu-1 .*gpu-2"))


@pytest.mark.parametrize("width", [432, 655, 880])
def test_every_part_of_a_selector_is_written_out(shown: Show, width: int) -> None:
    asked, page = selector.panel(), shown(selector.panel(), width=width)
    for name in selector.SELECTORS:
        settings = asked.settings.changed(selector=name)
        page.put(settings)
        parts = selector.evaluated(settings)
        for at in worth_showing(parts):
            written = "".join(page.key(f"part/{at}").locator("text").all_text_contents()).replace(" ", "")
            assert written == (parts[at].text + result_of(parts[at])).replace(" ", "")
        assert page.faults() == [], name


def test_the_whole_selector_can_be_read_before_the_answer(shown: Show) -> None:
    page = shown(selector.panel().ask(selector.question()), width=432)
    parts = selector.evaluated(selector.Settings())
    last = "".join(page.key(f"part/{len(parts) - 1}").locator("text").all_text_contents())
    assert last.replace(" ", "") == parts[-1].text.replace(" ", "") and page.faults() == []


def test_a_selector_can_be_typed_while_the_picture_gets_another_size(shown: Show) -> None:
    page = shown(selector.panel(), width=640, height=600)
    field = page.page.locator(".ks-typed textarea")
    text = 'device.attributes["gpu.example.com"].model == "t4"'
    field.focus()
    page.page.keyboard.press("Control+a")
    for part, width in ((text[:20], 700), (text[20:40], 640), (text[40:], 700)):
        page.page.keyboard.type(part)
        page.page.set_viewport_size({"width": width, "height": 600})
        page.settled()
    expect(field).to_have_value(text)
    page.page.keyboard.press("Enter")
    page.settled()
    assert page.session.panel.settings.selector == text


def test_a_click_in_a_selector_corrects_a_part_of_it_and_its_error_stays_in_the_panel(shown: Show) -> None:
    page = shown(selector.panel(), width=480, height=600)
    field = page.page.locator(".ks-typed textarea")
    field.click(position={"x": 60, "y": 12})
    page.page.keyboard.type("!")
    typed = field.input_value()
    assert len(typed) == len(page.session.panel.settings.selector) + 1 and not typed.startswith("!")
    page.page.keyboard.press("Control+a")
    page.page.keyboard.type('device.capacity["gpu.example.com"].memory > 40')
    page.page.keyboard.press("Enter")
    page.settled()
    error = page.page.locator(".ks-sentence")
    expect(error).to_contain_text("compareTo(quantity")
    assert error.evaluate("error => error.scrollWidth <= error.clientWidth")


def test_pods_end_at_a_click_until_the_waiting_one_gets_the_device(shown: Show) -> None:
    page = shown(devices.reserved().answer("node-a"))
    for pod, says in (("train", "eval still uses"), ("eval", "large goes to node-a")):
        page.key(f"pod/{pod}").click()
        page.settled()
        expect(page.sentence).to_contain_text(says)
    page.page.get_by_role("button", name="again", exact=True).click()
    page.settled()
    assert page.session.panel.settings == devices.Reserved()


def test_what_is_said_of_a_device_leaves_the_claim_in_sight(shown: Show) -> None:
    page = shown(devices.panel())
    device = page.key(f"device/{DRIVER}/node-c/gpu-1/box").bounding_box() or {}
    page.page.mouse.move(device["x"] + device["width"] / 2, device["y"] + 8)
    tip = page.page.get_by_role("tooltip")
    expect(tip).to_contain_text("80Gi")
    box = tip.bounding_box() or {}
    for each in page.page.locator('[data-set^="model"], [data-set^="tolerates"]').all():
        pill = each.bounding_box() or {}
        beside = pill["x"] + pill["width"] <= box["x"] or box["x"] + box["width"] <= pill["x"]
        assert beside or pill["y"] + pill["height"] <= box["y"] or box["y"] + box["height"] <= pill["y"]
