"""Counterfactuals for one pod: what would change, found by search and never guessed.

Each answer contains the decisions that prove it; a boundary contains one from either side.
"""

from kschedlab.whatif.answers import WhatIf, what_if
from kschedlab.whatif.case import Boundary, Case
from kschedlab.whatif.compare import compare
from kschedlab.whatif.comparison import Comparison

__all__ = ["Boundary", "Case", "Comparison", "WhatIf", "compare", "what_if"]
