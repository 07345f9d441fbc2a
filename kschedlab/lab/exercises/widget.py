"""An exercise as a widget: the question, a place for the answer, and buttons for check, hint and solution."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets

from kschedlab.lab.exercises.build import Build
from kschedlab.lab.exercises.exercise import Exercise, Note, Verdict
from kschedlab.lab.exercises.repair import Repair
from kschedlab.lab.panels.classroom import Enlargeable


class Box(Enlargeable):
    """What a student sees of an exercise. ``answer`` is None for a function, which is checked in a cell."""

    def __init__(self, exercise: Exercise) -> None:
        self.exercise = exercise
        self.answer = _place(exercise)
        self.said = ipywidgets.HTML()
        buttons = [_button("Hint", lambda: exercise.hint()), _button("Solution", lambda: exercise.solution())]
        if self.answer is not None:
            buttons.insert(0, _button("Check", lambda: exercise.check(self.answer.value or None)))
        for button, act in buttons:
            button.on_click(lambda _, act=act: self._say(act()))
        shown = [ipywidgets.HTML(str(exercise.html())), *([self.answer] if self.answer is not None else [])]
        super().__init__([*shown, ipywidgets.HBox([button for button, _ in buttons]), self.said])

    def _say(self, what: Verdict | Note) -> None:
        self.said.value = what._repr_html_()


def _place(exercise: Exercise) -> Any:
    """Where the answer is given."""
    if isinstance(exercise, Repair):
        return None
    if choices := exercise.choices():
        return ipywidgets.RadioButtons(options=choices, value=None, layout={"width": "auto"})
    if isinstance(exercise, Build):
        return ipywidgets.Textarea(placeholder="YAML", rows=12, layout={"width": "100%"})
    return ipywidgets.Text(placeholder="your answer", description="Answer")


def _button(words: str, act: Callable[[], Verdict | Note]) -> tuple[Any, Callable[[], Verdict | Note]]:
    return ipywidgets.Button(description=words), act
