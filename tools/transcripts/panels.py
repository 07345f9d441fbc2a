"""What a panel shows in words: its question with each answer, its picture, its story, and what one tries first.

It is the conversation that a front end has with the panel. What must hold of every panel is checked on the way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from html import escape
from typing import Any

from kschedlab.objects.problems import shortened
from kschedlab_lab.panels.base import Panel
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.session import Message, Session
from tools.site.run import ShownPanel
from tools.site.states import MARK, nearest
from tools.transcripts.facts import facts

MOST = 3
"""How many moves of the same controls are told."""
GONE = 40
"""How much is told of a line that went."""
KEY = re.compile(r"[^ ]*/[^ ]+|(sentence|alt|asks|answers):")
"""What a part keeps while the rest of its line changes."""
NOT_TOLD = ("at", "n", "state", "story", "verdict", "answered")
PICK = re.compile(r' data-pick="([^"]*)"')
NODE = re.compile(r"node/(\S+) \[(chosen|refused)\]")


class WrongPanelError(Exception):
    """A panel contradicts itself."""


class Told:
    """The transcripts of a lesson's panels. Of panels that have the same controls, the first is told whole."""

    def __init__(self) -> None:
        self._asked: dict[str, list[str]] = {}
        self._begun: dict[str, list[str]] = {}

    def panel(self, shown: ShownPanel) -> Iterator[str]:
        """What a reader gets of this panel."""
        session, call = Session(shown.panel), shown.panel.link().partition(".restore(")[0]
        yield from (f"covered: {gate.question}" for gate in shown.covers)
        if "covered" in session.shown:
            session.receive({"uncover": True})
        if shown.panel.question is not None:
            asked = lines(session.shown)
            yield from changes(self._asked.get(call, []), asked)
            self._asked.setdefault(call, asked)
            yield from _answered(session, shown.panel.question)
        begun, is_first = lines(session.shown), call not in self._begun
        yield from changes(self._asked.get(call, []) if is_first else self._begun[call], begun)
        yield from (f"prints: {line}" for line in _printed(shown.panel, begun))
        yield from _story(session, is_first)
        if is_first:
            self._begun[call] = begun
            yield from _moves(session, begun)
        _holds(session.receive({"reset": True})[0]["shown"]["state"] == str(shown.panel.first()), "reset", session)


def _answered(session: Session, question: Question[Any]) -> Iterator[str]:
    """What is said of each answer; in the end the question is answered."""
    picks = {*PICK.findall(session.shown["picture"])}
    _holds(picks <= {*map(escape, question.choices)}, f"what can be picked, {picks}", session)
    right = question.right(session.panel.settings)
    near = () if question.choices else (int(right) - 1, int(right), int(right) + 1)
    for answer in (*question.choices, *(str(each) for each in near if each >= 0), None):
        shown = session.receive({"answer": answer})[0]["shown"]
        verdict = shown.get("verdict")
        if verdict is None:
            yield f"{answer}: refused: {shown['error']}"
            continue
        yield f"{'the answer' if answer is None else answer}: {verdict['mark']} {verdict['why']}"
        _holds(verdict["right"] == (answer == right), "verdict", session)
        session.receive({"again": True})
        _holds("asking" in session.shown, "again", session)
    session.receive({"answer": right})


def _moves(session: Session, begun: list[str]) -> Iterator[str]:
    """What changes when one control is moved, a mark is clicked, or a handle is dragged."""
    panel, start = session.panel, session.panel.settings
    first, _ = nearest(start, 0, 0, session.shown["picture"])
    for settings in _some(start, first):
        panel.go(start)
        at = settings.indices()
        session.receive({"set": at} if start.at(at) == settings else {"state": str(settings)})
        yield f"* {_moved(start, settings)}"
        yield from changes(begun, now := lines(session.shown))
        _holds(session.shown["state"] == str(settings), "move", session)
        _agrees(session, now)
    _holds(_without_answer(session.shown) == _restored(panel, str(panel.settings)), "restore", session)


