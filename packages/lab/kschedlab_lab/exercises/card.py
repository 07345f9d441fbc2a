"""An exercise in the browser: the question, a place for the answer, and buttons for check, hint and solution."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import traitlets
from IPython.core.interactiveshell import InteractiveShell

from kschedlab_lab.panels.classroom import enlarge
from kschedlab_lab.stage.front_end import front_end
from kschedlab_lab.stage.live import Live, publish, republish

if TYPE_CHECKING:
    from kschedlab_lab.exercises.exercise import Exercise

WHOLE, CELL = "whole", "cell"
"""Parts of an exercise: all of it, or what stands below a cell in which the answer is written."""
HERE, STAGE = Path(__file__).parent, Path(__file__).parents[1] / "stage"


class Card(Live):
    """An exercise, or the ``part`` of it below a cell. Every card of an exercise shows the same reply.

    ``again``: judges what was handed over in that cell, where the front end can't run the cell itself.
    ``heard``: by view, the last answer from there, so that a view takes no older one back.
    """

    _esm = front_end("card")
    _css = (STAGE / "stage.css").read_text(encoding="utf-8") + (HERE / "card.css").read_text(encoding="utf-8")
    face: Any = traitlets.Dict().tag(sync=True)

    def __init__(self, exercise: Exercise, part: str = WHOLE, again: Callable[[], object] = lambda: None) -> None:
        self.exercise, self.part, self.again, self._saved = exercise, part, again, ""
        self.heard: dict[str, int] = {}
        super().__init__(face=exercise.face(part))
        self.on_msg(self._received)
        exercise.shown_in.add(self)
        enlarge(self)

    def display(self) -> None:
        """Show it below the current cell; nothing without IPython."""
        if InteractiveShell.initialized():
            self._saved = publish(*self.exercise.still(self.part), self)

    def refresh(self) -> None:
        """Show what was said last, also in a saved notebook."""
        self.face = {**self.exercise.face(self.part), "heard": {**self.heard}}
        self._save()

    def _save(self) -> None:
        if self._saved:
            republish(self._saved, *self.exercise.still(self.part))

    def _received(self, _widget: object, message: dict[str, Any], _buffers: object) -> None:
        if "from" in message:
            self.heard[str(message["from"])] = int(message["n"])
        if "draft" in message:
            self.exercise.given = str(message["draft"])
            self._save()
        elif "check" in message:
            answer = message["check"]
            self.exercise.check(str(answer) if answer else None)
        elif "hint" in message:
            self.exercise.hint()
        elif "solution" in message:
            self.exercise.solution()
        elif "again" in message:
            self.again()
