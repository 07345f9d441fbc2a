"""The texts that differ between generations: FailedScheduling, and errors of plugins. They affect no decision."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Messages:
    """FailedScheduling:

    ``reason_once``: a PreFilter reason appears once, without the number of nodes.
    ``excluded_nodes``: the nodes that a PreFilter result excludes appear, with their number.
    ``all_errors``: the errors of all nodes appear with their counts; otherwise the first error with its plugin.
    ``post_filter``: the message ends with the result of preemption, and ``post_filter_end``.
    ``post_filter_errors``: also if that is an error.
    ``post_filter_nominates``: also if that is a nomination.
    ``no_claims``: what DynamicResources says there of a pod without claims.
    ``claims_kept``: what it says of a pod that gives none back.

    ``pre_score_failed``: the start of an error of PreScore, with the fields ``{plugin}`` and ``{pod}``.
    """

    reason_once: bool
    excluded_nodes: bool
    all_errors: bool
    post_filter: bool
    post_filter_end: str
    post_filter_errors: bool
    post_filter_nominates: bool
    no_claims: str
    claims_kept: str
    pre_score_failed: str


OF_DECISIONS = ("reason_once", "excluded_nodes", "all_errors")
"""The fields of Messages that affect :attr:`~kschedlab.decision.Decision.message`.

Those from ``post_filter`` to ``claims_kept`` affect :attr:`~kschedlab.decision.Decision.event`.
"""
