"""Equal parts of pods become one object, so that the copies of a template cost little memory."""

from __future__ import annotations

import msgspec

from kschedlab.objects.model import Pod

PARTS = ("affinity", "topologySpreadConstraints", "tolerations", "containers", "initContainers", "volumes")
"""Fields of a pod's spec that a template gives to all its pods."""


class Sharing:
    """The parts so far, by their text. In it, an amount is its identity: equal amounts are one object."""

    def __init__(self) -> None:
        self._parts: dict[tuple[str, bytes], object] = {}
        self._encoder = msgspec.json.Encoder(enc_hook=id)

    def shared(self, pod: Pod) -> Pod:
        """The pod with the parts that an earlier pod has too."""
        changes = {}
        for name in PARTS:
            if part := getattr(pod.spec, name):
                kept = self._parts.setdefault((name, self._encoder.encode(part)), part)
                if kept is not part:
                    changes[name] = kept
        return msgspec.structs.replace(pod, spec=msgspec.structs.replace(pod.spec, **changes)) if changes else pod
