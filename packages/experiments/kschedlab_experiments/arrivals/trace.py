"""Arrivals as data: the objects that are there from the start, and the pods that arrive."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from kschedlab.build import Manifest
from kschedlab.manifests.decoding import Origin
from kschedlab.objects.meta import SECOND
from kschedlab.objects.problems import InputValueError
from kschedlab_simulation.timeline.actions import Create, TimelineEntry
from kschedlab_simulation.timeline.manifest_objects import INITIAL, NEW, ManifestObject, ObjectReader
from kschedlab_simulation.timeline.scenario import Options, Scenario, Settings

RUN_SECONDS = "kschedlab.io/run-seconds"
"""The annotation that says how long a pod runs (:mod:`kschedlab_simulation.controllers.kubelet`)."""


class Arrival(NamedTuple):
    """A pod that arrives. ``at``: seconds after the start; ``seconds``: how long it runs, None: for ever."""

    at: float
    pod: Manifest
    seconds: float | None = None

    def manifest(self) -> Manifest:
        """The pod, with the annotation that ends it."""
        if self.seconds is None:
            return self.pod
        metadata = self.pod["metadata"]
        annotations = {**metadata.get("annotations", {}), RUN_SECONDS: f"{self.seconds:.6f}".rstrip("0").rstrip(".")}
        return {**self.pod, "metadata": {**metadata, "annotations": annotations}}


@dataclass(frozen=True)
class Trace:
    """Objects from the start, and pods in the order in which they arrive.

    The seed decides ties between nodes, and with ``shuffle`` the order in which the pods take the times of the trace.
    ``settings``: of kubelets, controllers and latencies. ``left_out``: what an importer could not take over.
    """

    objects: Sequence[Manifest]
    arrivals: Sequence[Arrival]
    shuffle: bool = False
    settings: Settings = field(default=Settings())
    left_out: tuple[str, ...] = ()

    def scenario(self, seed: int) -> Scenario:
        """The scenario with this seed. ManifestError if a manifest has faults."""
        arrivals = self.arrivals
        if self.shuffle:
            pods = random.Random(f"shuffle/{seed}").sample(arrivals, len(arrivals))
            arrivals = [pod._replace(at=time.at) for pod, time in zip(pods, arrivals, strict=True)]
        return scenario_of(self.objects, arrivals, self.settings)

    def fingerprint(self) -> str:
        """A digest of its objects and arrivals."""
        text = json.dumps([self.objects, self.arrivals, self.shuffle, repr(self.settings)], sort_keys=True, default=str)
        return hashlib.sha256(text.encode()).hexdigest()

    def first(self, pods: int) -> Trace:
        """The trace of the first pods alone."""
        return replace(self, arrivals=self.arrivals[:pods])

    def faster(self, times: float) -> Trace:
        """The trace with its times and the pods' run times divided by this number. InputValueError unless positive."""
        if not times > 0:
            raise InputValueError("a trace can be {times} times faster only if that is more than 0", times=times)
        arrivals = [Arrival(a.at / times, a.pod, a.seconds and a.seconds / times) for a in self.arrivals]
        return replace(self, arrivals=arrivals)

    def shuffled(self) -> Trace:
        """The trace whose pods arrive in an order that the seed draws."""
        return replace(self, shuffle=True)

    def where(self, keep: Callable[[Manifest], bool]) -> Trace:
        """The trace of the pods that ``keep`` accepts."""
        return replace(self, arrivals=[each for each in self.arrivals if keep(each.pod)])

    def __repr__(self) -> str:
        nodes = sum(each.get("kind") == "Node" for each in self.objects)
        hours = (self.arrivals[-1].at if self.arrivals else 0) / 3600
        out = "".join(f"; {each}" for each in self.left_out)
        return f"<Trace: {nodes:,} nodes, {len(self.arrivals):,} pods in {hours:.3g} h{out}>"


def scenario_of(objects: Iterable[Manifest], arrivals: Iterable[Arrival], settings: Settings) -> Scenario:
    """A scenario of these manifests. ManifestError with all faults."""
    reader = ObjectReader()
    initial = [each for number, manifest in enumerate(objects) for each in _read(reader, manifest, INITIAL, number)]
    entries = []
    for number, arrival in enumerate(sorted(arrivals, key=lambda each: each.at)):
        for pod in _read(reader, arrival.manifest(), NEW, number):
            entries.append(TimelineEntry(int(arrival.at * SECOND), Create((pod,)), pod.origin, "create"))
    reader.finish()
    return Scenario(initial, entries, Options(settings=settings))


def _read(reader: ObjectReader, manifest: Manifest, purpose: str, number: int) -> list[ManifestObject]:
    return list(reader.objects(manifest, Origin(None, number, ()), purpose))
