"""The lab: panels to move and exercises to solve, for the notebooks."""

from kschedlab.extras import require
from kschedlab_lab.cell_errors import begin

require("lab", "ipywidgets")
begin()
