"""A question on its own, without a picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kschedlab.messages import later, listed, say, sentences
from kschedlab.objects.problems import InputValueError, expected
from kschedlab.text.html import Html, visible
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.question import Question
from kschedlab_lab.panels.settings import Nothing

__all__ = ["Prediction", "Question"]


class Prediction(Panel[Nothing]):
    """A multiple-choice question; ``remarks`` has a comment on each answer, ``right`` is the right one.

    Without ``right`` the remarks alone say what is right. TypeError or ValueError for anything else.
    """

    def __init__(self, question: str, remarks: Mapping[str, str], right: str = "") -> None:
        if not isinstance(remarks, Mapping):
            raise expected(later("a dict from each answer to its remark"), remarks)
        if not remarks or right and right not in remarks:
            raise InputValueError('right: "{answer}" is not one of {choices}', answer=right, choices=listed(remarks))
        self.text, self.remarks = str(question), dict(remarks)
        view = View(Html(), "", Html(), "")

        def why(_: Any, answer: str) -> str:
            remark = self.remarks.get(answer, "")
            if not right or answer == right:
                return remark
            solution = say("The answer is “{answer}”.", answer=right)
            return sentences(dict.fromkeys((solution, remark, self.remarks[right])))

        asked = Question[Any](self.text, tuple(remarks), lambda _: right, why)
        super().__init__(Nothing(), lambda _: view, question=asked)

    def __repr__(self) -> str:
        return "\n".join(map(visible, [self.text, *(f"( ) {answer}" for answer in self.remarks)]))
