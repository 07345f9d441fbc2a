"""A button that takes files of any size up to a limit, in parts, a field for a path, and a button for the way back.

Above them, the command that writes such a file."""

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
    """The buttons and the fields. ``command``: what writes a file, to be copied; ``take``: called with all files once
    they are complete; ``limit``: in bytes, of all together; ``read``: called with the path that the field has when it
    is sent; ``back``: called by the other button, ``leaving``: its text. ``wrong``: as markup, what is wrong with the
    files or the path; "" for nothing.
    """

    _esm = front_end("files")
    _css = (HERE / "stage.css").read_text(encoding="utf-8")
    command: Any = traitlets.Unicode().tag(sync=True)
    limit: Any = traitlets.Int().tag(sync=True)
    leaving: Any = traitlets.Unicode().tag(sync=True)
    wrong: Any = traitlets.Unicode().tag(sync=True)
    spoken: Any = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        command: str,
        take: Callable[[Files], object],
        limit: int,
        read: Callable[[str], object],
        back: Callable[[], object],
        leaving: str,
    ) -> None:
        self._take, self._read, self._back = take, read, back
        self._parts = list[tuple[str, bytearray]]()
        super().__init__(command=command, limit=limit, leaving=leaving, spoken=spoken())
        self.on_msg(self._received)

    def _received(self, _widget: object, message: dict[str, Any], buffers: Sequence[memoryview]) -> None:
        """A path, the way back, or a part of a file; more than the limit is dropped, whatever the front end says."""
        if "path" in message or message.get("back"):
            self._back() if message.get("back") else self._read(str(message["path"]))
            self.send({"done": True})
            return
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
            self.send({"done": True})
