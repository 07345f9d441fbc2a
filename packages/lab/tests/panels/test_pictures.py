"""Every panel's pictures, wide and narrow, are as they were when somebody last looked at them.

``python -m packages.lab.tests.panels.test_pictures`` records them again, and so does ``make refresh``. Look at those
that changed: ``python -m tests.browser.shot`` draws one.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from kschedlab_lab.panels import (
    barrier,
    devices,
    generations,
    map_reduce,
    pairs,
    preemption,
    preemption_questions,
    score,
    selector,
    speedup,
    terminal,
    your_cluster,
    your_plugin,
)
from kschedlab_lab.panels.base import Panel
from kschedlab_lab.panels.session import Message, Session, described
from kschedlab_lab.views.svg import Room
from packages.lab.tests.language.test_untranslated import HALF, PANELS
from packages.lab.tests.panels.played import of_moments
from tests.browser.layout import states
from tests.records import digest, lines_about, write

RECORD = Path(__file__).with_name("pictures.txt")
ROOMS = (Room(), Room(320, 480), Room(1280, 600))
"""A cell in a usual window, a phone, a classroom's screen."""
ASKED, STATES, READ, STEPS, VALUES = 4, 6, 60, 32, 12
"""In how many settings the question is answered; the picture is looked at; only the words are read. At how many of a
walk or a control."""
NUMBERED = 41
"""So many answers are tried where a number is asked for."""
FEW = {"default": [5.0, 4.0, 9.0, 1.0], "lucky": [6.0, 4.0, 11.0, 0.0]}
MORE: dict[str, Callable[[], Panel[Any]]] = {
    "preemption, how low": lambda: preemption.panel().ask(preemption_questions.how_low()),
    "preemption, victims alone": lambda: (
        preemption.panel(until="victims").move(allowed=2).ask(preemption_questions.who_returns())
    ),
    **{
        f"generations, {cluster}, {version}": lambda cluster=cluster, version=version: generations.asked(
            cluster, version
        )
        for cluster, story in generations.STORIES.items()
        for version in story.asks
    },
    "generations": generations.panel,
    "score, normalised": lambda: score.panel("normalised", plugin="NodeAffinity", node="node-c").ask(
        score.without_the_disk()
    ),
    "devices, two of node-c": lambda: devices.panel(model="any", memory=80, count=2, together=True, tolerates=True),
    "map_reduce, many workers": lambda: map_reduce.panel(workers=8, step=1),
    "map_reduce, 16 workers": lambda: speedup.panel(workers=16),
    "map_reduce, too early": lambda: barrier.panel(step=3),
    "devices, shared": lambda: devices.reserved().answer("node-b"),
    "devices, firmware": lambda: selector.panel(selector="an unknown attribute").ask(
        selector.question(selector.panel(selector="an unknown attribute").settings)
    ),
    "your_cluster, unplaced": lambda: your_cluster.panel(pod="analytics/forecast-0"),
    "your_plugin, counterexample": lambda: your_plugin.counterexample(HALF),
    "experiments, few": lambda: pairs.panel(FEW).ask(pairs.do_the_same(FEW, 1)),
    **{f"terminal, {story}": lambda story=story: of_moments(story) for story in terminal.STORIES},
}
LOOKED_AT = PANELS | MORE


def recorded(name: str) -> list[str]:
    """A line for each thing that is drawn of a panel: how large it is in each room, and a digest of all there is."""
    return [f"{name} | {what}: {' '.join([*sizes(seen), digest(seen)])}" for what, seen in shown(LOOKED_AT[name]())]


def shown(panel: Panel[Any]) -> Iterator[tuple[str, list[Message]]]:
    """What there is to see: what is asked and said to each answer, the story, and the ends of each control."""
    session, question = Session(panel), panel.question
    yield "controls", [{"controls": described(panel.settings)}]
    if question is not None:
        answers = [*(question.choices or map(str, range(NUMBERED))), None]
        yield "answers", [question.verdict(answer, panel.settings) for answer in answers]
        for settings in states(panel.settings, ASKED):
            panel.go(settings)
            yield f"asked at {settings}", [*looks(session)]
            yield f"answered at {settings}", [*answered(panel, settings)]
        panel.go(panel.first())
        panel.predict(question.right(panel.settings))
        yield "way", [{"picture": each} for room in ROOMS for each in panel.way(room)]
    yield "still", [{"picture": str(panel.still()), "menu": panel.menu()}]
    frames = [each for room in ROOMS for each in panel.frames(room)]
    yield "story", [{"picture": str(picture), "caption": caption} for picture, caption in frames]
    for name in panel.settings.controls():
        yield f"along {name}", [*along(session, name)]
    for settings in states(panel.settings, STATES):
        panel.go(settings)
        yield str(settings), [*looks(session)]
    yield "words", [read(panel, settings) for settings in states(panel.settings, READ)]


def answered(panel: Panel[Any], settings: Any) -> Iterator[Message]:
    """What is printed after each answer to the question about these settings."""
    assert panel.question is not None
    for answer in (*panel.question.choices, None):
        panel.go(settings)
        panel.predict(answer)
        yield {"printed": repr(panel)}
        panel.ask_again()


def read(panel: Panel[Any], settings: Any) -> Message:
    """What there is to read, beside the picture, and to copy."""
    panel.go(settings)
    view = panel.view
    words = {"said": view.sentence, "names": view.names, "table": view.table, "text": view.text, "idle": view.idle}
    return {**words, "yaml": panel.yaml(), "error": panel.error}


def along(session: Session, name: str) -> Iterator[Message]:
    """What there is to see at each value of a control, and its story; of many, at some."""
    settings = session.panel.settings
    control = settings.controls()[name]
    values = control.values if control.kind == "typed" else control.allowed(settings)
    for value in values[:: 1 + len(values) // (STEPS if control.kind == "steps" else VALUES)]:
        session.panel.go(settings.changed(**{name: value}))
        yield {**session.look(), "text": session.panel.view.text}
        yield from ({"picture": str(picture), "caption": each} for picture, each in session.panel.frames(Room()))
    session.panel.go(settings)


def looks(session: Session) -> Iterator[Message]:
    """What there is to see in each room."""
    for room in ROOMS:
        session.room = room
        yield session.look()


def sizes(seen: Iterable[Message]) -> list[str]:
    """How wide and high the pictures are, each size once."""
    found = (re.search(r'viewBox="\S+ \S+ (\S+) (\S+)"', each.get("picture", "")) for each in seen)
    return list(dict.fromkeys(f"{each[1]}x{each[2]}" for each in found if each))


@pytest.mark.parametrize("name", LOOKED_AT)
def test_the_pictures_of_a_panel_are_those_that_were_looked_at(name: str) -> None:
    assert recorded(name) == lines_about(RECORD, f"{name} |")


if __name__ == "__main__":
    write(RECORD, LOOKED_AT, recorded)
