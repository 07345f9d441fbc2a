"""An exercise: a question about a generated cluster, remarks on wrong answers, hints, and the solution.

Three kinds: :class:`~kschedlab_lab.exercises.predict.Predict`, :class:`~kschedlab_lab.exercises.build.Build` and
:class:`~kschedlab_lab.exercises.repair.Repair`. An exercise knows its right answer, and a test asks it for many seeds.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, ClassVar, Literal, TypeVar
from weakref import WeakSet

from kschedlab.messages import later, say
from kschedlab.text.html import Html, element, join, visible
from kschedlab.text.words import count
from kschedlab_lab.exercises.card import CELL, Card
from kschedlab_lab.views.coded import coded
from kschedlab_lab.views.style import CHOSEN, EVICTED

T = TypeVar("T")
Said = TypeVar("Said", bound="Verdict | Note")

NO_PICTURE = Html()


def in_turn(seed: int, choices: Sequence[T]) -> T:
    """One of them: each once in as many seeds that follow each other, in an order that one cannot guess."""
    order = random.Random(seed // len(choices)).sample(choices, len(choices))
    return order[seed % len(choices)]


class State(Enum):
    """A student's progress with an exercise, as a file keeps it. ERROR: the answer could not be read or run."""

    UNATTEMPTED = str(later("not tried"))
    WRONG = str(later("not yet"))
    ERROR = str(later("error"))
    RIGHT = str(later("right"))

    @property
    def words(self) -> str:
        """The state in the chosen language."""
        return say(self.value)


def lines(text: str) -> Html:
    """Preformatted text, such as a function's source."""
    return element("pre", join(text.splitlines(), element("br")), style="white-space:pre-wrap;margin:0.3em 0")


MARKS = {State.UNATTEMPTED: "○", State.WRONG: "✗", State.ERROR: "⚠", State.RIGHT: "✓"}
LOOKS = {State.WRONG: f"color:{EVICTED}", State.ERROR: f"color:{EVICTED}", State.RIGHT: f"color:{CHOSEN}"}


@dataclass(frozen=True)
class Verdict:
    """The verdict on an answer: the first wrong step and why.

    ``evidence``: the numbers behind it, as text. ``picture``: what the scheduler decides about the answer. ``read``:
    False if the answer could not be read; it then does not count as an attempt.
    """

    state: State
    words: str
    evidence: str = ""
    picture: Html = NO_PICTURE
    read: bool = True

    def __repr__(self) -> str:
        said = f"{MARKS[self.state]} {visible(self.words)}"
        return "\n".join([said, *map(visible, self.evidence.splitlines())])

    def html(self) -> Html:
        mark = element("b", f"{MARKS[self.state]} ", style=LOOKS.get(self.state))
        said = element("p", mark, coded(self.words), role="status", style="margin:0.3em 0")
        return join([said, lines(self.evidence) if self.evidence else None, self.picture])

    def _repr_html_(self) -> str:
        return str(self.html())


@dataclass(frozen=True)
class Note:
    """A hint or a solution, with its ``picture``. ``markup``: the words, where they are not all text or all code."""

    title: str
    words: str
    picture: Html = NO_PICTURE
    markup: Html = NO_PICTURE

    def __repr__(self) -> str:
        return "\n".join([say("{title}:", title=self.title), *map(visible, self.words.splitlines())])

    def html(self) -> Html:
        body = self.markup if str(self.markup) else lines(self.words) if "\n" in self.words else coded(self.words)
        return join(
            [element("div", element("b", say("{title}: ", title=self.title)), body, role="status"), self.picture]
        )

    def _repr_html_(self) -> str:
        return str(self.html())


@dataclass(frozen=True)
class Instance:
    """An exercise's instance: ``picture`` or table, and the same as ``text``.

    ``saved``: a shorter picture, for the notebook's file. ``printed``: a narrow one, for a column of a sheet.
    ``request``: what stands below that.
    ``common``: what it shares with others of the lesson; a sheet has it once, above them.
    """

    picture: Html
    text: str
    saved: Html = NO_PICTURE
    printed: Html = NO_PICTURE
    request: Html = NO_PICTURE
    common: Html = NO_PICTURE


NOTHING = Instance(Html(), "")


