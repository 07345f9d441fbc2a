"""A Decision as plain data: all of its evidence, for JSON."""

from __future__ import annotations

from typing import Any

from kschedlab.cluster.signatures import IntArray
from kschedlab.decision import Decision
from kschedlab.filter.plugin import PreFilterRejection, status_code
from kschedlab.preemption.evidence import NO_CANDIDATE, Preemption
from kschedlab.preemption.ladder import Rung
from kschedlab.score.stage import Scores


def decision_data(decision: Decision) -> dict[str, Any]:
    """The decision's parts; a part without content is left out.

    =================================  =================================================================================
    ``node``, ``nominatedNode``        where the pod goes, or where preemption makes room
    ``prefilter``, ``filter``          who rejected the pod at once; by node, the status of the first refusal or None
    ``feasible``                       names, sorted
    ``scores``                         by plugin and node: ``raw``, ``weighted``; ``total``; ``best``
    ``message``, ``event``             FailedScheduling without and with what PostFilter adds (v1.37)
    ``preemption``                     ``eligible``, ``reason``, ``candidates``, ``chosen``, ``error``
    ``attempts``                       by candidate, the attempts to reprieve a pod, in order
    ``ladder``                         the rules that chose among the candidates, with the values that they compared
    ``gates``, ``calls``, ``givenBack``  scheduling gates; calls of extenders; the claim that is given back
    ``error``                          why the scheduler failed
    =================================  =================================================================================
    """
    data = _filtered(decision)
    if decision.node is not None:
        data["node"] = decision.node
    if decision.gates:
        data["gates"] = list(decision.gates)
    if decision.scores is not None:
        data["scores"] = _scores(decision.scores, decision)
    if decision.calls:
        data["calls"] = [
            {"extender": each.extender, "verb": each.verb, "offered": list(each.offered), "kept": list(each.kept)}
            | {"reasons": dict(each.reasons), "error": each.error}
            for each in decision.calls
        ]
    if (given := decision.given_back) is not None:
        claim = f"{given.claim.metadata.namespace}/{given.claim.metadata.name}" if given.claim is not None else ""
        data["givenBack"] = {"message": given.message, "claim": claim, "deleted": given.deleted}
    if decision.preemption is not None:
        data |= _evicting(decision, decision.preemption)
    if not decision.error and decision.message:
        data["message"] = decision.message
        failed = decision.preemption is not None and decision.preemption.failure and decision.extending is None
        if decision.generation.messages.post_filter and decision.nominated_node is None and not failed:
            data["event"] = decision.event
    return data


def _filtered(decision: Decision) -> dict[str, Any]:
    data: dict[str, Any] = {"feasible": decision.names}
    if decision.error:
        data["error"] = decision.error
    if decision.verdicts is not None and decision.verdicts.rejected is not None:
        data["prefilter"] = _rejected(decision.verdicts.rejected)
    elif decision.verdicts is not None or not decision.error:
        data["filter"] = {name: _status(decision, name) for name in sorted(decision.cluster.names)}
    return data


def _status(decision: Decision, node: str) -> dict[str, Any] | None:
    verdict = decision.verdict(node)
    if verdict.plugin is None:
        return None
    return {"plugin": verdict.plugin, "code": verdict.code, "reasons": sorted(verdict.reasons)}


def _rejected(rejected: PreFilterRejection) -> dict[str, Any]:
    code = status_code(rejected.unresolvable)
    return {"plugin": rejected.plugin, "code": code, "reasons": sorted(rejected.reasons)}


def _scores(scores: Scores, decision: Decision) -> dict[str, Any]:
    names = [decision.cluster.names[n] for n in scores.nodes.tolist()]

    def by_node(values: IntArray) -> dict[str, int]:
        return dict(zip(names, values.tolist(), strict=True))

    raw = {plugin: by_node(row.raw) for plugin, row in zip(scores.plugins, scores.rows, strict=True)}
    weighted = dict(zip(scores.plugins, map(by_node, scores.results), strict=True))
    return {"raw": raw, "weighted": weighted, "total": by_node(scores.total), "best": decision.best}


def _evicting(decision: Decision, preemption: Preemption) -> dict[str, Any]:
    if preemption.failure and decision.extending is None:
        return {"error": preemption.failure}
    data: dict[str, Any] = {
        "preemption": _preemption(preemption, decision.generation.preemption.reports_ineligibility),
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
