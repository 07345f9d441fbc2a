"""One run of an experiment: a variant with the arrivals of a seed, simulated and measured. Any process can do it."""

from __future__ import annotations

import gc
import pickle
import zlib
from dataclasses import replace
from typing import Any, NamedTuple

import cloudpickle
import msgspec

from kschedlab.manifests.decoding import Origin
from kschedlab.manifests.loading import gc_paused
from kschedlab.messages import say
from kschedlab.objects.model import Node
from kschedlab.objects.problems import InputTypeError, InputValueError, ManifestError
from kschedlab.plugins.framework import name_of, raised
from kschedlab.plugins.loading import load_plugin
from kschedlab_experiments.arrivals import Arrivals
from kschedlab_experiments.measures import Series, measured
from kschedlab_experiments.variants import Variant
from kschedlab_simulation.log import Log, Step
from kschedlab_simulation.scheduler.context import FAIL
from kschedlab_simulation.simulation import Simulation
from kschedlab_simulation.timeline.manifest_objects import INITIAL, ManifestObject, ObjectReader


class Task(NamedTuple):
    """A run: the index of its variant, and its seed."""

    variant: int
    seed: int


class Run(msgspec.Struct, frozen=True):
    """A run that has ended. ``numbers``: its measures; None for one that the run does not have (no pod was placed)."""

    variant: int
    seed: int
    numbers: dict[str, float | None]
    series: Series

    @property
    def task(self) -> Task:
        return Task(self.variant, self.seed)


class Plan(NamedTuple):
    """All that a run needs besides its task. ``until``: as for :meth:`Simulation.run`."""

    arrivals: Arrivals
    variants: tuple[Variant, ...]
    until: str | int | None = None

    def packed(self) -> bytes:
        """The plan as bytes for another process. InputTypeError if a part of it cannot be sent."""
        try:
            return zlib.compress(cloudpickle.dumps(self), 1)
        except (TypeError, ValueError, AttributeError, pickle.PicklingError) as error:
            plugins = [name_of(plugin) for variant in self.variants for plugin in variant.plugins]
            about = (
                say("the arrivals, or one of the plugins {plugins}", plugins=plugins)
                if plugins
                else say("the arrivals")
            )
            why = say("{about} cannot be copied for a run: {error}", about=about, error=error)
            raise InputTypeError('{why}; name plugins as "MODULE:NAME"', why=why) from None


def run(packed: bytes, task: Task) -> Run | str:
    """Simulate and measure the run; its error, if it fails. Each run has a copy of the plan, with its own plugins."""
    try:
        with gc_paused():
            numbers, series = _measured(pickle.loads(zlib.decompress(packed)), task)
    except (ManifestError, InputTypeError, InputValueError, _PluginFaultError) as error:
        return str(error)
    except Exception as error:  # the run's own: whatever raises outside is the executor's
        return raised(error)
    finally:
        gc.collect()  # the parts of a simulation know each other, and memory must not depend on the number of runs
    known = {name: None if number != number else number for name, number in numbers.items()}
    return Run(task.variant, task.seed, known, series)


def _measured(plan: Plan, task: Task) -> tuple[dict[str, float], Series]:
    simulation = simulation_of(plan, task)
    simulation.run(plan.until, _PluginFaults(simulation.log, plan.variants[task.variant]).look)
    return measured(simulation.log)


class _PluginFaultError(Exception):
    """A plugin of the user failed: its pods would be tried again for a day."""


class _PluginFaults:
    """Looks through the log as it grows for attempts that failed because a plugin of the variant raised."""

    def __init__(self, log: Log, variant: Variant) -> None:
        self._log = log
        self._names = [f'"{name_of(load_plugin(p) if isinstance(p, str) else p)}"' for p in variant.plugins]
        self._read = 0

    def look(self, bound: int, pods: int) -> None:
        """_PluginFaultError with the first failure since the last look."""
        entries = self._log.entries
        for number in range(self._read, len(entries)) if self._names else ():
            entry = entries[number]
            if not isinstance(entry, Step) or entry.step != FAIL or not entry.detail.startswith("running "):
                continue
            if any(name in entry.detail for name in self._names):
                raise _PluginFaultError(f"pod {entry.pod}: {entry.detail}")
        self._read = len(entries)


def simulation_of(plan: Plan, task: Task) -> Simulation:
    """The simulation of a run, before it has started. ManifestError if the arrivals or the nodes have faults."""
    variant = plan.variants[task.variant]
    scenario = plan.arrivals.scenario(task.seed)
    if variant.nodes is not None:
        others: list[Any] = [each for each in scenario.objects if not isinstance(each.obj, Node)]
        scenario = replace(scenario, objects=_nodes(variant) + others)
    given = variant.config is not None or variant.generation is not None or variant.plugins or variant.weights
    own = scenario.options.config or scenario.options.generation
    return Simulation.of(scenario, variant.profiles() if given or not own else None, task.seed)


def _nodes(variant: Variant) -> list[ManifestObject]:
    reader = ObjectReader()
    read = [
        obj
        for number, manifest in enumerate(variant.nodes or ())
        for obj in reader.objects(manifest, Origin(None, number, ()), INITIAL)
    ]
    reader.finish()
    return read
