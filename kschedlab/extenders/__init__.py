"""Scheduler extenders: programs beside the scheduler that refuse nodes, score them, change victims and bind pods.

:mod:`~kschedlab.extenders.extender` says what an extender is, :mod:`~kschedlab.extenders.plain` makes one of any Python
object, :mod:`~kschedlab.extenders.described` of a description in a scenario, and :mod:`~kschedlab.extenders.http` calls
one over HTTP. :class:`~kschedlab.extenders.run.ExtenderRun` calls them for one decision. Only a generation that has
extenders imports this room.
"""
