"""``kschedlab simulate``: objects, a timeline and the scheduler's loop on a virtual clock."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import IO, TYPE_CHECKING

import msgspec

from kschedlab.program.options import (
    Commands,
    UsageError,
    add_files,
    add_output,
    add_scheduler,
    argument,
    chosen_profiles,
    reading,
    say,
    screen,
)
from kschedlab.program.progress import Progress

if TYPE_CHECKING:
    from kschedlab.objects.model import Pod
    from kschedlab.program.terminal.screen import Screen
    from kschedlab.simulation.report import Report
    from kschedlab.simulation.simulation import Simulation


def add(commands: Commands) -> None:
    """Add the command."""
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
    parser.add_argument("--log", type=Path, metavar="FILE", help="write the event log to FILE, as JSON lines")
    parser.add_argument(
        "--watch",
        action="store_true",
        help="show pods as they change, and what the timeline does; with --wide as kubectl get pods -A -o wide -w does",
    )
    add_output(parser, "text", "json")
    add_scheduler(parser)
    parser.set_defaults(run=run)


def _duration(text: str) -> int:
    from kschedlab.simulation.durations import parse_duration

    return argument(parse_duration, text)


def run(options: argparse.Namespace) -> int:
    """Run the simulation: 0, or 1 if an entry of the timeline failed."""
    from kschedlab.simulation.simulation import Simulation
    from kschedlab.simulation.timeline.scenario import load_scenario

    with reading(options.files):
        scenario = load_scenario(*options.files, workload=options.workload)
    for warning in scenario.report.lines():
        say(warning)
    profiles = chosen_profiles(options) if options.config is not None else options.generation
    try:
        plugins = options.plugins if options.config is None else ()
        simulation = Simulation.of(scenario, profiles, options.seed, plugins)
    except (ValueError, TypeError) as error:
        raise UsageError(f"--plugin: {error}") from None
    out, start = screen(options), simulation.pods()
    with _log_file(options.log) as log:
        began = perf_counter()
        _advance(simulation, options, out)
        wall = perf_counter() - began
        report = simulation.report(wall)
        if log is not None:
            log.writelines(f"{line}\n" for line in simulation.log.lines())
    if options.output == "json":
        print(msgspec.json.encode(report.to_dict()).decode())
    else:
        _print(simulation, start, report, wall, out, options.wide)
    return 1 if report.failures else 0


def _advance(simulation: Simulation, options: argparse.Namespace, out: Screen) -> None:
    """Run the simulation to its end, and show its events or its progress."""
    if options.watch:
        from kschedlab.program.terminal.run import Watch

        watch = Watch(out, simulation.start, options.wide)
        for entry in simulation.follow(options.until):
            watch.show(entry)
        out.write("\n")
        return
    progress = Progress(sys.stderr)
    try:
        simulation.run(options.until, progress.show)
    finally:
        progress.clear()


def _print(simulation: Simulation, start: list[Pod], report: Report, wall: float, out: Screen, wide: bool) -> None:
    """Print the changes and the report; ``wide``: first the pods as kubectl prints them."""
    from kschedlab.program.terminal.report import report_parts
    from kschedlab.program.terminal.run import run_parts
    from kschedlab.simulation.changes import pod_changes
    from kschedlab.views.kubectl import PodTable

    pods, now = simulation.pods(), simulation.now
    if wide:
        out.write("".join(f"{line}\n" for line in [*PodTable(all_namespaces=True).lines(pods, now), ""]))
    changes = pod_changes(start, pods, simulation.log)
    out.print(*run_parts(changes, now, out), "", *report_parts(report, wall, out))
    out.close()


@contextmanager
def _log_file(path: Path | None) -> Iterator[IO[str] | None]:
    if path is None:
        yield None
        return
    try:
        file = path.open("w", encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror or error}") from None
    with file:
        yield file
