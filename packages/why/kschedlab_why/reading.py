"""A cluster as far as it could be read, from files or from a server."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from kschedlab.manifests.loading import Objects
from kschedlab.objects.model import Pod
from kschedlab.objects.problems import safe_text

VITAL_VOLUMES = frozenset(("persistentvolumeclaims", "persistentvolumes", "storageclasses"))
VITAL_DEVICES = frozenset(("resourceclaims", "deviceclasses", "resourceslices"))


@dataclass(frozen=True)
class Gap:
    """A kind that could not be read: ``what``, ``why``, and what is ``unknown`` without it."""

    what: str
    why: str
    unknown: str

    @property
    def who(self) -> str:
        """The user who may not read it."""
        user = re.match(r'User "[^"]*"', self.why)
        return user[0] if user is not None else "You"


@dataclass(eq=False)
class Reading:
    """``left_out``: objects that cannot be understood, each with the reason."""

    objects: Objects
    gaps: list[Gap] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def hides(self, pod: Pod) -> bool:
        """Whether something could not be read without which nothing can be decided about the pod."""
        gaps = {gap.what for gap in self.gaps}
        volumes = any(v.persistentVolumeClaim is not None or v.ephemeral is not None for v in pod.spec.volumes)
        return bool(volumes and gaps & VITAL_VOLUMES) or bool(pod.spec.resourceClaims and gaps & VITAL_DEVICES)

    @property
    def readable(self) -> frozenset[str]:
        """Which of nodes and pods were read, in all namespaces."""
        return frozenset(("nodes", "pods")) - {gap.what for gap in self.gaps}

    @property
    def moment(self) -> int:
        """The latest time that an object names, in microseconds since 1970; 0 if none does. It dates a file."""
        return max((time for time in _times(self.objects)), default=0)


def _times(objects: Objects) -> Iterator[int]:
    for pod in objects.pods:
        times = (pod.metadata.creationTimestamp, pod.status.startTime)
        for time in (*times, *(condition.lastTransitionTime for condition in pod.status.conditions)):
            if time is not None:
                yield time


def similar(name: str, pods: Iterable[Pod]) -> list[str]:
    """Names ``namespace/name`` of pods like that one."""
    from difflib import get_close_matches

    keys = {f"{pod.metadata.namespace}/{pod.metadata.name}" for pod in pods}
    near = sorted(key for key in keys if key.partition("/")[2] == name or (name and name in key.partition("/")[2]))
    names = {key.partition("/")[2]: key for key in sorted(keys)} if len(keys) < 5000 else {}
    close = [names[match] for match in get_close_matches(name, names, 3)]
    return list(map(safe_text, dict.fromkeys([*near, *close])))[:5]
