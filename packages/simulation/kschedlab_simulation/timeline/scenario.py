"""Reads scenarios from files: objects, timelines and scheduler_perf's workloads, in any combination.

    scenario = load_scenario("cluster.yaml", "outage.yaml")
    scenario = loads_scenario(text)

A document with ``apiVersion`` and ``kind`` is an initial object; one with ``timeline`` or ``simulation`` is a
timeline; a list of test cases is scheduler_perf's. docs/scenarios.md describes the format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from kschedlab.generations import GENERATIONS
from kschedlab.generations.feature_gates import FeatureGates
from kschedlab.generations.generation import Profiles
from kschedlab.manifests.checks import GROUP_WARNING
from kschedlab.manifests.decoding import Origin
from kschedlab.manifests.loading import LoadReport
from kschedlab.manifests.source_text import SourceText
from kschedlab.manifests.sources import Source, read_all
from kschedlab.messages import later, say
from kschedlab.objects.api import GROUPS, LISTS
from kschedlab.objects.meta import Int64, Part, Time
from kschedlab.objects.problems import Fault, ManifestError, Problem, one_of
from kschedlab_configuration.faults import decoded
from kschedlab_simulation.controllers.kubelet import KubeletSettings
from kschedlab_simulation.controllers.work_queue import ControllerSettings
from kschedlab_simulation.durations import duration_of, parse_run_time
from kschedlab_simulation.scheduler.context import Latencies
from kschedlab_simulation.timeline.actions import TimelineEntry
from kschedlab_simulation.timeline.entries import read_entries
from kschedlab_simulation.timeline.feasibility import check_feasible
from kschedlab_simulation.timeline.formats import SCHEDULER_PERF, format_reader
from kschedlab_simulation.timeline.manifest_objects import INITIAL, ManifestObject, ObjectReader, relative_path
from kschedlab_validation.gated import needs


@dataclass(frozen=True)
class Settings:
    """The behaviour of kubelets, latencies and owners. ``recreate``: whether owners replace deleted pods.

    ``kubelet``: None for nodes without kubelets; ``controllers``: how long these take to react.
    """

    recreate: bool = True
    kubelet: KubeletSettings | None = KubeletSettings()
    latencies: Latencies = Latencies()
    controllers: ControllerSettings = ControllerSettings()


@dataclass(frozen=True)
class Options:
    """The options in the files; None and "" where they are not set.

    ``start``: microseconds since 1970; ``until``: microseconds after it; ``config``: a scheduler configuration file.
    ``feature_gates``: the modelled ones that leave their defaults. ``adapt``: what a workload changes in the profiles.
    """

    start: int | None = None
    generation: str = ""
    config: str = ""
    seed: int | None = None
    until: int | None = None
    settings: Settings = Settings()
    feature_gates: FeatureGates = field(default_factory=dict)
    adapt: Callable[[Profiles], Profiles] | None = None


@dataclass
class Scenario:
    """The input of a simulation. ``entries`` are in order of time."""

    objects: list[ManifestObject] = field(default_factory=list)
    entries: list[TimelineEntry] = field(default_factory=list)
    options: Options = Options()
    report: LoadReport = field(default_factory=LoadReport)


def load_scenario(*sources: Source, workload: str = "", strict: bool = False) -> Scenario:
    """Read files, folders, ``-`` for standard input, or open files. ManifestError with all problems.

    ``workload``: selects the workload of a scheduler_perf file, as ``Test/Workload``. ``strict``: fields, kinds and
    API versions that Kubernetes does not know are errors; otherwise the report warns of them.
    """
    return _load(read_all(sources), workload, strict)


def loads_scenario(text: str, name: str = "<text>", workload: str = "") -> Scenario:
    """Read a text. ``name``: its name in messages; paths in it are relative to this name. ManifestError."""
    return _load([SourceText(0, name, text)], workload)


def _load(texts: Iterable[SourceText], workload: str, strict: bool = False) -> Scenario:
    reader = _ScenarioReader(workload, strict)
    empty: list[Problem] = []
    for text in texts:
        before = reader.seen
        try:
            for root, data in reader.roots(text):
                reader.read_document(data, Origin(text, root, ()))
        except ManifestError as error:
            reader.problems += error.problems
        if reader.seen == before:
            empty.append(text.emptiness)
    if not reader.seen:
        reader.problems += empty
    reader.finish()
    reader.report.warnings += map(str, empty)
    scenario = reader.scenario
    known = {"GenericWorkload": GROUP_WARNING, GROUPS: needs(GROUPS), LISTS: needs(LISTS)}
    idle = [say(warning) for gate, warning in known.items() if scenario.options.feature_gates.get(gate)]
    reader.report.warnings = [each for each in reader.report.warnings if not any(warning in each for warning in idle)]
    scenario.entries.sort(key=lambda entry: entry.at)
    reader.problems += check_feasible(scenario.objects, scenario.entries)
    reader.finish()
    scenario.report = reader.report
    return scenario


class _SimulationMap(Part, frozen=True):
    """The map under ``simulation``."""

    start: Time | None = None
    generation: str = ""
    config: str = ""
    seed: Int64 | None = None
    until: Any = None
    recreate: bool = True
    kubelet: Any = None
    latencies: Any = None
    controllers: Any = None
    featureGates: dict[str, bool] = {}


class _ScenarioReader(ObjectReader):
    def __init__(self, workload: str, strict: bool) -> None:
        super().__init__(strict=strict)
        self.scenario = Scenario()
        self._workload = workload
        self._simulation_map: Origin | None = None
        self._kubelets_wanted = False

    @property
    def seen(self) -> int:
        """The number of objects, entries, settings and problems so far."""
        number = len(self.scenario.entries) + (self._simulation_map is not None)
        return number + self.report.total + len(self.problems)

    def read_document(self, data: Any, origin: Origin) -> None:
        if _is_workload_file(data):
            self._read_workload(data, origin)
        elif isinstance(data, dict) and ("timeline" in data or "simulation" in data):
            self._read_timeline(data, origin)
        else:
            self.scenario.objects += self.objects(data, origin, INITIAL)

    def _read_workload(self, data: list[Any], origin: Origin) -> None:
        selected = format_reader(SCHEDULER_PERF, origin).read_workload(data, origin, self._workload, self)
        if selected is None:
            return
        self.scenario.entries.append(TimelineEntry(0, selected.action, selected.origin))
        self.scenario.options = replace(
            self.scenario.options,
            config=selected.config or self.scenario.options.config,
            feature_gates={**self.scenario.options.feature_gates, **selected.feature_gates},
            adapt=selected.adapt,
        )
        if not self._kubelets_wanted:
            self._without_kubelets()

    def _without_kubelets(self) -> None:
        """scheduler_perf has no kubelets: bound pods do not start, and a deleted one that has a grace period stays."""
        options = self.scenario.options
        self.scenario.options = replace(options, settings=replace(options.settings, kubelet=None))

    def _read_timeline(self, data: dict[str, Any], origin: Origin) -> None:
        for name in data:
            if name not in ("simulation", "timeline"):
                why = later("is not allowed here: a timeline document has simulation and timeline")
                self.problems.append(origin.problem(Fault((name,), why)))
        if "simulation" in data:
            self._read_simulation_map(data["simulation"], Origin(origin.text, origin.root, ("simulation",)))
        if "timeline" in data:
            self.scenario.entries += read_entries(
                data["timeline"], Origin(origin.text, origin.root, ("timeline",)), self
            )

    def _read_simulation_map(self, data: Any, origin: Origin) -> None:
        faults: list[Fault] = []
        fields = decoded(data, _SimulationMap, (), faults)
        if self._simulation_map is not None:
            faults.append(Fault((), later("is defined twice, first at {place}", place=self._simulation_map.place)))
        self._simulation_map = origin
        if fields.generation and fields.generation not in GENERATIONS:
            faults.append(Fault(("generation",), later("expected {choices}", choices=one_of(GENERATIONS))))
        kubelet, self._kubelets_wanted = self.scenario.options.settings.kubelet, fields.kubelet is not None
        if self._kubelets_wanted:
            kubelet = _kubelet(fields.kubelet, faults)
        settings = Settings(
            fields.recreate, kubelet, _latencies(fields.latencies, faults), _controllers(fields.controllers, faults)
        )
        before = self.scenario.options
        self.scenario.options = Options(
            start=fields.start,
            generation=fields.generation,
            config=relative_path(origin, fields.config) if fields.config else before.config,
            seed=fields.seed,
            until=None if fields.until is None else duration_of(fields.until, ("until",), faults, parse_run_time),
            settings=settings,
            feature_gates={**before.feature_gates, **self.gates(fields.featureGates, ("featureGates",), origin)},
            adapt=before.adapt,
        )
        self.problems += [origin.problem(fault) for fault in faults]


def _is_workload_file(data: Any) -> bool:
    """Whether a document is a list of scheduler_perf's test cases."""
    return isinstance(data, list) and any(isinstance(one, dict) and "workloadTemplate" in one for one in data)


