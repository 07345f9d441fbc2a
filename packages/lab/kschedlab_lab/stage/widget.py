"""The widget that carries a session's messages between the kernel and the browser."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Protocol

import traitlets

from kschedlab.text.html import Html
from kschedlab_lab.stage.front_end import front_end
from kschedlab_lab.stage.live import Live, publish, republish

HERE = Path(__file__).parent


class Session(Protocol):
    """The panel's side of the conversation."""

    shown: dict[str, Any]
    controls: list[dict[str, Any]]

    def look(self) -> dict[str, Any]: ...

    def receive(self, message: Mapping[str, Any]) -> list[dict[str, Any]]: ...

    def saved(self) -> tuple[Html, str]:
        """What a saved notebook shows, as HTML and as text."""


class Stage(Live):
    """A panel in the browser. ``controls``: what can be set; ``shown``: what is to be seen.

    ``saved_as``: the id of the output that a saved notebook keeps, "" before there is one.
    """

    _esm = front_end("stage")
    _css = (HERE / "stage.css").read_text(encoding="utf-8")
    controls: Any = traitlets.List().tag(sync=True)
    shown: Any = traitlets.Dict().tag(sync=True)

    def __init__(self, session: Session) -> None:
        self.session = session
        super().__init__(controls=session.controls, shown=session.shown)
        self.saved_as, self._replying = "", False
        self.on_msg(self._received)

    def display(self, inside: Any = None) -> None:
        """Show it in the current cell. ``inside``: a widget that contains it and is shown instead."""
        self.saved_as = publish(*self.session.saved(), self if inside is None else inside)

    def refresh(self) -> None:
        """Show the panel's current state; while this stage obeys a message, its reply does."""
        if not self._replying:
            self.shown = self.session.look()

    def _received(self, _widget: object, message: dict[str, Any], _buffers: object) -> None:
        if "still" in message:
            if self.saved_as:
                republish(self.saved_as, *self.session.saved())
            return
        self._replying = True
        try:
            replies = self.session.receive(message)
        finally:
            self._replying = False
        for reply in replies:
            if "shown" in reply:
                self.shown = reply["shown"]
            else:
                self.send(reply)
