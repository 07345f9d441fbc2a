"""Plugins as in kube-scheduler's framework: methods that look at one pod, and at one node at a time.

v1.37: kube-scheduler/framework/interface.go. v1.16: pkg/scheduler/framework/v1alpha1/interface.go.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from kschedlab.filter.plugin import UNRESOLVABLE as UNRESOLVABLE, UNSCHEDULABLE as UNSCHEDULABLE
from kschedlab.messages import say
from kschedlab.objects.meta import ObjectMeta
from kschedlab.objects.model import Pod
from kschedlab.objects.nodes import Node, NodeSpec, NodeStatus
from kschedlab.objects.problems import InputError
from kschedlab.queue.interface import ClusterEvent

PACKAGE = Path(__file__).parents[1]
ERROR = "Error"


class Status(NamedTuple):
    """An answer other than Success (None). ``code``: Error, Unschedulable or UnschedulableAndUnresolvable."""

    code: str
    message: str = ""
    plugin: str = ""

    @property
    def rejected(self) -> bool:
        """Whether this refuses the pod; otherwise it is an error."""
        return self.code in (UNSCHEDULABLE, UNRESOLVABLE)


class Wait(NamedTuple):
    """Permit's answer that makes the pod wait, for at most this long: ``Wait(10)``."""

    seconds: float


class Nominate(NamedTuple):
    """PostFilter's answer if it makes room for the pod on this node: ``Nominate("node-1")``."""

    node: str


class Skip:
    """The answer of PreFilter, PreScore and Bind if they do not apply to the pod: ``SKIP``."""


SKIP = Skip()

Answer = Status | str | None
"""None: success. A string: Unschedulable, for this reason."""
Task = Generator[Any, Any, Answer]
"""An answer that takes (virtual) time: a generator that yields ``self.handle.sleep(seconds)``."""


class NodeView:
    """A node as Filter and Score see it.

    ``node``: the object, with ``metadata``, ``spec`` and ``status``; ``pods``: the pods on it; ``allocatable``,
    ``requested``: amounts by resource (cpu in millicores, others in their base unit).
    """

    __slots__ = ("_pods", "_resources", "node")

    def __init__(
        self, node: Node, pods: Callable[[], list[Pod]], resources: Callable[[], tuple[dict[str, int], dict[str, int]]]
    ) -> None:
        self.node = node
        self._pods = pods
        self._resources = resources

    @property
    def name(self) -> str:
        return self.node.metadata.name

    @property
    def metadata(self) -> ObjectMeta:
        return self.node.metadata

    @property
    def spec(self) -> NodeSpec:
        return self.node.spec

    @property
    def status(self) -> NodeStatus:
        return self.node.status

    @property
    def pods(self) -> list[Pod]:
        """The pods on the node, running and assumed; in a dry run of preemption, without the victims."""
        return self._pods()

    @property
    def allocatable(self) -> dict[str, int]:
        return self._resources()[0]

    @property
    def requested(self) -> dict[str, int]:
        return self._resources()[1]

    def __getattr__(self, name: str) -> Any:
        there = ["name", "metadata", "spec", "status", "pods", "allocatable", "requested"]
        raise AttributeError(
            say('a node has no "{name}"; it has {there}, as in node.metadata.labels', name=name, there=there)
        )

    def __repr__(self) -> str:
        return f"NodeView({self.name})"


class Handle(Protocol):
    """The services of a running scheduler for plugins: time, API server, pods waiting in Permit, queue."""

    @property
    def api(self) -> Any:
        """The API server of the simulation."""

    @property
    def now(self) -> int:
        """Microseconds since 1970."""

    @property
    def waiting_pods(self) -> Any:
        """The pods that wait in Permit; a plugin can allow or reject them."""

    def sleep(self, seconds: float) -> Any:
        """PreBind and Bind yield this to let virtual time pass."""

    def activate(self, pods: Iterable[Pod]) -> None:
        """Requeue these pods from any part of the queue, so that they are tried again soon."""


