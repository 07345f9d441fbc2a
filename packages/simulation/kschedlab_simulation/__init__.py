"""Simulates a whole cluster on one virtual clock: the API server, the scheduler and the controllers.

================  ================================================================================================
``server/``       the in-memory API server; ``informers`` are its clients' caches
``scheduler/``    kube-scheduler: start-up, handlers, cache, loop, binding cycles, preemption, users' plugins
``controllers/``  kubelets, workloads, budgets, volumes, garbage collection
``timeline/``     changes from outside, read from scenario files
================  ================================================================================================

``simulation`` wires these together. All of them write to the ``log``, which ``replay`` and ``report`` read.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kschedlab_simulation.simulation import Simulation as Simulation
    from kschedlab_simulation.timeline.scenario import load_scenario as load_scenario, loads_scenario as loads_scenario

__all__ = ["Simulation", "load_scenario", "loads_scenario"]

_FROM = {"Simulation": "simulation"} | dict.fromkeys(("load_scenario", "loads_scenario"), "timeline.scenario")

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:  # most of its parts are of use without the whole
        if name not in _FROM:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_FROM[name]}"), name)
