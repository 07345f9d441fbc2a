"""What would change a decision: counterfactuals for one pod, found by search and never guessed.

Each answer contains the decisions that prove it; a boundary contains one from either side.
"""

from kschedlab.whatif.answers import WhatIf, what_if
from kschedlab.whatif.case import Boundary, Case

__all__ = ["Boundary", "Case", "WhatIf", "what_if"]