class Plugin:
    """Base class of your own plugins. Override the methods that you need; the others are not called.

    ``name``: defaults to the class name. ``weight``: of its score. ``handle``: the scheduler's services (time, API
    server, waiting pods), set when a simulation builds its scheduler. If a method raises or returns a wrong type, only
    this pod's scheduling attempt fails.

    Declarations about ``filter`` that save preemption calls: ``depends_on_pods``: whether the answer can change when
    pods are added or removed; ``monotonic``: whether additional pods on a node can only make the filter refuse more.
    ``highest``: its largest score, if other than the generation's (100; 10 before v1.17).
    ``formula``: how views explain the score, e.g. ``"100 - {celsius}"``; the names are the terms that it returns.
    """

    name: str = ""
    weight: int = 1
    depends_on_pods: bool = True
    monotonic: bool = False
    highest: int | None = None
    formula: str = ""
    handle: Handle

    def pre_enqueue(self, pod: Pod) -> Answer:
        """May the pod enter the active queue? (v1.37)"""

    def less(self, one: Any, other: Any) -> bool:
        """QueueSort: does one pod come before the other? Both are the queue's entries (``.pod``, ...)."""
        raise NotImplementedError

    def pre_filter(self, pod: Pod) -> Answer | Skip | Iterable[str]:
        """Look at the pod once. Returns node names (not a string) to restrict the pod to these nodes."""

    def filter(self, pod: Pod, node: NodeView) -> Answer:
        """May the pod run on the node?"""

    def post_filter(self, pod: Pod, refused: Mapping[str, Status]) -> Answer | Nominate:
        """The pod fits on no node; ``refused``: why, by node. None: it may fit soon. A string: why nothing helps."""

    def pre_score(self, pod: Pod, nodes: list[str]) -> Answer | Skip:
        """Look at the pod and the feasible nodes once. (v1.16: PostFilter)"""

    def score(self, pod: Pod, node: NodeView) -> int | tuple[int, Mapping[str, Any]]:
        """Rate the node: more is better. May return ``(score, terms)`` with the named values in ``formula``."""
        raise NotImplementedError

    def normalize(self, scores: dict[str, int]) -> dict[str, int]:
        """Scale the scores to 0..100 (before v1.17: 0..10)."""
        raise NotImplementedError

    def reserve(self, pod: Pod, node: str) -> Answer:
        """The scheduler has assumed the pod on the node: reserve what it needs."""

    def unreserve(self, pod: Pod, node: str) -> None:
        """A later step failed: undo reserve. Also called if reserve did not run."""

    def permit(self, pod: Pod, node: str) -> Answer | Wait:
        """May the pod be bound, or must it :class:`Wait`?"""

    def pre_bind(self, pod: Pod, node: str) -> Answer | Task:
        """Prepare the binding, for example a volume."""

    def bind(self, pod: Pod, node: str) -> Answer | Skip | Task:
        """Bind the pod. The first plugin that does not skip it binds it."""

    def post_bind(self, pod: Pod, node: str) -> None: ...

    def events_to_register(self) -> Iterable[ClusterEvent | tuple[ClusterEvent, Callable[[Pod, Any, Any], bool]]]:
        """Events that may help a pod that this plugin refused, each alone or with a queueing hint (v1.37)."""
        raise NotImplementedError


POINTS = tuple(name for name, value in vars(Plugin).items() if callable(value) and not name.startswith("_"))


def name_of(plugin: object) -> str:
    return getattr(plugin, "name", "") or type(plugin).__name__


@dataclass(frozen=True)
class Adapter:
    """A plugin in the place of one of the engine's own."""

    plugin: Any

    @property
    def name(self) -> str:
        return name_of(self.plugin)

    @property
    def formula(self) -> str:
        return getattr(self.plugin, "formula", "")


def method(plugin: object, point: str) -> Callable[..., Any] | None:
    """The plugin's method at that extension point, or None if it does not override it."""
    own = getattr(plugin, point, None)
    return None if own is None or getattr(type(plugin), point, None) is getattr(Plugin, point, None) else own


class PluginError(InputError):
    """A plugin raised an exception or returned a wrong value."""


def call(ask: Callable[..., Any], *arguments: Any) -> Any:
    """The result of the plugin's method. PluginError with the location if it raises."""
    try:
        return ask(*arguments)
    except Exception as error:
        raise PluginError(raised(error)) from error


def raised(error: BaseException) -> str:
    """The error and its location in the plugin: ``KeyError: 'zone' (in filter, line 12: zone = labels["zone"])``."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if PACKAGE not in Path(f.filename).parents]
    if not frames:
        return f"{type(error).__name__}: {error}"
    last = frames[-1]
    line = f"{last.lineno}: {last.line}" if last.line else last.lineno
    return f"{type(error).__name__}: {error}" + say(" (in {name}, line {line})", name=last.name, line=line)


def status(answer: Any, name: str) -> Status | None:
    """The answer as a status of that plugin. PluginError if it is not an answer."""
    if answer is None:
        return None
    if isinstance(answer, str) and answer:
        return Status(UNSCHEDULABLE, answer, name)
    if isinstance(answer, Status) and answer.code in (ERROR, UNSCHEDULABLE, UNRESOLVABLE):
        return answer._replace(plugin=name)
    raise PluginError("returned {answer!r}, where None, a text or a Status is expected", answer=answer)
