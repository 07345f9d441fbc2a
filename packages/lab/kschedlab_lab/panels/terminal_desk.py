"""What serves a terminal panel's cluster and follows it: the stage, buttons, and where terminals find the cluster.

A kernel has one desk: a new one ends the cluster of the last. The server runs in a thread; the panel changes only in
the kernel's own loop, between cells.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ipywidgets

from kschedlab.messages import gap, later, say
from kschedlab.text.html import Child, Html, element, join
from kschedlab_lab.panels.classroom import Enlargeable
from kschedlab_lab.panels.terminal_feed import Feed
from kschedlab_lab.stage.front_end import front_end
from kschedlab_lab.stage.live import Live

if TYPE_CHECKING:
    from kschedlab_lab.panels.terminal import Terminal
    from kschedlab_live.serve.background import Background
    from kschedlab_simulation.log import LogEntry

KUBECONFIG = "kschedlab.kubeconfig"
"""The name of the file that tells terminals where the cluster is."""

TOGETHER, LOOK = 0.2, 1.0
"""Seconds for which changes are collected before they are shown; between two looks at the server."""

LIVES = later("The cluster is running.")
ENDED = later("The cluster has ended; this is its last state. Start again serves a new one.")
AWAY = later("Terminals ask the cluster of another notebook now. Start again brings them back here.")
NO_KUBECTL = later(
    "kubectl is not on this machine's PATH: install it (kubernetes.io/docs/tasks/tools) and open a terminal."
)
STOP, RUN = later("Stop time"), later("Let time run")


def kubeconfig() -> Path:
    """The file: where JupyterLab's terminals look for it if our settings started it, else in Jupyter's own folder."""
    first = Path(os.environ.get("KUBECONFIG", "").partition(os.pathsep)[0])
    if first.name == KUBECONFIG:
        return first
    from jupyter_core.paths import jupyter_runtime_dir

    return Path(jupyter_runtime_dir()) / KUBECONFIG


class Opener(Live):
    """The button that opens a terminal below the notebook."""

    _esm = front_end("terminal")


class Desk(Enlargeable):
    """A terminal panel's stage with its buttons. ``panel``: what it shows; ``background``: the server while it runs."""

    current: Desk | None = None

    def __init__(self, panel: Terminal) -> None:
        self.panel, self.stage = panel, panel.stage()
        self.background: Background | None = None
        self._path = kubeconfig()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._feed: Feed | None = None
        self._ended = 0
        self._waits = self._stands = False
        self._said = ipywidgets.HTML()
        self._again = _button(say("Start again"), say("a new cluster, as at the start"), self.start)
        self._clock = _button(say(STOP), say("the cluster stops, but still answers"), self.turn)
        self._end = _button(say("End"), say("end the cluster"), self.end)
        self._sender = _button(say("Send {number} × urgent", number=panel.sends), say("without a terminal"), self.send)
        buttons = [*([self._sender] if panel.sends else []), self._again, self._clock, self._end]
        bar = ipywidgets.HBox([Opener(layout={"margin": "2px"}), *buttons], layout={"flex_flow": "row wrap"})
        super().__init__([self._said, bar, self.stage])

    def display(self) -> None:
        """Show it in the current cell, and start the cluster."""
        self.stage.display(self)
        self.start()

    def start(self) -> None:
        """Serve a new cluster; the kernel's last one ends. What goes wrong is said instead."""
        if Desk.current is not None:
            Desk.current.end()
        try:
            self._loop = asyncio.get_running_loop()
        except RuntimeError:
            self._loop = None
        try:
            self.background = self._serve()
        except Exception as problem:  # noqa: BLE001  # a button has no cell to print to
            return self._tell(
                element("div", say("The cluster could not be started: {problem}", problem=problem), role="alert")
            )
        Desk.current = self
        self._stands, self._clock.description = False, say(STOP)
        self._enable(True)
        self._tell(self._how())
        self._show()
        self._look()

    def turn(self) -> None:
        """Stop the cluster's time, or let it run."""
        if self.background is not None:
            self._stands = not self._stands
            self.background.pause(self._stands)
            self._clock.description = say(RUN if self._stands else STOP)
            self._show()

    def send(self) -> None:
        """Let the pods of ``urgent`` come."""
        if self.background is not None:
            self.background.scale("urgent", self.panel.sends)

    def end(self) -> None:
        """End the cluster; the panel keeps its last state."""
        background, self.background = self.background, None
        if background is None:
            return
        if Desk.current is self:
            Desk.current = None
        self._ended = background.now
        background.stop()
        self._enable(False)
        self._tell(element("div", say(ENDED), role="status"))
        self._show()

    # -- the server

    def _serve(self) -> Background:
        """Serve the panel's story. OSError and others."""
        from kschedlab_live.serve.background import Background
        from kschedlab_live.serve.server import Server, Serving

        self._path.parent.mkdir(parents=True, exist_ok=True)
        server = Server(self.panel.scenario(), Serving(self._path))
        feed = self._feed = Feed(server.began)

        def follow(entries: list[LogEntry]) -> None:
            feed.follow(entries)
            if self._feed is feed and self._loop is not None:
                self._loop.call_soon_threadsafe(self._changed)

        server.plane.followers.append(follow)
        return Background(server)

    # -- in the kernel's loop

    def _changed(self) -> None:
        """Something has happened: show it soon, with what happens just after it."""
        if not self._waits and self._loop is not None:
            self._waits = True
            self._loop.call_later(TOGETHER, self._show)

    def _show(self) -> None:
        self._waits = False
        if self._feed is not None:
            alive = self.background
            seen = self._feed.seen._replace(now=alive.now if alive is not None else self._ended)
            self.panel.see(seen, alive is not None, alive is not None and self._stands)

    def _look(self) -> None:
        """Look whether the server lives, and whether terminals still ask it."""
        if self.background is None or self._loop is None:
            return
        if not self.background.alive:
            return self.end()
        self._tell(self._how())
        if self._feed is not None and any(pod.metadata.deletionTimestamp for pod in self._feed.seen.pods):
            self._show()  # its seconds run
        self._loop.call_later(LOOK, self._look)

    # -- what is said

    def _how(self) -> Html:
        """Where the cluster is, for who opens a terminal."""
        assert self.background is not None
        if not self.background.named():
            return element("div", say(AWAY), role="alert")
        said: list[Child] = [say("kubectl finds this cluster in any terminal of JupyterLab.")]
        if os.environ.get("KUBECONFIG", "").partition(os.pathsep)[0] != str(self._path):
            where = element("code", f"export KUBECONFIG={shlex.quote(str(self._path))}")
            said = [say("Type first in a terminal:"), " ", where]
        missing = element("div", say(NO_KUBECTL), role="alert") if shutil.which("kubectl") is None else None
        lives = element("div", say(LIVES), gap(), *said, role="status")
        return join([lives, missing])

    def _tell(self, said: Html) -> None:
        if self._said.value != str(said):
            self._said.value = str(said)

    def _enable(self, lives: bool) -> None:
        self._sender.disabled = self._clock.disabled = self._end.disabled = not lives


def _button(words: str, tip: str, act: Callable[[], Any]) -> Any:
    button = ipywidgets.Button(description=words, tooltip=tip, layout={"width": "auto"})
    button.on_click(lambda _: act())
    return button


@atexit.register
def _leave() -> None:
    """The kernel ends, and its cluster with it."""
    if Desk.current is not None:
        Desk.current.end()
