"""Another cluster for a panel: files or a path."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import ipywidgets

from kschedlab.manifests.sources import MAX_BYTES
from kschedlab.messages import later, listed, say
from kschedlab.text.html import Html, element, join
from kschedlab.text.words import count
from kschedlab_lab.panels.classroom import Enlargeable
from kschedlab_lab.panels.cluster_source import BUNDLED, COMMAND, Loaded, from_files, from_path
from kschedlab_lab.stage.files import FilePicker

PROBLEMS = 20
"""The most problems shown."""


class Loader(Enlargeable):
    """A panel's stage, and what loads another cluster, or the first one again as it was at first.

    ``panel``: the current one; it is replaced, never changed.

    ``replaced``: makes the panel for another cluster, or for the problems with it.
    """

    def __init__(self, panel: Any) -> None:
        self.panel, first = panel, panel.move()
        self._said, self._box = ipywidgets.HTML(), ipywidgets.VBox()
        self.files = FilePicker(
            COMMAND,
            lambda given: self.take(lambda: from_files(given)),
            MAX_BYTES,
            lambda path: self.take(lambda: from_path(path)),
            lambda: self._show(first.move()),
            say("Back to the bundled cluster"),
        )
        super().__init__([self.files, self._said, self._box])
        self.stage: Any = None
        self._show(panel)

    def _ipython_display_(self) -> None:
        self.stage.display(self)

    def take(self, read: Callable[[], Loaded]) -> None:
        """Show the cluster that this reads, or what is wrong with it."""
        self.files.wrong = ""
        panel = self.panel.reading(read)
        if panel.problems:
            self._refuse(panel.loaded.name, panel.problems)
        else:
            self._show(panel)

    def _show(self, panel: Any) -> None:
        before, self.panel, self.stage = self.stage, panel, panel.stage()
        if before is not None:
            self.stage.saved_as, self.stage.session.room = before.saved_as, before.session.room
            self.stage.refresh()
        self._box.children = [self.stage]
        notes = [*(element("div", line) for line in panel.loaded.objects.report.lines()), *self._missing(panel.loaded)]
        self._said.value = str(join([element("p", element("b", panel.loaded.sentence), role="status"), *notes]))
        self.files.wrong = ""
        if panel.problems:
            self._refuse(panel.loaded.name, panel.problems)

    def _missing(self, loaded: Loaded) -> list[Html]:
        """Which kinds of objects a file of one's own does not have, folded."""
        if loaded.name == BUNDLED or not loaded.missing:
            return []
        message = later("Not in it: {kinds}. If the cluster has some of these, an answer may be wrong.")
        how_many = say(message, kinds=count(len(loaded.missing), "kind"))
        return [element("details", element("summary", how_many), listed(loaded.missing))]

    def _refuse(self, stays: str, problems: Sequence[str]) -> None:
        lines = [element("li", problem) for problem in problems[:PROBLEMS]]
        if (more := len(problems) - PROBLEMS) > 0:
            lines.append(element("li", say("and {more:,} more", more=more)))
        what = element("b", say("Not loaded; {stays} stays.", stays=stays))
        self.files.wrong = f"{what}{element('ul', *lines)}"
