"""A panel in a plain page of a real browser: the front end without JupyterLab, which starts in a moment.

The page's model hands each message to the panel's session in this process and gives the replies to the front end.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from playwright.sync_api import Browser, Locator, Page

import kschedlab_lab.stage
from kschedlab_lab.language import spoken
from kschedlab_lab.panels.session import Session
from kschedlab_lab.stage.front_end import front_end
from tests.browser.lab import LIMIT
from tests.browser.layout import faults

FOLDER = Path(kschedlab_lab.stage.__file__).parent
DARK = "color-scheme: dark; --jp-layout-color0: #111; --jp-layout-color2: #333; --jp-layout-color3: #444;"
PAGE = """<!doctype html><html style="{style}"><meta charset="utf-8"><style>{css}
body {{ margin: 16px; background: {background}; color: {colour}; font-family: system-ui, sans-serif; }}</style>
<body><div id="panel"></div></body></html>"""
MODEL = """async ([code, traits]) => {
    window.unanswered = 0;
    const heard = {};
    const tell = (name, ...args) => (heard[name] ?? []).forEach((act) => act(...args));
    const model = {
        comm_live: true, widget_manager: {},
        get: (name) => traits[name],
        set: (name, value) => { traits[name] = value; },
        save_changes: () => {},
        on: (name, act) => (heard[name] ??= []).push(act),
        send: (message) => ++window.unanswered && window.kernel(JSON.stringify(message)).then((replies) => {
            --window.unanswered;
            for (const reply of JSON.parse(replies)) {
                if (!reply.shown) tell("msg:custom", reply);
                else { traits.shown = reply.shown; tell("change:shown"); }
            }
        }),
    };
    const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
    const { default: widget } = await import(url);
    window.model = model; window.tell = tell;
    window.leave = widget.render({ model, el: document.getElementById("panel") });
}"""

# What a frame sees, for example a new size, is sent in the next one; what is answered is drawn in the one after.
QUIET = """() => new Promise((done) => {
    const frames = (left) => requestAnimationFrame(() => left ? frames(left - 1) : done(window.unanswered === 0));
    frames(3);
})"""
SENTENCE = """() => document.querySelector(".ks-sentence").getBoundingClientRect().bottom
    - document.querySelector("#panel").getBoundingClientRect().top"""
OPENED = """() => {
    const more = document.querySelector(".ks-more");
    if (more && !more.hidden) more.click();
    for (const each of document.querySelectorAll(".ks-numbers-of")) each.open = true;
}"""
"""What is behind the three dots is open, and so are the numbers."""
LARGE = """(large) => { window.model.set("large", large); window.tell("change:large"); }"""
SHOW = """([shown]) => { window.model.set("shown", shown); window.tell("change:shown"); }"""
Point: TypeAlias = tuple[float, float]


@cache
def _script() -> str:
    return front_end("stage")


class PanelPage:
    """A panel that a test can look at and move; ``problems``: what went wrong in the page."""

    def __init__(
        self,
        browser: Browser,
        panel: Any,
        width: int = 1280,
        height: int = 720,
        *,
        dark: bool = False,
        large: bool = False,
        still: bool = True,
        opened: bool = True,
    ) -> None:
        self.session, self.problems = Session(panel), list[str]()
        motion = "reduce" if still else "no-preference"
        self.context = browser.new_context(viewport={"width": width, "height": height}, reduced_motion=motion)
        self.page: Page = self.context.new_page()
        self.page.set_default_timeout(LIMIT)
        self.page.on("pageerror", lambda error: self.problems.append(str(error)))
        self.page.expose_function("kernel", self._kernel)
        background, colour = ("#111", "#ddd") if dark else ("#fff", "#222")
        css = (FOLDER / "stage.css").read_text(encoding="utf-8")
        style = DARK if dark else ""
        self.page.set_content(PAGE.format(css=css, style=style, background=background, colour=colour))
        traits = {"controls": self.session.controls, "shown": self.session.shown, "large": large, "spoken": spoken()}
        self.page.evaluate(MODEL, [_script(), traits])
        if opened:
            self.page.evaluate(OPENED)
        self.settled()

    def _kernel(self, message: str) -> str:
        content = json.loads(message)
        return json.dumps([] if "still" in content else self.session.receive(content))

    def settled(self) -> None:
        """Wait until every message was answered and nothing moves."""
        self.page.wait_for_function(QUIET)
        self.page.wait_for_function("() => document.getAnimations().every((each) => each.playState === 'finished')")

    def resize(self, width: int, height: int, *, large: bool = False) -> None:
        """Show the panel in a window of this size; ``large``: as in a classroom."""
        self.page.set_viewport_size({"width": width, "height": height})
        self.page.evaluate(LARGE, large)
        self.settled()

    def put(self, settings: Any) -> None:
        """Show the panel with these settings, as if the kernel had changed them."""
        self.session.panel.go(settings)
        self.page.evaluate(SHOW, [self.session.look()])

    def key(self, name: str) -> Locator:
        """The element with this key."""
        return self.page.locator(f'[data-key="{name}"]')

    @property
    def picture(self) -> Locator:
        """What the panel draws."""
        return self.page.locator(".ks-picture")

    @property
    def sentence(self) -> Locator:
        """What the panel says in words."""
        return self.page.locator(".ks-sentence")

    @property
    def question(self) -> Locator:
        """What the panel asks, and what it says of the answer."""
        return self.page.locator(".ks-question")

    def middle(self, what: str | Locator) -> Point:
        """The middle of the element with this key, in pixels of the window."""
        box = (self.key(what) if isinstance(what, str) else what).bounding_box()
        assert box is not None
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def pull(self, start: Point, end: Point) -> None:
        """Move the mouse from here to there with its button held, and let go."""
        self.page.mouse.move(*start)
        self.page.mouse.down()
        self.page.mouse.move(*end, steps=8)
        self.page.mouse.up()
        self.settled()

    def drag(self, what: str | Locator, right: float, down: float) -> None:
        """Pull the middle of this element by so many pixels."""
        (self.key(what) if isinstance(what, str) else what).scroll_into_view_if_needed()
        x, y = self.middle(what)
        self.pull((x, y), (x + right, y + down))

    def faults(self) -> list[str]:
        """What is wrong with the panel as a picture."""
        return faults(self.page)

    def tall(self) -> float:
        """Pixels from the top of the panel, where a question stands, to the end of the sentence."""
        return float(self.page.evaluate(SENTENCE))

    def close(self) -> None:
        """End the page; nothing may have gone wrong in it."""
        self.context.close()
        assert self.problems == []
