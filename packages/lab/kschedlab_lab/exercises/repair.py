"""Repair a function: the student's runs beside the engine's on small instances; the smallest difference is shown."""

from __future__ import annotations

import random
import re
import traceback
from collections.abc import Callable, Collection, Iterable
from copy import deepcopy
from dataclasses import replace
from difflib import ndiff
from inspect import getsource
from itertools import groupby
from textwrap import dedent
from typing import Any

from kschedlab.messages import later, listed, say, sentences
from kschedlab.text.html import Html, element, join
from kschedlab_lab.exercises.exercise import NO_PICTURE, Exercise, Instance, State, Verdict, lines
from kschedlab_lab.exercises.limits import EndlessError, limited
from kschedlab_lab.views.style import CHOSEN, EVICTED

SIGNS = {"- ": f"border-left:4px solid {EVICTED};", "+ ": f"border-left:4px solid {CHOSEN};"}
"""How lines of the broken and of the mended function are marked; their signs say the same."""
PLAIN = "border-left:4px solid transparent;"
DECORATORS = re.compile(r"\A(@.*\n)+")
MOST = 4000
"""Most characters of a function, and of the verdict on it, in the file that a student hands in."""


class Repair(Exercise):
    """A broken function to repair. ``spec``: what it should do; ``right``: a correct function, the solution.

    ``cases``: instances as tuples of arguments, smaller ones first, generated from the seed for each check.
    ``needs``: the imports that the function needs in a cell of its own. ``theme``: what an instance is about, where
    several things are wrong: each theme is right or wrong by itself. ``shown``: the picture of a wrong result, from the
    arguments and that.
    """

    kind = later("repair")
    answered_by = "function"

    def __init__(
        self,
        title: str,
        question: str,
        broken: Callable[..., Any],
        mended: Callable[..., Any],
        spec: Callable[..., Any],
        cases: Callable[[random.Random], Iterable[tuple[Any, ...]]],
        why: str,
        hints: tuple[str, ...],
        seed: int,
        needs: str = "",
        theme: Callable[..., str] | None = None,
        shown: Callable[..., Html] | None = None,
    ) -> None:
        self.name, self.needs = f"my_{broken.__name__.removesuffix('_broken')}", needs
        self.broken, self.right, self.spec, self.cases, self.why = broken, mended, spec, cases, why
        self.theme, self.shown = theme, shown
        self.source = self._with_imports(self._named(broken))
        super().__init__(title, question, hints, Instance(Html(), self.source))
        self.seed = seed

    @property
    def cell(self) -> str:
        """The cell in which the function is mended: running it checks the function."""
        return self._with_imports(f"@{self.call}.answer\n{self._named(self.broken)}")

    def html(self, saved: bool = False) -> Html:
        """The question, and the way to answer it."""
        how = element("p", say("Edit the cell below; Shift+Enter checks it."))
        fold = element("details", element("summary", say("The cell, to copy it back")), lines(self.cell))
        return join([super().html(saved), how, fold])

    def is_as_given(self, answer: Any) -> bool:
        """Whether it is the broken function still."""
        try:
            return self._named(self.broken) in self._named(answer)
        except (OSError, TypeError):  # nobody knows how it is written
            return False

    def untouched(self, verdict: Verdict) -> Verdict:
        words = say("Not tried yet. Here the function goes wrong; change it above, and run its cell.")
        return replace(verdict, state=State.UNATTEMPTED, words=words)

    def judge(self, answer: object) -> Verdict:
        if not callable(answer):
            return Verdict(State.ERROR, say("Hand over the function itself: check(my_function)."), read=False)
        wrong: dict[str, str] = {}  # by theme: its first instance that goes wrong
        themes: dict[str, None] = {}
        for number, case in enumerate(self.cases(random.Random(self.seed)), 1):
            theme, expected = "" if self.theme is None else self.theme(*case), self.spec(*case)
            themes[theme] = None
            try:
                got = limited(answer, deepcopy(case))  # it may change its arguments
            except EndlessError:
                return Verdict(State.ERROR, say("It ran too long, and was stopped."), self._call(case))
            except Exception as error:  # noqa: BLE001  # whatever a student's function raises becomes a sentence
                return Verdict(State.ERROR, _error_text(error, answer), self._call(case))
            if _same(got, expected):
                continue
            if self.theme is None:
                later_one = say("Case {number} goes wrong; those before it are right.", number=number)
                words = later_one if number > 1 else say("Case 1 goes wrong.")
                picture = NO_PICTURE if self.shown is None else self.shown(*case, got)
                return Verdict(State.WRONG, words, self._evidence(case, got, expected), picture)
            wrong.setdefault(theme, self._evidence(case, got, expected))
        if not wrong:
            return Verdict(State.RIGHT, self.why)
        return Verdict(State.WRONG, _themes(themes, wrong), "\n".join(wrong.values()))

    def _evidence(self, case: tuple[Any, ...], got: object, expected: object) -> str:
        """The call, what it gave and what it should give."""
        yours = say("got:      {value}", value=_short(got))
        right = say("expected: {value}", value=_short(expected))
        return f"{self._call(case)}\n  {yours}\n  {right}"

    def model(self) -> str:
        """The lines that the mended function has and the broken one hasn't; an ellipsis where others are between."""
        parts = groupby((line for line in self._changes() if line[0] != "-"), lambda line: line[0])
        return "\n…\n".join(dedent("\n".join(line[2:] for line in part)) for sign, part in parts if sign == "+")

    def explained(self) -> str:
        return f"{self._named(self.right)}\n\n{self.why}"

    def drawing(self) -> Html:
        """The broken function beside the mended one, line by line."""
        rows = (
            element("div", line.rstrip(), style=f"padding-left:0.4em;white-space:pre-wrap;{SIGNS.get(line[:2], PLAIN)}")
            for line in self._changes()
        )
        return element("div", *rows, style="font-family:monospace;margin:0.4em 0")

    def _changes(self) -> list[str]:
        """The lines of both functions, each after its sign."""
        before, after = (self._named(each).splitlines() for each in (self.broken, self.right))
        return [line for line in ndiff(before, after) if not line.startswith("?")]

    def _named(self, function: Callable[..., Any]) -> str:
        """Its source, under the name that the student's function has."""
        return getsource(function).rstrip().replace(f"def {function.__name__}(", f"def {self.name}(")

    def _with_imports(self, source: str) -> str:
        return f"{self.needs}\n\n\n{source}" if self.needs else source

    def remember(self, answer: Any, verdict: Verdict) -> None:
        """Keep its source, and the verdict on it: nobody else will run it."""
        if not verdict.read or self.is_as_given(answer):
            return
        try:
            source = DECORATORS.sub("", dedent(self._named(answer)))
        except (OSError, TypeError):  # nobody knows how it is written
            source = ""
        self.given, self.verdict = source[:MOST], f"{verdict.words}\n{verdict.evidence}"[:MOST]

    def judged_before(self) -> Verdict | None:
        words, _, evidence = self.verdict.partition("\n")
        return Verdict(self.state, words, evidence) if words else None

    def _call(self, case: tuple[Any, ...]) -> str:
        return f"{self.name}({', '.join(map(_short, case))})"


