"""The conversation between a panel and its front end: messages in, states out.

It needs no browser and no widget. The front end numbers its messages; a reply repeats the number. Indices stand for
the values of controls, because the front end knows what may be chosen, not what it means.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeAlias

from kschedlab.messages import say
from kschedlab.text.html import Html
from kschedlab_lab.panels.settings import Restorable
from kschedlab_lab.views.svg import Room

if TYPE_CHECKING:
    from kschedlab_lab.panels.base import Panel

Message: TypeAlias = dict[str, Any]
FIRST = Room(500, 420)
"""The room until the front end tells it, which a busy kernel hears late: beside the text of a small window."""
AHEAD, AHEAD_SECONDS = 16, 0.2
"""How many states along a control are computed in advance, and how long that may take."""


class Session:
    """One panel as its front end sees it.

    ``controls``: what can be set, with the values as text; ``shown``: the last state that was sent.
    """

    def __init__(self, panel: Panel[Any]) -> None:
        self.panel, self.room = panel, FIRST
        self._polled: Message | None = None
        self.controls = described(panel.settings)
        self.shown: Message = self.look()

    def look(self) -> Message:
        self.shown = self._state(self.panel.settings)
        return self.shown

    def saved(self) -> tuple[Html, str]:
        """What a saved notebook shows, as HTML and as text."""
        return self.panel.still(), repr(self.panel)

    def receive(self, message: Mapping[str, Any]) -> list[Message]:
        """Obey a message. The replies: a new state as ``{"shown": ...}``, or what was asked for.

        An error is a part of the new state: the front end sends nothing more before it has a reply.
        """
        try:
            if asked := self._asked(message):
                return [asked]
            self._obey(message)
        except Exception as error:  # noqa: BLE001  # of a view, or of what was typed
            self.panel.fail(str(error) or type(error).__name__)
        way = {"way": self.panel.way(self.room)} if "answer" in message else {}
        return [{"shown": {**self.look(), **way, "n": message.get("n")}}]

    def _asked(self, message: Mapping[str, Any]) -> Message | None:
        """What a message asks for beside the state."""
        if "along" in message:
            return {"along": self._along(str(message["along"]))}
        if "story" in message:
            return {"story": [{"picture": str(each), "caption": text} for each, text in self.panel.frames(self.room)]}
        return {"menu": self.panel.menu()} if "menu" in message else None

    def _obey(self, message: Mapping[str, Any]) -> None:
        settings: Restorable = self.panel.settings
        if "set" in message:
            self.panel.go(settings.at(message["set"]))
        elif "state" in message:
            self.panel.go(type(settings).parse(str(message["state"])))
        elif "reset" in message:
            self.panel.go(self.panel.first())
        elif "room" in message:
            width, height = message["room"]
            self.room = Room(int(width), int(height))
        elif "answer" in message:
            self._polled = self._poll(message["answer"], message.get("votes"))
            self.panel.predict(message["answer"] if self._polled is None else None)
        elif "uncover" in message:
            self.panel.uncover()
        elif "again" in message:
            self.panel.ask_again()

    def _poll(self, winner: str | None, votes: Sequence[str] | None) -> Message | None:
        """What is said of a class's votes, which open the answer: they are nobody's own answer."""
        question = self.panel.question
        if question is None or not votes:
            return None
        said = question.verdict(None if winner is None else question.checked(winner), self.panel.settings)
        return {**said, "votes": [*map(str, votes)]}

    def _along(self, name: str) -> list[Message]:
        """The states along a control, the nearest first."""
        settings: Restorable = self.panel.settings
        here = settings.indices()
        count = len(settings.controls()[name].allowed(settings)) if name in here else 0
        near = sorted(range(count), key=lambda index: abs(index - here[name]))[1 : AHEAD + 1]
        end, found = monotonic() + AHEAD_SECONDS, []
        for index in near:
            if monotonic() < end:
                found.append(self._state(settings.at({**here, name: index})))
        return found

    def _state(self, settings: Restorable) -> Message:
        controls = settings.controls()
        last = {name: each.last(settings) for name, each in controls.items() if each.last is not None}
        state = self.panel.state(settings, self.room)
        said = {key: self._polled for key in ("verdict", "answered") if self._polled and state.get(key)}
        return {"at": settings.indices(), "last": last, "state": str(settings), **state, **said}


def described(settings: Any) -> list[dict[str, Any]]:
    """The controls as the front end knows them: their kind, and their values as text, in English and as shown."""
    return [
        {
            "name": name,
            "label": say(each.label),
            "kind": each.kind,
            "folded": each.folded,
            "values": [each.write(value) for value in each.values],
            "shown": [each.show(value) for value in each.values],
        }
        for name, each in settings.controls().items()
    ]
