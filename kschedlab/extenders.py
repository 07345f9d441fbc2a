"""Extenders: programs beside the scheduler that refuse nodes, score them, change victims and bind pods.

The engine knows where a decision asks them, and how the generations differ. Asking is the business of a package, which
declares in pyproject.toml a module or an object with the functions of :class:`Package` ::

    [project.entry-points."kschedlab.extenders"]
    my-extenders = "my_extenders.run"

It is loaded for the first extender that joins a generation.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import cache
from typing import TYPE_CHECKING, Protocol

from kschedlab.cluster.signatures import BoolArray, IntArray
from kschedlab.extras import MissingExtraError, only

if TYPE_CHECKING:
    from kschedlab.cluster.cluster import Cluster
    from kschedlab.cluster.pods import PodInfo
    from kschedlab.filter.stage import Verdicts
    from kschedlab.preemption.evidence import Preemption
    from kschedlab.preemption.rules import PreemptionRules
    from kschedlab.score.plugin import Score
    from kschedlab.score.stage import Scores

GROUP = "kschedlab.extenders"


class FreeNode(Enum):
    """What preemption does with a node that needs no victim. Only extenders can cause it."""

    TAKEN = auto()
    """The node is nominated at once. v1.16: core/generic_scheduler.go, pickOneNodeForPreemption."""
    PANIC = auto()
    """The scheduler reads the priority of its first victim and panics, unless no other node breaks as few budgets.
    v1.20: framework/plugins/defaultpreemption/default_preemption.go, pickOneNodeForPreemption."""
    ERROR = auto()
    """An error, not a candidate. v1.37: framework/preemption/preemption.go, DryRunPreemption, callExtenders."""


class Binder(Enum):
    FIRST = auto()
    """The first with a bindVerb, if it manages a resource of the pod. v1.13: factory/factory.go, getBinderFunc."""
    FIRST_INTERESTED = auto()
    """The first with a bindVerb that manages a resource of the pod. v1.16: factory/factory.go, getBinderFunc."""
    UNTIL_ONE_BINDS = auto()
    """The same; if it is ignorable and fails, the next one. v1.30: schedule_one.go, extendersBinding."""


@dataclass(frozen=True)
class ExtenderRules:
    """How a generation treats extenders: named rules. The defaults are those of v1.37.

    ``ignorable_last``: extenders that may fail come after the others; else in the order of the configuration.
    ``sets_status``: an extender's reason replaces those of filters; else reasons add up.
    ``heeds_unresolvable``: evicting can't help on a node of ``failedAndUnresolvableNodes``; else it is no reason.
    ``dropped_is_unresolvable``: evicting can't help on a node that an extender drops without a reason.
    ``refuses_other_nodes``: a name that was not among the nodes given to the extender is an error.
    ``keeps_violations``: an extender's ``NumPDBViolations`` count; else its candidates have none.
    ``hides_pods``: nodes that an extender returns as objects come without their pods and images, so that scores that
    read them see empty nodes.
    ``starts_upper_case``: the error about a bad status starts with a capital.
    ``free_node``: see :class:`FreeNode`; ``binder``: see :class:`Binder`.
    """

    ignorable_last: bool = True
    sets_status: bool = True
    heeds_unresolvable: bool = True
    dropped_is_unresolvable: bool = True
    refuses_other_nodes: bool = True
    keeps_violations: bool = True
    hides_pods: bool = True
    starts_upper_case: bool = False
    free_node: FreeNode = FreeNode.ERROR
    binder: Binder = Binder.UNTIL_ONE_BINDS


class Extender(Protocol):
    """An extender, as far as the engine knows it. ``address``: where it sends pods and nodes, or ""."""

    address: str
    filters: bool
    prioritizes: bool


@dataclass(frozen=True)
class ExtenderCall:
    """One call of a decision, as evidence. ``verb``: ``filter``, ``prioritize`` or ``preempt``.

    ``offered``, ``kept``: names of nodes before and after; ``reasons``: by node. ``error``: why the answer was ignored.
    """

    extender: str
    verb: str
    offered: tuple[str, ...]
    kept: tuple[str, ...]
    reasons: Mapping[str, str] = field(default_factory=dict)
    error: str = ""


class Extending(Protocol):
    """The extenders that concern one pod, in one decision. ``calls``: the requests and answers so far, in order."""

    calls: list[ExtenderCall]
    rules: ExtenderRules

    def filter(
        self, feasible: IntArray, verdicts: Verdicts, seen: BoolArray | None = None
    ) -> tuple[IntArray, Verdicts]:
        """Ask every extender which of the feasible nodes are left: (their positions, the verdicts with its reasons).

        ``seen``: bool[nodes], the nodes that the search has examined, None for all. SchedulingError if one fails.
        """

    def prioritize(self, nodes: IntArray, plugins: Sequence[tuple[Score, int]]) -> Scores:
        """The scores of the plugins, with a row for each extender that scores. An extender that fails has no row."""

    def preempted(self, preemption: Preemption, rules: PreemptionRules) -> Preemption:
        """The preemption without the candidates that extenders drop. SchedulingError if the scheduler panics."""


class Package(Protocol):
    def checked(self, extenders: Iterable[object]) -> tuple[Extender, ...]:
        """These extenders. InputTypeError for another object."""

    def run(
        self, pod: PodInfo, cluster: Cluster, extenders: Sequence[Extender], rules: ExtenderRules, max_node_score: int
    ) -> Extending:
        """The extenders that concern the pod. ``max_node_score``: to which their 0 to 10 are scaled."""


@cache
def package() -> Package:
    """The object that an installed package declares. MissingExtraError if there is none, or if there are two."""
    if (declared := only(GROUP)) is None:
        raise MissingExtraError("extenders need another package: run pip install 'kschedlab[configuration]'")
    loaded: Package = declared.load()
    return loaded
