"""A Decision: where one pod goes, and the evidence for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import IntArray
from kschedlab.filter.dynamic_resources import NAME as DYNAMIC_RESOURCES
from kschedlab.filter.plugin import status_code
from kschedlab.filter.stage import EXCLUDED, Verdicts, not_satisfied, unavailable
from kschedlab.objects.problems import unknown
from kschedlab.queue.pre_enqueue import gated_message
from kschedlab.score.stage import Scores, prioritize
from kschedlab.shown import Shown

if TYPE_CHECKING:
    from kschedlab.extenders import ExtenderCall, Extending
    from kschedlab.filter.dynamic_resources import GivenBack
    from kschedlab.generations import Generation
    from kschedlab.preemption.evidence import Preemption
    from kschedlab.text.sections import Limits, Section

NO_NODES = "no nodes available to schedule pods"


@dataclass(frozen=True)
class NodeVerdict:
    """``plugin``: None if the node passes. ``also``: plugins that refuse it too, but come later in the order."""

    node: str
    plugin: str | None
    reasons: tuple[str, ...] = ()
    unresolvable: bool = False
    also: tuple[str, ...] = ()

    @property
    def passes(self) -> bool:
        """Whether no filter or extender refuses the node. A search that ends early may not have reached it."""
        return self.plugin is None

    @property
    def code(self) -> str:
        """The status code, as the framework names it."""
        return "Success" if self.passes else status_code(self.unresolvable)


@dataclass(frozen=True, eq=False, repr=False)
class Decision(Shown):
    """One scheduling decision with its evidence.

    ====================  ==========================================================================================
    outcome               ``node``: the chosen node's name or None; ``nominated_node``; :attr:`message`; ``error``
    filter                ``verdicts``; :meth:`verdict`; ``feasible``: int64[], positions; ``evaluated``: how many
    score                 ``scores`` (None with fewer than two feasible nodes); :attr:`best`
    preemption            ``preemption`` (None unless no node is feasible); ``post_filter_error``: why it is not asked
    devices               ``given_back``: the claim that is given back if no node is feasible (None without one)
    extenders             ``extending`` (None without extenders); :attr:`calls`
    shown as              ``str()``, :meth:`to_dict`, ``_repr_html_``
    ====================  ==========================================================================================

    ``cluster``: the cluster at the time of the decision.
    """

    pod: PodInfo
    cluster: Cluster
    generation: Generation
    verdicts: Verdicts | None
    feasible: IntArray
    evaluated: int
    scores: Scores | None = None
    preemption: Preemption | None = None
    node: str | None = None
    gates: tuple[str, ...] = ()
    error: str = ""
    post_filter_error: str = ""
    given_back: GivenBack | None = None
    extending: Extending | None = None

    @property
    def calls(self) -> tuple[ExtenderCall, ...]:
        """The calls to extenders with their answers, in order."""
        return tuple(self.extending.calls) if self.extending is not None else ()

    @property
    def nominated_node(self) -> str | None:
        """The node where preemption evicts pods, or None."""
        return self.preemption.nominated_node if self.preemption is not None else None

    @property
    def best(self) -> list[str]:
        """The names of all nodes with the highest score, sorted; the feasible node if it is the only one."""
        positions = self.scores.best if self.scores is not None else self.feasible
        return sorted(self.cluster.names[n] for n in positions.tolist())

    @property
    def names(self) -> list[str]:
        """The names of the feasible nodes, sorted."""
        return sorted(self.cluster.names[n] for n in self.feasible.tolist())

    @property
    def rejectors(self) -> tuple[str, ...]:
        """The plugins that refused the pod, sorted: an event that one of them waits for may let it fit.

        v1.37: pkg/scheduler/framework/types.go, Diagnosis.UnschedulablePlugins: plugins that refuse an evaluated node,
        reject the pod in PreFilter, or exclude nodes in PreFilter.
        """
        verdicts = self.verdicts
        if verdicts is None or self.error:
            return ()
        names = set(verdicts.excluded_by)
        if verdicts.rejected is not None:
            names.add(verdicts.rejected.plugin)
        else:
            names.update(verdicts.plugins[n] for n in np.unique(verdicts.refused_by).tolist() if n >= 0)
        return tuple(sorted(names - {""}))

    def verdict(self, node: str) -> NodeVerdict:
        """The filters' verdict on that node. KeyError if the cluster has no such node."""
        if node not in self.cluster.index:
            raise unknown("node", node, self.cluster.names)
        verdicts, position = self.verdicts, self.cluster.index[node]
        if verdicts is None or (plugin := verdicts.plugin(position)) is None:
            return NodeVerdict(node, None)
        also = {
            name
            for name, refused in zip(verdicts.plugins, verdicts.refusals, strict=True)
            if refused is not None and refused.refused[position] and name != plugin
        }
        later = tuple(name for name in dict.fromkeys(verdicts.plugins) if name in also)
        unresolvable = bool(verdicts.unresolvable()[position])
        return NodeVerdict(node, plugin, tuple(verdicts.reasons(position)), unresolvable, later)

    @property
    def message(self) -> str:
        """The FailedScheduling message without preemption's part, or "" if a node was found."""
        if self.error:
            return self.error
        if self.gates:
            return gated_message(self.gates)
        if len(self.feasible):
            return ""
        if not (nodes := len(self.cluster.nodes)):
            return NO_NODES
        assert self.verdicts is not None
        if (rejected := self.verdicts.rejected) is not None:
            if not self.generation.messages.reason_once:
                return unavailable(nodes, dict.fromkeys(rejected.reasons, nodes))
            return f"{unavailable(nodes, {})} {', '.join(rejected.reasons)}."
        reasons = self.reasons()
        ends_empty = not reasons and not self.generation.messages.reason_once  # only extenders refuse without a reason
        return unavailable(nodes, reasons) + " ." * ends_empty

    @property
    def event(self) -> str:
        """The complete FailedScheduling message, as ``kubectl describe pod`` shows it."""
        if self.post_filter_error:
            return f"{self.message} {self.post_filter_error}"
        messages = self.generation.messages
        if self.verdicts is None or self.node is not None or self.error or not messages.post_filter:
            return self.message
        preemption, given_back = self.preemption, self.given_back
        if preemption is not None and preemption.failed and not messages.post_filter_errors:
            return self.message
        texts = [preemption.message] if preemption is not None else []
        if not (preemption and (preemption.failed or preemption.nominated_node)):
            if given_back is not None:
                texts.insert(0, given_back.message)
            elif self.generation.preemption.after_dynamic_resources:
                claims = DYNAMIC_RESOURCES in self.verdicts.plugins  # its PreFilter skips a pod without claims
                texts.insert(0, messages.claims_kept if claims else messages.no_claims)
        said = ", ".join(filter(None, texts))
        return f"{self.message} {said}{messages.post_filter_end}" if said else self.message

    def reasons(self) -> dict[str, int]:
        """Each reason with its number of nodes."""
        verdicts, reasons = self.verdicts, dict[str, int]()
        if verdicts is None:
            return reasons
        for number, refused in enumerate(verdicts.refusals):
            if refused is not None:
                refused_here = verdicts.refused_by == number
                for part in refused.parts:
                    if count := int((part.mask & refused_here).sum()):
                        reasons[part.reason] = reasons.get(part.reason, 0) + count
                for reason in refused.elsewhere:
                    reasons[reason] = reasons.get(reason, 0) + 1
        if self.generation.messages.excluded_nodes and (count := int((verdicts.refused_by == EXCLUDED).sum())):
            reasons[not_satisfied(verdicts.excluded_by)] = count
        return reasons

    def to_dict(self) -> dict[str, Any]:
        """The decision with all of its evidence as plain data (see :func:`kschedlab.text.data.decision_data`)."""
        from kschedlab.text.data import decision_data

        return decision_data(self)

    def sections(self, limits: Limits) -> Iterator[Section]:
        from kschedlab.text.decision import decision_sections

        return decision_sections(self, limits)


def scores_of(
    pod: PodInfo, cluster: Cluster, feasible: IntArray, generation: Generation, extending: Extending | None
) -> Scores:
    """The feasible nodes' scores by the generation's plugins, and by extenders if there are any. SchedulingError."""
    if extending is not None:
        return extending.prioritize(feasible, generation.scores)
    return prioritize(pod, cluster, feasible, generation.scores)
