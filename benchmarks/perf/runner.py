"""Runs scheduler_perf's operations in sequence, with churn and rate-limited deletions in the background.

v1.37: test/integration/scheduler_perf (executor.go). As there, waiting polls with increasing intervals, up to one
second, for ten minutes at most; the first failed operation ends the workload, and its end ends background operations.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from random import Random
from typing import Any, TypeAlias

import simpy
from msgspec.structs import replace

from benchmarks.perf.created_objects import (
    BASE_NODE,
    BASE_POD,
    bound_claim_and_volume,
    csi_node_of,
    declaring,
    prepare_node,
    with_claim,
)
from benchmarks.perf.operations import (
    AllocResourceClaims,
    Barrier,
    Churn,
    CreateAny,
    CreateNamespaces,
    CreateNodes,
    CreatePods,
    CreateResourceClaims,
    DeletePods,
    Operation,
    Sleep,
    StartCollectingMetrics,
    StopCollectingMetrics,
    UpdateAny,
)
from benchmarks.perf.steady_state import keep_busy
from kschedlab.manifests.defaults import with_defaults
from kschedlab.objects.kinds import RESOURCES
from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import ApiObject, Namespace, Node, ObjectMeta, Pod
from kschedlab.objects.problems import ManifestError
from kschedlab_simulation.log import Acted, Log, Measured
from kschedlab_simulation.server.api import ApiServer
from kschedlab_simulation.status import ApiError, Status

NAME = "scheduler_perf"
FIRST_POLL, MAX_POLL, WAIT_TIMEOUT = 1_000, SECOND, 600 * SECOND
"""Microseconds: the first and the longest polling interval for pods, and the timeout."""

_CHURN = 500
_NODE_RETRIES = 5
Run: TypeAlias = Generator[simpy.Event, Any, None]


class OperationError(Exception):
    """An operation failed."""


class Operations(tuple[Operation, ...]):
    """The operations of one workload, as an action of a timeline."""

    __slots__ = ()

    def __str__(self) -> str:
        return ", ".join(operation.opcode for operation in self)

    def run(self, env: simpy.Environment, api: ApiServer, log: Log, seed: int) -> Run:
        """Run them in sequence."""
        return OperationsRunner(env, api, log, seed).run(self)


class OperationsRunner:
    """Runs the operations of one workload."""

    def __init__(self, env: simpy.Environment, api: ApiServer, log: Log, seed: int) -> None:
        self._env = env
        self._api = api
        self._log = log
        self._random = Random(seed)
        self._expected: dict[str, int] = {}
        self._measured: Measured | None = None
        self._finished = False

    def run(self, operations: Iterable[Operation]) -> Run:
        """Run all operations. An error goes to the log with its place, and ends the workload."""
        for number, operation in enumerate(operations):
            place = operation.origin.place
            self._log.write(Acted(at=self._api.now, act=_description(operation), place=place))
            try:
                yield from self._operate(number, operation)
            except (ApiError, ManifestError, OperationError) as error:
                status: Status | None = error.status if isinstance(error, ApiError) else None
                why = str(error)
                failed = Acted(at=self._api.now, act=operation.opcode, place=place, error=why, status=status)
                self._log.write(failed)
                break
        self._finished = True
        self._stop_measuring()

    def _operate(self, number: int, operation: Operation) -> Run:
        fields = operation.fields
        if isinstance(fields, CreateNodes):
            self._create_nodes(number, operation, fields)
        elif isinstance(fields, CreateNamespaces):
            self._create_namespaces(operation, fields)
        elif isinstance(fields, CreatePods):
            yield from self._create_pods(number, operation, fields)
        elif isinstance(fields, UpdateAny):
            yield from self._update_any(operation, fields)
        elif isinstance(fields, CreateAny | CreateResourceClaims):
            self._create_any(operation, fields)
            yield self._env.timeout(0)  # informers receive the objects
        elif isinstance(fields, AllocResourceClaims):
            self._allocate_claims(fields.namespace)
        elif isinstance(fields, DeletePods):
            yield from self._delete_pods(fields)
        elif isinstance(fields, Churn):
            self._churn(number, operation, fields)
        elif isinstance(fields, Barrier):
            yield from self._barrier(fields)
        elif isinstance(fields, Sleep):
            yield self._env.timeout(operation.duration)
        elif isinstance(fields, StartCollectingMetrics):
            self._measure(fields.name, fields.namespaces, fields.labelSelector)
        elif isinstance(fields, StopCollectingMetrics):
            if self._measured is None:
                raise OperationError("no measurement is in progress")
            self._stop_measuring()

    # -- nodes and namespaces

    def _create_nodes(self, number: int, operation: Operation, fields: CreateNodes) -> None:
        template = operation.template("nodeTemplatePath")
        for i in range(fields.count):
            base: Any = BASE_NODE if template is None else template.make(i, fields.count).obj
            base = declaring(base, operation.features)
            if template is None:
                base = replace(base, metadata=ObjectMeta(generateName=f"node-{number}-"))
            node = self._create_node(base, fields, i)
            if fields.nodeAllocatableStrategy is not None:
                self._api.create(csi_node_of(node, fields.nodeAllocatableStrategy), by=NAME)

    def _create_node(self, base: Node, fields: CreateNodes, number: int) -> Node:
        """Create the node; retry with new names if the generated name is taken."""
        for _ in range(_NODE_RETRIES):
            try:
                return self._api.create(prepare_node(base, fields, number, self._random), by=NAME)
            except ApiError as error:
                last_error = error
                if error.reason != "AlreadyExists":
                    break
        raise last_error

    def _create_namespaces(self, operation: Operation, fields: CreateNamespaces) -> None:
        template = operation.template("namespaceTemplatePath")
        for i in range(fields.count):
            base: Any = Namespace() if template is None else template.make(0, 1).obj
            name = f"{fields.prefix}-{i}"
            self._add(replace(base, metadata=replace(base.metadata, name=name, generateName="")))
            self._expected.setdefault(name, 0)

    def _namespace(self, name: str) -> None:
        """Create the namespace on first use."""
        if name not in self._expected:
            self._add(Namespace(metadata=ObjectMeta(name=name)))
            self._expected[name] = 0

    def _add(self, obj: ApiObject) -> None:
        try:
            self._api.create(obj, by=NAME)
        except ApiError as error:
            if error.reason != "AlreadyExists":
                raise

    # -- pods

    def _create_pods(self, number: int, operation: Operation, fields: CreatePods) -> Run:
        namespace = f"namespace-{number}" if fields.namespace is None else fields.namespace
        self._namespace(namespace)
        if fields.collectMetrics:
            self._measure(namespace, (namespace,), {})
        for i in range(fields.count):
            self._create_pod(operation, fields, namespace, i, fields.count)
        if fields.skipWaitToCompletion:
            self._expected[namespace] += fields.count
            return
        if fields.steadyState:
            yield from self._keep_busy(operation, fields, namespace)
        else:
            yield from self._wait([namespace], {}, False, lambda _: fields.count)
        if fields.collectMetrics:
            self._stop_measuring()

    def _keep_busy(self, operation: Operation, fields: CreatePods, namespace: str) -> Run:
        def create() -> None:
            self._create_pod(operation, fields, namespace, 0, 1)

        if not (yield from keep_busy(self._env, self._api, namespace, operation.duration, create, NAME)):
            raise OperationError("no pod at all got scheduled: either there is a problem, or the duration is too short")

    def _create_pod(self, operation: Operation, fields: CreatePods, namespace: str, i: int, count: int) -> None:
        template = operation.template("podTemplatePath")
        pod: Any = BASE_POD
        if template is not None:
            pod = template.make(i, count).obj
            signature = f"signature-label-{i // (fields.signatureBatchSize or 1)}"
            labels = {**pod.metadata.labels, "signature": signature}
            pod = replace(pod, metadata=replace(pod.metadata, labels=labels))
        if operation.template("persistentVolumeClaimTemplatePath") is not None:
            claim, volume = bound_claim_and_volume(operation, namespace, i)
            self._api.restore(claim, by=NAME)
            self._api.restore(volume, by=NAME)
            pod = with_claim(pod, claim)
        self._api.create(replace(pod, metadata=replace(pod.metadata, namespace=namespace)), by=NAME)

    def _delete_pods(self, fields: DeletePods) -> Run:
        labels = fields.labelSelector.items()
        pods = [pod for pod in self._api.list(Pod, fields.namespace)[0] if labels <= pod.metadata.labels.items()]
        deletion = self._deletion(pods, fields.deletePodsPerSecond)
        if fields.skipWaitToCompletion:
            self._env.process(deletion)
        else:
            yield from deletion

    def _deletion(self, pods: list[Pod], rate: int) -> Run:
        for pod in pods:
            if rate:
                yield self._env.timeout(SECOND // rate)
            if self._finished:
                return
            try:
                self._api.delete(Pod, pod.metadata.namespace, pod.metadata.name, by=NAME)
            except ApiError as error:
                self._log_error("deletePods", error)

    def _log_error(self, what: str, error: ApiError) -> None:
        """Log the error of a background request."""
        self._log.write(Acted(at=self._api.now, act=what, error=str(error), status=error.status))

    # -- anything

    def _create_any(self, operation: Operation, fields: CreateAny | CreateResourceClaims) -> None:
        template = operation.template("templatePath")
        assert template is not None
        if fields.namespace:
            self._namespace(fields.namespace)
        for i in range(fields.count):
            self._api.create(_in_namespace(template.make(i, fields.count).obj, fields.namespace), by=NAME)

    def _allocate_claims(self, namespace: str) -> None:
        from benchmarks.perf.device_claims import CannotAllocateError, allocated_claims

        try:
            for claim in allocated_claims(self._api, namespace, self._random):
                self._api.update_status(claim, by=NAME)
        except CannotAllocateError as error:
            raise OperationError(str(error)) from None

    def _update_any(self, operation: Operation, fields: UpdateAny) -> Run:
        template = operation.template("templatePath")
        assert template is not None
        for i in range(fields.count):
            if fields.updatePerSecond:
                yield self._env.timeout(SECOND // fields.updatePerSecond)
            obj: Any = _in_namespace(template.make(i, fields.count).obj, fields.namespace)
            if "resize" in fields.subresources:
                self._api.resize(obj, by=NAME)
            elif "status" not in fields.subresources:
                self._api.update(obj, by=NAME)
            if isinstance(obj, Node):
                obj = with_defaults(obj, {})
            elif isinstance(obj, Pod) and not obj.status.phase:
                obj = replace(obj, status=replace(obj.status, phase="Pending"))
            if hasattr(obj, "status"):
                self._api.update_status(obj, by=NAME)

    def _churn(self, number: int, operation: Operation, fields: Churn) -> None:
        namespace = f"namespace-{number}" if fields.namespace is None else fields.namespace
        self._add(Namespace(metadata=ObjectMeta(name=namespace)))
        documents = [
            _in_namespace(each.make(0, 1).obj, namespace, False) for each in operation.templates["templatePaths"]
        ]
        self._env.process(self._run_churn(documents, fields))

    def _run_churn(self, documents: list[Any], fields: Churn) -> Run:
        """Create one round of objects per interval; in the mode recreate, delete them in later rounds."""
        alive: list[list[Any]] = [[None] * max(fields.number, 1) for _ in documents]
        rounds = 0
        while True:
            yield self._env.timeout((fields.intervalMilliseconds or _CHURN) * 1000)
            if self._finished or (fields.mode == "create" and 0 < fields.number <= rounds):
                return
            for obj, places in zip(documents, alive, strict=True):
                i = rounds % len(places)
                if fields.mode == "create" or places[i] is None:
                    places[i] = self._created(obj)
                else:
                    self._deleted(places[i])
                    places[i] = None
            rounds += 1

    def _created(self, obj: ApiObject) -> ApiObject | None:
        try:
            return self._api.create(obj, by=NAME)
        except ApiError:
            return None

    def _deleted(self, obj: Any) -> None:
        try:
            self._api.delete(type(obj), obj.metadata.namespace, obj.metadata.name, by=NAME)
        except ApiError as error:
            self._log_error("churn", error)

    # -- waiting and measuring

    def _barrier(self, fields: Barrier) -> Run:
        for namespace in fields.namespaces:
            if namespace not in self._expected:
                raise OperationError(f"unknown namespace {namespace}")
        namespaces = list(fields.namespaces or self._expected)
        attempted = fields.stageRequirement == "Attempted"
        yield from self._wait(namespaces, fields.labelSelector, attempted, self._expected.__getitem__)
        if not attempted:
            for namespace in namespaces:
                del self._expected[namespace]

    def _wait(
        self, namespaces: Iterable[str], labels: dict[str, str], attempted: bool, expected_count: Callable[[str], int]
    ) -> Run:
        """Poll until enough pods of each namespace are scheduled, or attempted. OperationError after the timeout."""
        for namespace in namespaces:
            limit, pause = self._api.now + WAIT_TIMEOUT, FIRST_POLL
            while (count := self._count_ready(namespace, labels, attempted)) < expected_count(namespace):
                if self._api.now >= limit:
                    state = "attempted" if attempted else "scheduled"
                    counts = f"{count} of {expected_count(namespace)} pods are {state}"
                    raise OperationError(f'namespace "{namespace}": {counts} after 10 minutes')
                yield self._env.timeout(pause)
                pause = min(2 * pause, MAX_POLL)

    def _count_ready(self, namespace: str, labels: dict[str, str], attempted: bool) -> int:
        def counts(pod: Pod) -> bool:
            done = bool(pod.spec.nodeName) or (attempted and _is_attempted(pod))
            return done and labels.items() <= pod.metadata.labels.items()

        return len(self._api.list(Pod, namespace, counts)[0])

    def _measure(self, name: str, namespaces: tuple[str, ...], labels: dict[str, str]) -> None:
        if self._measured is not None:
            raise OperationError("a measurement is already in progress")
        self._measured = Measured(at=self._api.now, name=name, on=True, namespaces=namespaces, labels=labels)
        self._log.write(self._measured)

    def _stop_measuring(self) -> None:
        if self._measured is not None:
            self._log.write(replace(self._measured, at=self._api.now, on=False))
            self._measured = None


def _is_attempted(pod: Pod) -> bool:
    """v1.37: util.go, isAttempted."""
    return any(condition.type == "PodScheduled" for condition in pod.status.conditions)


def _in_namespace(obj: Any, namespace: str, strict: bool = True) -> Any:
    """The object in the namespace. OperationError if a namespace is missing or not allowed (unless not ``strict``)."""
    resource = RESOURCES[type(obj)]
    if resource.namespaced != bool(namespace) and strict:
        kind = type(obj).__name__
        remedy = "is namespaced: set namespace" if resource.namespaced else "is cluster-scoped: remove namespace"
        raise OperationError(f"{kind} {remedy}")
    if not resource.namespaced:
        return obj
    return replace(obj, metadata=replace(obj.metadata, namespace=namespace))


def _description(operation: Operation) -> str:
    count = getattr(operation.fields, "count", None)
    return operation.opcode if count is None else f"{operation.opcode} {count}"
