"""Parts of a decision as plain data, for JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from kschedlab.cluster.signatures import IntArray
from kschedlab.extenders import ExtenderCall
from kschedlab.filter.plugin import PreFilterRejection, status_code
from kschedlab.preemption.evidence import NO_CANDIDATE, Preemption
from kschedlab.preemption.ladder import Rung
from kschedlab.score.stage import Scores


def rejection_data(rejected: PreFilterRejection) -> dict[str, Any]:
    code = status_code(rejected.unresolvable)
    return {"plugin": rejected.plugin, "code": code, "reasons": sorted(rejected.reasons)}


def call_data(call: ExtenderCall) -> dict[str, Any]:
    nodes = {"offered": list(call.offered), "kept": list(call.kept)}
    return {"extender": call.extender, "verb": call.verb, **nodes, "reasons": dict(call.reasons), "error": call.error}


def scores_data(scores: Scores, names: Sequence[str]) -> dict[str, Any]:
    """Raw and weighted by plugin and node; ``total``; ``best``. ``names``: those of the cluster's nodes."""
    scored = [names[n] for n in scores.nodes.tolist()]

    def by_node(values: IntArray) -> dict[str, int]:
        return dict(zip(scored, values.tolist(), strict=True))

    raw = {plugin: by_node(row.raw) for plugin, row in zip(scores.plugins, scores.rows, strict=True)}
    weighted = dict(zip(scores.plugins, map(by_node, scores.results), strict=True))
    return {"raw": raw, "weighted": weighted, "total": by_node(scores.total), "best": scores.best_names(names)}


def preemption_data(preemption: Preemption, reports_ineligibility: bool) -> dict[str, Any]:
    """``preemption``, ``attempts``, ``ladder``, ``nominatedNode``, each only if it has content."""
    data: dict[str, Any] = {
        "preemption": _preemption(preemption, reports_ineligibility),
        "attempts": {
            name: [
                {"pod": each.pod.key, "violates": each.violates, "reprieved": each.reprieved}
                | {"refusedBy": each.refused_by}
                for each in candidate.attempts
            ]
            for name, candidate in sorted(preemption.candidates.items())
        },
        "ladder": [_rung(preemption, rung) for rung in preemption.rungs],
        "nominatedNode": preemption.nominated_node,
    }
    return {name: part for name, part in data.items() if part}


def _rung(preemption: Preemption, rung: Rung) -> dict[str, Any]:
    names = [preemption.cluster.names[n] for n in preemption.positions.tolist()]
    entered, kept = ([names[i] for i in mask.nonzero()[0].tolist()] for mask in (rung.entered, rung.kept))
    values = dict(zip(names, rung.value.tolist(), strict=True))
    return {"rule": rung.rule.name, "values": values, "entered": entered, "kept": kept}


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
