"""Reads and validates the operations of scheduler_perf's workloads, with their parameters filled in.

v1.37: test/integration/scheduler_perf (operations.go, update.go, dra.go, scheduler_perf.go: unrollWorkloadTemplate).
For operations on profiles of the Go program, an error names the missing feature.
"""

# ruff: noqa: D101 (each class is the operation of the same name)

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from benchmarks.perf.object_templates import ObjectTemplate, read_template, resolve_params
from kschedlab.manifests.decoding import Origin
from kschedlab.objects.meta import Int32, Int64, Part
from kschedlab.objects.model import ApiObject, Namespace, Node, PersistentVolume, PersistentVolumeClaim, Pod
from kschedlab.objects.problems import Fault, Path, one_of, quoted
from kschedlab.objects.volumes import VolumeNodeResources
from kschedlab_configuration.faults import decoded
from kschedlab_simulation.durations import duration_of, parse_run_time
from kschedlab_simulation.timeline.manifest_objects import ObjectReader, count_fault


class Fields(Part, frozen=True):
    opcode: str = ""


class Counted(Fields, frozen=True):
    count: Int32 = 0
    countParam: str = ""


class NodeAllocatableStrategy(Part, frozen=True):
    nodeAllocatable: dict[str, str] = {}
    csiNodeAllocatable: dict[str, VolumeNodeResources] = {}
    migratedPlugins: tuple[str, ...] = ()


class LabelNodePrepareStrategy(Part, frozen=True):
    labelKey: str = ""
    labelValues: tuple[str, ...] = ()


class UniqueNodeLabelStrategy(Part, frozen=True):
    labelKey: str = ""


class CreateNodes(Counted, frozen=True):
    nodeTemplatePath: str = ""
    nodeAllocatableStrategy: NodeAllocatableStrategy | None = None
    labelNodePrepareStrategy: LabelNodePrepareStrategy | None = None
    uniqueNodeLabelStrategy: UniqueNodeLabelStrategy | None = None
    templateParams: Any = None


class CreateNamespaces(Counted, frozen=True):
    prefix: str = ""
    namespaceTemplatePath: str = ""


class CreatePods(Counted, frozen=True):
    countMultiplierParam: str = ""
    steadyState: bool = False
    steadyStateParam: str = ""
    duration: Any = None
    durationParam: str = ""
    collectMetrics: bool = False
    namespace: str | None = None
    podTemplatePath: str = ""
    skipWaitToCompletion: bool = False
    persistentVolumeTemplatePath: str = ""
    persistentVolumeClaimTemplatePath: str = ""
    templateParams: Any = None
    signatureBatchSize: Int32 = 0
    signatureBatchSizeParam: str = ""


class CreatePodSets(Counted, frozen=True):
    namespacePrefix: str = ""
    createPodsOp: Any = None


class CreateAny(Counted, frozen=True):
    count: Int32 = 1
    namespace: str = ""
    templatePath: str = ""
    templateParams: Any = None


class CreatePodGroups(CreateAny, frozen=True):
    pass


class UpdateAny(CreateAny, frozen=True):
    updatePerSecond: Int32 = 0
    subresources: tuple[str, ...] = ()


class CreateResourceClaims(Counted, frozen=True):
    namespace: str = ""
    templatePath: str = ""


class AllocResourceClaims(Fields, frozen=True):
    namespace: str = ""


class DeletePods(Fields, frozen=True):
    namespace: str = ""
    labelSelector: dict[str, str] = {}
    skipWaitToCompletion: bool = False
    deletePodsPerSecond: Int32 = 0


class Churn(Fields, frozen=True):
    mode: str = ""
    number: Int32 = 0
    intervalMilliseconds: Int64 = 0
    namespace: str | None = None
    templatePaths: tuple[str, ...] = ()


class Barrier(Fields, frozen=True):
    namespaces: tuple[str, ...] = ()
    labelSelector: dict[str, str] = {}
    stageRequirement: str = "Scheduled"


