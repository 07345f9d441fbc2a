"""Build a cluster in which something happens: the student gives manifests, the engine says what comes of them."""

from __future__ import annotations

from collections.abc import Callable

from kschedlab.lab.exercises.exercise import NOTHING, Exercise, Given, State, Verdict
from kschedlab.manifests.loading import ManifestError, Objects, loads

LONGEST = 50_000
"""Characters that an answer may have; what is longer was pasted by mistake."""
MOST_OBJECTS = 100


class Build(Exercise):
    """Manifests to be written. ``base``: YAML of what is there already, to which the answer is added.

    ``goal``: looks at the objects of both and says what is missing at the first step that is wrong, or "" if all is
    as wanted. ``example``: manifests that reach the goal.
    """

    kind = "build"
    answered_by = "yaml"

    def __init__(
        self,
        title: str,
        question: str,
        goal: Callable[[Objects], str],
        example: str,
        why: str,
        hints: tuple[str, ...],
        given: Given = NOTHING,
        base: str = "",
    ) -> None:
        super().__init__(title, question, hints, given)
        self.goal, self.example, self.why, self.base = goal, example, why, base

    @property
    def right(self) -> str:
        """An answer that is right."""
        return self.example

    def judge(self, answer: object) -> Verdict:
        """What is to be said to the answer."""
        text = str(answer)
        if len(text) > LONGEST:
            return Verdict(State.ERROR, f"The answer has {len(text)} characters; {LONGEST} are enough.")
        try:
            own = loads(text, "answer") if text.strip() else Objects()
            both = loads(f"{text}\n---\n{self.base}", "answer") if self.base else own
        except ManifestError as error:
            return Verdict(State.ERROR, "The manifests can't be read.", str(error))
        if sum(own.report.counts.values()) > MOST_OBJECTS:
            return Verdict(State.ERROR, f"More than {MOST_OBJECTS} objects; a few are enough.")
        missing = self.goal(both)
        notes = "\n".join(both.report.lines())
        return Verdict(State.WRONG, missing, notes) if missing else Verdict(State.RIGHT, self.why, notes)

    def explained(self) -> str:
        """The solution."""
        return f"{self.example.strip()}\n\n{self.why}"
