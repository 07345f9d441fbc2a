"""Compares schedulers on the same arrivals, over seeds: configurations, generations, plugins, weights and nodes.

    from kschedlab_experiments import Experiment, Files, Variant

    experiment = Experiment(Files("scenario.yaml"), ["default.yaml", "packing.yaml"], seeds=range(20))
    results = experiment.run()
    print(results)

================  ================================================================================================
``arrivals/``     what the schedulers are given: files, traces of real clusters, generators
``variants``      the schedulers that are compared
``runs``          one run: a simulation and its ``measures``
``running``       all runs, on any executor; ``record`` keeps them in a file
``statistics``    paired differences over seeds; ``results`` and ``page`` show them
================  ================================================================================================
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kschedlab_experiments.arrivals.azure import azure as azure
    from kschedlab_experiments.arrivals.dumps import dump as dump
    from kschedlab_experiments.arrivals.files import Files as Files
    from kschedlab_experiments.arrivals.generators import (
        Bursts as Bursts,
        Diurnal as Diurnal,
        Generated as Generated,
        Poisson as Poisson,
    )
    from kschedlab_experiments.arrivals.google import google as google
    from kschedlab_experiments.arrivals.openb import openb as openb
    from kschedlab_experiments.arrivals.trace import Arrival as Arrival, Trace as Trace
    from kschedlab_experiments.experiment import Experiment as Experiment
    from kschedlab_experiments.results import Results as Results
    from kschedlab_experiments.running import RunError as RunError
    from kschedlab_experiments.variants import Variant as Variant

_HOME = {
    name: f"kschedlab_experiments.{module}"
    for module, names in {
        "arrivals.azure": "azure",
        "arrivals.dumps": "dump",
        "arrivals.files": "Files",
        "arrivals.generators": "Bursts Diurnal Generated Poisson",
        "arrivals.google": "google",
        "arrivals.openb": "openb",
        "arrivals.trace": "Arrival Trace",
        "experiment": "Experiment",
        "results": "Results",
        "running": "RunError",
        "variants": "Variant",
    }.items()
    for name in names.split()
}

__all__ = sorted(_HOME)  # noqa: PLE0605  # one list of public names

if not TYPE_CHECKING:

    def __getattr__(name: str) -> object:  # the command loads only what it needs
        from importlib import import_module

        if name not in _HOME:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")
        return getattr(import_module(_HOME[name]), name)
