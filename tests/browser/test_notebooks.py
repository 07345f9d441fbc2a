"""Every notebook runs from top to bottom in JupyterLab; the fixture sees to the console and to requests."""

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import NOTEBOOKS, Open

LIVE_AND_SAVED = """() => [...document.querySelectorAll(".jp-OutputArea-child .ks:has(.ks-sentence)")].map((stage) => {
    const saved = stage.closest(".jp-OutputArea-child").previousElementSibling?.querySelector(".ks-still");
    const live = stage.querySelector(".ks-sentence").textContent.trim();
    return [live, saved?.textContent.includes(live) ?? false];
})"""


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_runs_without_an_error_or_a_request_to_elsewhere_and_shows_what_is_saved(notebook: Open, name: str) -> None:
    """Every panel still shows its own state after all cells have run: no later cell has moved it."""
    page = notebook(name)
    page.run_all()
    expect(page.page.get_by_text("Error displaying widget")).to_have_count(0)
    page.page.wait_for_function(f"() => ({LIVE_AND_SAVED})().every(([, saved]) => saved)")
