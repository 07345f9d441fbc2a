"""Events: those that the simulation records, and those that clients write, in both versions of the API.

v1.37: k8s.io/api core/v1 (Event) and events/v1, pkg/apis/events/v1/conversion.go, client-go tools/record (counting).
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any

from kschedlab.live.serve.kept import KeptObjects
from kschedlab.live.serve.kinds import EVENTS, OF_MODEL, Kept
from kschedlab.manifests.decoding import KINDS
from kschedlab.objects.meta import Time
from kschedlab.simulation.log import Changed, Entry, Recorded
from kschedlab.simulation.status import ApiError

Data = dict[str, Any]

NEW_VERSION = "events.k8s.io/v1"
_NEW_TO_OLD = {"regarding": "involvedObject", "note": "message", "reportingController": "reportingComponent"}
_DEPRECATED = {
    "deprecatedSource": "source",
    "deprecatedFirstTimestamp": "firstTimestamp",
    "deprecatedLastTimestamp": "lastTimestamp",
    "deprecatedCount": "count",
}
_REMEMBERED = 4096
"""Recent events that a repetition is counted with, as client-go's correlator remembers them."""


class EventWriter:
    """Writes the events of the simulation, and counts repetitions."""

    def __init__(self, kept: KeptObjects) -> None:
        self._kept = kept
        self._uids: dict[tuple[str, str], str] = {}
        self._written: OrderedDict[tuple[str, ...], str] = OrderedDict()

    def follow(self, entries: list[Entry]) -> None:
        """Write the events among these entries of the log."""
        for entry in entries:
            if isinstance(entry, Changed):
                obj: Any = entry.new or entry.old
                self._uids[entry.kind, entry.key] = obj.metadata.uid
            elif isinstance(entry, Recorded):
                self._record(entry)

    def note(self, objects: list[Any]) -> None:
        """Know the uids of the initial objects."""
        for obj in objects:
            served = OF_MODEL[type(obj)]
            self._uids[served.kind, served.resource.key_of(obj)] = obj.metadata.uid

    def _record(self, event: Recorded) -> None:
        now = str(Time.whole_second(event.at))
        namespace, _, name = event.key.rpartition("/")
        uid = self._uids.get((event.kind, event.key), "")
        identity = event.kind, event.key, uid, event.type, event.reason, event.message
        written = self._written.get(identity)
        if written is not None and self._again(namespace or "default", written, now):
            self._written.move_to_end(identity)
            return
        regarding = {"kind": event.kind, "namespace": namespace, "name": name, "uid": uid}
        regarding["apiVersion"] = OF_MODEL[KINDS[event.kind]].api_version
        reporter = reporter_of(event)
        data: Data = {
            "metadata": {"name": f"{name}.{event.at * 1000 + len(self._written) % 1000:x}"},
            "involvedObject": {key: value for key, value in regarding.items() if value},
            "type": event.type,
            "reason": event.reason,
            "message": event.message,
            "source": {"component": reporter},
            "reportingComponent": reporter,
            "reportingInstance": "",
            "firstTimestamp": now,
            "lastTimestamp": now,
            "count": 1,
        }
        data["metadata"]["namespace"] = namespace or "default"
        try:
            self._kept.create(EVENTS, data)
        except ApiError:  # a name that no Event can have
            return
        self._written[identity] = data["metadata"]["name"]
        if len(self._written) > _REMEMBERED:
            self._written.popitem(last=False)

    def _again(self, namespace: str, name: str, now: str) -> bool:
        try:
            old: Kept = self._kept.get(EVENTS, namespace, name)
        except ApiError:
            return False
        data: Data = self._kept.json(old)
        self._kept.update(EVENTS, old, {**data, "count": data.get("count", 1) + 1, "lastTimestamp": now})
        return True


_OF_KUBELET = frozenset(
    """
    Pulling Pulled Created Started Killing BackOff
    Failed Unhealthy Evicted NodeReady
    """.split()  # noqa: SIM905  # a table
)
_OF_SCHEDULER = frozenset(["Scheduled", "FailedScheduling", "Preempted", "WaitingOnPermit"])
_CONTROLLERS = {
    "Deployment": "deployment-controller",
    "ReplicaSet": "replicaset-controller",
    "StatefulSet": "statefulset-controller",
    "DaemonSet": "daemonset-controller",
    "Job": "job-controller",
    "PodDisruptionBudget": "controllermanager",
    "PersistentVolumeClaim": "persistentvolume-controller",
    "PersistentVolume": "persistentvolume-controller",
    "Node": "node-controller",
    "Pod": "taint-eviction-controller",
}


def reporter_of(event: Recorded) -> str:
    """The program that reports such an event in a real cluster."""
    if event.reason in _OF_SCHEDULER:
        return "default-scheduler"
    if event.kind in ("Pod", "Node") and event.reason in _OF_KUBELET:
        return "kubelet"
    return _CONTROLLERS.get(event.kind, "kschedlab")


# -- the two versions


def read_as_old(data: Data) -> Data:
    """An event of events.k8s.io/v1 as one of v1, which is kept."""
    if data.get("apiVersion") != NEW_VERSION:
        return data
    names = _NEW_TO_OLD | _DEPRECATED
    return {names.get(key, key): value for key, value in data.items()} | {"apiVersion": "v1"}


def written_as(data: Data, api_version: str) -> Data:
    """A kept event in the version that is asked for."""
    if api_version != NEW_VERSION:
        return {**data, "apiVersion": "v1"}
    names = {old: new for new, old in (_NEW_TO_OLD | _DEPRECATED).items()}
    return {names.get(key, key): value for key, value in data.items()} | {"apiVersion": NEW_VERSION}
