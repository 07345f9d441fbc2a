"""How long a panel takes from an input to the first frame of its new state: latency.py [NOTEBOOK ...]

Each notebook runs in JupyterLab and Chromium; each setting of each panel is moved there and back from the keyboard, and
the front end notes the milliseconds. Prints a line for each notebook: panels, moves, median, 95th percentile, and the
slowest panel.
"""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Locator

from tests.browser.conftest import ROOT, browser, lab  # noqa: F401  # fixtures
from tests.browser.lab import Notebook

RESULTS: list[str] = []
MOVES = 6


KEYS = {
    "range": ("ArrowRight", "ArrowLeft"),
    "radio": ("ArrowRight", "ArrowLeft"),
    "select-one": ("ArrowDown", "ArrowUp"),
}
FIELDS = "input[type=range], input[type=radio]:checked, input[type=checkbox], .ks-control select:not([title=speed])"
STATE = "(control) => [...control.querySelectorAll('input, select')].map((each) => [each.value, each.checked]).join()"


def moved(page: Notebook, panel: Locator, control: Locator) -> list[float]:
    """The latencies of some moves there and back."""
    field, found = control.locator(FIELDS).first, list[float]()
    there, back = KEYS.get(field.evaluate("(field) => field.type"), ("Space", "Space"))
    control.scroll_into_view_if_needed()
    field.focus()
    for key in [there, back] * (MOVES // 2):
        before = control.evaluate(STATE)
        panel.evaluate("(panel) => delete panel.dataset.latency")
        page.page.keyboard.press(key)
        if control.evaluate(STATE) == before:
            continue
        page.page.wait_for_function("(panel) => panel.dataset.latency", arg=panel.element_handle())
        found.append(float(panel.get_attribute("data-latency") or "nan"))
    return found


def measured(page: Notebook, name: str) -> str:
    """A line of the table."""
    panels = page.page.locator(".ks:not(.ks-asking, .ks-covered)")
    times: dict[int, list[float]] = {}
    for number in range(panels.count()):
        settings = panels.nth(number).locator(".ks-control:visible").filter(has=page.page.locator(FIELDS))
        for each in range(settings.count()):
            times.setdefault(number, []).extend(moved(page, panels.nth(number), settings.nth(each)))
    every = sorted(time for each in times.values() for time in each)
    if not every:
        return f"{name:26} no settings"
    slowest = max(times, key=lambda number: statistics.median(times[number] or [0]))
    high = every[int(0.95 * (len(every) - 1))]
    words = panels.nth(slowest).locator(".ks-sentence").inner_text()[:50]
    return (
        f"{name:26} {len(times):3} {len(every):5} {statistics.median(every):7.1f} {high:7.1f}   "
        f"{statistics.median(times[slowest]):.1f}: {words}"
    )


@pytest.mark.parametrize("name", sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb")))
def test_latency(lab: Any, browser: Any, name: str) -> None:  # noqa: F811  # fixtures
    """One notebook."""
    lab.new_notebooks()
    context = browser.new_context(viewport={"width": 1280, "height": 720})
    page = Notebook(context.new_page())
    page.open(lab.page(name))
    page.run_all()
    while (open_ := page.page.locator(".ks-open:visible, .ks-covered .ks-choices button:visible")).count():
        open_.first.click()
    print("\n" + measured(page, name))
    context.close()
    lab.end_kernels()


def main() -> None:
    """Measure the notebooks that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("notebooks", nargs="*")
    names = [Path(each).name for each in parser.parse_args().notebooks]
    chosen = ["-k", " or ".join(names)] if names else []
    print(f"{'notebook':26} panels moves median 95th (ms)   slowest panel")
    pytest.main(["-q", "-s", "-p", "no:cacheprovider", __file__, *chosen])


if __name__ == "__main__":
    main()
