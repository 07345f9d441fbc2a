"""A Decision as plain data, in the format of the conformance vectors (tests/conformance/README.md)."""

from __future__ import annotations

from typing import Any

from kschedlab.decision import Decision
from kschedlab.filter.plugin import PreFilterRejection
from kschedlab.preemption.evidence import NO_CANDIDATE, Preemption
from kschedlab.score.stage import Scores

EXCLUDED = "excluded by PreFilter"
"""The vectors' generator writes this where the scheduler names the plugins."""
UNSEEN = {("v1.16", "InterPodAffinityPriority")}
SILENT = ("v1.13", "v1.16", "v1.20")
"""The vectors' generators do not see the raw scores of UNSEEN (generation, plugin). Those of the SILENT generations
record nothing but the error once the scheduler has failed."""


def verdict_of(decision: Decision) -> dict[str, Any]:
    """The verdict: ``prefilter`` or ``filter``, ``feasible``, ``scores``, ``message``, ``preemption``, ``error``.

    ``event`` (v1.37): the message with what PostFilter adds, unless preemption found a node.
    """
    if decision.error and (decision.verdicts is None or decision.generation.name in SILENT):
        return {"feasible": [], "error": decision.error}
    verdict: dict[str, Any] = {"feasible": decision.names}
    if decision.error:
        verdict["error"] = decision.error
    if decision.verdicts is not None and decision.verdicts.rejected is not None:
        verdict["prefilter"] = _rejected(decision.verdicts.rejected)
    else:
        verdict["filter"] = {name: _status(decision, name) for name in sorted(decision.cluster.names)}
    if decision.scores is not None:
        verdict["scores"] = _scores(decision.scores, decision)
    failure = decision.preemption.failure if decision.preemption is not None and decision.extending is None else ""
    if not decision.error and (message := decision.failure(EXCLUDED)):
        verdict["message"] = message
        if decision.generation.messages.post_filter and decision.nominated_node is None and not failure:
            verdict["event"] = f"{message}{decision.event[len(decision.message) :]}"
    if failure:
        verdict["error"] = failure
    elif decision.preemption is not None:
        verdict["preemption"] = _preemption(decision.preemption, decision.generation.preemption.reports_ineligibility)
    return verdict


def _status(decision: Decision, node: str) -> dict[str, Any] | None:
    verdict = decision.verdict(node)
    if verdict.plugin is None:
        return None
    return {"plugin": verdict.plugin, "code": verdict.code, "reasons": sorted(verdict.reasons)}


def _rejected(rejected: PreFilterRejection) -> dict[str, Any]:
    code = "UnschedulableAndUnresolvable" if rejected.unresolvable else "Unschedulable"
    return {"plugin": rejected.plugin, "code": code, "reasons": sorted(rejected.reasons)}


def _scores(scores: Scores, decision: Decision) -> dict[str, Any]:
    names = [decision.cluster.names[n] for n in scores.nodes.tolist()]
    return {
        "raw": {
            plugin: dict(zip(names, row.raw.tolist(), strict=True))
            for plugin, row in zip(scores.plugins, scores.rows, strict=True)
            if (decision.generation.name, plugin) not in UNSEEN
        },
        "weighted": {
            plugin: dict(zip(names, row.tolist(), strict=True))
            for plugin, row in zip(scores.plugins, scores.results, strict=True)
        },
        "total": dict(zip(names, scores.total.tolist(), strict=True)),
        "best": decision.best,
    }


def _preemption(preemption: Preemption, reports_ineligibility: bool) -> dict[str, Any]:
    verdict: dict[str, Any] = {"eligible": preemption.eligible}
    if preemption.reason and reports_ineligibility:
        verdict["reason"] = preemption.reason
    verdict["candidates"] = {
        name: {"victims": [v.key for v in candidate.victims], "numPDBViolations": candidate.violations}
        for name, candidate in sorted(preemption.candidates.items())
    }
    verdict["chosen"] = preemption.tied if preemption.eligible else []
    if preemption.failure not in ("", NO_CANDIDATE):
        verdict["error"] = preemption.failure
    return verdict
