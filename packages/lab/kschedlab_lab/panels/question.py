"""A question that a panel asks before it shows the answer, and the gate that keeps the answer until then."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from weakref import WeakSet

from kschedlab.messages import later, listed, say
from kschedlab.objects.problems import InputValueError, expected
from kschedlab.text.html import Html
from kschedlab_lab.panels.remembered import Asking, given
from kschedlab_lab.views.svg import Room

S = TypeVar("S")


def answers(given: object) -> tuple[str, ...]:
    """Answers to choose from. TypeError for anything but texts in a row, such as one text."""
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise expected(later('answers in a list, such as ["node-a", "node-b"]'), given)
    return tuple(map(str, given))


def as_asked(settings: S) -> S:
    """The same settings."""
    return settings


@dataclass(frozen=True)
class Question(Generic[S]):
    """A question about the panel's settings, asked before the answer appears.

    ``choices``: the answers to pick from; none: a whole number is typed, up to ``most``. ``drawn``: each choice is
    in the picture, and is picked there only. ``polls``: whether a button beside it lets a class vote.
    ``right``: the engine's answer. ``why``: a sentence about this answer, right or wrong. ``before``: the picture
    while the question is open. ``looks``: by name, the controls that only choose what to look at: no answer depends
    on them. ``shows``: the settings that are shown with the answer, where they are not those that were asked about.
    ``moment``: whether the answer is about one step alone, so that at another nothing is said of it.
    ``way``: the pictures between ``before`` and the answer's, which are played once when it is given.
    """

    text: str
    choices: tuple[str, ...]
    right: Callable[[S], str]
    why: Callable[[S, str], str]
    before: Callable[[S], Html | Callable[[Room], Html]] | None = None
    most: int | None = None
    looks: tuple[str, ...] = ()
    shows: Callable[[S], S] = as_asked
    moment: bool = False
    drawn: bool = False
    polls: bool = False
    way: Callable[[S], Iterable[Callable[[Room], Html]]] | None = None

    def fixed(self, settings: Any) -> list[str]:
        """The controls that the answer is about: not what only looks, and not the steps that one walks through."""
        controls = settings.controls().items()
        return [name for name, each in controls if name not in self.looks and (self.moment or not each.counts_steps)]

    def leads(self, settings: S, room: Room) -> list[str]:
        """The pictures of the way from these settings to their answer."""
        return [] if self.way is None else [str(draw(room)) for draw in self.way(self.shows(settings))]

    def asked(self) -> dict[str, Any]:
        """The question as the front end takes it."""
        asked: dict[str, Any] = {"text": self.text, "choices": [*self.choices]}
        asked |= {"drawn": True} if self.drawn else {}
        asked |= {"polls": True} if self.polls else {}
        return asked if self.choices else {**asked, "numbers": self.numbers, "most": self.most}

    @property
    def numbers(self) -> str:
        """What may be typed."""
        if self.most is None:
            return say("a whole number, 0 or more")
        return say("a whole number from 0 to {most:,}", most=self.most)

    def checked(self, answer: str | int) -> str:
        """The answer. ValueError if it is none of the choices, or not such a number where a number is asked for."""
        answer = str(answer)
        if self.choices:
            if answer not in self.choices:
                raise InputValueError('"{answer}" is not one of {choices}', answer=answer, choices=listed(self.choices))
            return answer
        if not answer:
            raise ValueError(say("Type a number first."))
        wrong = ValueError(say('"{answer}" is not {numbers}', answer=answer, numbers=self.numbers))
        try:
            typed = int(answer.replace(",", ""))
        except ValueError:
            raise wrong from None
        if typed < 0 or self.most is not None and typed > self.most:
            raise wrong
        return str(typed)

    def verdict(self, answer: str | None, settings: S) -> dict[str, Any]:
        """Right or wrong, and why; for None, the right answer."""
        right = self.right(settings)
        correct = answer == right
        mark = say("The answer:") if answer is None else say("Right.") if correct else say("Not quite.")
        why = self.why(settings, right if answer is None else answer) or (right if answer is None else "")
        return {
            "text": self.text,
            "answer": answer,
            "right": correct,
            "choices": [*self.choices],
            "solution": right,
            "why": why,
            "mark": mark,
            **({"moment": True} if self.moment else {}),
            **({"polls": True} if self.polls else {}),
        }


class Gate:
    """Whether a question was answered. ``settings``: those for which it was asked; ``verdict``: on the answer;
    ``place``: the cell that asks, if its front end says which."""

    def __init__(self, question: str = "") -> None:
        self.question, self.is_open = question, not question
        self.answer: str | None = None
        self.settings: Any = None
        self.verdict: dict[str, Any] | None = None
        self.place: Asking | None = None
        self.watchers: WeakSet[Any] = WeakSet()

    def open(self, answer: str | None, settings: Any) -> None:
        """Show the answer, here and wherever it was covered."""
        self.is_open, self.answer, self.verdict = True, answer, None
        self.settings = settings if settings is not None else self.settings
        if self.place is not None and settings is not None:
            given[self.place] = answer
        self._tell()

    def close(self) -> None:
        """Ask again."""
        self.is_open, self.answer, self.settings, self.verdict = False, None, None, None
        if self.place is not None:
            given.pop(self.place, None)
        self._tell()

    def _tell(self) -> None:
        for each in list(self.watchers):
            each.refresh()
