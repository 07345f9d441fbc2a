"""What the best known differences between generations are called."""

from __future__ import annotations

import re

from kschedlab.messages import later

SETTINGS = {
    later("start times break ties"): r"preemption\.ladder",
    later("the older pod stays"): r"preemption\.victims\.older_is_more_important",
    later("budgets count down"): r"preemption\.victims\.budgets\.counted_down",
    later("policy is stored"): r"api\.unknown: preemptionPolicy",
    later("policy is obeyed"): r"preemption\.obeys_preemption_policy",
    later("spreading is obeyed"): r"api\.unknown: topologySpreadConstraints|with(out)? the filter PodTopologySpread",
    later("100 points, not 10"): r"max_node_score|score .*\.highest",
    later("victims sorted again"): r"preemption\.victims\.sorted_again",
    later("TaintToleration ×3"): r"weight of TaintToleration(Priority)?",
    later("nominated node first"): "nominated_node_first",
    later("annotation ignored"): r"with(out)? the score NodePreferAvoidPods(Priority)?",
}
"""By title, a regular expression for the settings that belong to it (:func:`kschedlab.whatif.compare.changes`)."""


def title_of(setting: str) -> str:
    return next((title for title, settings in SETTINGS.items() if re.fullmatch(settings, setting)), "")
