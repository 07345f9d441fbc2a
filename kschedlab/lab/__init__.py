"""The lab: panels to move and exercises to solve, for the notebooks."""

from kschedlab.extras import require

require("lab", "ipywidgets")
