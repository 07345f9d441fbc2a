"""The texts of events, conditions and errors that differ between generations. They affect no decision."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Messages:
    """Texts are ``str.format`` templates; ``{message}`` is the text of the failure itself.

    FailedScheduling:

    ``reason_once``: a PreFilter reason appears once, without the number of nodes.
    ``excluded_nodes``: the nodes that a PreFilter result excludes appear, with their number.
    ``all_errors``: the errors of all nodes appear with their counts; otherwise the first error with its plugin.
    ``post_filter``: the message ends with the result of preemption, and ``post_filter_end``.
    ``post_filter_errors``: also if that is an error.
    ``no_claims``: what DynamicResources says there of a pod without claims.
    ``claims_kept``: what it says of a pod that gives none back.
    ``error_reason``: the condition's reason after an error.

    Plugins; fields are ``{point}``, ``{Point}``, ``{plugin}`` and ``{pod}``:

    ``rejected``, ``failed``: a plugin rejected the pod or failed.
    ``bind_failed``: the same at Bind.
    ``pre_score_failed``: the start of an error of PreScore.
    ``refused_on_node``: Reserve or Permit rejected the pod.
    ``timeout``: Permit took longer than ``{wait}``.
    ``timed_out``, ``rejected_waiting``, ``failed_waiting``: the three ways in which a wait on Permit fails.

    Binding, and the victim's event:

    ``default_binder``: the API server refused.
    ``binding_failed``, ``binding_reason``: the condition's message and reason; ``binding_event``: the event's message.
    ``volumes_failed``, ``volumes_late``: binding volumes failed, or timed out.
    ``provisioning_failed``: the claim lost its selected node.
    ``preempted``: the victim's event.
    """

    reason_once: bool
    excluded_nodes: bool
    all_errors: bool
    post_filter: bool
    post_filter_end: str
    post_filter_errors: bool
    no_claims: str
    claims_kept: str
    error_reason: str
    rejected: str
    failed: str
    bind_failed: str
    pre_score_failed: str
    refused_on_node: str
    timeout: str
    timed_out: str
    rejected_waiting: str
    failed_waiting: str
    default_binder: str
    binding_failed: str
    binding_event: str
    binding_reason: str
    volumes_failed: str
    volumes_late: str
    provisioning_failed: str
    preempted: str


OF_DECISIONS = ("reason_once", "excluded_nodes", "all_errors")
"""The fields of Messages that affect :attr:`~kschedlab.decision.Decision.message`.

Those from ``post_filter`` to ``claims_kept`` affect :attr:`~kschedlab.decision.Decision.event`; the loop uses the rest.
"""
