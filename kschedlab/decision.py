"""A Decision: where one pod goes, and the evidence for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.cluster.signatures import IntArray
from kschedlab.filter.dynamic_resources import NAME as DYNAMIC_RESOURCES, installed, plugin_for
from kschedlab.filter.plugin import status_code
from kschedlab.filter.stage import EXCLUDED, Verdicts, not_satisfied, unavailable
from kschedlab.messages import later, listed, say, terms
from kschedlab.objects.problems import unknown
from kschedlab.queue.pre_enqueue import gated_message
from kschedlab.score.stage import Scores, prioritize
from kschedlab.shown import Shown
from kschedlab.text.data import call_data, preemption_data, rejection_data, scores_data
from kschedlab.text.preemption import preempting, preemption_section
from kschedlab.text.refused import RefusedNodes, refusals, refused_section
from kschedlab.text.scores import scores_section, tie_break
from kschedlab.text.sections import BAD, GOOD, WARNING, Limits, Row, Section, Table
from kschedlab.text.words import count, init_containers_text, request_text

if TYPE_CHECKING:
    from kschedlab.extenders import ExtenderCall, Extending
    from kschedlab.filter.dynamic_resources import GivenBack
    from kschedlab.generations import Generation
    from kschedlab.preemption.evidence import Preemption

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

    def to_dict(self) -> dict[str, Any] | None:
        """The status of the refusal, or None."""
        if self.plugin is None:
            return None
        return {"plugin": self.plugin, "code": self.code, "reasons": sorted(self.reasons)}


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
        return self.scores.best_names(self.cluster.names) if self.scores is not None else self.names

    @property
    def tie_break(self) -> str:
        """How one of several best nodes is chosen; "" unless several nodes have the highest score."""
        return tie_break(self.scores, self.generation.ties) if self.scores is not None else ""

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
        preemption = self.preemption
        failed, nominates = preemption is not None and preemption.failed, self.nominated_node is not None
        if failed and not messages.post_filter_errors:
            return self.message
        texts = [] if failed or nominates else [self._said_of_claims()]
        if preemption is not None and (messages.post_filter_nominates or not nominates):
            texts.append(preemption.message)
        said = ", ".join(filter(None, texts))
        return f"{self.message} {said}{messages.post_filter_end}" if said else self.message

    def _said_of_claims(self) -> str:
        """What the PostFilter of DynamicResources adds to the event."""
        if self.given_back is not None:
            return self.given_back.message
        if self.verdicts is None or not self.generation.preemption.after_dynamic_resources:
            return ""
        claims = DYNAMIC_RESOURCES in self.verdicts.plugins  # its PreFilter skips a pod without claims
        return self.generation.messages.claims_kept if claims else self.generation.messages.no_claims

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

    def refusals(self) -> list[RefusedNodes]:
        """All refused nodes, grouped by plugin and reasons, the largest group first."""
        return refusals(self.verdicts, self.cluster.names)

    @property
    def outcome(self) -> str:
        """Where the pod goes, or why it does not, in one sentence."""
        pod, nodes = self.pod.key, len(self.cluster.nodes)
        if self.error:
            return say("{pod} could not be decided: {error}", pod=pod, error=self.error)
        if self.gates:
            return say("{pod} waits for its scheduling gates: {gates}.", pod=pod, gates=listed(self.gates))
        if self.node is not None:
            return say("{pod} goes to {node}, {why}.", pod=pod, node=self.node, why=self._why())
        if self.verdicts is not None and self.verdicts.rejected is not None:
            rejected = self.verdicts.rejected
            by = say("{plugin} refuses it", plugin=rejected.plugin) if rejected.plugin else say("it is refused")
            reasons = "; ".join(rejected.reasons)
            message = later("{pod} stays pending: {by} before any node is looked at ({reasons}).")
            return say(message, pod=pod, by=by, reasons=reasons)
        stays = say("{pod} fits on none of {nodes}", pod=pod, nodes=count(nodes, "node"))
        return preempting(self.preemption, stays) if self.preemption is not None else say("{stays}.", stays=stays)

    def _why(self) -> str:
        scores, nodes = self.scores, len(self.cluster.nodes)
        of = say("out of {nodes:,}", nodes=nodes)
        if self.evaluated < nodes:
            of = say("found by looking at {evaluated:,} of {nodes:,}", evaluated=self.evaluated, nodes=nodes)
        if scores is None:
            return say("the only feasible node {of}", of=of)
        best, highest, feasible = len(self.best), scores.total.max(), count(len(scores.nodes), "feasible node")
        if best == 1:
            message = later("which has the highest score ({highest}) of the {feasible} {of}")
        else:
            message = later("one of {best:,} with the highest score ({highest}) of the {feasible} {of}")
        return say(message, best=best, highest=highest, feasible=feasible, of=of)

    def sections(self, limits: Limits) -> Iterator[Section]:
        """The whole decision; a stage without results has no section. O(nodes)."""
        mark = GOOD if self.node is not None else WARNING if self.nominated_node is not None else BAD
        demands = [text for text in (request_text(self.pod), init_containers_text(self.pod)) if text]
        yield Section(self.outcome, demands, mark=mark)
        yield from refused_section(self.verdicts, self.cluster.names)
        yield from self.device_sections()
        if self.calls:
            rows = [Row([call.extender, call.verb, _answer(call)]) for call in self.calls]
            yield Section(say("Extenders"), [Table(terms("extender", "is asked to", "answer"), rows)])
        if self.scores is not None:
            yield scores_section(self.scores, self.pod, self.cluster, self.node, limits, self.tie_break)
        if self.preemption is not None and len(self.preemption.positions):
            yield preemption_section(self.preemption, limits)
        if event := self.event:
            yield Section(say("Event"), [event])

    def device_sections(self) -> Iterator[Section]:
        """The devices that the pod claims, by the package that serves claims."""
        plugin = plugin_for(self.pod, self.cluster, self.generation.filters)
        claims = installed() if plugin is not None else None
        # without a package, the decision ended before devices were considered
        if plugin is not None and claims is not None:
            yield from claims.sections(plugin, self.pod, self.cluster, self.node, self.verdicts)

    def to_dict(self) -> dict[str, Any]:
        """The decision with all of its evidence as plain data; a part without content is left out.

        =================================  ==========================================================================
        ``node``, ``nominatedNode``        where the pod goes, or where preemption makes room
        ``prefilter``, ``filter``          who rejected the pod at once; by node, the first refusal's status or None
        ``feasible``                       names, sorted
        ``scores``                         by plugin and node: ``raw``, ``weighted``; ``total``; ``best``
        ``message``, ``event``             FailedScheduling without and with what PostFilter adds (v1.37)
        ``preemption``                     ``eligible``, ``reason``, ``candidates``, ``chosen``, ``error``
        ``attempts``                       by candidate, the attempts to reprieve a pod, in order
        ``ladder``                         the rules that chose among the candidates, with the values that they compared
        ``gates``, ``calls``, ``givenBack``  scheduling gates; calls of extenders; the claim that is given back
        ``error``                          why the scheduler failed
        =================================  ==========================================================================
        """
        data: dict[str, Any] = {"feasible": self.names} | self._filter_data()
        if self.node is not None:
            data["node"] = self.node
        if self.gates:
            data["gates"] = list(self.gates)
        if self.scores is not None:
            data["scores"] = scores_data(self.scores, self.cluster.names)
        if self.calls:
            data["calls"] = [call_data(call) for call in self.calls]
        if (given := self.given_back) is not None:
            claim = f"{given.claim.metadata.namespace}/{given.claim.metadata.name}" if given.claim is not None else ""
            data["givenBack"] = {"message": given.message, "claim": claim, "deleted": given.deleted}
        failure = self.preemption.failure if self.preemption is not None and self.extending is None else ""
        if failure:
            data["error"] = failure
        elif self.preemption is not None:
            reports = self.generation.preemption.reports_ineligibility
            data |= preemption_data(self.preemption, reports)
        if not self.error and self.message:
            data["message"] = self.message
            if self.generation.messages.post_filter and self.nominated_node is None and not failure:
                data["event"] = self.event
        return data

    def _filter_data(self) -> dict[str, Any]:
        data: dict[str, Any] = {"error": self.error} if self.error else {}
        if self.verdicts is not None and self.verdicts.rejected is not None:
            data["prefilter"] = rejection_data(self.verdicts.rejected)
        elif self.verdicts is not None or not self.error:
            verdicts = (self.verdict(name) for name in sorted(self.cluster.names))
            data["filter"] = {each.node: each.to_dict() for each in verdicts}
        return data


def _answer(call: ExtenderCall) -> str:
    if call.error:
        return say("fails: {error}", error=call.error)
    if call.verb == "prioritize":
        return say("scores {nodes}", nodes=count(len(call.offered), "node"))
    return say("keeps {kept:,} of {nodes}", kept=len(call.kept), nodes=count(len(call.offered), "node"))


def scores_of(
    pod: PodInfo, cluster: Cluster, feasible: IntArray, generation: Generation, extending: Extending | None
) -> Scores:
    """The feasible nodes' scores by the generation's plugins, and by extenders if there are any. SchedulingError."""
    if extending is not None:
        return extending.prioritize(feasible, generation.scores)
    return prioritize(pod, cluster, feasible, generation.scores)
