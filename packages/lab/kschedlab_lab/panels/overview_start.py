"""Start-up of v1.16, step by step from its log."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import simpy

from kschedlab.generations import V1_16
from kschedlab.messages import later, listed, say, sentences, terms
from kschedlab.objects.meta import SECOND
from kschedlab.text.html import Html
from kschedlab.text.words import count
from kschedlab_lab.panels.base import Panel, View
from kschedlab_lab.panels.prediction import Question
from kschedlab_lab.panels.settings import Restorable, steps, switch
from kschedlab_lab.views.graph import draw_graph
from kschedlab_lab.views.loop import NotebookTable, start_up
from kschedlab_lab.views.svg import Room
from kschedlab_simulation.log import Log, Step
from kschedlab_simulation.scheduler import startup
from kschedlab_simulation.scheduler.context import Latencies
from kschedlab_simulation.scheduler.startup import StartUp
from kschedlab_simulation.server.api import ApiServer
from kschedlab_simulation.simulation import START

WATCH = SECOND // 20
"""Microseconds that the informers need to fill their caches."""

SOURCE: Mapping[str, str] = {
    startup.CONFIGURATION: "Options.Config",
    startup.ALGORITHMS: later("scheduler.New: CreateFromProvider or CreateFromConfig"),
    startup.SCHEDULER: "scheduler.New: NewFromConfig, AddAllEventHandlers",
    startup.BROADCASTER: "StartRecordingToSink",
    startup.HTTP: "newHealthzHandler, newMetricsHandler",
    startup.INFORMERS: "PodInformer.Run, InformerFactory.Start",
    startup.SYNCED: "InformerFactory.WaitForCacheSync",
    startup.ELECTION: "LeaderElector.Run",
    startup.RUN: "sched.Run: wait.Until(sched.scheduleOne)",
}
"""Each step's functions in v1.16: cmd/kube-scheduler/app/server.go (Run) and pkg/scheduler/scheduler.go."""

POLICY = """\
kind: Policy
apiVersion: v1
predicates: [{name: PodFitsResources}]
priorities: [{name: LeastRequestedPriority, weight: 2}]
"""

CONFIGURED = later("defaults"), later("from a file")
"""What the log says of the configuration."""
MANDATORY = later("CheckNodeUnschedulable and PodToleratesNodeTaints")
"""The predicates that no Policy can leave out. v1.16: algorithmprovider/defaults/defaults.go (ApplyFeatureGates)."""


@dataclass(frozen=True)
class Started:
    """A start: its steps with their times, and how many predicates and priorities were loaded."""

    steps: tuple[tuple[str, Step], ...]
    predicates: int
    priorities: int


@cache
def run(policy: bool) -> Started:
    """Every step of start-up until the first pod can be popped. ``policy``: with the Policy file, or with defaults."""
    env, log = simpy.Environment(initial_time=START), Log()
    api = ApiServer(env, log, V1_16.api)
    configuration, latencies = POLICY if policy else None, Latencies(watch=WATCH)
    with StartUp(env, api, V1_16, log, configuration=configuration, port=0, latencies=latencies) as start:
        start.start()
        env.run(until=START + SECOND)
    (generation,) = start.scheduler.context.generations.values()
    found = ((f"{(each.at - START) / SECOND:.3f}", each) for each in log if isinstance(each, Step))
    return Started(tuple(found), len(generation.filters), len(generation.scores))


@dataclass(frozen=True)
class Settings(Restorable):
    """Whether a Policy file is read, and the number of the step."""

    policy: bool = switch("with the Policy file")
    step: int = steps("step", len(SOURCE) - 1)


def details(started: Started) -> Mapping[str, str]:
    """A short result of each step, by step."""
    priorities = say(
        "{number} priority" if started.priorities == 1 else "{number} priorities", number=started.priorities
    )
    loaded = listed((count(started.predicates, "predicate"), priorities))
    configuration = say(next(each.detail for _, each in started.steps if each.step == startup.CONFIGURATION))
    return {
        startup.CONFIGURATION: configuration,
        startup.ALGORITHMS: loaded,
        startup.SCHEDULER: "default-scheduler",
        startup.BROADCASTER: say("events for kubectl"),
        startup.HTTP: "/healthz /metrics",
        startup.INFORMERS: say("list, then watch"),
        startup.SYNCED: say("the copies are full"),
        startup.ELECTION: say("the only one leads"),
        startup.RUN: say("scheduleOne, in a loop"),
    }


def show(settings: Settings) -> View:
    """The panel's view for these settings."""
    started = run(settings.policy)
    time, step = started.steps[settings.step]
    result = details(started)
    sentence = say(
        "Step {number} of {last}, at {time} s: {step}: {result}.",
        number=settings.step,
        last=len(SOURCE) - 1,
        time=time,
        step=say(step.step),
        result=result[step.step],
    )
    if settings.policy and step.step == startup.ALGORITHMS:
        sentence = sentences((sentence, say("Two are mandatory: {mandatory}.", mandatory=say(MANDATORY))))
    rows = tuple(
        (at, say(each.step), say(SOURCE[each.step]), result[each.step])
        for at, each in started.steps[: settings.step + 1]
    )
    table = NotebookTable(tuple(terms("seconds", "step", "v1.16", "result")), rows, settings.step)
    done = [each.step for _, each in started.steps[: settings.step + 1]]
    return View(
        partial(_draw, tuple(done), result, settings.policy, sentence), sentence, table.html(), f"{sentence}\n{table!r}"
    )


def _draw(done: tuple[str, ...], result: Mapping[str, str], policy: bool, alt: str, room: Room) -> Html:
    graph = start_up(done, {name: result[name] for name in done}, f"policy: {'off' if policy else 'on'}")
    return draw_graph(graph, alt, room)


def panel(**settings: Any) -> Panel[Settings]:
    """The panel; arguments override its default settings."""
    return Panel(Settings().changed(**settings), show, None, "start.panel()")


def how_many() -> Question[Settings]:
    """The question about the Policy file."""
    return Question(
        say("The Policy file names one predicate, PodFitsResources. How many predicates does the scheduler load?"),
        (),
        lambda settings: str(run(True).predicates),
        _why,
    )


def _why(settings: Settings, answer: str) -> str:
    loaded = run(True).predicates
    always = say("{mandatory} are mandatory since nodes are tainted for their condition", mandatory=say(MANDATORY))
    if answer == "1":
        return say(
            "One is what the file names. But {always}: no file can leave them out, so there are {loaded}.",
            always=always,
            loaded=loaded,
        )
    if answer == str(run(False).predicates):
        return say(
            "{answer} are the defaults, which the file replaces. Only {always}, so there are {loaded}.",
            answer=answer,
            always=always,
            loaded=loaded,
        )
    return say(
        "{always}: no file can leave them out. With PodFitsResources there are {loaded}.", always=always, loaded=loaded
    )
