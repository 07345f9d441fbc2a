"""Rules of preemption: constants and named rules of a generation. The defaults are those of v1.37."""

from __future__ import annotations

from dataclasses import dataclass, field

from kschedlab.preemption.ladder import RULES, Rule


@dataclass(frozen=True)
class BudgetRules:
    """How a generation reads budgets: named rules. The defaults are those of v1.37.

    ``counted_down``: each victim uses up one of ``disruptionsAllowed``; else only a budget that allows none is
    violated.
    ``disrupted_pods_exempt``: a pod in ``disruptedPods`` is already counted, so evicting it violates nothing.
    ``stops_at_first_violation``: a pod that violates one budget does not use up the following ones.
    """

    counted_down: bool = True
    disrupted_pods_exempt: bool = True
    stops_at_first_violation: bool = True


@dataclass(frozen=True)
class VictimRules:
    """How a generation chooses victims: named rules. The defaults are those of v1.37.

    ``budgets``: how it reads PodDisruptionBudgets.
    ``older_is_more_important``: among equal priorities the pod that started first is reprieved first; else the pod that
    arrived on the node first.
    ``sorted_again``: victims are listed by importance; else those that violate a budget come first.
    """

    budgets: BudgetRules = field(default_factory=BudgetRules)
    older_is_more_important: bool = True
    sorted_again: bool = True


@dataclass(frozen=True)
class PreemptionRules:
    """How a generation preempts: constants and named rules. The defaults are those of v1.37.

    ``enabled``: pods can preempt.
    ``after_dynamic_resources``: DynamicResources' PostFilter runs first. It fails if its PreFilter did not run because
    another plugin had rejected the pod, and then preemption does not run.
    ``min_candidate_percentage``, ``min_candidates``: how many candidates are enough; 100 % examines all.
    ``obeys_preemption_policy``: a pod with preemptionPolicy Never does not preempt.
    ``unresolvable_node_ends_wait``: a nominated node where evicting can't help any more does not make the pod wait.
    ``waits_for_preempted_pods_only``: only pods that the scheduler evicted make it wait, not other terminating pods.
    ``excluded_is_unresolvable``: evicting can't help on a node that a PreFilter result excludes; else it is tried there
    (v1.24: framework/preemption/preemption.go, nodesWherePreemptionMightHelp).
    ``excluded_ends_wait``: and no pod waits for such a node (v1.30: framework/preemption/preemption.go, Preempt).
    ``reports_ineligibility``: the message says why a pod may not preempt.
    ``fails_with_its_filters``: without a candidate, an error of a filter in the dry run ends preemption.
    ``victims``: see :class:`VictimRules`. ``ladder``: the rules that choose a candidate.
    """

    enabled: bool = True
    after_dynamic_resources: bool = True
    min_candidate_percentage: int = 10
    min_candidates: int = 100
    obeys_preemption_policy: bool = True
    unresolvable_node_ends_wait: bool = True
    waits_for_preempted_pods_only: bool = True
    excluded_is_unresolvable: bool = True
    excluded_ends_wait: bool = True
    reports_ineligibility: bool = True
    fails_with_its_filters: bool = True
    victims: VictimRules = field(default_factory=VictimRules)
    ladder: tuple[Rule, ...] = RULES

    def enough(self, potential: int) -> int:
        return min(potential, max(self.min_candidates, potential * self.min_candidate_percentage // 100))
