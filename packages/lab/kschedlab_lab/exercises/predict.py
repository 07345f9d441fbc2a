"""Predict the outcome: pick or type it, before the scheduler is asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from kschedlab.messages import later, say, sentences
from kschedlab.text.html import Html
from kschedlab_lab.exercises.exercise import NOTHING, Exercise, Instance, State, Verdict

SEPARATORS = re.compile(r"[\s,;，；、]+")
"""What may stand between the parts of a typed answer, or be left out: ``5,000`` and ``a, b``."""

WHOLE = re.compile(r"-?\d+")


class Predict(Exercise):
    """A question with one right answer.

    ``remarks``: a comment on each choice, the right one included; empty where the answer is typed.
    ``remark``: the comment on a wrong typed answer: its first wrong step.
    """

    kind = later("predict")

    def __init__(
        self,
        title: str,
        question: str,
        answer: str,
        why: str,
        hints: tuple[str, ...],
        instance: Instance = NOTHING,
        remarks: Mapping[str, str] | None = None,
        remark: Callable[[str], str] | None = None,
        solved: Callable[[], Html] | None = None,
    ) -> None:
        super().__init__(title, question, hints, instance, solved)
        self.correct, self.why, self.remarks = answer, why, dict(remarks or {})
        self._remark = remark

    @property
    def right(self) -> str:
        """A right answer."""
        return self.correct

    def model(self) -> str:
        return self.correct

    def judge(self, answer: object) -> Verdict:
        said = " ".join(str(answer).split())
        if self._read(said) == self._read(self.correct):
            return Verdict(State.RIGHT, self.why)
        if self.remarks:
            known = {each.casefold(): remark for each, remark in self.remarks.items()}
            if said.casefold() in known:
                return Verdict(State.WRONG, known[said.casefold()])
            choices = say("; ").join(say('"{text}"', text=each) for each in self.remarks)
            wrong = say('"{said}" is none of the answers: {choices}.', said=said[:80], choices=choices)
            return Verdict(State.ERROR, wrong, read=False)
        remark = self._remark(said) if self._remark is not None else ""
        if self._read(self.correct).isdigit() and not WHOLE.fullmatch(self._read(said)):
            wrong = say('"{answer}" is not {numbers}', answer=said[:80], numbers=say("a whole number, 0 or more"))
            return Verdict(State.ERROR, remark or wrong, read=False)
        return Verdict(State.WRONG, remark or say("That is not it."))

    def _read(self, said: str) -> str:
        """The answer without what may be written differently."""
        return SEPARATORS.sub("", said).casefold()

    def explained(self) -> str:
        return sentences((say("{answer}.", answer=self.correct), self.why))

    def choices(self) -> list[str]:
        return list(self.remarks)
