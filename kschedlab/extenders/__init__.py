"""Scheduler extenders: programs beside the scheduler that refuse nodes, score them, change victims and bind pods.

:class:`~kschedlab.extenders.extender.Extender` is what each of them is to the scheduler: a subclass of your own joins
with :meth:`~kschedlab.generations.Generation.extended_by`. :mod:`~kschedlab.extenders.rules` says how the generations
differ, and :class:`~kschedlab.extenders.run.ExtenderRun` asks the extenders in one decision.
"""
