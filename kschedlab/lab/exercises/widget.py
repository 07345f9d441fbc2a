"""An exercise as a widget: the question, a field for the answer, and buttons for check, hint and solution."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

import ipywidgets

from kschedlab.lab.panels.classroom import Enlargeable


class Reply(Protocol):
    """What a button answers."""

    def _repr_html_(self) -> str: ...


class Widget(Enlargeable):
    """What a student sees of an exercise.

    ``choices``: the answers to pick from; else the answer is typed: a line of text, or YAML. None for ``check``: the
    answer is a function, which is checked in a cell. ``notes``: what the other buttons give, by their words.
    """

    def __init__(
        self,
        question: str,
        choices: Sequence[str],
        yaml: bool,
        check: Callable[[str | None], Reply] | None,
        notes: Mapping[str, Callable[[], Reply]],
    ) -> None:
        place = _place(choices, yaml)
        self.answer = None if check is None else place
        self.reply = ipywidgets.HTML()
        actions = dict(notes)
        if check is not None:
            actions = {"Check": lambda: check(place.value or None), **actions}
        buttons = [ipywidgets.Button(description=words) for words in actions]
        for button, act in zip(buttons, actions.values(), strict=True):
            button.on_click(lambda _, act=act: self._show(act()))
        shown = [ipywidgets.HTML(question), *([] if self.answer is None else [self.answer])]
        super().__init__([*shown, ipywidgets.HBox(buttons), self.reply])

    def _show(self, reply: Reply) -> None:
        self.reply.value = reply._repr_html_()


def _place(choices: Sequence[str], yaml: bool) -> Any:
    """The field for the answer."""
    if choices:
        return ipywidgets.RadioButtons(options=choices, value=None, layout={"width": "auto"})
    if yaml:
        return ipywidgets.Textarea(placeholder="YAML", rows=12, layout={"width": "100%"})
    return ipywidgets.Text(placeholder="your answer", description="Answer")
