"""Pods that were refused, or are held back by a gate, and wait for something to happen.

v1.37: pkg/scheduler/backend/queue/unschedulable_entities.go. They are listed under the plugins that refused them, so
that an event asks only those whom it may help.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kschedlab.queue.queued_pod import WaitingPod

NOBODY = ""
"""Stands for the plugin of a pod that none refused."""


class Unschedulable:
    """The pods by ``namespace/name``, in the order in which they came, and under each plugin that refused them."""

    def __init__(self) -> None:
        self._pods: dict[str, WaitingPod] = {}
        self._listed: dict[str, tuple[str, ...]] = {}
        self._under: dict[str, dict[str, WaitingPod]] = {}
        self._number: dict[str, int] = {}
        self._count = 0

    def __len__(self) -> int:
        return len(self._pods)

    def __contains__(self, key: str) -> bool:
        return key in self._pods

    def __iter__(self) -> Iterator[WaitingPod]:
        return iter(self._pods.values())

    def get(self, key: str) -> WaitingPod | None:
        """The pod, if it is here."""
        return self._pods.get(key)

    def put(self, pod: WaitingPod) -> None:
        """Put the pod in, or list it anew if it is here."""
        key = pod.key
        if key not in self._pods:
            self._count += 1
            self._number[key] = self._count
        else:
            self._strike(key)
        plugins = tuple(pod.refusers) or (NOBODY,)
        self._pods[key], self._listed[key] = pod, plugins
        for plugin in plugins:
            self._under.setdefault(plugin, {})[key] = pod

    def remove(self, key: str) -> WaitingPod | None:
        """Take the pod out, if it is here."""
        pod = self._pods.pop(key, None)
        if pod is not None:
            self._strike(key)
            del self._listed[key], self._number[key]
        return pod

    def refused_by(self, plugins: Iterable[str]) -> list[WaitingPod]:
        """The pods that one of the plugins refused, and those that none did, in the order in which they came."""
        lists = [found for plugin in (NOBODY, *plugins) if (found := self._under.get(plugin))]
        if len(lists) <= 1:
            return [pod for found in lists for pod in found.values()]
        together = {key: pod for found in lists for key, pod in found.items()}
        return sorted(together.values(), key=lambda pod: self._number[pod.key])

    def _strike(self, key: str) -> None:
        for plugin in self._listed[key]:
            del self._under[plugin][key]
