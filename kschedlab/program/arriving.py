"""Scenarios and workloads: JSON with the objects of a cluster, and a queue of pods that arrive one after another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import msgspec

from kschedlab.manifests.decoding import check_fields
from kschedlab.manifests.loading import ManifestError, Objects, decode_objects
from kschedlab.objects.model import Pod, PriorityClass
from kschedlab.objects.problems import Problem, quoted
from kschedlab.program.options import UsageError

S = TypeVar("S", bound=msgspec.Struct)


def read_fields(content: bytes, expected: type[S]) -> S:
    """The scenario or workload. UsageError if it is not valid JSON, lacks a field or has one twice."""
    try:
        fields = msgspec.json.decode(content, type=expected)
        check_fields(content)
    except (ValueError, RecursionError) as error:
        why = "it is nested too deep" if isinstance(error, RecursionError) else error
        raise UsageError(f"not a {expected.__name__.lower()}: {why}") from None
    return fields


def arriving_pods(queue: Sequence[msgspec.Raw], objects: Objects) -> list[Pod]:
    """The pods of the queue, in its order. ``objects``: the cluster at which they arrive.

    ManifestError names every member (``queue[3]``) that is not a new pod without a node.
    """
    known = {pod.key for pod in objects.pods}
    pods: list[Pod] = []
    problems: list[Problem] = []
    for index, raw in enumerate(queue):
        place = Problem(index, 0, f"queue[{index}]", "")
        try:
            arrived = decode_objects([raw], objects.of(PriorityClass))
        except ManifestError as error:
            problems += [replace(place, message=problem.message) for problem in error.problems]
            continue
        if why := _refused(arrived, known):
            problems.append(replace(place, message=why))
            continue
        pods += arrived.pods
        known.add(arrived.pods[0].key)
    if problems:
        raise ManifestError(problems)
    return pods


def _refused(arrived: Objects, known: set[str]) -> str | None:
    """Why these objects, read from one member of the queue, cannot arrive as a pod."""
    counts = arrived.report.counts | arrived.report.unknown
    if counts != {"Pod": 1}:
        return f"expected one pod, found {' and '.join(counts) or 'nothing'}: list other objects under objects"
    (pod,) = arrived.pods
    if pod.spec.nodeName:
        where = f"spec.nodeName: the pod already runs on {quoted(pod.spec.nodeName)}"
        return f"Pod {pod.key}: {where}: remove the field, or move the pod to objects"
    if pod.status.phase in ("Succeeded", "Failed"):
        return f"Pod {pod.key}: status.phase: the pod has finished ({pod.status.phase}): remove the field"
    return f"Pod {pod.key}: is there already: give it another name" if pod.key in known else None
