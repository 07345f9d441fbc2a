"""A notebook in JupyterLab, driven as a person does: open it, run it, move a slider by keyboard, read."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from playwright.sync_api import Browser, ConsoleMessage, Error, Locator, Page, Playwright, Request, expect

PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost",
]
SECOND = 1000  # playwright counts in milliseconds
LIMIT = 120 * SECOND
"""How long a browser on a busy machine may take to reach the state that a test waits for."""
OPEN = "async (path) => void (await jupyterapp.commands.execute('docmanager:open', { path, factory: 'Notebook' }))"
CLOSE = """async () => {
    const { serviceManager, shell } = jupyterapp;
    await Promise.all([serviceManager.sessions.shutdownAll(), serviceManager.terminals.shutdownAll()]);
    for (const each of [...shell.widgets("main")]) {
        if (each.context) each.context.model.dirty = false;
        each.close();
    }
}"""
"""Everything open is closed, also what is not saved, and its kernel ended: one that lives on would send the next
notebook all of its widgets."""
ERROR = ".jp-OutputArea-output[data-mime-type='application/vnd.jupyter.stderr']"
ALL_DONE = f"""() => {{
    const prompts = [...document.querySelectorAll(".jp-CodeCell .jp-InputPrompt:not(.jp-Placeholder-prompt)")];
    const failed = document.querySelector("{ERROR}") !== null;
    return failed || prompts.every(prompt => /\\d/.test(prompt.textContent));
}}"""


@contextmanager
def chromium(playwright: Playwright) -> Iterator[Browser]:
    """The system's Chromium with a new, empty profile; it reaches nothing but this machine."""
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    assert program, "no Chromium on the PATH: run tools/system-packages.sh"
    browser = playwright.chromium.launch(executable_path=program, args=FLAGS)
    yield browser
    browser.close()


@dataclass
class Notebook:
    """One notebook open in JupyterLab; `problems` collects what the page did wrong meanwhile."""

    page: Page
    problems: list[str] = field(default_factory=list)
    expected: frozenset[str] = frozenset()
    is_open: bool = True

    def __post_init__(self) -> None:
        self.page.set_default_timeout(LIMIT)
        self.page.on("request", self._request)
        self.page.on("pageerror", self._error)
        self.page.on("console", self._console)

    def _error(self, error: Error) -> None:
        self.problems.append(f"error: {error}")

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not any(each in message.text for each in self.expected):
            self.problems.append(f"console: {message.text}")

    def _request(self, request: Request) -> None:
        where = urlsplit(request.url)
        if where.scheme in ("http", "https", "ws", "wss") and where.hostname not in (
            "127.0.0.1",
            "localhost",
        ):
            self.problems.append(f"request to {request.url}")

    def open(self, url: str) -> None:
        """Go to a notebook's address and wait until its kernel can be used."""
        self.page.goto(url)
        expect(self.page.locator(".jp-StatusBar-TextItem", has_text="| Idle")).to_be_visible()

    def open_here(self, path: str) -> None:
        """Open this file in a JupyterLab that is there, and wait until its kernel can be used."""
        self.page.evaluate(OPEN, path)
        expect(self.page.locator(".jp-StatusBar-TextItem", has_text="| Idle")).to_be_visible()

    def close(self) -> None:
        """Close the notebook; JupyterLab stays. What it says of a kernel that ends is its own affair."""
        self.is_open = False
        self.page.remove_listener("request", self._request)
        self.page.remove_listener("pageerror", self._error)
        self.page.remove_listener("console", self._console)
        self.page.evaluate(CLOSE)

    def run_all(self) -> None:
        """Run > Run All Cells, wait until each cell has its number; output to stderr fails the test."""
        self.page.get_by_role("menuitem", name="Run", exact=True).click()
        self.page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
        self.page.wait_for_function(ALL_DONE)
        errors = self.page.locator(ERROR).all_inner_texts()
        assert not errors, "\n".join(errors)
        expect(self.page.get_by_text("Error displaying widget").locator("visible=true")).to_have_count(0)

    def slider(self, label: str) -> Locator:
        """The slider with this label, in the first panel that has one."""
        return self.page.locator("input[type=range]").and_(self.page.get_by_label(label, exact=True)).first

    def press(self, label: str, key: str, times: int = 1) -> None:
        """Move a slider from the keyboard: ArrowRight, ArrowLeft, Home, End."""
        handle = self.slider(label)
        handle.scroll_into_view_if_needed()
        handle.focus()
        for _ in range(times):
            self.page.keyboard.press(key)

    def save(self) -> None:
        """Ctrl+S until all is saved: a panel that has just settled changes its saved picture once more."""
        dirty = self.page.locator(".jp-mod-dirty")
        for _ in range(5):
            self.page.keyboard.press("Control+s")
            try:
                return expect(dirty).to_have_count(0)
            except AssertionError:
                continue
        raise AssertionError("the notebook can't be saved")

    def stage(self, question: str, number: int = 0) -> Locator:
        """The stage that asks this question, or has asked it: the verdict keeps it as its title."""
        asks = self.page.locator(f'.ks-question:has-text("{question}"), .ks-question:has([title*="{question}"])')
        return self.page.locator(".jp-OutputArea-output .kschedlab").filter(has=asks).nth(number)

    def kept_stage(self, question: str) -> Locator:
        """The first stage that asks this question; the same one where it was moved on and asks nothing."""
        self.stage(question).evaluate("(stage) => (stage.id = 'kept-stage')")
        return self.page.locator("#kept-stage")

    def output(self, text: str) -> Locator:
        """The first output of a cell that contains this text; wait for it with playwright's `expect`."""
        return self.page.locator(".jp-OutputArea-output").filter(has_text=text).first


def behind_dots(panel: Locator) -> Locator:
    """What is behind a panel's three dots, opened."""
    more = panel.locator(".ks-more").first
    if more.get_attribute("aria-expanded") == "false":
        more.click()
    return panel.locator(".ks-drawer").first
