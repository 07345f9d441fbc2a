"""A panel's conversation with its front end is written in Python and, for pages, in JavaScript: both say the same."""

import json
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Browser

from kschedlab_lab.panels import overview_inside, score
from kschedlab_lab.panels.base import Panel
from kschedlab_lab.panels.session import Session
from packages.lab.hatch_build import bundle
from tests.browser.conftest import ROOT
from tools.site.edition import EDITIONS
from tools.site.record import ROOMS, Limits, Shared, recording
from tools.site.run import ShownPanel

PLAYED = """async ([code, record, words, messages]) => {
    const url = URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
    const { Gates, Recording, Worlds } = await import(url);
    const worlds = new Worlds();
    worlds.add(record);
    const recorded = new Recording(record, worlds.of(record), record.parts, new Gates(), words);
    const replies = [];
    recorded.on("msg:custom", (reply) => replies.push(reply));
    recorded.on("change:shown", () => replies.push({ shown: recorded.get("shown") }));
    return messages.map((message) => {
        replies.length = 0;
        recorded.receive(message);
        return replies.at(-1);
    });
}"""


def conversation(panel: Any) -> list[dict[str, Any]]:
    """What a reader does: a wrong answer and a right one, each control, states by name, and back."""
    controls = Session(panel).controls
    start = panel.settings.indices()
    moves = [{"set": {**start, each["name"]: place}} for each in controls for place in range(len(each["values"]))]
    typed = [{"state": str(panel.settings)}, {"state": "nothing: 1"}, {"state": f"{controls[0]['name']}: much"}]
    answers = [{"answer": "nobody at all"}, {"answer": panel.question.choices[-1]}]
    back = [{"reset": True}, {"menu": True}, {"again": True}, answers[1]]
    said = [{"room": [*ROOMS[0]]}, {"set": start}, *answers, *moves, {"menu": True}, *typed, *back]
    return [{**message, "n": number} for number, message in enumerate(said)]


def told(reply: dict[str, Any]) -> dict[str, Any]:
    """What a reader sees of it: JavaScript leaves out what is empty, and says why a story was not recorded."""
    shown = reply.get("shown", reply.get("menu"))
    return {key: value for key, value in shown.items() if value not in ("", None, False, {}) and key != "untold"}


def test_a_recorded_panel_says_what_python_says(browser: Browser) -> None:
    def asking() -> Panel[Any]:
        return overview_inside.panel().ask(overview_inside.where_to())

    same(browser, asking, conversation(asking()))


def test_a_page_refuses_the_same_numbers(browser: Browser) -> None:
    wrong = ({"answer": each} for each in ("", "many", "-1", "2.5", "1000000000"))
    said = [{"room": [*ROOMS[0]]}, *wrong]

    def asking() -> Panel[Any]:
        return score.panel("normalised", plugin="NodeAffinity", node="node-c").ask(score.without_the_disk())

    same(browser, asking, [{**message, "n": number} for number, message in enumerate(said)])


def same(browser: Browser, asking: Callable[[], Panel[Any]], messages: list[dict[str, Any]]) -> None:
    """A page replies to these messages as Python does."""
    panel = asking()
    record = recording(ShownPanel(panel, panel.still(), True, ()), Shared(), Limits(pairs=25, states=25, stories=2))
    page = browser.new_page()
    code = bundle(ROOT / "tools/site/front/recording.js")
    replies = page.evaluate(PLAYED, [code, json.loads(json.dumps(record)), EDITIONS["en"].words, messages])
    page.close()
    session = Session(asking())
    for message, reply in zip(messages, replies, strict=True):
        assert told(reply) == told(session.receive(message)[-1]), message
