"""Plugins of the user's own: what they can do at the extension points, and what they may answer.

v1.37: kube-scheduler/framework/interface.go. v1.16: pkg/scheduler/framework/v1alpha1/interface.go.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import simpy

from kschedlab.generations import Generation
from kschedlab.objects.meta import SECOND
from kschedlab.objects.model import Node, Pod
from kschedlab.queue.interface import ClusterEvent

if TYPE_CHECKING:
    from kschedlab.simulation.scheduler.context import Context
    from kschedlab.simulation.scheduler.waiting_pods import WaitingPods

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
    """A node as Filter and Score see it: the ``node``, its ``name``, and the ``pods`` on it."""

    __slots__ = ("_pods", "node")

    def __init__(self, node: Node, pods: Callable[[], list[Pod]]) -> None:
        self.node = node
        self._pods = pods

    @property
    def name(self) -> str:
        """The node's name."""
        return self.node.metadata.name

    @property
    def pods(self) -> list[Pod]:
        """The pods on the node: running, assumed, and in a dry run without the victims."""
        return self._pods()


class Handle:
    """What the scheduler offers plugins: the time, the API server, the pods that wait in Permit, the queue."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.api = context.api

    @property
    def now(self) -> int:
        """Microseconds since 1970."""
        return self._context.now

    @property
    def waiting_pods(self) -> WaitingPods:
        """The pods that wait in Permit, to be allowed or rejected."""
        return self._context.waiting

    def sleep(self, seconds: float) -> simpy.Event:
        """To be yielded in PreBind and Bind: that much virtual time passes."""
        return self._context.env.timeout(int(seconds * SECOND))

    def activate(self, pods: Iterable[Pod]) -> None:
        """Let these pods be tried again soon, wherever they wait."""
        self._context.queue.activate(pods)


class Plugin:
    """A plugin of the user's own: a class with some of these methods. Those that it leaves out are not called.

    ``name``: the class's, unless given. ``weight``: of its score. ``handle``: the scheduler's services (the time, the
    API server, waiting pods), set when the scheduler is built. Whatever a method raises, or returns against its rules,
    is an error of the pod's scheduling, and of nothing else.
    """

    name: str = ""
    weight: int = 1
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

    def score(self, pod: Pod, node: NodeView) -> int:
        """How good is the node? The more the better."""
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


def weight_of(plugin: object) -> int:
    """The weight of its score."""
    weight: int = getattr(plugin, "weight", 1)
    return weight


def method(plugin: object, point: str) -> Callable[..., Any] | None:
    """The plugin's method at that extension point, or None if it has none of its own."""
    found = getattr(plugin, point, None)
    return None if found is None or getattr(type(plugin), point, None) is getattr(Plugin, point) else found


def check(plugins: Iterable[object], generation: Generation) -> None:
    """ValueError if the plugins can't all take part in that generation's framework."""
    names = {*(each.name for each in generation.filters), *(each.name for each, _ in generation.scores)}
    for plugin in plugins:
        name, points = name_of(plugin), [point for point in POINTS if method(plugin, point)]
        if name in names:
            raise ValueError(f'a plugin named "{name}" already exists: give one of them another name')
        names.add(name)
        if not points:
            raise ValueError(f'plugin "{name}" has none of the methods {", ".join(POINTS)}')
        for point in points:
            if point not in generation.loop.points:
                there = ", ".join(generation.loop.points)
                raise ValueError(f'plugin "{name}": {generation.name} has no extension point {point}; it has {there}')
        weight = weight_of(plugin)
        if isinstance(weight, bool) or not isinstance(weight, int) or weight < 1:
            raise ValueError(f'plugin "{name}": its weight is {weight!r}, where an integer from 1 is expected')


class PluginError(Exception):
    """A plugin raised, or returned what it must not."""


def call(ask: Callable[..., Any], *arguments: Any) -> Any:
    """What the plugin's method returns. PluginError if it raises."""
    try:
        return ask(*arguments)
    except Exception as error:
        raise PluginError(f"{type(error).__name__}: {error}") from error


def status(answer: Any, name: str) -> Status | None:
    """The answer as a status of that plugin. PluginError if it is not one."""
    if answer is None:
        return None
    if isinstance(answer, str):
        return Status(UNSCHEDULABLE, answer, name)
    if isinstance(answer, Status) and answer.code in (ERROR, UNSCHEDULABLE, UNRESOLVABLE):
        return answer._replace(plugin=name)
    raise PluginError(f"returned {answer!r}, where None, a text or a Status is expected")
