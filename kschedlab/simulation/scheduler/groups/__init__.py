"""Pod groups in the scheduler: loaded where the feature gate GenericWorkload is on.

================  ================================================================
``states``        the groups, and where their pods are
``plugin``        GangScheduling: PreEnqueue, Permit and the events that help
``handlers``      event handlers that know groups
``loop``          scheduleOnePodGroup
``evictions``     the victims of a group
================  ================================================================
"""

from kschedlab.groups.victims import GroupScheduler
from kschedlab.simulation.scheduler.groups.evictions import GroupEvictions
from kschedlab.simulation.scheduler.groups.handlers import GroupHandlers
from kschedlab.simulation.scheduler.groups.loop import GroupLoop
from kschedlab.simulation.scheduler.groups.plugin import GangScheduling, gate_state
from kschedlab.simulation.scheduler.groups.states import GroupStates

__all__ = [
    "GangScheduling",
    "GroupEvictions",
    "GroupHandlers",
    "GroupLoop",
    "GroupScheduler",
    "GroupStates",
    "gate_state",
]
