"""Simulates a whole cluster on one virtual clock: the API server, the scheduler and the controllers.

================  ================================================================================================
``server/``       the in-memory API server; ``informers`` are its clients' caches
``scheduler/``    kube-scheduler: start-up, handlers, cache, loop, binding cycles, preemption, users' plugins
``controllers/``  kubelets, workloads, budgets, volumes, garbage collection
``timeline/``     changes from outside, read from scenario files
================  ================================================================================================

``simulation`` wires these together. All of them write to the ``log``, which ``replay`` and ``report`` read.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kschedlab_simulation.simulation import Simulation as Simulation

__all__ = ["Simulation"]

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:  # most of its parts are of use without the whole
        if name != "Simulation":
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from kschedlab_simulation.simulation import Simulation

        return Simulation
