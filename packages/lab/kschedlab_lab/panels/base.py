"""A panel: settings, and a picture, a sentence and a table that a plain function computes from them.

The panel itself needs no browser. When a cell displays it, a stage (:mod:`kschedlab_lab.stage`) shows its picture,
turns marked parts of it into handles, and moves this panel; code moves copies.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from html import unescape
from typing import Any, Generic, NamedTuple, Self, TypeAlias, TypeVar
from weakref import WeakSet

from kschedlab.build import Manifest, as_yaml
from kschedlab.messages import gap, say
from kschedlab.objects.problems import InputTypeError
from kschedlab.text.html import Html, element, join
from kschedlab_lab.panels.question import Gate, Question
from kschedlab_lab.panels.remembered import Asking, given, this_cell
from kschedlab_lab.panels.session import Session
from kschedlab_lab.panels.settings import Restorable
from kschedlab_lab.views.coded import coded
from kschedlab_lab.views.image import image
from kschedlab_lab.views.svg import Room

S = TypeVar("S", bound=Restorable)
T = TypeVar("T")
Picture: TypeAlias = Html | Callable[[Room], Html]
"""A drawing, or a function that lays it out for a room."""

CARD = "padding:0.5em;"
STILL = Room()
"""The room of a saved picture."""
PAPER = "max-width:min(100%,56em);background-color:#ffffff;"
CALL = "lesson.panel()"
HANDLE = re.compile(r'data-(drag|set)="([^"]*)"')


class Frame(NamedTuple):
    """A moment of a story: the picture, and what happens in it."""

    picture: Html
    caption: str


@dataclass(frozen=True)
class View:
    """What a panel shows. ``sentence``: what was decided, in words; ``table``: the numbers behind it.

    ``text``: what ``print`` shows, at least the sentence.
    ``idle``: by name, the controls that do not matter for this outcome, with the reason; "" hides the control.
    ``names``: names in the sentence that are "chosen" or "refused".
    ``story``: the frames between question and answer; the last one shows ``picture``.
    """

    picture: Picture
    sentence: str
    table: Html
    text: str
    idle: Mapping[str, str] = field(default_factory=dict)
    story: Callable[[Room], Sequence[Frame]] | None = None
    names: Mapping[str, str] = field(default_factory=dict)


def drawn(picture: Picture, room: Room) -> Html:
    return picture if isinstance(picture, Html) else picture(room)


class Panel(Generic[S]):
    """Settings and the view that ``show`` computes from them.

    ====================  ==========================================================================================
    reading               ``settings``, ``view``, ``error``; ``str(settings)`` is the text that restores them
    copies                :meth:`move`, :meth:`restore`, :meth:`ask`, :meth:`answer`; this panel stays
    looking               :meth:`still`, :meth:`then`; as the last line of a cell it appears as a stage
    taking away           :meth:`link`, :meth:`yaml`
    ====================  ==========================================================================================

    ``export``: from settings to their manifests, or to a text of them. ``call``: the code that creates this panel.
    ``question``: what :meth:`ask` asks before the answer appears; ``gate``: whether it was answered, which copies
    share; ``cover``: the gate of another panel that covers this one.
    """

    def __init__(
        self,
        settings: S,
        show: Callable[[S], View],
        export: Callable[[S], str | Sequence[Manifest]] | None = None,
        call: str = CALL,
        still: Room = STILL,
    ) -> None:
        self._still = still
        self._first, self._show, self._export, self._call = settings, show, export, call
        self.question: Question[S] | None = None
        self.gate = Gate()
        self.cover: Gate | None = None
        self._watchers: WeakSet[Any] = WeakSet()
        self._view: View | None = None
        self.go(settings)

    @property
    def view(self) -> View:
        """What there is to see; after an error, the error."""
        if self._view is None:
            self._view, self.error = self._compute(self.settings)
        return self._view

    def move(self, **values: Any) -> Self:
        """A copy with these controls set, by name. ValueError if a control does not allow the value."""
        return self._copy(self.settings.changed(**values))

    def restore(self, text: str) -> Self:
        """A copy with the settings in this text. ValueError says what is wrong with the text."""
        return self._copy(type(self.settings).parse(text))

    def ask(self, question: Question[S]) -> Self:
        """A copy that asks first; its copies stay covered until then. TypeError for anything but a question."""
        if not isinstance(question, Question):
            raise InputTypeError("expected a Question to ask, got {type}", type=type(question).__name__)
        other = self._copy(self.settings)
        other.question, other.gate = question, Gate(question.text)
        return other

    def answer(self, answer: str | int | None) -> Self:
        """A copy with this prediction. ValueError if the question does not allow the answer."""
        other = self.ask(self.question) if self.question is not None else self._copy(self.settings)
        other.predict(answer)
        return other

    def then(self, panel: Panel[Any]) -> Panel[Any]:
        """A copy of another panel, with its question, covered until the question of this one is answered."""
        other = panel.ask(panel.question) if panel.question is not None else panel._copy(panel.settings)
        other.cover = self.gate
        return other

    def link(self) -> str:
        """The line of code that recreates this panel in its current state."""
        return f"{self._call}.restore({json.dumps(str(self.settings), ensure_ascii=False)})"

    def yaml(self) -> str:
        """The manifests of the picture's cluster, "" without any."""
        made = self._export(self.settings) if self._export is not None else ""
        return made if isinstance(made, str) else as_yaml(made)

    def _copy(self, settings: S) -> Self:
        other = copy(self)
        other.question = None
        other._watchers = WeakSet()
        other._first = settings
        other.go(settings)
        return other

    def _compute(self, settings: S) -> tuple[View, str]:
        """The view, and "" or the error that it shows."""
        view, error = attempted(lambda: self._show(settings))
        return view or _failed(error), error

    # What a stage does (:class:`kschedlab_lab.panels.session.Session`).

    def go(self, settings: S) -> None:
        """Change the settings of this panel."""
        self.settings, self._view, self.error = settings, None, ""
        for each in list(self._watchers):
            each.refresh()

    def first(self) -> S:
        return self._first

    def state(self, settings: S, room: Room) -> dict[str, Any]:
        """What there is to see for these settings, as the front end takes it."""
        hidden = {"picture": "", "sentence": "", "table": "", "idle": {}, "error": self.error, "story": False}
        if (cover := self._cover()) is not None:
            return {**hidden, "covered": cover.question, "own": self.question.text if self.question is not None else ""}
        if (asking := self._asks()) is not None:
            asked = asking.asked()
            if (draw := asking.before) is None:
                return {**hidden, "asking": asked}
            before, error = attempted(lambda: str(drawn(draw(settings), room)))
            rest = self._elsewhere(asking.shows(settings), room)
            return {**hidden, "picture": before or "", "error": self.error or error, "asking": asked, **rest}
        view, error = (self.view, self.error) if settings == self.settings else self._compute(settings)
        picture, undrawn = attempted(lambda: str(drawn(view.picture, room)))
        verdict = self._verdict(settings)
        return {
            "picture": picture or "",
            "sentence": view.sentence,
            "names": dict(view.names),
            "table": str(view.table),
            "idle": dict(view.idle),
            "error": undrawn or error,
            "story": view.story is not None,
            "verdict": verdict,
            "answered": self._judged() if verdict is None else None,
        }

    def _elsewhere(self, settings: S, room: Room) -> dict[str, Any]:
        """What needs no room below the picture of the answer: what that moves and sets, and controls that are away."""
        view, _ = self._compute(settings)
        picture, _ = attempted(lambda: str(drawn(view.picture, room)))
        handles = [[mark, unescape(text)] for mark, text in sorted({*HANDLE.findall(picture or "")})]
        return {"handles": handles, "idle": {name: why for name, why in view.idle.items() if not why}}

    def frames(self, room: Room) -> Sequence[tuple[Html, str]]:
        """The story of the current state; if it cannot be told, its picture and the error."""
        view = self.view
        if view.story is None:
            return []
        tell = view.story
        told, error = attempted(lambda: [*tell(room)])
        return told or [Frame(drawn(view.picture, room), say("Error: {error}", error=error))]

    def way(self, room: Room) -> Sequence[str]:
        """The pictures between the question and its answer."""
        question, asked = self.question, self.gate.settings
        if question is None or asked is None:
            return []
        found, _ = attempted(lambda: question.leads(asked, room))
        return found or []

    def menu(self) -> dict[str, str]:
        """Texts to copy."""
        return {"state": str(self.settings), "link": self.link(), "yaml": self.yaml()}

    def predict(self, answer: str | int | None) -> None:
        """Answer the open question; None opens the answer without a prediction."""
        if self.question is not None:
            checked = None if answer is None else self.question.checked(answer)
            asked = self.settings
            self.settings, self._view, self.error = self.question.shows(asked), None, ""
            self.gate.open(checked, asked)

    def ask_again(self) -> None:
        """Forget the answer to this panel's question, which is open again as it was asked."""
        if self.question is not None and self.gate.is_open:
            self.settings, self._view, self.error = self.gate.settings or self.settings, None, ""
            self.gate.close()

    def uncover(self) -> None:
        """Show what the question above covers."""
        (self._cover() or self.gate).open(None, None)

    def fail(self, error: str) -> None:
        """Show this error instead of a sentence."""
        self.error = error

    def _asks(self) -> Question[S] | None:
        return self.question if self.question is not None and not self.gate.is_open else None

    def _cover(self) -> Gate | None:
        """The gate of the question above that covers this panel."""
        above = [] if self.cover is None else [self.cover]
        own = [] if self.question is not None else [self.gate]
        return next((gate for gate in above + own if not gate.is_open), None)

    def _verdict(self, shown: S) -> dict[str, Any] | None:
        """What is said of the answer beside the state that came with it; None without an answer, and elsewhere."""
        question, asked = self.question, self.gate.settings
        if question is None or asked is None:
            return None
        there = question.shows(asked)
        if any(getattr(there, name) != getattr(shown, name) for name in question.fixed(there)):
            return None
        return self._judged()

    def _judged(self) -> dict[str, Any] | None:
        """What is said of the answer, computed once; None without an answer."""
        question, gate = self.question, self.gate
        if question is None or not gate.is_open or gate.settings is None:
            return None
        if gate.verdict is None:
            verdict, error = attempted(lambda: question.verdict(gate.answer, gate.settings))
            why = say("Error: {error}", error=error)
            unknown = {"text": question.text, "answer": None, "right": False, "mark": "", "why": why}
            gate.verdict = unknown if verdict is None else verdict
        return gate.verdict

    def __repr__(self) -> str:
        if self.question is None:
            return f"{self.settings}\n{self.view.text}".strip()
        verdict = self._verdict(self.settings)
        remark = f"\n{verdict['mark']} {verdict['why']}" if verdict else ""
        return f"{self.question.text}{remark}\n{self.settings}\n{self.view.text}"

    def stage(self) -> Any:
        """A widget that shows and moves this panel, to put into a layout of one's own."""
        from kschedlab_lab.panels.classroom import enlarge
        from kschedlab_lab.stage.widget import Stage

        stage = Stage(Session(self))
        for each in (self._watchers, self.gate.watchers, *([self.cover.watchers] if self.cover is not None else [])):
            each.add(stage)
        enlarge(stage)
        return stage

    def _ipython_display_(self) -> None:
        """Show it: the live stage, and a still picture that a saved notebook keeps."""
        self._remember(this_cell())
        self.stage().display()

    def _remember(self, cell: str) -> None:
        """Give the answer that was given in this cell before, if the question and its solution are the same."""
        question, asked = self.question, self.settings
        if question is None or not cell or self.gate.is_open:
            return
        solution, _ = attempted(lambda: question.right(asked))
        self.gate.place = Asking(cell, question.text, str(asked), solution or "")
        if self.gate.place in given:
            self.predict(given[self.gate.place])

    def still(self) -> Html:
        """The current state without controls; an unanswered question folds its answer."""
        shown = self._uncovered()
        if (cover := self._cover()) is not None:
            shown = element(
                "details",
                element("summary", coded(say("After the question: {question}", question=cover.question))),
                shown,
            )
        return element("div", shown, style=CARD)

    def _uncovered(self) -> Html:
        """The current state as if no question above covered it."""
        answer = self._answer()
        if self.question is None:
            return answer
        text = element("b", coded(self.question.text))
        if self._asks() is not None:
            asked = [element("p", text, " ", coded(" · ".join(self.question.choices)))]
            if self.question.before is not None:
                asked.append(image(drawn(self.question.before(self.settings), self._still), self.question.text, PAPER))
            return join([*asked, element("details", element("summary", say("The answer")), answer)])
        verdict = self._judged()
        if verdict is None:
            return answer
        mine = say(" Your answer: {answer}.", answer=verdict["answer"]) if verdict["answer"] is not None else ""
        remark = element("p", text, " ", element("b", verdict["mark"]), gap(), coded(verdict["why"] + mine))
        return join([remark, answer])

    def _answer(self) -> Html:
        view = self.view
        if self.error:
            return element("p", say("Error: {error}", error=self.error))
        return element("div", image(drawn(view.picture, self._still), view.sentence, PAPER), words(view))


def _failed(error: str) -> View:
    said = say("Error: {error}", error=error)
    return View(Html(), said, Html(), said)


def attempted(make: Callable[[], T]) -> tuple[T | None, str]:
    """What this gives, or None and the error: a stage has no cell to print to, and its front end waits for a reply."""
    try:
        return make(), ""
    except Exception as problem:  # noqa: BLE001  # plugins of a user run in it
        return None, f"{type(problem).__name__}: {problem}"


def words(view: View) -> Html:
    sentence = element("p", element("b", view.sentence), style="margin:0.3em 0") if view.sentence else None
    return join([sentence, view.table])
