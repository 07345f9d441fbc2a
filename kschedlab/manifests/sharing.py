"""Equal parts of pods become one object, so that the copies of a template cost little memory."""

from __future__ import annotations

from typing import TypeVar

import msgspec

from kschedlab.objects.meta import Time
from kschedlab.objects.model import Pod

T = TypeVar("T", bound=msgspec.Struct)

METADATA = ("name", "namespace", "annotations", "ownerReferences", "creationTimestamp")
SPEC = (
    *("nodeName", "schedulerName", "containers", "initContainers", "overhead", "nodeSelector", "affinity"),
    *("tolerations", "topologySpreadConstraints", "volumes"),
)
STATUS = ("phase", "startTime", "conditions", "containerStatuses", "hostIP")
"""What many pods have in common. Their labels differ: a pod of a StatefulSet carries its own name."""


class Sharing:
    """The values so far. A part is found by its text, in which an amount is its identity: equal ones are one object."""

    def __init__(self) -> None:
        self._values: dict[object, object] = {}
        self._texts: dict[str, str] = {}
        self._encoder = msgspec.json.Encoder(enc_hook=id)

    def shared(self, pod: Pod) -> Pod:
        """The pod with the parts that an earlier pod has too."""
        text, metadata = self._texts.setdefault, self._with_shared(pod.metadata, METADATA)
        labels = {text(key, key): text(value, value) for key, value in metadata.labels.items()}
        return Pod(
            apiVersion=text(pod.apiVersion, pod.apiVersion),
            metadata=msgspec.structs.replace(metadata, labels=self._kept("labels", labels)),
            spec=self._with_shared(pod.spec, SPEC),
            status=self._with_shared(pod.status, STATUS),
        )

    def _with_shared(self, part: T, fields: tuple[str, ...]) -> T:
        changes = {}
        for name in fields:
            value = getattr(part, name)
            kept = self._kept(name, value)
            if kept is not value:
                changes[name] = kept
        return msgspec.structs.replace(part, **changes) if changes else part

    def _kept(self, name: str, value: object) -> object:
        if isinstance(value, str):
            return self._texts.setdefault(value, value)
        if value is None or value == ():
            return value
        key = int(value) if isinstance(value, Time) else self._encoder.encode(value)
        return self._values.setdefault((name, key), value)