class Sleep(Fields, frozen=True):
    duration: Any = None
    durationParam: str = ""


class StartCollectingMetrics(Fields, frozen=True):
    name: str = ""
    namespaces: tuple[str, ...] = ()
    labelSelector: dict[str, str] = {}


class StopCollectingMetrics(Fields, frozen=True):
    pass


OPCODES: dict[str, type[Fields]] = {
    "createNodes": CreateNodes,
    "createNamespaces": CreateNamespaces,
    "createPods": CreatePods,
    "createPodSets": CreatePodSets,
    "createAny": CreateAny,
    "createPodGroups": CreatePodGroups,
    "updateAny": UpdateAny,
    "createResourceClaims": CreateResourceClaims,
    "allocResourceClaims": AllocResourceClaims,
    "deletePods": DeletePods,
    "churn": Churn,
    "barrier": Barrier,
    "sleep": Sleep,
    "startCollectingMetrics": StartCollectingMetrics,
    "stopCollectingMetrics": StopCollectingMetrics,
}
UNSUPPORTED = {
    "startCollectingProfile": "there is no Go program to profile",
    "stopCollectingProfile": "there is no Go program to profile",
}
TEMPLATES: dict[str, type[ApiObject] | None] = {
    "nodeTemplatePath": Node,
    "namespaceTemplatePath": Namespace,
    "podTemplatePath": Pod,
    "persistentVolumeTemplatePath": PersistentVolume,
    "persistentVolumeClaimTemplatePath": PersistentVolumeClaim,
    "templatePath": None,
    "templatePaths": None,
}
"""Fields with file names, and the kind of objects in these files."""


FEATURES = "numNodeDeclaredFeatures"
"""The parameter that nodedeclaredfeatures/node_declared_features_test.go reads: how many features nodes declare."""


@dataclass(frozen=True)
class Operation:
    """One operation. ``templates``: its object templates, by the field that names their files.

    ``duration``: microseconds. ``features``: how many features the new nodes declare.
    """

    opcode: str
    fields: Any
    origin: Origin
    templates: dict[str, tuple[ObjectTemplate, ...]] = field(default_factory=dict)
    duration: int = 0
    features: int = 0

    def template(self, name: str) -> ObjectTemplate | None:
        """The field's template, or None."""
        templates = self.templates.get(name, ())
        return templates[0] if templates else None


def read_operations(
    data: Any, params: Any, origin: Origin, reader: ObjectReader, pod_template: str = "", of_params: Path = ("params",)
) -> list[Operation]:
    """The valid operations in order, with createPodSets expanded.

    ``origin``: of the list; ``pod_template``: the default pod template file; ``of_params``: the path of the params,
    relative to the list's parent. Unused parameters are problems too.
    """
    if not isinstance(data, list) or not data:
        reader.problems.append(origin.problem(Fault((), "expected a list of operations, each with its opcode")))
        return []
    values = params if isinstance(params, dict) else {}
    used: set[str] = set()
    operations: list[Operation] = []
    for i, item in enumerate(data):
        place = Origin(origin.text, origin.root, (*origin.path, i))
        operations += _OperationReader(item, values, used, place, reader, pod_template).operations()
    unused = sorted(set(values) - used)
    if unused and not reader.problems:
        around = Origin(origin.text, origin.root, origin.path[:-1])
        reader.problems += [
            around.problem(Fault((*of_params, name), "is not used by any operation")) for name in unused
        ]
    return operations