def _agrees(session: Session, now: list[str]) -> None:
    """The sentence and the picture say the same of a node; a mark sets what there is to set."""
    names, settings = session.shown["names"], session.panel.settings
    for line in now:
        if found := NODE.match(line):
            _holds(names.get(found[1], found[2]) == found[2], f"{found[1]} is {found[2]}", session)
    for mark in {*MARK.findall(session.shown["picture"])}:
        controls = {name.strip() for part in mark.split(", ") if (name := part.partition(":")[0]) != part}
        _holds(bool(controls & settings.controls().keys()), mark, session)


def _restored(panel: Panel[Any], state: str) -> Message:
    """What a panel shows that is restored from this text."""
    return _without_answer(Session(panel.restore(state)).look())


def _without_answer(shown: Message) -> Message:
    return {name: value for name, value in shown.items() if name not in ("n", "verdict", "answered")}


def _holds(is_true: bool, what: str, session: Session) -> None:
    if not is_true:
        raise WrongPanelError(f"{session.panel.link()}: {what}; it shows: {session.shown['state']}")


def lines(shown: Message) -> list[str]:
    """What there is to see."""
    told = (_part(name, value, shown) for name, value in shown.items() if value and name not in NOT_TOLD)
    return [line for part in told for line in part]


def _part(name: str, value: Any, shown: Message) -> list[str]:
    match name:
        case "picture" | "table":
            return facts(value, shown["sentence"])
        case "asking":
            return [f"asks: {value['text']}", f"answers: {' · '.join(value['choices']) or value['numbers']}"]
        case "names" | "idle" | "last":
            return [f"{name}: {each}: {text}" for each, text in value.items()]
        case "handles":
            return [f"handle: {' '.join(each)}" for each in value]
        case _:
            return [f"{name}: {value}"]


def _printed(panel: Panel[Any], begun: list[str]) -> Iterator[str]:
    """What ``print`` shows beside the sentence."""
    known = {*begun, panel.view.sentence}
    yield from (line for line in panel.view.text.splitlines() if line not in known)


def _story(session: Session, whole: bool) -> Iterator[str]:
    """What is said in each frame, and what changes in its picture."""
    (told,) = session.receive({"story": True})
    before = None
    for frame in told["story"]:
        after = facts(frame["picture"], frame["caption"])
        yield f"> {frame['caption']}"
        yield from changes(before, after) if whole and before is not None else ()
        before = after
    ends = [frame["picture"] for frame in told["story"]][-1:]
    _holds(ends in ([], [session.shown["picture"]]), "a story ends in its picture", session)


def _some(start: Any, settings: Sequence[Any]) -> list[Any]:
    """Of the settings that differ in the same controls, a few."""
    kinds: dict[tuple[str, ...], list[Any]] = {}
    for each in settings:
        if moved := tuple(name for name in start.controls() if getattr(each, name) != getattr(start, name)):
            kinds.setdefault(moved, []).append(each)
    return [each for own in kinds.values() for each in own[:: -(-len(own) // MOST)]]


def _moved(start: Any, settings: Any) -> str:
    """What differs between two settings."""
    values = (
        (name, each.write(getattr(settings, name)), each.write(getattr(start, name)))
        for name, each in start.controls().items()
    )
    return ", ".join(f"{name}: {value}" for name, value, was in values if value != was)


def changes(before: Sequence[str], after: Sequence[str]) -> Iterator[str]:
    """The lines that came or became others, and what went: of a marked part its key, else the line."""
    had, has = ({_key(each): each for each in lines} for lines in (before, after))
    for kind, a, b, c, d in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind != "equal":
            yield from (f"  - {shortened(key, GONE)}" for each in before[a:b] if (key := _key(each)) not in has)
            yield from (
                f"  ~ {_new(had[key], each)}" if (key := _key(each)) in had else f"  + {each}" for each in after[c:d]
            )


def _key(line: str) -> str:
    """The key of a marked part, or what begins the line of another thing; else the line."""
    return found[0] if (found := KEY.match(line)) else line


def _new(before: str, after: str) -> str:
    """The line after the change; of what its marks say, what is new, and a tip only if all else is as before."""
    (was, _, old), (text, _, new) = (each.removesuffix("}").partition(" {") for each in (before, after))
    marks = [each for each in new.split("; ") if each and each not in old.split("; ")]
    marks = [each for each in marks if text == was or not each.startswith("tip: ")]
    return f"{text} {{{'; '.join(marks)}}}" if marks else text