def _themes(themes: Iterable[str], wrong: Collection[str]) -> str:
    """Which themes are right, and which are wrong."""
    right = [theme for theme in themes if theme not in wrong]
    words = say("Wrong: {themes}.", themes=listed(wrong))
    return sentences([say("Right already: {themes}.", themes=listed(right)) if right else "", words])


def _same(got: Any, expected: Any) -> bool:
    try:
        return type(got) is type(expected) and bool(got == expected)
    except Exception:  # noqa: BLE001  # values that cannot be compared are different
        return False


def _error_text(error: Exception, function: Callable[..., Any]) -> str:
    """The error, and the function's line that raised it, counted from its ``def``."""
    code, where = getattr(function, "__code__", None), ""
    for frame in traceback.extract_tb(error.__traceback__):
        if code is not None and frame.filename == code.co_filename and frame.lineno:
            where = say(" in line {number} of your function", number=frame.lineno - code.co_firstlineno + 1)
    return f"{type(error).__name__}{where}: {_short(error)}"


def _short(value: object) -> str:
    try:
        text = str(value) if isinstance(value, Exception) else repr(value)
    except Exception:  # noqa: BLE001  # a student's own class may fail here
        text = f"<{type(value).__name__}>"
    return text if len(text) <= 400 else f"{text[:400]}…"
