"""Events: those that the simulation records, and those that clients write, in both versions of the API.

v1.37: k8s.io/api core/v1 (Event) and events/v1; repetitions: client-go tools/record
(events_cache.go) and tools/events (event_broadcaster.go).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from kschedlab.manifests.decoding import KINDS
from kschedlab.objects.meta import SECOND, Time
from kschedlab_live.serve.kept import KeptObjects
from kschedlab_live.serve.kinds import EVENTS, OF_MODEL, Kept
from kschedlab_live.wire.objects import micro_time
from kschedlab_simulation.log import Changed, LogEntry, Recorded
from kschedlab_simulation.status import ApiError

Data = dict[str, Any]

SERIES = 6 * 60 * SECOND
"""The time for which a later event of the newer API joins those before it (finishSeries)."""

_REMEMBERED = 4096
"""Recent events that a repetition is counted with, as client-go's correlator remembers them."""


class EventWriter:
    """Writes the events of the simulation, and counts repetitions."""

    def __init__(self, kept: KeptObjects) -> None:
        self._kept = kept
        self._known: dict[tuple[str, str], tuple[str, str]] = {}
        self._written: OrderedDict[tuple[str, ...], str] = OrderedDict()
        self._number = 0

    def follow(self, entries: list[LogEntry]) -> None:
        """Write the events among these entries of the log."""
        for entry in entries:
            if isinstance(entry, Changed):
                obj: Any = entry.new or entry.old
                self._known[entry.kind, entry.key] = obj.metadata.uid, obj.metadata.resourceVersion
            elif isinstance(entry, Recorded):
                self._record(entry)

    def _record(self, event: Recorded) -> None:
        """Write an event, or count it with the one that it repeats."""
        namespace = event.key.rpartition("/")[0] or "default"
        uid, version = self._known.get((event.kind, event.key), ("", ""))
        about = event.kind, event.key, uid, event.type, event.reason, event.by
        same = (*about, version, event.action, event.related) if event.action else (*about, event.message)
        again = self._again_newer if event.action else self._again
        written = self._written.get(same)
        if written is not None and again(namespace, written, event.at):
            self._written.move_to_end(same)
            return
        self._number += 1
        name = f"{event.key.rpartition('/')[2]}.{event.at * 1000 + self._number % 1000:x}"
        try:
            self._kept.create(EVENTS, self._json(event, namespace, name))
        except ApiError:  # no room, or a name that no Event can have
            return
        self._written[same] = name
        if len(self._written) > _REMEMBERED:
            self._written.popitem(last=False)

    def _json(self, event: Recorded, namespace: str, name: str) -> Data:
        shared: Data = {
            "metadata": {"name": name, "namespace": namespace},
            "involvedObject": self._reference(event.kind, event.key),
            "type": event.type,
            "reason": event.reason,
            "message": event.message,
            "reportingComponent": event.by,
        }
        if event.related:
            shared["related"] = self._reference(*event.related.split(" ", 1))
        if event.action:  # as events.k8s.io/v1 writes it
            moment = {"eventTime": micro_time(event.at), "firstTimestamp": None, "lastTimestamp": None}
            return (
                shared | moment | {"action": event.action, "source": {}, "reportingInstance": f"{event.by}-kschedlab"}
            )
        now = str(Time.whole_second(event.at))
        source = {"component": event.by, "host": event.host} if event.host else {"component": event.by}
        counted = {"firstTimestamp": now, "lastTimestamp": now, "count": 1, "eventTime": None}
        return shared | counted | {"source": source, "reportingInstance": event.host}

    def _reference(self, kind: str, key: str) -> Data:
        namespace, _, name = key.rpartition("/")
        served = OF_MODEL[KINDS[kind]]
        uid, version = self._known.get((kind, key), ("", ""))
        reference = {"kind": kind, "namespace": namespace, "name": name, "uid": uid, "resourceVersion": version}
        return {key: value for key, value in (reference | {"apiVersion": served.api_version}).items() if value}

    def _again(self, namespace: str, name: str, at: int) -> bool:
        """Count an event once more; False if it is gone."""
        changed = {"lastTimestamp": str(Time.whole_second(at))}
        return self._update(namespace, name, lambda data: {"count": data.get("count", 1) + 1} | changed)

    def _again_newer(self, namespace: str, name: str, at: int) -> bool:
        """Add to an event's series; False if it is gone, or over: the last was observed more than six minutes ago."""

        def series(data: Data) -> Data | None:
            before = data.get("series") or {"count": 1, "lastObservedTime": data["eventTime"]}
            if Time.parse(before["lastObservedTime"]) + SERIES < at:
                return None
            return {"series": {"count": before["count"] + 1, "lastObservedTime": micro_time(at)}}

        return self._update(namespace, name, series)

    def _update(self, namespace: str, name: str, change: Callable[[Data], Data | None]) -> bool:
        try:
            old: Kept = self._kept.get(EVENTS, namespace, name)
        except ApiError:
            return False
        data: Data = self._kept.json(old)
        changed = change(data)
        if changed is None:
            return False
        self._kept.update(EVENTS, old, data | changed, "")
        return True
