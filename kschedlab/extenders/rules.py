"""How generations treat extenders: named rules."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


class FreeNode(Enum):
    """Preemption's treatment of a node that a pod fits on without any victim.

    Only extenders can cause it: they refuse a node that the filters accept, or return a node without victims.
    """

    TAKEN = auto()
    """The node is nominated at once. v1.16: core/generic_scheduler.go, pickOneNodeForPreemption."""
    PANIC = auto()
    """The scheduler reads the priority of its first victim and panics, unless no other node breaks as few budgets.
    v1.20: framework/plugins/defaultpreemption/default_preemption.go, pickOneNodeForPreemption."""
    ERROR = auto()
    """An error, not a candidate. v1.37: framework/preemption/preemption.go, DryRunPreemption, callExtenders."""


class Binder(Enum):
    """The extender that binds a pod."""

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
