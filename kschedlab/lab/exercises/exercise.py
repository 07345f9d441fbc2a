"""An exercise: a question about a generated cluster, remarks on wrong answers, hints, and the solution.

Three kinds: :class:`~kschedlab.lab.exercises.predict.Predict`, :class:`~kschedlab.lab.exercises.build.Build` and
:class:`~kschedlab.lab.exercises.repair.Repair`. An exercise knows its right answer, and a test asks it for many seeds.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Any, ClassVar, Literal, TypeVar

from kschedlab.views.html import Html, element, join, visible

T = TypeVar("T")


class State(Enum):
    """A student's progress with an exercise. ERROR: the answer could not be read or run."""

    UNATTEMPTED = "not tried"
    WRONG = "not yet"
    ERROR = "error"
    RIGHT = "right"


def lines(text: str) -> Html:
    """Preformatted text, such as a function's source."""
    return element("pre", join(text.splitlines(), element("br")), style="white-space:pre-wrap;margin:0.3em 0")


MARKS = {State.UNATTEMPTED: "○", State.WRONG: "✗", State.ERROR: "⚠", State.RIGHT: "✓"}


@dataclass(frozen=True)
class Verdict:
    """The verdict on an answer: the first wrong step and why; ``evidence``: the numbers behind it, as text."""

    state: State
    words: str
    evidence: str = ""

    def __repr__(self) -> str:
        said = f"{MARKS[self.state]} {visible(self.words)}"
        return "\n".join([said, *map(visible, self.evidence.splitlines())])

    def _repr_html_(self) -> str:
        said = element("p", element("b", f"{MARKS[self.state]} "), self.words, role="status", style="margin:0.3em 0")
        return str(join([said, lines(self.evidence) if self.evidence else None]))


@dataclass(frozen=True)
class Note:
    """A hint or a solution."""

    title: str
    words: str

    def __repr__(self) -> str:
        return "\n".join([f"{self.title}:", *map(visible, self.words.splitlines())])

    def _repr_html_(self) -> str:
        body = lines(self.words) if "\n" in self.words else self.words
        return str(element("div", element("b", f"{self.title}: "), body, role="status"))


@dataclass(frozen=True)
class Instance:
    """An exercise's instance: ``picture`` or table, and the same as ``text``."""

    picture: Html
    text: str


NOTHING = Instance(Html(), "")


class Exercise(ABC):
    """One exercise with its instance.

    ``hints`` appear one by one, then the solution. ``right``: an answer that :meth:`check` accepts.
    ``on_progress``: called after each check, hint and solution; progress is kept there.
    """

    kind: ClassVar[str]
    answered_by: ClassVar[Literal["text", "yaml", "function"]] = "text"

    def __init__(self, title: str, question: str, hints: tuple[str, ...], instance: Instance = NOTHING) -> None:
        self.title, self.question, self.hints, self.instance = title, question, hints, instance
        self.state, self.tries, self.hints_seen, self.solution_seen = State.UNATTEMPTED, 0, 0, False
        self.on_progress: Callable[[Exercise], None] = lambda _: None

    @property
    @abstractmethod
    def right(self) -> Any:
        """A right answer."""

    @abstractmethod
    def judge(self, answer: Any) -> Verdict:
        """The verdict on the answer, whatever it is; never raises."""

    @abstractmethod
    def explained(self) -> str:
        """The solution in words, or as source."""

    def check(self, answer: Any = None) -> Verdict:
        """Say whether the answer is right, or what the first wrong step is. None: no answer yet."""
        if answer is None:
            return Verdict(State.UNATTEMPTED, "There is no answer yet.")
        verdict = self.judge(answer)
        self.tries += 1
        self.state = State.RIGHT if self.state is State.RIGHT else verdict.state
        self.on_progress(self)
        return verdict

    def hint(self) -> Note:
        """The next hint."""
        self.hints_seen = min(self.hints_seen + 1, len(self.hints))
        self.on_progress(self)
        return Note(f"Hint {self.hints_seen} of {len(self.hints)}", self.hints[self.hints_seen - 1])

    def solution(self) -> Note:
        """The solution once all hints were seen or the answer is right; until then, the next step."""
        if self.hints_seen < len(self.hints) and self.state is not State.RIGHT:
            return Note("Not yet", f"{len(self.hints) - self.hints_seen} hint(s) are left: hint() gives the next one.")
        self.solution_seen = True
        self.on_progress(self)
        return Note("Solution", self.explained())

    def choices(self) -> list[str]:
        """The choices; empty where the answer is typed."""
        return []

    def text(self) -> str:
        """Question and instance as plain text."""
        options = [f"( ) {each}" for each in self.choices()]
        parts = [f"{self.title} ({self.kind})", self.question, self.instance.text, *options]
        return "\n".join(visible(line) for part in parts if part for line in part.splitlines())

    def html(self) -> Html:
        """Question and instance as markup."""
        paragraphs = (element("p", each) for each in self.question.split("\n"))
        head = element("p", element("b", self.title), f" · {self.kind}")
        return join([head, *paragraphs, self.instance.picture])

    def widget(self) -> Any:
        """The live exercise: an ipywidgets box."""
        from kschedlab.lab.exercises.widget import Widget

        check = None if self.answered_by == "function" else self.check
        notes = {"Hint": self.hint, "Solution": self.solution}
        return Widget(str(self.html()), self.choices(), self.answered_by == "yaml", check, notes)

    def __repr__(self) -> str:
        return self.text()

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        """The live exercise, and the output that a saved notebook shows without a kernel."""
        listed = (element("div", f"○ {each}") for each in self.choices())
        bundle: dict[str, Any] = self.widget()._repr_mimebundle_(**options)
        return {**bundle, "text/plain": repr(self), "text/html": str(element("div", self.html(), *listed))}


def drawn(rng: random.Random, draw: Callable[[random.Random], T], wanted: Callable[[T], bool], tries: int = 2000) -> T:
    """The first instance that is ``wanted``: the rule in question decides, and the answer is unique.

    LookupError if the generator produces none in that many tries.
    """
    for _ in range(tries):
        instance = draw(rng)
        if wanted(instance):
            return instance
    raise LookupError(f"none of {tries} instances is as wanted")
