"""The stages of lesson 04: dragged, clicked and played in a plain page, and once in JupyterLab."""

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from kschedlab_lab.panels import barrier, lost_update, map_reduce, speedup
from tests.browser.conftest import Show
from tests.browser.lab import Notebook
from tests.browser.layout import CLOSE, WINDOWS
from tests.samples import sampled

PANELS = [
    map_reduce.panel(workers=8, step=2),
    map_reduce.panel(workers=1, step=25),
    map_reduce.panel(step=8),
    speedup.panel().ask(speedup.how_long()),
    speedup.panel(workers=1, ticks=8),
    speedup.panel(workers=16, ticks=1),
    barrier.panel().ask(barrier.too_soon()),
    barrier.panel(step=1),
    barrier.panel(step=3),
    lost_update.panel(order="1 2", design="one step"),
    lost_update.panel(),
    lost_update.panel(order="1 2 1", design="a lock"),
    lost_update.panel(order="1 2 2 1", design="a lock"),
    lost_update.panel(order="1 2 2 1", design="own cells"),
]


@pytest.mark.parametrize("panel", sampled(PANELS, 6), ids=lambda panel: str(panel.settings))
def test_nothing_overlaps_is_cut_or_too_small(panel: Any, shown: Show) -> None:
    page = shown(panel)
    for window in CLOSE:
        page.resize(**WINDOWS[window])
        assert page.faults() == [], window


def test_workers_take_cards_and_a_click_takes_another_number_of_workers(shown: Show) -> None:
    page = shown(map_reduce.panel())
    sentence = page.sentence
    expect(sentence).to_contain_text("12 cards are in the channel. 4 workers will take them.")
    page.page.get_by_role("button", name="Next").click()
    expect(sentence).to_contain_text("Worker 1 takes and fills node-a, worker 2 takes and fills node-b")
    page.key("dial/workers").press("End")
    expect(sentence).to_contain_text("worker 4 takes node-d, others take 4 more")


def test_a_click_on_a_pale_arrow_does_nothing(shown: Show) -> None:
    page = shown(map_reduce.panel(workers=1))
    page.key("dial/workers").click(position={"x": 14, "y": 18})
    expect(page.sentence).to_contain_text("1 worker will take them.")


def test_play_goes_to_the_end_wherever_a_panel_is_shown(shown: Show) -> None:
    for _ in range(2):
        page = shown(map_reduce.panel(workers=8))
        page.page.get_by_role("button", name="Play").click()
        expect(page.sentence).to_contain_text("Tick 1:")
        page.page.get_by_role("slider", name="step").press("End")
        expect(page.sentence).to_contain_text("Map is done after 5 ticks")


def test_a_card_is_asked_for_and_answered_in_the_picture(shown: Show) -> None:
    page = shown(map_reduce.panel(step=4).ask(map_reduce.which_worker()))
    expect(page.sentence).to_have_text("")
    page.key("pick/1").click()
    expect(page.question).to_contain_text("Not quite. Worker 1 works on node-e until tick 4.")
    expect(page.sentence).to_contain_text("Tick 4:")


def test_an_update_is_lost_by_hand_and_a_lock_makes_a_worker_wait(shown: Show) -> None:
    page = shown(lost_update.panel())
    for worker in (1, 2, 2, 1):
        page.key(f"step/{worker}").click()
    expect(page.sentence).to_contain_text("The 10 is lost: worker 1 had not seen it. The total is 6 instead of 16")
    page.page.get_by_role("button", name="order: none").click()
    page.page.get_by_role("button", name="design: a lock").click()
    for worker in (1, 2):
        page.key(f"step/{worker}").press("Enter")
    expect(page.sentence).to_contain_text("Worker 2 waits for the lock.")
    expect(page.key("step/2")).to_have_count(0)


def test_reduce_begins_too_early_and_a_click_makes_it_wait(shown: Show) -> None:
    page = shown(barrier.panel(step=3))
    expect(page.sentence).to_contain_text("node-c wins with 67, but should not.")
    page.page.get_by_role("button", name="begins: 4").click()
    expect(page.sentence).to_contain_text("node-b has the highest sum, 34")


def test_a_bar_is_clicked_and_a_card_gets_longer(shown: Show) -> None:
    page = shown(speedup.panel())
    page.key("time/16").click()
    expect(page.sentence).to_contain_text("With 16 workers Map takes 4 ticks.")
    page.drag("card/10", 300, 0)
    expect(page.sentence).to_contain_text("With 16 workers Map takes 8 ticks. node-k alone needs as many")
    page.key("dial/ticks").press("Home")
    expect(page.sentence).to_contain_text("With 16 workers Map takes 4 ticks. node-f alone needs as many")


def an_exercise_is_answered_in_its_box(page: Notebook, _: Path) -> None:
    box = page.page.locator(".kschedlab").filter(has_text="The total of a node").first
    box.get_by_role("textbox").fill("28")
    box.get_by_role("textbox").press("Enter")
    box.get_by_role("button", name="Check").click()
    expect(box.get_by_role("status")).to_contain_text("The sum is 7 + 14 + 7 = 28.")
