"""The result of one scheduling cycle. It does not refer to the cluster, which keeps changing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kschedlab.decision import Decision
from kschedlab.objects.model import Pod
from kschedlab.plugins.framework import Status
from kschedlab.preemption.evidence import Preemption

if TYPE_CHECKING:
    from kschedlab.filter.dynamic_resources import GivenBack


@dataclass(frozen=True)
class PreemptionOutcome:
    """The outcome of preemption. ``node``: the nominated node, or "".

    ``ineligible``: why the pod may not preempt, or the error that ended preemption, or "".
    ``no_candidates``: eviction cannot help on any node.
    """

    ineligible: str
    node: str
    victims: tuple[Pod, ...]
    no_candidates: bool

    @classmethod
    def of(cls, preemption: Preemption) -> PreemptionOutcome:
        node = preemption.nominated_node or ""
        victims = tuple(victim.pod for victim in preemption.victims)
        return cls(preemption.reason or preemption.failure, node, victims, not len(preemption.potential))

    def __str__(self) -> str:
        if self.ineligible or not self.node:
            return self.ineligible or "no node helps"
        return "victims: " + ", ".join(victim.key for victim in self.victims)


@dataclass(frozen=True)
class Outcome:
    """The chosen ``node``, or why there is none.

    ``error``: the error that ended the cycle, or ""; ``message``: of FailedScheduling; ``preemption``: the text that
    preemption appends. ``rejectors``: the plugins that rejected the pod; ``plan``: None if preemption did not run.
    ``stopped``: an error of PostFilter ended the attempt: preemption and the users' plugins are not asked.
    ``given_back``: the claim that DynamicResources' PostFilter gives back.
    ``node_statuses``: the status of each node, if nodes were filtered and a PostFilter plugin reads it.
    """

    node: str = ""
    error: str = ""
    message: str = ""
    preemption: str = ""
    rejectors: tuple[str, ...] = ()
    plan: PreemptionOutcome | None = None
    stopped: bool = False
    given_back: GivenBack | None = None
    node_statuses: dict[str, Status] = field(default_factory=dict)

    @classmethod
    def of(cls, decision: Decision, with_statuses: bool) -> Outcome:
        """The outcome of a decision. ``with_statuses``: include ``node_statuses``."""
        if decision.node is not None:
            return cls(decision.node)
        message = decision.message
        return cls(
            error=decision.error,
            message=message,
            preemption=decision.event[len(message) :],
            rejectors=decision.rejectors,
            plan=None if decision.preemption is None else PreemptionOutcome.of(decision.preemption),
            stopped=bool(decision.post_filter_error),
            given_back=decision.given_back,
            node_statuses=_node_statuses(decision) if with_statuses and decision.verdicts is not None else {},
        )


def _node_statuses(decision: Decision) -> dict[str, Status]:
    verdicts = ((name, decision.verdict(name)) for name in decision.cluster.names)
    return {name: Status(each.code, ", ".join(each.reasons), each.plugin or "") for name, each in verdicts}
