"""A cluster in motion on one virtual clock: what surrounds a scheduler, and the scheduler at work.

================  ================================================================================================
``server/``       the API server in memory; ``informers`` are its clients' copies
``scheduler/``    kube-scheduler: start-up, handlers, cache, loop, binding cycles, preemption, users' plugins
``controllers/``  kubelets, owners of pods, budgets, claims, clean-up
``timeline/``     what happens from outside
``perf/``         the same in the language of scheduler_perf
================  ================================================================================================

``simulation`` wires the rooms together; all of them write to the ``log``, which ``replay`` and ``report`` read.
"""
