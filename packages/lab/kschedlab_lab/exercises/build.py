"""Build a cluster in which something happens: the student writes manifests, and the engine decides."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby
from typing import Any

import yaml

from kschedlab.manifests.loading import ManifestError, Objects, loads
from kschedlab.messages import later, say
from kschedlab.objects.model import PodDisruptionBudget
from kschedlab.text.html import Html, element, join
from kschedlab_lab.exercises.exercise import NOTHING, Exercise, Instance, State, Verdict, lines
from kschedlab_lab.views.coded import coded

UNASKED = ("name", "namespace", "uid", "image")
"""Keys whose values no answer is right or wrong for."""


class Build(Exercise):
    """Manifests to write. ``base``: YAML of the existing objects, to which the answer is added.

    ``goal``: checks the objects of both; returns what the first wrong step misses, or "" if the answer is right.
    ``right``: manifests that reach the goal. ``why``: the text for a right answer, or what makes it of the objects of
    both. ``start``: what stands in the editor at first, to be completed.
    ``decided``: the picture of what the scheduler decides about the objects of both.
    ``others``: other numbers that are right in the place of the solution's last one.
    """

    kind = later("build")
    answered_by = "yaml"

    def __init__(
        self,
        title: str,
        question: str,
        goal: Callable[[Objects], str],
        example: str,
        why: str | Callable[[Objects], str],
        hints: tuple[str, ...],
        instance: Instance = NOTHING,
        base: str = "",
        start: str = "",
        decided: Callable[[Objects], Html] | None = None,
        others: Callable[[], Iterable[int]] = tuple,
    ) -> None:
        super().__init__(title, question, hints, instance)
        self.goal, self.right, self.base, self.start = goal, example, base, start
        self._why = why if callable(why) else lambda _: why
        self.decided, self.others = decided, others

    @property
    def why(self) -> str:
        """Why the solution is right."""
        return self._why(self._with_base(self.right))

    def judge(self, answer: object) -> Verdict:
        text = str(answer)
        if missing := self._unfilled(text):
            return Verdict(State.ERROR, say("A value is missing: {line}", line=f"`{missing}`"), read=False)
        try:
            both = self._with_base(text)
        except ManifestError as error:
            return Verdict(State.ERROR, say("The answer can't be read."), str(error), read=False)
        missing = self.goal(both)
        notes = "\n".join(both.report.lines())
        state, words = (State.WRONG, missing) if missing else (State.RIGHT, self._why(both))
        return Verdict(state, words, notes, self._picture(both))

    def _with_base(self, text: str) -> Objects:
        return loads(f"{text}\n---\n{self.base}", "answer")

    def _unfilled(self, text: str) -> str:
        """The first line of the beginning in which a value is still to be written; "" if there is none."""
        given = text.splitlines()
        return next((line.strip() for line in self.start.splitlines() if ": }" in line and line in given), "")

    def model(self) -> str:
        """The values that the solution adds to the beginning; of objects that are alike, once."""
        before, after = ([*map(_values, yaml.load_all(text, yaml.BaseLoader))] for text in (self.start, self.right))
        added = ([each for each in doc if each not in before[min(i, len(before) - 1)]] for i, doc in enumerate(after))
        texts = groupby(", ".join(f"{path[-1]}: {value}" for path, value in doc) for doc in added)
        made = "\n".join(f"{n} × {text}" if (n := len([*alike])) > 1 else text for text, alike in texts)
        return say(" or ").join([made, *map(str, self.others())])

    def drawing(self) -> Html:
        """What the scheduler decides about the solution."""
        return self.judge(self.right).picture

    def _picture(self, objects: Objects) -> Html:
        """What the scheduler decides; empty where the pod in question is missing, or there is no picture."""
        try:
            return self.decided(objects) if self.decided is not None else Html()
        except (LookupError, ValueError):
            return Html()

    def explained(self) -> str:
        return f"{self.right.strip()}\n\n{self.why}"

    def markup(self) -> Html:
        return join([lines(self.right.strip()), element("p", coded(self.why))])


def _values(data: Any, *path: str) -> list[tuple[tuple[str, ...], str]]:
    """The values of a manifest, without names, each with the keys that lead to it."""
    if isinstance(data, list):
        return [value for each in data for value in _values(each, *path)]
    if isinstance(data, dict):
        return [value for key, each in data.items() if key not in UNASKED for value in _values(each, *path, key)]
    return [(path, data)]


def budget_fault(objects: Objects, expected: int) -> str:
    """What is wrong unless one budget, and nothing else, was added to so many nodes and pods; else ""."""
    if len(objects.pods) + len(objects.nodes) != expected:
        return say("Only PodDisruptionBudgets may be added.")
    if len(objects.of(PodDisruptionBudget)) != 1:
        given = len(objects.of(PodDisruptionBudget))
        return say("There must be one PodDisruptionBudget; you gave {given}.", given=given)
    return ""