def _durations(data: Any, names: tuple[str, ...], path: str, faults: list[Fault]) -> dict[str, int]:
    """The durations in a map with these keys."""
    if data is None:
        return {}
    if not isinstance(data, dict):
        faults.append(Fault((path,), later("expected a map with {choices}", choices=one_of(names))))
        return {}
    faults += [
        Fault((path, name), later("is not one of {names}", names=[*names])) for name in data if name not in names
    ]
    durations = {name: duration_of(data[name], (path, name), faults) for name in names if name in data}
    return {name: value for name, value in durations.items() if value is not None}


def _kubelet(data: Any, faults: list[Fault]) -> KubeletSettings:
    return replace(KubeletSettings(), **_durations(data, ("start", "stop", "run", "jitter"), "kubelet", faults))


def _controllers(data: Any, faults: list[Fault]) -> ControllerSettings:
    durations = _durations(data, ("least", "most"), "controllers", faults)
    settings = ControllerSettings()
    least = durations.get("least", min(settings.least, durations.get("most", settings.least)))
    most = durations.get("most", max(settings.most, least))
    if least > most:
        faults.append(Fault(("controllers", "least"), "is more than most"))
    return ControllerSettings(least, most)


def _latencies(data: Any, faults: list[Fault]) -> Latencies:
    names = ("cycle", "preempt", "bind", "status", "delete", "volumes")
    return replace(Latencies(), **_durations(data, names, "latencies", faults))
