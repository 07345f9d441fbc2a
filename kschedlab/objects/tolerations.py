"""Tolerations: the taints that a pod puts up with.

v1.37: k8s.io/api core/v1 (types.go, toleration.go).
"""

# ruff: noqa: D101 (a class is the API's type of that name, which the API documents)

from __future__ import annotations

import re

from kschedlab.objects.meta import Int64, Part
from kschedlab.objects.nodes import Taint

COMPARISONS = ("Gt", "Lt")


def decimal_integer(text: str) -> int | None:
    """The number, written without a plus or leading zeros; None if it is not one, or exceeds an int64."""
    if not re.fullmatch(r"0|-?[1-9][0-9]{0,18}", text, re.ASCII):
        return None
    return number if -(1 << 63) <= (number := int(text)) < 1 << 63 else None


class Toleration(Part, frozen=True):
    key: str = ""
    operator: str = ""
    value: str = ""
    effect: str = ""
    tolerationSeconds: Int64 | None = None

    def tolerates(self, taint: Taint) -> bool:
        """Whether the pod tolerates the taint. An empty effect or key matches every effect or key.

        v1.37: k8s.io/api core/v1/toleration.go. Gt and Lt compare whole numbers: the taint's value with this one. (No
        pod has them without the gate TaintTolerationComparisonOperators; see :class:`~kschedlab.objects.api.Api`.)
        """
        if (self.effect and self.effect != taint.effect) or (self.key and self.key != taint.key):
            return False
        if self.operator in COMPARISONS:
            bound, value = decimal_integer(self.value), decimal_integer(taint.value)
            if bound is None or value is None:
                return False
            return value > bound if self.operator == "Gt" else value < bound
        return self.operator == "Exists" or (self.operator in ("", "Equal") and self.value == taint.value)
