"""Pod groups in the scheduler: loaded where the feature gate GenericWorkload is on.

================  ================================================================
``states``        the groups, and where their pods are
``plugin``        GangScheduling: PreEnqueue, Permit and the events that help
``handlers``      event handlers that know groups
``loop``          scheduleOnePodGroup
``evictions``     the victims of a group
================  ================================================================
"""

from kschedlab_groups.simulated.evictions import GroupEvictions
from kschedlab_groups.simulated.handlers import GroupHandlers
from kschedlab_groups.simulated.loop import GroupLoop
from kschedlab_groups.simulated.plugin import GangScheduling, gate_state
from kschedlab_groups.simulated.states import GroupStates
from kschedlab_groups.victims import GroupScheduler

__all__ = [
    "GangScheduling",
    "GroupEvictions",
    "GroupHandlers",
    "GroupLoop",
    "GroupScheduler",
    "GroupStates",
    "gate_state",
]
