"""A button that takes files of any size up to a limit, in parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import anywidget
import traitlets

from kschedlab_lab.language import spoken
from kschedlab_lab.stage.front_end import front_end

HERE = Path(__file__).parent
Files: TypeAlias = list[tuple[str, bytes]]
"""Names and contents."""


class FilePicker(anywidget.AnyWidget):
    """The button. ``take``: called with all files once they are complete. ``limit``: in bytes, of all together."""

    _esm = front_end(HERE / "files.js")
    _css = (HERE / "stage.css").read_text(encoding="utf-8")
    limit: Any = traitlets.Int().tag(sync=True)
    spoken: Any = traitlets.Dict().tag(sync=True)

    def __init__(self, take: Callable[[Files], object], limit: int) -> None:
        self._take, self._parts = take, list[tuple[str, bytearray]]()
        super().__init__(limit=limit, spoken=spoken())
        self.on_msg(self._received)

    def _received(self, _widget: object, message: dict[str, Any], buffers: Sequence[memoryview]) -> None:
        """A part of a file. More than the limit is dropped, whatever the front end says."""
        if message.get("first"):
            self._parts = []
        if message.get("begins"):
            self._parts.append((str(message.get("name", "")), bytearray()))
        size = sum(len(content) for _, content in self._parts)
        for part in buffers if self._parts else ():
            self._parts[-1][1].extend(bytes(part)[: max(self.limit + 1 - size, 0)])
        self.send({"got": True})
        if message.get("last") and self._parts:
            parts, self._parts = self._parts, []
            self._take([(name, bytes(content)) for name, content in parts])
