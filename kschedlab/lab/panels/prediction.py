"""A question to answer before the picture moves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import ipywidgets

from kschedlab.lab.panels.classroom import Enlargeable
from kschedlab.views.html import Html, element, visible


class Prediction(Enlargeable):
    """A multiple-choice question; ``remarks`` has a comment on each answer.

    Saved notebooks show the question and the answers without the remarks.
    """

    def __init__(self, question: str, remarks: Mapping[str, str]) -> None:
        self.question, self.remarks = question, dict(remarks)
        self.answers = ipywidgets.RadioButtons(options=list(remarks), value=None, layout={"width": "auto"})
        self._remark = ipywidgets.HTML()
        super().__init__([ipywidgets.HTML(str(element("b", question))), self.answers, self._remark])
        self.answers.observe(self._answered, "value")

    def _answered(self, change: dict[str, Any]) -> None:
        self._remark.value = str(element("p", self.remarks[change["new"]], role="status"))

    def __repr__(self) -> str:
        return "\n".join(map(visible, [self.question, *(f"( ) {answer}" for answer in self.remarks)]))

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        """The live widget, and the output that a saved notebook shows without a kernel."""
        bundle = super()._repr_mimebundle_(**options)
        return {**bundle, "text/plain": repr(self), "text/html": str(self.still())}

    def still(self) -> Html:
        """The question and the answers, without buttons."""
        return element("div", element("b", self.question), *(element("div", f"○ {each}") for each in self.remarks))
