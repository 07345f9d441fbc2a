"""Small clusters for trying out plugins, with the labels and annotations that they read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from kschedlab.build import Manifest, node, pod
from kschedlab.cluster.cluster import Cluster
from kschedlab.manifests.loading import decode_objects
from kschedlab.objects.model import Pod
from kschedlab.objects.nodes import Node

NUMBERS = ("0", "20", "60", "100", "5")
MALFORMED = ("", "warm", "-", "1.5e3", "x")
"""Label values: numbers, and text that is not an integer."""
NODE, POD = "node", "pod"


@dataclass
class Lookups:
    """The labels and annotations that a plugin has read. ``keys``: (node or pod, labels or annotations, key)."""

    keys: dict[tuple[str, str, str], None] = field(default_factory=dict)

    def numbers(self) -> Iterator[Sequence[str]]:
        """Values to try for the keys: the numbers in either order. Empty if the plugin has read no key."""
        if self.keys:
            yield NUMBERS
            yield NUMBERS[::-1]


class Recorded(dict[str, str]):
    """Labels or annotations that record which keys are read."""

    def __init__(self, values: dict[str, str], lookups: Lookups, owner: str, part: str) -> None:
        super().__init__(values)
        self._lookups, self._owner, self._part = lookups, owner, part

    def _note(self, key: Any) -> None:
        self._lookups.keys.setdefault((self._owner, self._part, str(key)))

    def get(self, key: Any, default: Any = None) -> Any:
        """The value, or the default."""
        self._note(key)
        return super().get(key, default)

    def __getitem__(self, key: str) -> str:
        self._note(key)
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        self._note(key)
        return super().__contains__(key)


def probe_clusters(lookups: Lookups, values: Sequence[str] = ()) -> list[Cluster]:
    """An idle, a busy and a full cluster, each with several kinds of pending pods.

    ``values``: values for the recorded keys, which rotate from node to node and from pod to pod.
    """
    return [_cluster(objects, lookups, values) for objects in (_idle(), _busy(), _full())]


def _idle() -> list[Manifest]:
    return [node("probe-1"), *_pending()]


def _busy() -> list[Manifest]:
    zone = "topology.kubernetes.io/zone"
    return [
        node("probe-1", 4, labels={zone: "a"}),
        node("probe-2", 8, labels={zone: "b", "disk": "ssd"}),
        node("probe-3", 2, labels={zone: "b"}, taints=[{"key": "own", "effect": "NoSchedule"}]),
        node("probe-4", 4, unschedulable=True),
        pod("old-1", "probe-1", 1, 0, labels={"app": "web"}),
        pod("old-2", "probe-1", 1, 5, labels={"app": "db"}),
        pod("old-3", "probe-2", 3, 0, labels={"app": "web"}),
        *_pending(),
    ]


def _full() -> list[Manifest]:
    return [
        node("probe-1", 2),
        node("probe-2", 2),
        pod("old-1", "probe-1", 2, 0, labels={"app": "web"}),
        pod("old-2", "probe-2", 1, 0),
        pod("old-3", "probe-2", 1, 0, labels={"app": "web"}),
        *_pending(),
    ]


def _pending() -> list[Manifest]:
    return [
        pod("plain"),
        pod("web", cpu=1, priority=9, labels={"app": "web"}, memory="1Gi"),
        pod("choosy", cpu="500m", priority=100, labels={"app": "db"}, nodeSelector={"disk": "ssd"}),
    ]


def _cluster(manifests: list[Manifest], lookups: Lookups, values: Sequence[str]) -> Cluster:
    objects = decode_objects(manifests)
    keys = [*lookups.keys]
    objects.nodes[:] = [_recorded(each, NODE, place, keys, values, lookups) for place, each in enumerate(objects.nodes)]
    objects.pods[:] = [_recorded(each, POD, place, keys, values, lookups) for place, each in enumerate(objects.pods)]
    return Cluster(objects)


def _recorded(
    found: Any, owner: str, place: int, keys: list[tuple[str, str, str]], values: Sequence[str], lookups: Lookups
) -> Any:
    """The object with values for the recorded keys; it records further reads."""
    assert isinstance(found, Node | Pod)
    parts = {}
    for part in ("labels", "annotations"):
        given = dict(getattr(found.metadata, part))
        for number, (whose, where, key) in enumerate(keys):
            if values and (whose, where) == (owner, part):
                given[key] = values[(place + number) % len(values)]
        parts[part] = Recorded(given, lookups, owner, part)
    return replace(found, metadata=replace(found.metadata, **parts))
