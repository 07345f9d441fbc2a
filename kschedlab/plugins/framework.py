"""Plugins as kube-scheduler's framework has them: methods that look at one pod, and at one node at a time.

v1.37: kube-scheduler/framework/interface.go. v1.16: pkg/scheduler/framework/v1alpha1/interface.go.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Generator, Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from kschedlab.objects.meta import ObjectMeta
from kschedlab.objects.model import Pod
from kschedlab.objects.nodes import Node, NodeSpec, NodeStatus
from kschedlab.queue.interface import ClusterEvent

PACKAGE = Path(__file__).parents[1]
ERROR, UNSCHEDULABLE, UNRESOLVABLE = "Error", "Unschedulable", "UnschedulableAndUnresolvable"


class Status(NamedTuple):
    """An answer that is not Success, which is None. ``code``: Error, Unschedulable, UnschedulableAndUnresolvable."""

    code: str
    message: str = ""
    plugin: str = ""

    @property
    def rejected(self) -> bool:
        """Whether the pod was refused; else it is an error."""
        return self.code in (UNSCHEDULABLE, UNRESOLVABLE)


class Wait(NamedTuple):
    """What Permit answers to let the pod wait, at most that long: ``Wait(10)``."""

    seconds: float


class Nominate(NamedTuple):
    """What PostFilter answers if it makes room for the pod on that node: ``Nominate("node-1")``."""

    node: str


class Skip:
    """What PreFilter, PreScore and Bind answer if they have nothing to do with the pod: ``SKIP``."""


SKIP = Skip()

Answer = Status | str | None
"""None: success. A text: Unschedulable, for this reason."""
Task = Generator[Any, Any, Answer]
"""An answer that takes (virtual) time: a generator, which yields ``self.handle.sleep(seconds)``."""


class NodeView:
    """A node as Filter and Score see it: the object (``metadata``, ``spec``, ``status``; whole: ``node``), and what is
    on it: ``pods``, and by resource ``allocatable`` and ``requested`` (cpu in thousandths, the rest in units).
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
        """The node's name."""
        return self.node.metadata.name

    @property
    def metadata(self) -> ObjectMeta:
        """The node's metadata: ``labels``, ``annotations``, ..."""
        return self.node.metadata

    @property
    def spec(self) -> NodeSpec:
        """The node's spec: ``taints``, ``unschedulable``."""
        return self.node.spec

    @property
    def status(self) -> NodeStatus:
        """The node's status: ``images``, ``conditions``, ..."""
        return self.node.status

    @property
    def pods(self) -> list[Pod]:
        """The pods on the node: running, assumed, and in a dry run without the victims."""
        return self._pods()

    @property
    def allocatable(self) -> dict[str, int]:
        """By resource: what pods can request in all."""
        return self._resources()[0]

    @property
    def requested(self) -> dict[str, int]:
        """By resource: what the node's pods request."""
        return self._resources()[1]

    def __getattr__(self, name: str) -> Any:
        there = "name, metadata, spec, status, pods, allocatable, requested"
        raise AttributeError(f'a node has no "{name}"; it has {there}, as in node.metadata.labels')

    def __repr__(self) -> str:
        return f"NodeView({self.name})"


class Handle(Protocol):
    """What a running scheduler offers plugins: the time, the API server, the pods that wait in Permit, the queue."""

    @property
    def api(self) -> Any:
        """The API server of the simulation."""
        ...

    @property
    def now(self) -> int:
        """Microseconds since 1970."""
        ...

    @property
    def waiting_pods(self) -> Any:
        """The pods that wait in Permit, to be allowed or rejected."""
        ...

    def sleep(self, seconds: float) -> Any:
        """To be yielded in PreBind and Bind: that much virtual time passes."""
        ...

    def activate(self, pods: Iterable[Pod]) -> None:
        """Let these pods be tried again soon, wherever they wait."""
        ...


