"""One run of an experiment: a variant with the arrivals of a seed, simulated and measured. Any process can do it."""

from __future__ import annotations

import pickle
import zlib
from dataclasses import replace
from typing import Any, NamedTuple

import cloudpickle
import msgspec

from kschedlab.manifests.decoding import Origin
from kschedlab.messages import say
from kschedlab.objects.model import Node
from kschedlab.objects.problems import InputTypeError, InputValueError, ManifestError
from kschedlab.plugins.framework import name_of, raised
from kschedlab_experiments.arrivals import Arrivals
from kschedlab_experiments.measures import Series, measured
from kschedlab_experiments.variants import Variant
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
            raise InputTypeError(say('{why}; name plugins as "MODULE:NAME"', why=why)) from None


def run(packed: bytes, task: Task) -> Run | str:
    """Simulate and measure the run; its error, if it fails. Each run has a copy of the plan, with its own plugins."""
    try:
        plan: Plan = pickle.loads(zlib.decompress(packed))
        simulation = simulation_of(plan, task)
        simulation.run(plan.until)
        numbers, series = measured(simulation.log)
    except (ManifestError, InputTypeError, InputValueError) as error:
        return str(error)
    except Exception as error:  # the run's own: whatever raises outside is the executor's
        return raised(error)
    known = {name: None if number != number else number for name, number in numbers.items()}
    return Run(task.variant, task.seed, known, series)


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
