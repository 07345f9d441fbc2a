"""The widgets behind settings: sliders, choices, switches and steps. Each has a ``value``, as ipywidgets do."""

from __future__ import annotations

from typing import Any

import ipywidgets
import traitlets

from kschedlab.lab.panels.settings import Control, Value

LABEL, LEFT = "13em", "30em"
ON_BUTTONS = 24
"""Characters that fit beside a label; a longer choice becomes a dropdown."""
TICK = 1000
"""Milliseconds between two steps during Play."""


def widget(control: Control, value: Value, settings: Any) -> ipywidgets.Widget:
    """The widget for a setting, at this value."""
    values = control.allowed(settings)
    if control.kind == "steps":
        return Steps(control.label, len(values) - 1, value)
    if control.kind == "switch":
        return ipywidgets.Checkbox(value=value, **named(control.label))
    options = [(control.write(each), each) for each in values]
    if control.kind == "slider":
        return ipywidgets.SelectionSlider(options=options, value=value, **named(control.label))
    if sum(len(text) + 3 for text, _ in options) > ON_BUTTONS:
        return ipywidgets.Dropdown(options=options, value=value, **named(control.label))
    return ipywidgets.RadioButtons(options=options, value=value, orientation="horizontal", **named(control.label))


def named(label: str) -> dict[str, Any]:
    """The text beside a control; without a tooltip of their own, sliders show "null"."""
    return {
        "description": label,
        "tooltip": label,
        "layout": {"width": LEFT},
        "style": {"description_width": LABEL},
    }


def adapt(shown: ipywidgets.Widget, control: Control, settings: Any) -> None:
    """Update the last step, which may have changed with the settings."""
    if isinstance(shown, Steps):
        shown.last = len(control.allowed(settings)) - 1


class Steps(ipywidgets.VBox):
    """A slider over the steps 0 to ``last``, with First, Back, Next and Play as buttons that Tab reaches.

    Play runs in the browser; the kernel only sees the slider move.
    """

    value = traitlets.Int(0)
    last = traitlets.Int(0)

    def __init__(self, label: str, last: int, value: Any = 0) -> None:
        self.slider = ipywidgets.IntSlider(min=0, max=last, value=value, **named(label))
        self.play = ipywidgets.Play(min=0, max=last, value=value, interval=TICK, show_repeat=False)
        self.first, self.back, self.next = (
            ipywidgets.Button(description=text, layout={"width": "5em"}) for text in ("First", "Back", "Next")
        )
        buttons = [self.first, self.back, self.next, self.play]
        row = ipywidgets.HBox(buttons, layout={"width": LEFT, "justify_content": "flex-end"})
        super().__init__([self.slider, row])
        self.value, self.last = value, last
        self.observe(self._end, "last")
        traitlets.link((self, "value"), (self.slider, "value"))
        ipywidgets.jslink((self.play, "value"), (self.slider, "value"))
        for button, step in ((self.first, -(2**31)), (self.back, -1), (self.next, 1)):
            button.on_click(lambda _, step=step: self._go(step))

    def _go(self, by: int) -> None:
        self.value = min(max(self.value + by, 0), self.last)

    def _end(self, change: dict[str, int]) -> None:
        """Set the maximum first: a slider never exceeds it."""
        for each in (self.slider, self.play):
            each.max = change["new"]
