"""One grammar for all panels: settings left, picture right, below it a sentence in words and the table behind it.

A panel only connects: what it shows is computed by a plain function from settings to a :class:`View`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Generic, Self, TypeVar

import ipywidgets

from kschedlab.panels.settings import Restorable, Slider
from kschedlab.views.html import Html, element, image, join

S = TypeVar("S", bound=Restorable)

LABEL, LEFT = "13em", "30em"
CLASSROOM, SETTINGS = "kschedlab-classroom", "kschedlab-settings"
STYLE = (
    ".kschedlab .widget-html-content { color: var(--jp-content-font-color1, inherit); line-height: 1.4; } "
    ".kschedlab .widget-readout { min-width: 7.5em; } "
    ".kschedlab .noUi-handle:focus { outline: 3px solid #009E73; } "
    f".{CLASSROOM} {{ --jp-widgets-font-size: 20px; --jp-widgets-inline-height: 38px; font-size: 20px; }} "
    f".{CLASSROOM} .widget-html-content {{ font-size: 20px; }} "
    f"@media (max-width: 1700px) {{ .{CLASSROOM} .{SETTINGS} {{ flex-flow: row wrap; flex: 1 1 100% !important; }} "
    f".{CLASSROOM} .{SETTINGS} .widget-hslider {{ width: 25em !important; }} }}"
)
CARD = "background-color:#ffffff;color:#000000;padding:0.5em;"


@dataclass(frozen=True)
class View:
    """What a panel shows. ``picture``: SVG; ``sentence``: what was decided, in words; ``table``: the numbers behind it.

    ``text``: the same numbers as plain text, which is what shows where no picture can.
    """

    picture: Html
    sentence: str
    table: Html
    text: str


class Panel(ipywidgets.VBox, Generic[S]):
    """Sliders for ``settings`` and what ``show`` makes of them.

    ====================  ==========================================================================================
    reading               ``settings``, ``view``, ``error``; ``str(settings)`` is the text that restores them
    moving                :meth:`move`, :meth:`reset`, :meth:`restore`
    looking               :meth:`classroom`
    ====================  ==========================================================================================

    ``export``: from settings to the manifests behind them, as YAML.
    """

    def __init__(self, settings: S, show: Callable[[S], View], export: Callable[[S], str]) -> None:
        self.settings, self._first = settings, settings
        self._show, self._export = show, export
        self._moving = False
        self.view: View | None = None
        self.error = ""
        self.sliders = {name: _slider(each, getattr(settings, name)) for name, each in settings.sliders().items()}
        self._state = ipywidgets.Text(
            description="State", continuous_update=False, layout={"width": LEFT}, style={"description_width": "4em"}
        )
        self._yaml = ipywidgets.Textarea(description="YAML", disabled=True, rows=16, layout={"width": "100%"})
        self._picture, self._words = ipywidgets.HTML(), ipywidgets.HTML()
        left = ipywidgets.VBox([*self.sliders.values(), self._state, self._buttons()], layout={"flex": "0 0 auto"})
        left.add_class(SETTINGS)
        right = ipywidgets.VBox([self._picture], layout={"flex": "1 1 30em", "min_width": "0"})
        style = ipywidgets.HTML(str(element("style", STYLE)), layout={"display": "none"})
        both = ipywidgets.HBox([left, right], layout={"flex_flow": "row wrap", "align_items": "flex-start"})
        super().__init__([style, both, self._words, self._yaml])
        self.add_class("kschedlab")
        for each in self.sliders.values():
            each.observe(self._moved, "value")
        self._state.observe(self._typed, "value")
        self._redraw()

    def move(self, **values: int) -> Self:
        """Set sliders by name, as by hand. ValueError if a slider can't stand there."""
        return self._go(self.settings.changed(**values))

    def reset(self) -> Self:
        """Back to the settings that the panel began with."""
        return self._go(self._first)

    def restore(self, text: str) -> Self:
        """Go to the settings that this text describes. ValueError says what is wrong with it."""
        return self._go(type(self.settings).parse(text))

    def classroom(self, on: bool = True) -> Self:
        """Enlarge everything, for a projector."""
        self._large.value = on
        return self

    def _buttons(self) -> ipywidgets.HBox:
        back = ipywidgets.Button(description="Reset", icon="undo")
        self._large = ipywidgets.ToggleButton(description="Classroom", tooltip="enlarge everything")
        self._with_yaml = ipywidgets.ToggleButton(description="YAML", tooltip="the manifests, to copy")
        back.on_click(lambda _: self.reset())
        self._large.observe(lambda change: (self.remove_class, self.add_class)[change["new"]](CLASSROOM), "value")
        self._with_yaml.observe(lambda _: self._redraw(), "value")
        return ipywidgets.HBox([back, self._large, self._with_yaml])

    def _moved(self, _: object) -> None:
        if not self._moving:
            values = {name: each.value for name, each in self.sliders.items()}
            self._go(type(self.settings)(**values))

    def _typed(self, change: dict[str, str]) -> None:
        if not self._moving:
            try:
                self.restore(change["new"])
            except ValueError as error:
                self._fail(str(error))

    def _go(self, settings: S) -> Self:
        self.settings = settings
        with self._quiet():
            for name, each in self.sliders.items():
                each.value = getattr(settings, name)
        self._redraw()
        return self

    @contextmanager
    def _quiet(self) -> Iterator[None]:
        """The panel moves its own widgets: that is no reason to redraw."""
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
            self._yaml.value = self._export(self.settings) if self._with_yaml.value else ""
        except Exception as error:  # noqa: BLE001  # nobody would see it: a callback has no cell to print to
            self._fail(f"{type(error).__name__}: {error}")
            return
        self.error = ""
        self._yaml.layout.display = None if self._with_yaml.value else "none"
        self._picture.value = str(self.view.picture)
        self._words.value = str(words(self.view))

    def _fail(self, error: str) -> None:
        self.error = error
        lines = (element("div", line) for line in error.splitlines())
        self._words.value = str(element("div", element("b", "Error: "), *lines, role="alert"))

    def __repr__(self) -> str:
        if self.error or self.view is None:
            return f"{self.settings}\nError: {self.error}"
        return f"{self.settings}\n{self.view.text}"

    def _repr_mimebundle_(self, **options: Any) -> dict[str, Any]:
        """The live widget, and beside it what a saved notebook shows without a kernel."""
        bundle = super()._repr_mimebundle_(**options)
        return {**bundle, "text/plain": repr(self), "text/html": str(self.still())}

    def still(self) -> Html:
        """The panel as it stands, without sliders: dark on white, because an image doesn't know the page's theme."""
        if self.error or self.view is None:
            return element("p", f"Error: {self.error}")
        drawing = image(self.view.picture, alt=self.view.sentence)
        state = element("p", element("small", str(self.settings)))
        return element("div", drawing, words(self.view), state, style=CARD)


def words(view: View) -> Html:
    """The sentence and the table."""
    sentence = element("p", element("b", view.sentence), role="status", style="margin:0.3em 0")
    return join([sentence, view.table])


def _slider(each: Slider, value: int) -> ipywidgets.SelectionSlider:
    return ipywidgets.SelectionSlider(
        description=each.label,
        options=[(each.write(value), value) for value in each.values],
        value=value,
        layout={"width": LEFT},
        style=_wide(),
    )


def _wide() -> dict[str, str]:
    return {"description_width": LABEL}
