"""The API server as the scheduler and its informers use it: the simulation's own, or one across a network.

The simulation's :class:`~kschedlab_simulation.server.api.ApiServer` answers at once. A server behind a network returns
an event that brings the answer later, or fails with the :class:`~kschedlab_simulation.status.ApiError`.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator
from typing import Any, Protocol, TypeAlias, TypeVar

import simpy

from kschedlab.objects.model import ApiObject, Pod
from kschedlab_simulation.server.store import ObjectFilter, WatchEvent

T = TypeVar("T")
D = TypeVar("D", bound=ApiObject)

Answer: TypeAlias = T | simpy.Event
"""The answer of a request, or the event that brings it."""


def answered(answer: Answer[T]) -> Generator[simpy.Event, Any, T]:
    """Wait for the answer, if it is not there yet: ``pod = yield from answered(api.bind(...))``. ApiError."""
    if isinstance(answer, simpy.Event):
        answer = yield answer
    return answer  # type: ignore[return-value]  # an event's value is the answer


class WatchStream(Protocol):
    """An open watch; see :class:`~kschedlab_simulation.server.store.Watch`."""

    pending: deque[tuple[int, WatchEvent]]
    on_event: Callable[[], None] | None
    closed: bool

    def stop(self) -> None: ...


class Api(Protocol):
    """The requests of a scheduler. All raise ApiError, at once or by the event that they return.

    ``by`` names the client. :class:`~kschedlab_simulation.server.api.ApiServer` documents each method.
    """

    def find(self, kind: type[D], namespace: str, name: str) -> D | None:
        """The object as the client knows it without a request; None if it does not exist."""
        ...

    def get(self, kind: type[D], namespace: str, name: str) -> Answer[D]: ...

    def list(
        self, kind: type[D], namespace: str | None = None, filter: ObjectFilter | None = None
    ) -> Answer[tuple[list[D], str]]:
        """The objects, and the resourceVersion to watch from."""
        ...

    def watch(
        self,
        kind: type[ApiObject],
        resource_version: str = "",
        allow_bookmarks: bool = False,
        namespace: str | None = None,
        filter: ObjectFilter | None = None,
    ) -> WatchStream:
        """Watch changes after the resourceVersion."""
        ...

    def create(self, obj: D, by: str = "") -> Answer[D]: ...

    def update(self, obj: D, by: str = "") -> Answer[D]:
        """Write what the client changed in the object, except for its status."""
        ...

    def update_status(self, obj: D, by: str = "") -> Answer[D]:
        """Write what the client changed in the object's status."""
        ...

    def patch_status(
        self, kind: type[D], namespace: str, name: str, uid: str = "", by: str = "", **fields: Any
    ) -> Answer[D]:
        """Change these fields of the current status."""
        ...

    def delete(self, kind: type[D], namespace: str, name: str, *, by: str = "") -> Answer[D]: ...

    def bind(self, namespace: str, name: str, uid: str, node: str, by: str = "") -> Answer[Pod]: ...
