"""Pods that were rejected, or are gated, and wait for an event.

v1.37: pkg/scheduler/backend/queue/unschedulable_entities.go. They are indexed by the plugins that rejected
them, so an event considers only the pods that it may help.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Set

from kschedlab.objects.model import Pod
from kschedlab.queue.queued_pod import QueuedPodInfo

NO_PLUGIN = ""
"""The index key of pods that no plugin rejected."""


class Unschedulable:
    """The pods by ``namespace/name``, in insertion order, with indices by who rejected them and what they name.

    ``names``: the keys of the objects that a pod names (:class:`~kschedlab.queue.narrowing.Narrowing`).
    """

    def __init__(self, names: Callable[[Pod], Set[Hashable]] = lambda pod: frozenset()) -> None:
        self._names = names
        self._pods: dict[str, QueuedPodInfo] = {}
        self._plugins_of_pod: dict[str, tuple[str, ...]] = {}
        self._pods_by_plugin: dict[str, dict[str, QueuedPodInfo]] = {}
        self._names_of_pod: dict[str, Set[Hashable]] = {}
        self._pods_by_name: dict[Hashable, dict[str, QueuedPodInfo]] = {}
        self._order: dict[str, int] = {}
        self._count = 0

    def __len__(self) -> int:
        return len(self._pods)

    def __contains__(self, key: str) -> bool:
        return key in self._pods

    def __iter__(self) -> Iterator[QueuedPodInfo]:
        return iter(self._pods.values())

    def get(self, key: str) -> QueuedPodInfo | None:
        """The pod, or None."""
        return self._pods.get(key)

    def add_or_update(self, pod: QueuedPodInfo) -> None:
        """Add the pod, or index it again if it is present."""
        key = pod.key
        if key not in self._pods:
            self._count += 1
            self._order[key] = self._count
        else:
            self._unindex(key)
        plugins = tuple(pod.rejector_plugins) or (NO_PLUGIN,)
        self._pods[key], self._plugins_of_pod[key] = pod, plugins
        for plugin in plugins:
            self._pods_by_plugin.setdefault(plugin, {})[key] = pod
        if plugins != (NO_PLUGIN,):
            self._names_of_pod[key] = self._names(pod.pod)
            for name in self._names_of_pod[key]:
                self._pods_by_name.setdefault(name, {})[key] = pod

    def remove(self, key: str) -> QueuedPodInfo | None:
        """Remove and return the pod, or None."""
        pod = self._pods.pop(key, None)
        if pod is not None:
            self._unindex(key)
            del self._plugins_of_pod[key], self._order[key]
        return pod

    def rejected_by(self, plugins: Iterable[str], names: Set[Hashable] | None = None) -> list[QueuedPodInfo]:
        """The pods that any of these plugins rejected, and those that none did, in insertion order.

        ``names``: of the rejected ones, only those that name one of these objects.
        """
        groups = [pods for plugin in (NO_PLUGIN, *plugins) if (pods := self._pods_by_plugin.get(plugin))]
        if names is not None:
            naming = {key: pod for name in names for key, pod in self._pods_by_name.get(name, {}).items()}
            unasked = self._pods_by_plugin.get(NO_PLUGIN)
            groups = [pods if pods is unasked else _common(pods, naming) for pods in groups]
        if len(groups) <= 1:
            return [pod for pods in groups for pod in pods.values()]
        merged = {key: pod for pods in groups for key, pod in pods.items()}
        return sorted(merged.values(), key=lambda pod: self._order[pod.key])

    def _unindex(self, key: str) -> None:
        for plugin in self._plugins_of_pod[key]:
            del self._pods_by_plugin[plugin][key]
        for name in self._names_of_pod.pop(key, ()):
            del self._pods_by_name[name][key]
            if not self._pods_by_name[name]:
                del self._pods_by_name[name]


def _common(pods: dict[str, QueuedPodInfo], naming: dict[str, QueuedPodInfo]) -> dict[str, QueuedPodInfo]:
    return {key: pod for key, pod in naming.items() if key in pods}
