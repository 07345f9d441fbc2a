"""Scheduler extenders: programs beside the scheduler that refuse nodes, score them, change victims and bind pods.

:mod:`extender` says what an extender is, :mod:`plain` makes one of any Python object, :mod:`described` of a
description in a scenario, and :mod:`http` calls one over HTTP. :class:`run.ExtenderRun` calls them for one decision.
"""
