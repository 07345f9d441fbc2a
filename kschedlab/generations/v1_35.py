"""v1.35. Source: pkg/scheduler/apis/config/v1/default_plugins.go."""

from __future__ import annotations

from kschedlab.generations.steps import after
from kschedlab.generations.v1_34 import V1_34
from kschedlab.score.dynamic_resources import DynamicResourcesScore

V1_35 = after(
    V1_34,
    "v1.35",
    new_scores=(DynamicResourcesScore(),),  # dynamicresources/dynamicresources.go, Score
    weights={"DynamicResources": 2},
)
