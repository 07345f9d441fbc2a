"""scheduler_perf's files: test cases, each with a list of operations and workloads with parameters.

v1.37: test/integration/scheduler_perf/scheduler_perf.go (testCase, Workload). Paths are relative to the file's folder.
"""

# ruff: noqa: D101 (each class is the type of the same name in scheduler_perf)

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from benchmarks.perf.mocked_features import WithMockedFeatures
from benchmarks.perf.operations import read_operations
from benchmarks.perf.runner import Operations
from kschedlab.generations.feature_gates import FeatureGates
from kschedlab.generations.generation import Profiles
from kschedlab.manifests.decoding import Origin
from kschedlab.objects.meta import Part
from kschedlab.objects.problems import Fault, Path, quoted
from kschedlab_configuration.faults import decoded
from kschedlab_simulation.timeline.actions import RunOperations
from kschedlab_simulation.timeline.manifest_objects import ObjectReader, relative_path


class Workload(Part, frozen=True):
    name: str = ""
    params: Any = None
    labels: tuple[str, ...] = ()
    threshold: Any = None
    thresholdMetricSelector: Any = None
    featureGates: dict[str, bool] = {}


class TestCase(Part, frozen=True):
    __test__ = False

    name: str = ""
    featureGates: dict[str, bool] = {}
    metricsCollectorConfig: Any = None
    workloadTemplate: Any = None
    workloads: tuple[Workload, ...] = ()
    schedulerConfigPath: str = ""
    defaultPodTemplatePath: str = ""
    labels: tuple[str, ...] = ()
    defaultThresholdMetricSelector: Any = None


@dataclass(frozen=True)
class SelectedWorkload:
    """The selected workload. ``name``: ``Test/Workload``; ``config``: its scheduler configuration file, or "".

    ``feature_gates``: the modelled ones that leave their defaults. ``adapt``: what the test changes in the profiles.
    """

    name: str
    action: RunOperations
    origin: Origin
    config: str
    feature_gates: FeatureGates
    adapt: Callable[[Profiles], Profiles] | None


def read_workload(data: list[Any], origin: Origin, requested: str, reader: ObjectReader) -> SelectedWorkload | None:
    """The workload ``Test/Workload``, or "" for the only one. None, with problems reported, if it is invalid."""
    faults: list[Fault] = []
    cases = [decoded(item, TestCase, (i,), faults) for i, item in enumerate(data)]
    reader.problems += [origin.problem(fault) for fault in faults]
    names: dict[str, tuple[int, int]] = {}
    for i, case in enumerate(cases):
        names |= {f"{case.name}/{workload.name}": (i, j) for j, workload in enumerate(case.workloads)}
    if requested not in names and (requested or len(names) != 1):
        why = f"there is no workload {quoted(requested)}" if requested else "select a workload"
        reader.problems.append(origin.problem(Fault((), f"{why}: {', '.join(names) or 'there are none'}")))
        return None
    name = requested or next(iter(names))
    i, j = names[name]
    return _selected(
        name, cases[i], cases[i].workloads[j], Origin(origin.text, origin.root, (*origin.path, i)), j, reader
    )


def _selected(
    name: str, case: TestCase, workload: Workload, origin: Origin, number: int, reader: ObjectReader
) -> SelectedWorkload:
    place = Origin(origin.text, origin.root, (*origin.path, "workloadTemplate"))
    params = ("workloads", number, "params")
    template = case.workloadTemplate, workload.params
    operations = read_operations(*template, place, reader, case.defaultPodTemplatePath, params)
    named = {**case.featureGates, **workload.featureGates}
    gates = reader.gates(named, ("featureGates",), origin, emulated=True)
    config = relative_path(origin, case.schedulerConfigPath) if case.schedulerConfigPath else ""
    features = max((operation.features for operation in operations), default=0)
    adapt = WithMockedFeatures(features) if features and named.get("NodeDeclaredFeatures") else None
    return SelectedWorkload(name, RunOperations(Operations(operations)), origin, config, gates, adapt)


def read_action(
    data: Any, params: Any, origin: Origin, reader: ObjectReader, pod_template: str = "", of_params: Path = ("params",)
) -> RunOperations:
    """A timeline's act with these operations; see :func:`~benchmarks.perf.operations.read_operations`."""
    return RunOperations(Operations(read_operations(data, params, origin, reader, pod_template, of_params)))
