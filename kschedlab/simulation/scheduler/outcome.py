"""The result of one scheduling cycle, without the cluster, which keeps changing."""

from __future__ import annotations

from dataclasses import dataclass, field

from kschedlab.decision import Decision
from kschedlab.objects.model import Pod
from kschedlab.plugins.framework import Status
from kschedlab.preemption.stage import Preemption


@dataclass(frozen=True)
class Plan:
    """What preemption decided. ``refused``: why the pod may not preempt, or ""; ``node``: where it makes room, or "".

    ``hopeless``: evicting pods can't help on any node.
    """

    refused: str = ""
    node: str = ""
    victims: tuple[Pod, ...] = ()
    hopeless: bool = False

    @classmethod
    def of(cls, preemption: Preemption) -> Plan:
        """The plan of a decision's preemption."""
        node = preemption.nominated_node or ""
        victims = tuple(victim.pod for victim in preemption.victims)
        return cls(preemption.reason, node, victims, not len(preemption.potential))

    def __str__(self) -> str:
        if self.refused or not self.node:
            return self.refused or "no node helps"
        return "victims: " + ", ".join(victim.key for victim in self.victims)


@dataclass(frozen=True)
class Outcome:
    """The chosen ``node``, or why there is none.

    ``error``: why the cycle ended with an error, or ""; ``message``: of FailedScheduling; ``preemption``: the text that
    preemption adds to it. ``rejectors``: the plugins that rejected the pod; ``plan``: None if preemption did not run.
    ``refused``: the status of each node, if nodes were filtered and a PostFilter plugin reads it.
    """

    node: str = ""
    error: str = ""
    message: str = ""
    preemption: str = ""
    rejectors: tuple[str, ...] = ()
    plan: Plan | None = None
    refused: dict[str, Status] = field(default_factory=dict)

    @classmethod
    def of(cls, decision: Decision, in_detail: bool) -> Outcome:
        """The outcome of a decision. ``in_detail``: with ``refused``."""
        if decision.node is not None:
            return cls(decision.node)
        message = decision.message
        return cls(
            error=decision.error,
            message=message,
            preemption=decision.event[len(message) :],
            rejectors=decision.rejectors,
            plan=None if decision.preemption is None else Plan.of(decision.preemption),
            refused=_refused(decision) if in_detail and decision.verdicts is not None else {},
        )


def _refused(decision: Decision) -> dict[str, Status]:
    verdicts = ((name, decision.verdict(name)) for name in decision.cluster.names)
    return {name: Status(each.code, ", ".join(each.reasons), each.plugin or "") for name, each in verdicts}
