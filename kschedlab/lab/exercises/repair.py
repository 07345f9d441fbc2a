"""Repair a function: the student's runs beside the engine's on small instances; the smallest difference is shown."""

from __future__ import annotations

import random
import sys
import traceback
from collections.abc import Callable, Iterable
from inspect import getsource
from types import FrameType
from typing import Any

from kschedlab.lab.exercises.exercise import Exercise, Instance, State, Verdict, lines

MOST_LINES = 200_000
"""The most lines of Python that one call may run, which stops endless loops."""


class EndlessError(Exception):
    """The function ran too many lines."""


class Repair(Exercise):
    """A broken function to repair. ``spec``: what it should do; ``mended``: a correct function, the solution.

    ``cases``: instances as tuples of arguments, smaller ones first, generated from the seed for each check.
    ``needs``: the imports that the function needs in a cell of its own.
    """

    kind = "repair"
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
        seed: int = 1,
        needs: str = "",
    ) -> None:
        self.source = "\n\n\n".join(filter(None, [needs, getsource(broken)]))
        super().__init__(title, question, hints, Instance(lines(self.source), self.source))
        self.broken, self.mended, self.spec, self.cases, self.why, self.seed = broken, mended, spec, cases, why, seed

    @property
    def right(self) -> Callable[..., Any]:
        """A right answer."""
        return self.mended

    def judge(self, answer: object) -> Verdict:
        """The verdict on the answer."""
        if not callable(answer):
            return Verdict(State.ERROR, "Hand over the function itself: check(my_function).")
        for number, case in enumerate(self.cases(random.Random(self.seed)), 1):
            expected = self.spec(*case)
            try:
                got = limited(answer, case)
            except EndlessError:
                return Verdict(State.ERROR, "It does not come to an end.", _call(self.broken, case))
            except Exception as error:  # noqa: BLE001  # whatever a student's function raises becomes a sentence
                return Verdict(State.ERROR, _error_text(error, answer), _call(self.broken, case))
            if not _same(got, expected):
                evidence = f"{_call(self.broken, case)}\n  yours:    {_short(got)}\n  expected: {_short(expected)}"
                return Verdict(State.WRONG, f"Instance {number} comes out wrong; no smaller one does.", evidence)
        return Verdict(State.RIGHT, self.why)

    def explained(self) -> str:
        """The solution."""
        return f"{getsource(self.mended)}\n{self.why}"


def limited(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Call the function, but stop it after ``MOST_LINES`` lines with an :class:`EndlessError`."""
    left = MOST_LINES

    def count(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal left
        left -= event == "line"
        if left < 0:
            raise EndlessError
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        return function(*arguments)
    finally:
        sys.settrace(before)


def _same(got: Any, expected: Any) -> bool:
    try:
        return type(got) is type(expected) and bool(got == expected)
    except Exception:  # noqa: BLE001  # values that cannot be compared are different
        return False


def _error_text(error: Exception, function: Callable[..., Any]) -> str:
    """The error, and the function's line that raised it, counted from its ``def``."""
    code = getattr(function, "__code__", None)
    frames = traceback.extract_tb(error.__traceback__)
    lines = [f.lineno for f in frames if code is not None and f.filename == code.co_filename and f.lineno]
    where = f" in line {lines[-1] - code.co_firstlineno + 1} of your function" if lines and code is not None else ""
    return f"{type(error).__name__}{where}: {_short(error)}"


def _call(function: Callable[..., Any], case: tuple[Any, ...]) -> str:
    return f"{function.__name__}({', '.join(map(_short, case))})"


def _short(value: object) -> str:
    try:
        text = str(value) if isinstance(value, Exception) else repr(value)
    except Exception:  # noqa: BLE001  # a student's own class may fail here
        text = f"<{type(value).__name__}>"
    return text if len(text) <= 400 else f"{text[:400]}…"
