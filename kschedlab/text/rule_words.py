"""The rules of :mod:`kschedlab.whatif.switching` in plain words, with the lines of the source that changed."""

from __future__ import annotations

import re
from typing import NamedTuple

from kschedlab.messages import later
from kschedlab.whatif.switching import SWITCHES


class Source(NamedTuple):
    """A line of the real scheduler: its version, file and function."""

    version: str
    file: str
    where: str
    line: str


class Words(NamedTuple):
    """A rule in words. ``title``: what it changes; ``before``, ``after``: what happens without it, and with it.

    ``old``, ``new``: the line of the last version without the rule, and of the first one with it.
    """

    title: str
    before: str
    after: str
    old: Source
    new: Source


GENERIC = "pkg/scheduler/core/generic_scheduler.go"
UTILS = "pkg/scheduler/util/utils.go"
PREEMPTION = "pkg/scheduler/framework/plugins/defaultpreemption/default_preemption.go"
FEATURES = "pkg/features/kube_features.go"
REGISTRY = "pkg/scheduler/algorithmprovider/registry.go"
DEFAULTS = "pkg/scheduler/apis/config/v1/default_plugins.go"

WORDS = {
    "start_times": Words(
        later("start times break ties"),
        later("If four rules leave a tie, the scheduler takes any of the tied nodes."),
        later("A fifth rule takes the node whose most important victims started last."),
        Source(
            "v1.13",
            GENERIC,
            "pickOneNodeForPreemption",
            "// At this point, even if there are more than one node with the same score, // return the first one.",
        ),
        Source(
            "v1.16",
            GENERIC,
            "pickOneNodeForPreemption",
            "// Find the node that satisfies latest(earliestStartTime(all highest-priority pods on node))",
        ),
    ),
    "older_stays": Words(
        later("the older pod stays"),
        later("Of two pods with equal priority, the one that came to the node first may stay first."),
        later("Of two pods with equal priority, the one that started first may stay first."),
        Source(
            "v1.13",
            UTILS,
            "HigherPriorityPod",
            "return GetPodPriority(pod1.(*v1.Pod)) > GetPodPriority(pod2.(*v1.Pod))",
        ),
        Source(
            "v1.16",
            UTILS,
            "MoreImportantPod",
            "return GetPodStartTime(pod1.(*v1.Pod)).Before(GetPodStartTime(pod2.(*v1.Pod)))",
        ),
    ),
    "counted_down": Words(
        later("budgets count down"),
        later("The scheduler asks the budget about each victim alone: do you allow a disruption?"),
        later("Each victim uses up one disruption, so a second victim can break a budget that allows one."),
        Source("v1.16", GENERIC, "filterPodsWithPDBViolation", "if pdb.Status.PodDisruptionsAllowed <= 0 {"),
        Source("v1.20", PREEMPTION, "filterPodsWithPDBViolation", "pdbsAllowed[i]--"),
    ),
    "policy_stored": Words(
        later("policy is stored"),
        later("The API server drops preemptionPolicy: its feature is off by default."),
        later("The API server keeps preemptionPolicy."),
        Source("v1.16", FEATURES, "NonPreemptingPriority", "{Default: false, PreRelease: featuregate.Alpha}"),
        Source("v1.20", FEATURES, "NonPreemptingPriority", "{Default: true, PreRelease: featuregate.Beta}"),
    ),
    "policy_obeyed": Words(
        later("policy is obeyed"),
        later("The scheduler ignores preemptionPolicy: its feature is off by default."),
        later("A pod with preemptionPolicy Never waits and evicts nobody."),
        Source(
            "v1.16",
            GENERIC,
            "podEligibleToPreemptOthers",
            "if enableNonPreempting && pod.Spec.PreemptionPolicy != nil "
            "&& *pod.Spec.PreemptionPolicy == v1.PreemptNever {",
        ),
        Source(
            "v1.20",
            PREEMPTION,
            "PodEligibleToPreemptOthers",
            "if pod.Spec.PreemptionPolicy != nil && *pod.Spec.PreemptionPolicy == v1.PreemptNever {",
        ),
    ),
    "spread_obeyed": Words(
        later("spreading is obeyed"),
        later("The API server drops topologySpreadConstraints, and no filter asks for them."),
        later("The filter PodTopologySpread refuses a node that already has too many of these pods."),
        Source("v1.16", FEATURES, "EvenPodsSpread", "{Default: false, PreRelease: featuregate.Alpha}"),
        Source("v1.20", FEATURES, "EvenPodsSpread", "{Default: true, PreRelease: featuregate.GA, LockToDefault: true}"),
    ),
    "hundred_points": Words(
        later("100 points, not 10"),
        later("A score goes from 0 to 10. Rounding down to whole points hides small differences."),
        later("A score goes from 0 to 100, so smaller differences count."),
        Source("v1.16", "pkg/scheduler/api/types.go", "MaxPriority", "MaxPriority = 10"),
        Source("v1.20", "pkg/scheduler/framework/interface.go", "MaxNodeScore", "MaxNodeScore int64 = 100"),
    ),
    "sorted_again": Words(
        later("victims sorted again"),
        later("Victims that break a budget come first in the list, and rule 2 reads only the first one."),
        later("The list is sorted once more, so the first victim really is the most important one."),
        Source(
            "v1.20",
            PREEMPTION,
            "pickOneNodeForPreemption",
            "highestPodPriority := corev1helpers.PodPriority(victims.Pods[0])",
        ),
        Source(
            "v1.37",
            PREEMPTION,
            "SelectVictimsOnNode",
            "sort.Slice(victims, func(i, j int) bool { return pl.MoreImportantVictim(victims[i], victims[j]) })",
        ),
    ),
    "taints_count": Words(
        later("TaintToleration ×3"),
        later("A PreferNoSchedule taint costs a node at most 100 points."),
        later("A PreferNoSchedule taint costs a node up to 300 points."),
        Source("v1.20", REGISTRY, "getDefaultConfig", "{Name: tainttoleration.Name, Weight: 1},"),
        Source("v1.37", DEFAULTS, "getDefaultPlugins", "{Name: names.TaintToleration, Weight: ptr.To[int32](3)},"),
    ),
    "nominated_first": Words(
        later("nominated node first"),
        later("The nominated node competes with all other nodes."),
        later("If the pod fits on its nominated node, the scheduler looks at no other node."),
        Source(
            "v1.20",
            GENERIC,
            "findNodesThatFitPod",
            "feasibleNodes, err := g.findNodesThatPassFilters(ctx, fwk, state, pod, filteredNodesStatuses)",
        ),
        Source(
            "v1.37",
            "pkg/scheduler/schedule_one.go",
            "findNodesThatFitPod",
            "feasibleNodes, err := sched.evaluateNominatedNode(ctx, pod, schedFramework, state, nodeHint, diagnosis)",
        ),
    ),
    "avoid_ignored": Words(
        later("annotation ignored"),
        later("A node's annotation preferAvoidPods costs it a million points for these pods."),
        later("The plugin NodePreferAvoidPods is gone; nobody reads the annotation."),
        Source("v1.20", REGISTRY, "getDefaultConfig", "{Name: nodepreferavoidpods.Name, Weight: 10000},"),
        Source("v1.37", DEFAULTS, "getDefaultPlugins", "(no such line)"),
    ),
}
"""By name of the switch."""


def title_of(setting: str) -> str:
    """The title of the rule that this setting of a comparison belongs to; "" if it has none."""
    return next((WORDS[each.name].title for each in SWITCHES if re.fullmatch(each.settings, setting)), "")
