"""Which rejected pods need not be asked about an event: all but those that name one of the objects that it concerns.

v1.37: PreQueueingHintFn, behind the gate SchedulerPreQueueingHints. It never changes what is decided, so here it is
always on.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, NamedTuple

from kschedlab.objects.model import Pod


class Narrowing(NamedTuple):
    """How a plugin's registration narrows the pods that its hint is asked about.

    ``concerned``: from the old and the new object, the keys of those that the event concerns; None: any pod must be
    asked. ``names``: the keys of all objects that a pod names.
    """

    concerned: Callable[[Any, Any], Iterable[Hashable] | None]
    names: Callable[[Pod], Iterable[Hashable]]


class Narrowings:
    """The narrowings of some registrations; None: one does not narrow."""

    def __init__(self, narrowings: Iterable[Narrowing | None]) -> None:
        self._all = tuple(narrowings)

    def concerned(self, old: Any, new: Any) -> set[Hashable] | None:
        """A pod is asked only if it names one of these objects. None: ask every pod."""
        keys: set[Hashable] = set()
        for narrowing in self._all:
            found = narrowing.concerned(old, new) if narrowing is not None else None
            if found is None:
                return None
            keys.update(found)
        return keys

    def names(self, pod: Pod) -> set[Hashable]:
        """The keys of the objects that the pod names."""
        return {key for narrowing in self._all if narrowing is not None for key in narrowing.names(pod)}
