"""Every panel as a picture, over a grid of its states: nothing overlaps, is cut, or is too small to read.

The widths are those of a cell's output in JupyterLab with its file browser, in windows of 800, 1280 and 1920 pixels.
"""

from collections.abc import Iterator
from importlib import import_module
from inspect import signature
from pkgutil import iter_modules
from typing import Any

import pytest
from playwright.sync_api import Browser

import kschedlab.lab.panels
from kschedlab.lab.panels.base import Panel
from tests.browser.layout import problems, put, states, tall
from tests.browser.page import PanelPage

WINDOWS = {
    "800": {"width": 432, "height": 700},
    "1280": {"width": 880, "height": 720},
    "1920": {"width": 1520, "height": 1000, "dark": True},
    "classroom": {"width": 880, "height": 720, "large": True},
}
LAB = 130
"""Pixels of a window that JupyterLab's own bars take."""
STATES = {"800": 16, "1280": 8, "1920": 8, "classroom": 16}
"""By window: how many states of each panel are measured; where there is little room, more."""


def panels() -> Iterator[tuple[str, Any]]:
    """Every function of a lesson that makes a panel, by name."""
    for module in iter_modules(kschedlab.lab.panels.__path__, "kschedlab.lab.panels."):
        code = import_module(module.name)
        for name, make in vars(code).items():
            if getattr(make, "__module__", "") != module.name or not callable(make) or name.startswith("_"):
                continue
            back = str(signature(make).return_annotation)
            if back.startswith("Panel[") or back == "YourCluster":
                yield f"{module.name.rpartition('.')[2]}.{name}", make


PANELS = dict(panels())


@pytest.mark.parametrize("window", WINDOWS)
@pytest.mark.parametrize("name", PANELS)
def test_nothing_overlaps_is_cut_or_too_small(browser: Browser, name: str, window: str) -> None:
    panel: Panel[Any] = PANELS[name]()
    page = PanelPage(browser, panel, **WINDOWS[window])
    found = []
    for settings in states(panel.settings, STATES[window]):
        put(page, settings)
        found += [f"{each} | {settings}" for each in problems(page)]
    page.close()
    assert found == []


@pytest.mark.parametrize("name", PANELS)
def test_in_a_classroom_question_picture_and_sentence_are_on_one_screen(browser: Browser, name: str) -> None:
    page = PanelPage(browser, PANELS[name]().answer(None), **WINDOWS["classroom"])
    page.settled()
    height = tall(page)
    page.close()
    assert height <= 720 - LAB
