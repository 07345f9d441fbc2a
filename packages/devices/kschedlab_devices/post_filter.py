"""What runs for a pod that no node can take before preemption is asked: DynamicResources' PostFilter.

v1.37: pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go (PostFilter, getStateData).
"""

from __future__ import annotations

from dataclasses import replace

from kschedlab.decision import Decision
from kschedlab.filter.stage import Prepared
from kschedlab_devices.plugin import NAME, demands_devices


def before_preemption(decision: Decision, prepared: Prepared) -> Decision:
    """The decision with what the plugin gives back, or with its error.

    It reads what its PreFilter wrote. If another plugin's PreFilter rejected the pod before, there is nothing to read.
    """
    generation = decision.generation
    if not generation.preemption.after_dynamic_resources:
        return decision
    if NAME not in (plugin.name for plugin in generation.filters[: prepared.asked]):
        return replace(decision, post_filter_error="not found")
    if decision.verdicts is None or not demands_devices(decision.pod, decision.cluster):
        return decision
    from kschedlab_devices.claiming import given_back

    return replace(decision, given_back=given_back(decision.pod, decision.cluster, generation, decision.verdicts))
