"""``kschedlab simulate``: objects, a timeline and the scheduler's loop on a virtual clock."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

import msgspec
import yaml

from kschedlab.manifests.loading import gc_paused
from kschedlab.program import hooks
from kschedlab.program.options import (
    Commands,
    UsageError,
    add_files,
    add_output,
    add_scheduler,
    argument,
    chosen_profiles,
    print_json,
    reading,
    say,
    screen,
    stay_here,
)
from kschedlab.program.progress import Progress
from kschedlab.text.html import visible
from kschedlab_simulation.program.output_file import output_file
from kschedlab_simulation.replay import Replay
from kschedlab_simulation.state import manifests_of, objects_of

if TYPE_CHECKING:
    from kschedlab.generations import Profiles
    from kschedlab.manifests.loading import Objects
    from kschedlab.objects.model import ApiObject, Pod
    from kschedlab.program.terminal.screen import Screen
    from kschedlab_simulation.report import Report
    from kschedlab_simulation.simulation import Simulation


def add(commands: Commands) -> None:
    parser = commands.add_parser(
        "simulate", help="run a cluster: its objects, a timeline and the scheduler on a virtual clock"
    )
    add_files(parser, "manifests, timelines and workloads of scheduler_perf: files or folders; - is standard input")
    parser.add_argument(
        "--workload", default="", metavar="TEST/WORKLOAD", help="the workload to run, if FILE has several"
    )
    parser.add_argument(
        "--seed",
        type=int,
        metavar="N",
        help="seed of random choices and generated names (default: the one in FILE, or 0)",
    )
    parser.add_argument(
        "--until",
        type=_duration,
        metavar="DURATION",
        help="stop at this virtual time, such as 90s (default: when nothing is left to do)",
    )
    parser.add_argument(
        "--export", type=Path, metavar="FILE", help="write the cluster at the end to FILE, as manifests (YAML or .json)"
    )
    parser.add_argument(
        "--at", type=_duration, metavar="DURATION", help="with --export: the cluster at this virtual time instead"
    )
    parser.add_argument("--log", type=Path, metavar="FILE", help="write the event log to FILE, as JSON lines")
    parser.add_argument(
        "--watch",
        action="store_true",
        help="show pods as they change, and what the timeline does; with --wide as kubectl get pods -A -o wide -w does",
    )
    add_output(parser, "text", "json", "csv")
    add_scheduler(parser)
    parser.set_defaults(run=run)


def _duration(text: str) -> int:
    from kschedlab_simulation.durations import parse_run_time

    return argument(parse_run_time, text)


def run(options: argparse.Namespace) -> int:
    """Run the simulation: 0, or 1 if an entry of the timeline failed."""
    from kschedlab_simulation.report import csv_of

    if options.at is not None and options.export is None:
        raise UsageError("--at: name the file to write with --export")
    if options.at is not None and options.until is not None and options.at > options.until:
        raise UsageError("--at: is after --until, where the run ends")
    simulation = simulation_of(options)
    out, start = screen(options), simulation.pods()
    files = options.files
    with gc_paused(), output_file(options.log, files) as write_log, output_file(options.export, files) as write_state:
        began = perf_counter()
        _advance(simulation, options, out)
        wall = perf_counter() - began
        report = simulation.report(wall)
        write_log(simulation.log.lines())
        if options.export is not None:
            write_state(_exported(simulation, options.at, options.export))
    if options.output == "json":
        print_json(report.to_dict())
    elif options.output == "csv":
        sys.stdout.write("".join(f"{visible(line)}\n" for line in csv_of(report).splitlines()))
    else:
        _print(simulation, start, report, wall, out, options.wide)
    return 1 if report.failures else 0


def simulation_of(options: argparse.Namespace) -> Simulation:
    """The simulation of the files that the options name, at its start."""
    from kschedlab_simulation.simulation import Simulation
    from kschedlab_simulation.timeline.scenario import load_scenario

    given = vars(options)
    with reading(options.files):
        scenario = load_scenario(*options.files, workload=given.get("workload", ""), strict=options.strict)
    for warning in scenario.report.lines():
        say(warning)
    named = scenario_profiles(options, scenario.options.config, scenario.options.generation)
    profiles = options.generation if named is None else named
    try:
        plugins = options.plugins if options.config is None else ()
        return Simulation.of(scenario, profiles, given.get("seed"), plugins)
    except (ValueError, TypeError) as error:
        raise UsageError(f"--plugin: {error}") from None


def scenario_profiles(options: argparse.Namespace, config: str, generation: str) -> Profiles | None:
    """The profiles that the options choose; None: those of the scenario, which names this configuration, or none.

    UsageError if the scenario's configuration would send objects to other programs.
    """
    if options.config is not None:
        return chosen_profiles(options)
    if config:
        load_configuration = hooks.part("configuration", "--config")
        stay_here(load_configuration(config, options.generation or generation or None), options, config)
    return None


def state_at(options: argparse.Namespace) -> tuple[Objects, Profiles]:
    """The objects of a simulated cluster at the virtual time ``options.at``, and who schedules in it. UsageError."""
    from kschedlab_simulation.durations import parse_run_time

    if "call_extenders" not in vars(options):
        options.call_extenders = False
    try:
        until = parse_run_time(options.at)
    except ValueError as error:
        raise UsageError(f"--at: {error}") from None
    simulation = simulation_of(options)
    simulation.run(until)
    return objects_of(simulation.objects), simulation.profiles


def _exported(simulation: Simulation, at: int | None, path: Path) -> Iterator[str]:
    """The lines of a file with the cluster at the end, or at a time after the start."""
    objects: Iterable[ApiObject] = simulation.objects
    if at is not None:
        replay = Replay(simulation.log)
        replay.seek_time(simulation.start + at)
        objects = [obj for kind in replay.objects.values() for obj in kind.values()]
    manifests = manifests_of(objects)
    if path.suffix == ".json":
        yield msgspec.json.encode({"apiVersion": "v1", "kind": "List", "items": list(manifests)}).decode()
        return
    for manifest in manifests:
        yield "---"
        yield yaml.dump(manifest, Dumper=getattr(yaml, "CSafeDumper", yaml.SafeDumper), sort_keys=False).rstrip()


def _advance(simulation: Simulation, options: argparse.Namespace, out: Screen) -> None:
    """Run the simulation to its end, and show its events or its progress."""
    if options.watch:
        from kschedlab_simulation.program.run import Printer

        watch = Printer(out, simulation.start, options.wide)
        for entry in simulation.follow(options.until):
            watch.show(entry)
        out.write("\n")
        return
    with Progress(sys.stderr) as progress:
        simulation.run(options.until, progress.show)


def _print(simulation: Simulation, start: list[Pod], report: Report, wall: float, out: Screen, wide: bool) -> None:
    """Print the changes and the report; ``wide``: first the pods as kubectl prints them."""
    from kschedlab_simulation.changes import pod_changes
    from kschedlab_simulation.kubectl import PodTable
    from kschedlab_simulation.program.report import report_parts
    from kschedlab_simulation.program.run import run_parts

    pods, now = simulation.pods(), simulation.now
    if wide:
        out.write("".join(f"{line}\n" for line in [*PodTable(all_namespaces=True).lines(pods, now), ""]))
    changes = pod_changes(start, pods, simulation.log)
    out.print(*run_parts(changes, now, out), "", *report_parts(report, wall, out))
    out.close()
