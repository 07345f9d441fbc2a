"""JupyterLab on a copy of the notebooks, with our settings, and a browser that sees only this machine.

A test asks for `notebook` and gets a function: `notebook("05-preemption.ipynb")` opens that file, to be run.
When the test ends, an error in the browser's console or a request to another machine fails it.
"""

import json
import os
import secrets
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect, sync_playwright

from tests.browser.lab import LIMIT, SECOND, Notebook, chromium
from tests.browser.page import PanelPage
from tests.site.built import site  # noqa: F401 - a fixture

expect.set_options(timeout=LIMIT)

ROOT = Path(__file__).parents[2]
NOTEBOOKS = sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))


WINDOW: ViewportSize = {"width": 1400, "height": 1000}
IN_THE_TEXT = "localStorage.setItem('kschedlab-dock', 'false')"
BESIDE = "localStorage.removeItem('kschedlab-dock')"


class Open(Protocol):
    """Opens a notebook. ``expected``: what its console may complain of; ``beside``: with the stage beside the text."""

    def __call__(self, name: str, expected: str = "", *, beside: bool = False) -> Notebook: ...


class Show(Protocol):
    """Shows a panel in a page of its own, without JupyterLab. ``how``: as :class:`PanelPage` takes it."""

    def __call__(self, panel: Any, *size: int, **how: Any) -> PanelPage: ...


def copy_without_outputs(source: Path, target: Path) -> None:
    """What a test sees afterwards was computed in front of it."""
    shutil.copytree(source, target, ignore=shutil.ignore_patterns(".ipynb_checkpoints"), dirs_exist_ok=True)
    for path in target.rglob("*.ipynb"):
        saved = json.loads(path.read_text(encoding="utf-8"))
        for cell in saved["cells"]:
            if cell["cell_type"] == "code":
                cell.update(outputs=[], execution_count=None)
        path.write_text(json.dumps(saved, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def wait_until_up(url: str, server: subprocess.Popen[bytes], log: Path, seconds: float = LIMIT / SECOND) -> None:
    for _ in range(int(seconds / 0.1)):
        assert server.poll() is None, f"JupyterLab ended:\n{log.read_text()}"
        try:
            urllib.request.urlopen(url)
            return
        except urllib.error.URLError:
            time.sleep(0.1)
    pytest.fail(f"JupyterLab did not answer within {seconds} s:\n{log.read_text()}")


@dataclass(frozen=True)
class Lab:
    """A running JupyterLab."""

    address: str
    token: str
    home: Path

    def new_notebooks(self) -> None:
        """The notebooks as they are before anybody ran and saved them."""
        copy_without_outputs(ROOT / "notebooks", self.home / "notebooks")
        shutil.copy(ROOT / "tests/browser/grammar.ipynb", self.home / "notebooks")

    def page(self, name: str) -> str:
        """Where a notebook is opened."""
        return f"{self.address}/lab/tree/notebooks/{name}?token={self.token}&reset"

    def end_kernels(self) -> None:
        """The next test gets a new one: a kernel that lives on would send it all the widgets of the last."""
        with urllib.request.urlopen(self._sessions()) as answer:
            sessions = json.load(answer)
        for each in sessions:
            urllib.request.urlopen(urllib.request.Request(self._sessions(f"/{each['id']}"), method="DELETE")).close()

    def _sessions(self, path: str = "") -> str:
        return f"{self.address}/api/sessions{path}?token={self.token}"


def reopened(lab: Lab, notebook: Open, page: Notebook, name: str) -> Notebook:
    """A notebook saved, closed, its kernel ended, and opened again."""
    page.save()
    page.close()
    again = notebook(name, expected="widget model not found")
    again.page.wait_for_function("() => document.querySelectorAll('.jp-Cell').length > 3")
    with_picture = again.page.locator(".jp-Cell:has(.ks-still)")  # a plain widget has nothing else to show
    expect(with_picture.get_by_text("Error displaying widget").locator("visible=true")).to_have_count(0)
    return again


@pytest.fixture(scope="session")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
    """JupyterLab for all tests."""
    home = tmp_path_factory.mktemp("lab")
    port, token, log = free_port(), secrets.token_hex(16), home / "log"
    places = {name: str(home / name) for name in ("JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR")}
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", f"--ServerApp.root_dir={home}"]
    command += [
        "--LabApp.expose_app_in_browser=True",
        f"--ServerApp.port={port}",
        "--ServerApp.port_retries=0",
        f"--IdentityProvider.token={token}",
    ]
    command += ["--allow-root"] if hasattr(os, "geteuid") and os.geteuid() == 0 else []
    with log.open("wb") as out:
        server = subprocess.Popen(
            command,
            env={**os.environ, **places, "JUPYTER_CONFIG_PATH": str(ROOT / ".jupyter")},
            stdout=out,
            stderr=subprocess.STDOUT,
        )
    address = f"http://127.0.0.1:{port}"
    try:
        wait_until_up(f"{address}/api", server, log)
        yield Lab(address, token, home)
    finally:
        server.terminate()
        server.wait(timeout=30)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright, chromium(playwright) as program:
        yield program


@pytest.fixture
def shown(browser: Browser) -> Iterator[Show]:
    """Show panels; their pages end with the test, and nothing may have gone wrong in them."""
    pages: list[PanelPage] = []

    def show(panel: Any, *size: int, **how: Any) -> PanelPage:
        pages.append(PanelPage(browser, panel, *size, **how))
        return pages[-1]

    yield show
    for each in pages:
        each.close()


@dataclass
class Tab:
    """A JupyterLab in which one notebook after another is opened, as a reader does: loading it takes seconds.

    ``expected``: what its console may complain of; it does so of a notebook that is closed, too.
    """

    page: Page | None = None
    expected: frozenset[str] = frozenset()


@pytest.fixture(scope="session")
def tab() -> Tab:
    return Tab()


@pytest.fixture
def notebook(lab: Lab, browser: Browser, tab: Tab, request: pytest.FixtureRequest) -> Iterator[Open]:
    """Open notebooks by name; nothing may have gone wrong in their pages when the test is over.

    All tests share a tab; a notebook that is opened while another one is open there has its own.
    """
    opened: list[Notebook] = []
    lab.new_notebooks()
    failed = request.session.testsfailed

    def open_notebook(name: str, expected: str = "", *, beside: bool = False) -> Notebook:
        shares = not any(each.is_open for each in opened)
        tab.expected |= {expected} - {""}
        if shares and tab.page is not None:
            tab.page.set_viewport_size(WINDOW)
            opened.append(Notebook(tab.page, expected=tab.expected))
            opened[-1].open_here(f"notebooks/{name}")
        else:
            page = browser.new_context(viewport=WINDOW).new_page()
            opened.append(Notebook(page, expected=tab.expected))
            opened[-1].open(lab.page(name))
            tab.page = page if shares else tab.page
        opened[-1].page.evaluate(BESIDE if beside else IN_THE_TEXT)
        return opened[-1]

    yield open_notebook
    if tab.page is not None and request.session.testsfailed > failed:
        tab.page.context.close()  # what went wrong there does not go on in the next test
        tab.page = None
    for each in opened:
        if each.page is not tab.page:
            each.page.context.close()
        elif each.is_open:
            each.close()
            each.page.evaluate("localStorage.clear()")
    lab.end_kernels()
    assert [problem for each in opened for problem in each.problems] == []
