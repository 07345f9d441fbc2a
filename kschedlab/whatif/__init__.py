"""What would change a decision: counterfactuals for one pod, searched and never guessed.

Each answer holds the decisions that prove it. A boundary holds two: one on either side of it.
"""

from kschedlab.whatif.answers import WhatIf, what_if
from kschedlab.whatif.case import Boundary, Case

__all__ = ["Boundary", "Case", "WhatIf", "what_if"]
