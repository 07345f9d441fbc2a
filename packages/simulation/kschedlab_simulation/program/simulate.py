"""``kschedlab simulate``: objects, a timeline and the scheduler's loop on a virtual clock."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import TYPE_CHECKING

from kschedlab.program.options import (
    Commands,
    UsageError,
    add_files,
    add_output,
    add_scheduler,
    argument,
    print_json,
    reading,
    say,
    scenario_profiles,
    screen,
)
from kschedlab.program.progress import Progress
from kschedlab.text.html import visible

if TYPE_CHECKING:
    from kschedlab.objects.model import Pod
    from kschedlab.program.terminal.screen import Screen
    from kschedlab_simulation.log import Log
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
    from kschedlab_simulation.simulation import Simulation
    from kschedlab_simulation.timeline.scenario import load_scenario

    with reading(options.files):
        scenario = load_scenario(*options.files, workload=options.workload, strict=options.strict)
    for warning in scenario.report.lines():
        say(warning)
    named = scenario_profiles(options, scenario.options.config, scenario.options.generation)
    profiles = options.generation if named is None else named
    try:
        plugins = options.plugins if options.config is None else ()
        simulation = Simulation.of(scenario, profiles, options.seed, plugins)
    except (ValueError, TypeError) as error:
        raise UsageError(f"--plugin: {error}") from None
    out, start = screen(options), simulation.pods()
    with _log_file(options.log, options.files) as write_log:
        began = perf_counter()
        _advance(simulation, options, out)
        wall = perf_counter() - began
        report = simulation.report(wall)
        write_log(simulation.log)
    if options.output == "json":
        print_json(report.to_dict())
    elif options.output == "csv":
        sys.stdout.write("".join(f"{visible(line)}\n" for line in csv_of(report).splitlines()))
    else:
        _print(simulation, start, report, wall, out, options.wide)
    return 1 if report.failures else 0


def _advance(simulation: Simulation, options: argparse.Namespace, out: Screen) -> None:
    """Run the simulation to its end, and show its events or its progress."""
    if options.watch:
        from kschedlab_simulation.program.run import Printer

        watch = Printer(out, simulation.start, options.wide)
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


@contextmanager
def _log_file(path: Path | None, inputs: Sequence[str]) -> Iterator[Callable[[Log], None]]:
    """The writer of the log. UsageError if it cannot be written.

    The log is written beside the file, which it replaces when the run has ended: a run that is killed leaves the file
    as it was.
    """
    if path is None:
        yield lambda log: None
        return
    try:
        if path.exists() and any(path.samefile(each) for each in inputs if os.path.exists(each)):
            raise UsageError(f"{path}: is read by this run: write the log to another file")
        replaces = not path.is_symlink() and (path.is_file() or not path.exists())  # else a link, a folder, a device
        beside = path.with_name(f"{path.name}.part") if replaces else path
        file = beside.open("w", encoding="utf-8")
    except (OSError, ValueError) as error:
        raise _unwritable(path, error) from None

    def write(log: Log) -> None:
        try:
            with file:
                file.writelines(f"{line}\n" for line in log.lines())
            if beside != path:
                os.replace(beside, path)
        except OSError as error:
            raise _unwritable(path, error) from None

    try:
        with file:
            yield write
    finally:
        if beside != path:
            beside.unlink(missing_ok=True)


def _unwritable(path: Path, error: Exception) -> UsageError:
    return UsageError(f"{path}: cannot be written: {getattr(error, 'strerror', None) or error}")
