"""Rules and texts of the scheduler around a decision: its loop, its cache and the binding of volumes.

:mod:`kschedlab_simulation.scheduler.changes` has their values in each generation.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto


class CycleOrder(Enum):
    """The order of the steps between choosing a node and binding."""

    RESERVE_FIRST = auto()
    """Volumes are assumed, Reserve runs, the pod is assumed; Permit runs in the binding cycle."""
    ASSUME_FIRST = auto()
    """The pod is assumed, then its volumes; Reserve and Permit run; the binding cycle waits for Permit."""


class Eviction(Enum):
    """The part of the scheduler that evicts victims, and the moment."""

    AFTER_FAILURE = auto()
    """The loop: the pod goes back to the queue, is nominated through the API server, and its victims are deleted."""
    IN_POST_FILTER = auto()
    """The plugin DefaultPreemption, in the scheduling cycle; then the pod goes back to the queue, nominated."""
    ASYNC = auto()
    """A separate task, while PreEnqueue holds the preemptor back."""
    IN_CYCLE = auto()
    """DefaultPreemption without SchedulerAsyncPreemption: all at once, in the scheduling cycle."""


class SkippedPods(Enum):
    """The popped pods that are skipped, besides those that are being deleted."""

    NONE = auto()
    UNCHANGED = auto()
    """Assumed pods with changes only in fields that scheduling ignores."""
    ASSUMED = auto()
    """All assumed pods."""


@dataclass(frozen=True)
class BinderRules:
    """How volumes are bound.

    ``checks_storage_capacity``, ``translates``: as in
    :class:`~kschedlab.filter.volumes.volume_binding.VolumeBinding`.
    ``waits_for_informer``: a volume or claim counts as bound once the informer shows it bound, at the written version
    or a newer one, and the volume must be usable on the node; otherwise the assumed version counts.
    ``reverts_assumed_volumes``: a failed binding reverts the assumed volumes of the pod.
    """

    checks_storage_capacity: bool
    translates: tuple[str, ...]
    waits_for_informer: bool
    reverts_assumed_volumes: bool


@dataclass(frozen=True)
class CacheRules:
    """How the cache treats assumed pods.

    ``assumed_pod_ttl``: an assumed pod is removed if the informer does not confirm it within this many microseconds
    after its binding; 0: never. ``removes_assumed_pods``: an assumed pod can be removed as well as forgotten.
    ``forgets_unknown_pods``: forgetting a pod that is not in the cache is allowed. ``binder``: how volumes are bound.
    """

    assumed_pod_ttl: int
    removes_assumed_pods: bool
    forgets_unknown_pods: bool
    binder: BinderRules


@dataclass(frozen=True)
class LoopRules:
    """How the loop treats pods, from the informer to the binding. Each rule has one effect and works in any generation.

    ``rejecting_points``: after Filter, the points where a plugin's rejection is not an error.
    ``pre_bind_rejects_as_filters``: a pod that PreBind rejects waits for that plugin's events, those during the binding
    included.
    ``unresolvable_ends_post_filter``: after a PostFilter plugin said that nothing helps, none is asked.
    ``cycle``, ``eviction``, ``skips``: see :class:`CycleOrder`, :class:`Eviction`, :class:`SkippedPods`.
    ``evicts_at_once``, ``keeps_waiting_victims``: PostFilter evicts all victims at the same time, else one by one; it
    rejects one that waits on Permit, and does not delete it.
    ``ignored_changes``: fields of an assumed pod; if only these change, the pod is not queued again. Where ``skips`` is
    ASSUMED, no change queues it.
    ``moves_for_any_node``: while no pod is unschedulable, any update of a node counts as a move, for the pod in flight.
    ``ignores_identical_updates``: an update with an unchanged resource version does not reach the queue.
    ``rejects_deleted_waiting_pods``: a pod that is deleted while it waits on Permit is rejected at once.
    ``reads_api``: a failed pod is re-read from the API server before it is requeued; otherwise from the informer.
    ``requeues_assigned_pods``: a failed pod is requeued even if it has been assigned to a node meanwhile.
    ``checks_uid``: a failed pod is dropped if a new pod has taken its name.
    ``reports_newest_pod``: the event and the condition of a failure refer to the re-read pod; otherwise to the pod as
    popped.
    ``queues_nomination``: a failed pod is nominated in the queue at once; otherwise once the informer shows the
    nomination.
    ``clears_nomination``: a failed pod loses its nominated node, unless preemption nominates one again.
    ``nominates_before_binding``: a pod that waits on Permit or PreBind is first nominated to its node.
    ``patches_status``: a pod's status is patched; otherwise replaced, which conflicts if the pod has changed.
    ``sets_probe_time``: the condition has a lastProbeTime, which orders the queue of v1.13.
    ``names_actions``: an event names the action, such as Binding, and the preemptor of a victim.
    ``truncates_events``: an event's message is cut to 1,024 bytes; otherwise the API server refuses a longer one if the
    event names its action, and else takes it as it is.
    ``notes_generation``: a condition that it writes names the generation of the pod that it judged.
    ``marks_victims``: victims get the condition DisruptionTarget before they are deleted.
    ``one_permit_timer``: a waiting pod has one timer, the shortest, and the first plugin that allows it ends the wait.
    ``moves_pods_after_failed_binding``: a failed binding moves the pods that may fit into the freed resources, and so
    does a pod that is deleted while it waits on Permit.
    ``sees_terminating_pods``: the informer includes terminating pods, as in all generations; without it, their
    resources would be reused too early.
    ``cache``: see :class:`CacheRules`.
    """

    rejecting_points: tuple[str, ...]
    pre_bind_rejects_as_filters: bool
    unresolvable_ends_post_filter: bool
    cycle: CycleOrder
    eviction: Eviction
    evicts_at_once: bool
    keeps_waiting_victims: bool
    skips: SkippedPods
    ignored_changes: tuple[str, ...]
    moves_for_any_node: bool
    ignores_identical_updates: bool
    rejects_deleted_waiting_pods: bool
    reads_api: bool
    requeues_assigned_pods: bool
    checks_uid: bool
    reports_newest_pod: bool
    queues_nomination: bool
    clears_nomination: bool
    nominates_before_binding: bool
    patches_status: bool
    sets_probe_time: bool
    names_actions: bool
    truncates_events: bool
    notes_generation: bool
    marks_victims: bool
    one_permit_timer: bool
    moves_pods_after_failed_binding: bool
    sees_terminating_pods: bool
    cache: CacheRules


@dataclass(frozen=True)
class LoopMessages:
    """The texts of events, conditions and errors of the loop. They affect no decision.

    They are ``str.format`` templates; ``{message}`` is the text of the failure itself.
    ``error_reason``: the condition's reason after an error.

    Plugins; fields are ``{point}``, ``{Point}``, ``{plugin}`` and ``{pod}``:

    ``rejected``, ``failed``: a plugin rejected the pod or failed.
    ``bind_failed``: the same at Bind.
    ``refused_on_node``: Reserve or Permit rejected the pod; ``refused_waiting``: the same while it waited.
    ``timeout``: Permit took longer than ``{wait}``.
    ``timed_out``, ``rejected_waiting``, ``failed_waiting``: the three ways in which a wait on Permit fails.

    Binding, and the victim's event:

    ``default_binder``: the API server refused.
    ``binding_failed``, ``binding_reason``: the condition's message and reason; ``binding_event``: the event's message.
    In v1.13 and v1.16, ``binding_failed`` is also that of volumes that could not be bound.
    ``volumes_failed``, ``volumes_late``: binding volumes failed, or timed out.
    ``provisioning_failed``: the claim lost its selected node.
    ``preempted``: the victim's event.
    """

    error_reason: str
    rejected: str
    failed: str
    bind_failed: str
    refused_on_node: str
    refused_waiting: str
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
