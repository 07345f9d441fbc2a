"""The layout of every panel: settings on the left, the picture on the right, a sentence and a table below.

A panel only connects the two: a plain function from settings to a :class:`View` computes what it shows.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, Self, TypeVar

import ipywidgets

from kschedlab.lab.panels.classroom import SETTINGS, Enlargeable
from kschedlab.lab.panels.controls import LEFT, adapt, widget
from kschedlab.lab.panels.settings import Restorable
from kschedlab.views.html import Html, element, image, join

S = TypeVar("S", bound=Restorable)

CARD = "padding:0.5em;"
PAPER = "max-width:min(100%,56em);background-color:#ffffff;"
HIDDEN = {"display": "none"}
CALL = "lesson.panel()"


@dataclass(frozen=True)
class View:
    """What a panel shows. ``picture``: SVG; ``sentence``: what was decided, in words; ``table``: the numbers behind it.

    ``text``: the same numbers as plain text, shown where no picture can be.
    """

    picture: Html
    sentence: str
    table: Html
    text: str


class Panel(Enlargeable, Generic[S]):
    """Controls for ``settings``, and the view that ``show`` computes from them.

    ====================  ==========================================================================================
    reading               ``settings``, ``view``, ``error``; ``str(settings)`` is the text that restores them
    moving                :meth:`move`, :meth:`reset`, :meth:`restore`
    looking               :meth:`classroom`, :meth:`still`
    taking away           :meth:`link`, :meth:`yaml`
    ====================  ==========================================================================================

    ``export``: from settings to their manifests as YAML. ``call``: the code that creates this panel.
    ``wide``: the picture takes the whole width, below the controls.
    """

    def __init__(
        self,
        settings: S,
        show: Callable[[S], View],
        export: Callable[[S], str] | None = None,
        call: str = CALL,
        *,
        wide: bool = False,
    ) -> None:
        self.settings, self._first = settings, settings
        self._show, self._export, self._call = show, export, call
        self._moving = False
        self.view: View | None = None
        self.error = ""
        self.controls = {
            name: widget(each, getattr(settings, name), settings) for name, each in settings.controls().items()
        }
        self._state = ipywidgets.Text(
            description="State", continuous_update=False, layout={"width": LEFT}, style={"description_width": "4em"}
        )
        self._link = ipywidgets.Text(description="Link", layout={"width": "100%", **HIDDEN})
        self._yaml = ipywidgets.Textarea(description="YAML", rows=16, layout={"width": "100%", **HIDDEN})
        self._picture, self._words = ipywidgets.HTML(), ipywidgets.HTML()
        beside = (
            {"flex": "1 1 100%", "flex_flow": "row wrap", "align_items": "flex-end"} if wide else {"flex": "0 0 auto"}
        )
        left = ipywidgets.VBox([*self.controls.values(), self._state, self._buttons()], layout=beside)
        left.add_class(SETTINGS)
        flex = "1 1 100%" if wide else "1 1 30em"
        self._right = ipywidgets.VBox([self._picture], layout={"flex": flex, "min_width": "0"})
        both = ipywidgets.HBox([left, self._right], layout={"flex_flow": "row wrap", "align_items": "flex-start"})
        super().__init__([both, self._words, self._link, self._yaml])
        for each in self.controls.values():
            each.observe(self._moved, "value")
        self._state.observe(self._typed, "value")
        self._redraw()

    def move(self, **values: Any) -> Self:
        """Set controls by name, as a user would. ValueError if a control does not allow the value."""
        return self._go(self.settings.changed(**values))

    def reset(self) -> Self:
        """Restore the initial settings."""
        return self._go(self._first)

    def restore(self, text: str) -> Self:
        """Apply the settings in this text. ValueError says what is wrong with the text."""
        return self._go(type(self.settings).parse(text))

    def classroom(self, on: bool = True) -> Self:
        """Enlarge everything, for a projector."""
        self._large.value = on
        return self

    def link(self) -> str:
        """The line of code that recreates this panel in its current state."""
        return f"{self._call}.restore({json.dumps(str(self.settings), ensure_ascii=False)})"

    def yaml(self) -> str:
        """The manifests of the picture's cluster, "" without any."""
        return self._export(self.settings) if self._export is not None else ""

    def _buttons(self) -> ipywidgets.HBox:
        back = ipywidgets.Button(description="Reset", icon="undo", tooltip="back to where the panel began")
        self._large = ipywidgets.ToggleButton(description="Classroom", tooltip="enlarge everything")
        self._with_link = ipywidgets.ToggleButton(description="Link", tooltip="the code that brings this state back")
        self._with_yaml = ipywidgets.ToggleButton(description="YAML", tooltip="the manifests, to copy")
        back.on_click(lambda _: self.reset())
        self._large.observe(lambda change: self._enlarge(change["new"]), "value")
        for each in (self._with_link, self._with_yaml):
            each.observe(lambda _: self._redraw(), "value")
        shown = [back, self._large, self._with_link, *([self._with_yaml] if self._export is not None else [])]
        for each in shown:
            each.layout.width = "auto"
        return ipywidgets.HBox(shown)

    def _enlarge(self, on: bool) -> None:
        super().classroom(on)

    def _moved(self, _: object) -> None:
        if not self._moving:
            values = {name: each.value for name, each in self.controls.items()}
            self._go(type(self.settings)(**values).clamped())

    def _typed(self, change: dict[str, str]) -> None:
        if not self._moving:
            try:
                self.restore(change["new"])
            except ValueError as error:
                self._fail(str(error))

    def _go(self, settings: S) -> Self:
        self.settings = settings
        controls = settings.controls()
        with self._quiet():
            for name, each in self.controls.items():
                adapt(each, controls[name], settings)
                each.value = getattr(settings, name)
        self._redraw()
        return self

    @contextmanager
    def _quiet(self) -> Iterator[None]:
        """While the panel moves its own widgets, it does not redraw."""
        self._moving = True
        try:
            yield
        finally:
            self._moving = False

    def _redraw(self) -> None:
        with self._quiet():
            self._state.value = str(self.settings)
        try:
            self.view = self._show(self.settings)
            self._link.value = self.link() if self._with_link.value else ""
            self._yaml.value = self.yaml() if self._with_yaml.value else ""
            self._draw(self.view)
        except Exception as error:  # noqa: BLE001  # a callback has no cell to print to, so the panel shows the error
            self._fail(f"{type(error).__name__}: {error}")
            return
        self.error = ""
        self._link.layout.display = None if self._with_link.value else "none"
        self._yaml.layout.display = None if self._with_yaml.value else "none"
        self._words.value = str(words(self.view))

    def _draw(self, view: View) -> None:
        self._picture.value = str(view.picture)

    def _fail(self, error: str) -> None:
        self.error = error
        lines = (element("div", line) for line in error.splitlines())
        self._words.value = str(element("div", element("b", "Error: "), *lines, role="alert"))

    def __repr__(self) -> str:
        if self.error or self.view is None:
            return f"{self.settings}\nError: {self.error}"
        return f"{self.settings}\n{self.view.text}"

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        """The live widget, and the output that a saved notebook shows without a kernel."""
        bundle = super()._repr_mimebundle_(**options)
        return {**bundle, "text/plain": repr(self), "text/html": str(self.still())}

    def still(self) -> Html:
        """The panel's current state without controls; on white, because an image cannot follow the page's theme."""
        if self.error or self.view is None:
            return element("p", f"Error: {self.error}")
        view = self.view
        drawing = image(view.picture, view.sentence, PAPER)
        state = element("p", element("small", str(self.settings)))
        return element("div", drawing, words(view), state, style=CARD)


def words(view: View) -> Html:
    """The sentence and the table."""
    sentence = element("p", element("b", view.sentence), role="status", style="margin:0.3em 0")
    return join([sentence, view.table])