class _OperationReader:
    """Reads one operation."""

    def __init__(
        self, data: Any, params: dict[str, Any], used: set[str], origin: Origin, reader: ObjectReader, pod_template: str
    ) -> None:
        self.data = data
        self.params = params
        self.used = used
        self.origin = origin
        self.reader = reader
        self.pod_template = pod_template
        self.faults: list[Fault] = []

    def operations(self) -> list[Operation]:
        """The operation, several for createPodSets; empty if it is invalid."""
        count = len(self.reader.problems)
        operations = list(self._read())
        self.reader.problems += [self.origin.problem(fault) for fault in self.faults]
        return operations if len(self.reader.problems) == count else []

    def _read(self) -> Iterator[Operation]:
        opcode = self.data.get("opcode") if isinstance(self.data, dict) else None
        if not isinstance(opcode, str) or opcode not in OPCODES:
            why = UNSUPPORTED.get(opcode) if isinstance(opcode, str) else None
            expected = f"expected one of {one_of(OPCODES)}"
            self.faults.append(Fault(("opcode",), f"{opcode} is not supported: {why}" if why else expected))
            return
        fields: Any = decoded(self.data, OPCODES[opcode], (), self.faults)
        if self.faults:
            return
        fields = self._with_params(fields)
        self._check(fields)
        if isinstance(fields, CreatePodSets):
            yield from self._unrolled(fields)
            return
        features = self._features() if isinstance(fields, CreateNodes) else 0
        yield Operation(opcode, fields, self.origin, self._templates(fields), self._duration(fields), features)

    # -- parameters

    def _param(self, name: str, path: Path, kind: type) -> Any:
        """The value of ``$name``."""
        value = self.params.get(name.removeprefix("$"))
        if not name.startswith("$"):
            self.faults.append(Fault(path, f"{quoted(name)} is not a parameter: it must start with $"))
        elif name[1:] not in self.params:
            self.faults.append(Fault(path, f"there is no parameter {quoted(name[1:])}"))
        elif type(value) is not kind:
            self.faults.append(Fault(path, f"the parameter {quoted(name[1:])} has the wrong type"))
        self.used.add(name.removeprefix("$"))
        return value if type(value) is kind else kind()

    def _with_params(self, fields: Any) -> Any:
        for name in ("count", "signatureBatchSize", "steadyState"):
            if source := getattr(fields, f"{name}Param", ""):
                kind = bool if name == "steadyState" else int
                fields = replace(fields, **{name: self._param(source, (f"{name}Param",), kind)})
        if source := getattr(fields, "countMultiplierParam", ""):
            factor = self._param(source, ("countMultiplierParam",), int)
            fields = replace(fields, count=fields.count * factor)
        if source := getattr(fields, "durationParam", ""):
            fields = replace(fields, duration=self._param(source, ("durationParam",), str))
        if getattr(fields, "templateParams", None) is not None:
            values = resolve_params(fields.templateParams, self.params, self.used, ("templateParams",), self.faults)
            fields = replace(fields, templateParams=values)
        return fields

    def _check(self, fields: Any) -> None:
        """The checks of the real program (isValid)."""
        for name in ("signatureBatchSize", "deletePodsPerSecond", "updatePerSecond"):
            if getattr(fields, name, 0) < 0:
                self.faults.append(Fault((name,), f"{getattr(fields, name)} is negative"))
        for name in ("count", "number"):
            if fault := count_fault(getattr(fields, name, 0)):
                self.faults.append(Fault((name,), fault))
        if isinstance(fields, CreatePods):
            if fields.collectMetrics and fields.skipWaitToCompletion:
                self.faults.append(Fault(("collectMetrics",), "cannot be combined with skipWaitToCompletion"))
            if bool(fields.persistentVolumeTemplatePath) != bool(fields.persistentVolumeClaimTemplatePath):
                why = "needs persistentVolumeClaimTemplatePath, and vice versa"
                self.faults.append(Fault(("persistentVolumeTemplatePath",), why))
        elif isinstance(fields, Churn):
            self._check_churn(fields)
        elif isinstance(fields, Barrier):
            if fields.stageRequirement not in ("", "Scheduled", "Attempted"):
                self.faults.append(Fault(("stageRequirement",), "expected Scheduled or Attempted"))
        elif isinstance(fields, StartCollectingMetrics) and not fields.namespaces:
            self.faults.append(Fault(("namespaces",), "is missing"))
        elif isinstance(fields, CreateNodes):
            strategy = fields.labelNodePrepareStrategy
            if strategy is not None and not strategy.labelValues:
                self.faults.append(Fault(("labelNodePrepareStrategy", "labelValues"), "is empty"))
        elif isinstance(fields, CreateResourceClaims):
            for name in ("namespace", "templatePath"):
                if not getattr(fields, name):
                    self.faults.append(Fault((name,), "is missing"))
        elif isinstance(fields, CreateAny):
            if not fields.templatePath:
                self.faults.append(Fault(("templatePath",), "is missing"))
            if isinstance(fields, CreatePodGroups) and not fields.namespace:
                self.faults.append(Fault(("namespace",), "is missing"))
            for i, name in enumerate(getattr(fields, "subresources", ())):
                if name not in ("status", "resize"):
                    self.faults.append(Fault(("subresources", i), f"{quoted(name)} is not supported"))

    def _check_churn(self, fields: Churn) -> None:
        if fields.mode not in ("create", "recreate"):
            self.faults.append(Fault(("mode",), "expected create or recreate"))
        elif fields.mode == "recreate" and not fields.number:
            self.faults.append(Fault(("number",), "is 0, which recreates nothing"))
        if fields.intervalMilliseconds < 0:
            self.faults.append(Fault(("intervalMilliseconds",), f"{fields.intervalMilliseconds} is negative"))
        if not fields.templatePaths:
            self.faults.append(Fault(("templatePaths",), "is empty"))

    def _duration(self, fields: Any) -> int:
        if isinstance(fields, Sleep) or (isinstance(fields, CreatePods) and fields.steadyState):
            path = "durationParam" if fields.durationParam else "duration"
            return duration_of(fields.duration, (path,), self.faults, parse_run_time) or 0
        return 0

    def _features(self) -> int:
        if FEATURES not in self.params:
            return 0
        number = self._param(f"${FEATURES}", ("params", FEATURES), int)
        if fault := count_fault(number):
            self.faults.append(Fault(("params", FEATURES), fault))
        return 0 if fault else max(number, 0)

    # -- results

    def _unrolled(self, fields: CreatePodSets) -> Iterator[Operation]:
        """One createPods per set, each in its own namespace."""
        inner = fields.createPodsOp if isinstance(fields.createPodsOp, dict) else {}
        place = Origin(self.origin.text, self.origin.root, (*self.origin.path, "createPodsOp"))
        if inner.get("opcode", "createPods") != "createPods":
            self.faults.append(Fault(("createPodsOp", "opcode"), "expected createPods"))
            return
        data = {"opcode": "createPods", **inner, "namespace": fields.namespacePrefix}
        for one in _OperationReader(data, self.params, self.used, place, self.reader, self.pod_template).operations():
            if fault := count_fault(fields.count * max(one.fields.count, 1)):
                self.faults.append(Fault(("count",), f"with all sets, {fault}"))
                return
            for i in range(fields.count):
                named = replace(one.fields, namespace=f"{fields.namespacePrefix}-{i}")
                yield dataclasses.replace(one, fields=named)

    def _templates(self, fields: Any) -> dict[str, tuple[ObjectTemplate, ...]]:
        templates: dict[str, tuple[ObjectTemplate, ...]] = {}
        for name, kind in TEMPLATES.items():
            value = getattr(fields, name, "")
            if name == "podTemplatePath" and isinstance(fields, CreatePods):
                value = value or self.pod_template
            paths = (value,) if isinstance(value, str) else value
            if any(paths):
                params = getattr(fields, "templateParams", None) or {}
                read = [read_template(path, kind, params, self.origin, name, self.reader) for path in paths]
                templates[name] = tuple(template for template in read if template is not None)
        return templates