class Plugin:
    """A plugin of your own: a class with some of these methods. Those that it leaves out are not called.

    ``name``: the class's, unless given. ``weight``: of its score. ``handle``: the scheduler's services (the time, the
    API server, waiting pods), set when the scheduler of a simulation is built. Whatever a method raises, or returns
    against its rules, is an error of the pod's scheduling, and of nothing else.

    What ``filter`` declares, so that preemption asks it less often: ``depends_on_pods``: whether the answer can change
    when pods come or go; ``monotonic``: whether pods that come to a node can only make it refuse more.
    ``highest``: the largest score that it gives, where that is not the generation's (100; 10 before v1.17).
    ``formula``: how views write out the score, e.g. ``"100 - {celsius}"``; the names are the terms that it returns.
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
        """QueueSort: does the one pod come before the other? Both are what the queue knows of them (``.pod``, ...)."""
        raise NotImplementedError

    def pre_filter(self, pod: Pod) -> Answer | Skip | Iterable[str]:
        """Look at the pod once; names of nodes (not a text) leave in only these."""

    def filter(self, pod: Pod, node: NodeView) -> Answer:
        """May the pod run on the node?"""

    def post_filter(self, pod: Pod, refused: Mapping[str, Status]) -> Answer | Nominate:
        """The pod fits on no node (by name, why). None: it may fit soon. A text says why nothing was done."""

    def pre_score(self, pod: Pod, nodes: list[str]) -> Answer | Skip:
        """Look at the pod and the feasible nodes once. (v1.16: PostFilter)"""

    def score(self, pod: Pod, node: NodeView) -> int | tuple[int, Mapping[str, Any]]:
        """How good is the node? The more the better. It may come with terms, by name: what it was computed of."""
        raise NotImplementedError

    def normalize(self, scores: dict[str, int]) -> dict[str, int]:
        """Bring the scores into the range: 0..100 (before v1.17: 0..10)."""
        raise NotImplementedError

    def reserve(self, pod: Pod, node: str) -> Answer:
        """The pod is about to come to the node: set aside what it needs."""

    def unreserve(self, pod: Pod, node: str) -> None:
        """Something went wrong: take it back. Also called if reserve was not."""

    def permit(self, pod: Pod, node: str) -> Answer | Wait:
        """May the pod be bound, or shall it :class:`Wait`?"""

    def pre_bind(self, pod: Pod, node: str) -> Answer | Task:
        """Do what must be done before the pod is bound."""

    def bind(self, pod: Pod, node: str) -> Answer | Skip | Task:
        """Bind the pod; the first plugin that does not skip it has done so."""

    def post_bind(self, pod: Pod, node: str) -> None:
        """The pod is bound."""

    def events_to_register(self) -> Iterable[ClusterEvent | tuple[ClusterEvent, Callable[[Pod, Any, Any], bool]]]:
        """Which events may help a pod that this plugin refused, each alone or with its queueing hint (v1.37)."""
        raise NotImplementedError


POINTS = tuple(name for name, value in vars(Plugin).items() if callable(value) and not name.startswith("_"))


def name_of(plugin: object) -> str:
    """The plugin's name."""
    return getattr(plugin, "name", "") or type(plugin).__name__


def method(plugin: object, point: str) -> Callable[..., Any] | None:
    """The plugin's method at that extension point, or None if it has none of its own."""
    found = getattr(plugin, point, None)
    return None if found is None or getattr(type(plugin), point, None) is getattr(Plugin, point, None) else found


class PluginError(Exception):
    """A plugin raised, or returned what it must not."""


def call(ask: Callable[..., Any], *arguments: Any) -> Any:
    """What the plugin's method returns. PluginError, which says where, if it raises."""
    try:
        return ask(*arguments)
    except Exception as error:
        raise PluginError(raised(error)) from error


def raised(error: BaseException) -> str:
    """The error, and where in the plugin it was raised: ``KeyError: 'zone' (in filter, line 12)``."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if PACKAGE not in Path(f.filename).parents]
    where = f" (in {frames[-1].name}, line {frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {error}{where}"


def status(answer: Any, name: str) -> Status | None:
    """The answer as a status of that plugin. PluginError if it is not one."""
    if answer is None:
        return None
    if isinstance(answer, str) and answer:
        return Status(UNSCHEDULABLE, answer, name)
    if isinstance(answer, Status) and answer.code in (ERROR, UNSCHEDULABLE, UNRESOLVABLE):
        return answer._replace(plugin=name)
    raise PluginError(f"returned {answer!r}, where None, a text or a Status is expected")
