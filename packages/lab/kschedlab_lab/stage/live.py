"""How something live is shown: two outputs, a saved one and the widget.

A notebook that is opened again has no kernel, and JupyterLab shows "model not found" instead of each widget. So the
first output is a still picture, and a style sheet inside it shows the widget if there is one, else the picture.
"""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import anywidget
import traitlets
from IPython.display import publish_display_data

from kschedlab.messages import later, say
from kschedlab.text.html import Html, element
from kschedlab_lab.language import spoken

_publish: Any = publish_display_data  # IPython has no types

WIDGET_VIEW = "application/vnd.jupyter.widget-view+json"
STYLE = (
    ".jp-OutputArea-child:has(.ks-still):has(+ .jp-OutputArea-child .kschedlab) { display: none; } "
    ".jp-OutputArea-child:has(.ks-still) + .jp-OutputArea-child:not(:has(.kschedlab)) { display: none; }"
)
REVIVE = later("A saved picture: run this cell (Shift+Enter) to bring it to life.")


class Live(anywidget.AnyWidget):
    """A widget that can be enlarged. ``spoken``: the language of its words."""

    large: Any = traitlets.Bool().tag(sync=True)
    spoken: Any = traitlets.Dict().tag(sync=True)

    def __init__(self, **traits: Any) -> None:
        super().__init__(spoken=spoken(), **traits)

    def classroom(self, on: bool = True) -> None:
        """Enlarge everything, for a projector."""
        self.large = on


def publish(still: Html, text: str, widget: Any) -> str:
    """Show the widget, with ``still`` and ``text`` for a saved notebook. Returns the id for :func:`republish`."""
    name = show(saved(still, text))
    view = {"version_major": 2, "version_minor": 0, "model_id": widget.model_id}
    _publish({WIDGET_VIEW: view})
    return name


def show(output: dict[str, str]) -> str:
    """Show an output: texts by their types. Returns the id for :func:`show_again`."""
    name = uuid4().hex
    _publish(output, transient={"display_id": name})
    return name


def show_again(name: str, output: dict[str, str]) -> None:
    """Replace what :func:`show` has shown."""
    _publish(output, transient={"display_id": name}, update=True)


def republish(name: str, still: Html, text: str) -> None:
    """Replace the saved picture."""
    show_again(name, saved(still, text))


def saved(still: Html, text: str) -> dict[str, str]:
    """The output that a saved notebook keeps."""
    hint = element("div", element("small", say(REVIVE)), style="opacity:0.75;")
    shown = element("div", element("style", STYLE), still, hint, class_="ks-still")
    return {"text/plain": text, "text/html": str(shown)}
