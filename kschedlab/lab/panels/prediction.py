"""A question on its own, without a picture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kschedlab.lab.panels.base import Panel, View
from kschedlab.lab.panels.question import Question
from kschedlab.lab.panels.settings import Nothing
from kschedlab.views.html import Html, visible

__all__ = ["Prediction", "Question"]


class Prediction(Panel[Nothing]):
    """A multiple-choice question; ``remarks`` has a comment on each answer, ``right`` is the right one.

    Without ``right`` the remarks alone say what is right.
    """

    def __init__(self, question: str, remarks: Mapping[str, str], right: str = "") -> None:
        self.text, self.remarks = question, dict(remarks)
        view = View(Html(), "", Html(), "")
        asked = Question[Any](question, tuple(remarks), lambda _: right, lambda _, answer: self.remarks.get(answer, ""))
        super().__init__(Nothing(), lambda _: view, question=asked)

    def __repr__(self) -> str:
        return "\n".join(map(visible, [self.text, *(f"( ) {answer}" for answer in self.remarks)]))