class Exercise(ABC):
    """One exercise with its instance.

    ``hints`` appear one by one, then the solution; what one looks at or tries after the right answer does not count.
    ``right``: an answer that :meth:`check` accepts. ``on_progress``: called after each check, hint and solution;
    progress is kept there. ``given``, ``reply``: the last answer as text, and what was said last; above it are the
    ``open_hints`` first hints, until an answer is right. ``verdict``: that on code, which is not run again.
    ``call``: the code that names the exercise. ``seed``: that of its lesson, for the live card: after another seed is
    chosen, a card shows whether its cell has run again.
    """

    kind: ClassVar[str]
    answered_by: ClassVar[Literal["text", "yaml", "function"]] = "text"
    start = ""
    right: Any

    def __init__(self, title: str, question: str, hints: tuple[str, ...], instance: Instance = NOTHING) -> None:
        self.title, self.question, self.hints, self.instance = title, question, hints, instance
        self.state, self.tries, self.hints_seen, self.solution_seen = State.UNATTEMPTED, 0, 0, False
        self.open_hints, self.given, self.verdict, self.call = 0, "", "", "exercise"
        self.seed: int | None = None
        self.reply: Verdict | Note | None = None
        self.on_progress: Callable[[Exercise], None] = lambda _: None
        self.shown_in: WeakSet[Card] = WeakSet()

    @abstractmethod
    def judge(self, answer: Any) -> Verdict:
        """The verdict on the answer, whatever it is; never raises."""

    @abstractmethod
    def explained(self) -> str:
        """The solution in words, or as source."""

    def markup(self) -> Html:
        """The same as markup."""
        text = self.explained()
        return lines(text) if "\n" in text else coded(text)

    @abstractmethod
    def model(self) -> str:
        """A right answer, for marking: what it adds to what the exercise began with."""

    def is_as_given(self, answer: Any) -> bool:
        """Whether the answer is what the exercise began with, which does not count as an attempt."""
        return bool(self.start) and str(answer).split() == self.start.split()

    def untouched(self, verdict: Verdict) -> Verdict:
        """What is said instead of this verdict on what the exercise began with."""
        return replace(verdict, state=State.UNATTEMPTED)

    def check(self, answer: Any = None) -> Verdict:
        """Say whether the answer is right, or what the first wrong step is. None: no answer yet.

        What the exercise began with is not called wrong: "Run All" would do that before anybody has tried.
        """
        if answer is None:
            return self._say(Verdict(State.UNATTEMPTED, say("There is no answer yet.")))
        verdict = self.judge(answer)
        if verdict.state is State.RIGHT:
            self.open_hints = 0
            verdict = replace(verdict, picture=verdict.picture if str(verdict.picture) else self.drawing())
        self.remember(answer, verdict)
        if self.is_as_given(answer):
            verdict = self.untouched(verdict)
        else:
            if self.state is not State.RIGHT:
                self.tries += verdict.read
                self.state = verdict.state
            self.on_progress(self)
        return self._say(verdict)

    def remember(self, answer: Any, verdict: Verdict) -> None:
        """Keep the answer as text, for the next session and for a teacher."""
        self.given = answer if isinstance(answer, str) else self.given

    def answer(self, given: Any) -> Any:
        """Check an answer that is written in a notebook's cell, and show the verdict below that cell.

        For a function, as a decorator: ``@exercises[5].answer``. Returns the function; None for text.
        """
        self.check(given)
        Card(self, CELL, lambda: self.check(given)).display()
        return given if callable(given) else None

    def hint(self) -> Note:
        """The next hint; after the last one, this again."""
        if self.open_hints < len(self.hints):
            self.open_hints += 1
            self.reply = None if isinstance(self.reply, Note) else self.reply  # it may say how many hints are left
        if self.state is not State.RIGHT:
            self.hints_seen = self.open_hints
            self.on_progress(self)
        self._refresh()
        return self._hints()[-1]

    def _hints(self) -> list[Note]:
        """The hints that were asked for, in their order."""
        return [
            Note(say("Hint {number} of {all}", number=number, all=len(self.hints)), words)
            for number, words in enumerate(self.hints[: self.open_hints], 1)
        ]

    def solution(self) -> Note:
        """The solution once all hints were seen or the answer is right; until then, the next step."""
        if self.hints_seen < len(self.hints) and self.state is not State.RIGHT:
            left = len(self.hints) - self.hints_seen
            words = say("{hints} left. Press Hint, or call hint().", hints=count(left, "hint"))
            return self._say(Note(say("Not yet"), words))
        if self.state is not State.RIGHT:
            self.solution_seen = True
            self.on_progress(self)
        return self._say(Note(say("Solution"), self.explained(), self.drawing(), self.markup()))

    def resume(self, state: State, tries: int, hints: int, solution: bool, given: str, verdict: str = "") -> None:
        """Go on where the student was before the kernel restarted; what was answered is judged again."""
        self.state, self.tries, self.hints_seen, self.solution_seen = state, tries, hints, solution
        self.open_hints, self.given, self.verdict = 0 if state is State.RIGHT else hints, given, verdict
        if self.choices() and given not in self.choices():
            self.given = ""  # chosen in another language
        self.reply = self.judged_before()

    def judged_before(self) -> Verdict | None:
        """The verdict on what was answered in the session before."""
        return self.judge(self.given) if self.given else None

    def drawing(self) -> Html:
        """The picture of the solution, empty without one."""
        return NO_PICTURE

    def _say(self, reply: Said) -> Said:
        self.reply = reply
        self._refresh()
        return reply

    def _refresh(self) -> None:
        for card in list(self.shown_in):
            card.refresh()

    @property
    def _is_solved(self) -> bool:
        """Whether the last answer was right."""
        return isinstance(self.reply, Verdict) and self.reply.state is State.RIGHT

    def replies(self) -> list[Verdict | Note]:
        """The hints that were asked for, then what was said last with its picture."""
        return [*self._hints(), *([] if self.reply is None else [self.reply])]

    def choices(self) -> list[str]:
        """The choices; empty where the answer is typed."""
        return []

    def text(self) -> str:
        """Question and instance as plain text."""
        options = [f"( ) {each}" for each in self.choices()]
        parts = [
            say("{title} ({kind})", title=self.title, kind=say(self.kind)),
            self.question,
            self.instance.text,
            self.start,
            *options,
        ]
        return "\n".join(visible(line) for part in parts if part for line in part.splitlines())

    def paragraphs(self) -> list[Html]:
        """The question as markup."""
        return [element("p", coded(each)) for each in self.question.split("\n")]

    def html(self, saved: bool = False) -> Html:
        """Question and instance as markup."""
        mark = element("span", f"{MARKS[self.state]} ", style=LOOKS.get(self.state))
        of = None if saved or self.seed is None else element("small", " · ", say("seed {seed}", seed=self.seed))
        head = element("p", mark, element("b", self.title), f" · {say(self.kind)}", of)
        instance = self.instance
        return join([head, *self.paragraphs(), instance.saved if saved and str(instance.saved) else instance.picture])

    def face(self, part: str) -> dict[str, Any]:
        """What a card shows of the exercise. ``place``: where the answer is given; question and reply: as markup;
        ``solved``: the reply says that the answer is right."""
        place = CELL if part == CELL else "none" if self.answered_by == "function" else self.answered_by
        return {
            "question": "" if part == CELL else str(self.html()),
            "place": "choice" if self.choices() else place,
            "choices": self.choices(),
            "given": self.given or self.start,
            "solved": self._is_solved,
            "reply": "" if place == "none" else str(join(each.html() for each in self.replies())),
        }

    def still(self, part: str) -> tuple[Html, str]:
        """What a saved notebook shows of it, and the same as text."""
        said = join(each.html() for each in self.replies())
        if part == CELL:
            return said, "\n".join(map(repr, self.replies()))
        if self.answered_by == "function":
            return self.html(saved=True), self.text()
        picked = (element("div", f"{'●' if each == self.given else '○'} {each}") for each in self.choices())
        written = self.given or self.start
        typed = lines(written) if written and not self.choices() else None
        return element("div", self.html(saved=True), *picked, typed, said), self.text()

    def __repr__(self) -> str:
        return self.text()

    def _ipython_display_(self) -> None:
        """The live exercise, and the picture that a saved notebook keeps of it."""
        Card(self).display()


def drawn(rng: random.Random, draw: Callable[[random.Random], T], wanted: Callable[[T], bool], tries: int = 2000) -> T:
    """The first instance that is ``wanted``: the rule in question decides, and the answer is unique.

    LookupError if the generator produces none in that many tries.
    """
    for _ in range(tries):
        instance = draw(rng)
        if wanted(instance):
            return instance
    raise LookupError(f"none of {tries} instances is as wanted")
