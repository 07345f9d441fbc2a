"""Simulates a whole cluster on one virtual clock: the API server, the scheduler and the controllers.

================  ================================================================================================
``server/``       the in-memory API server; ``informers`` are its clients' caches
``scheduler/``    kube-scheduler: start-up, handlers, cache, loop, binding cycles, preemption, users' plugins
``controllers/``  kubelets, workloads, budgets, volumes, garbage collection
``timeline/``     changes from outside, read from scenario files
``perf/``         workloads in the format of scheduler_perf
================  ================================================================================================

``simulation`` wires these together. All of them write to the ``log``, which ``replay`` and ``report`` read.
"""

from kschedlab.extras import require

require("simulation", "simpy")
