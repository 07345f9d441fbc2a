"""``kschedlab simulate``: objects, a timeline and the scheduler's loop on a virtual clock."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

import msgspec

from kschedlab.program.options import Commands, UsageError, add_files, add_scheduler, argument, chosen_profiles

if TYPE_CHECKING:
    from kschedlab.simulation.simulation import Simulation


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser("simulate", help="let a cluster run: objects, a timeline, the scheduler's loop")
    add_files(parser, "manifests, timelines, workload files of scheduler_perf: files or folders; - is standard input")
    parser.add_argument("--workload", default="", metavar="TEST/WORKLOAD", help="which one of a workload file")
    parser.add_argument("--seed", type=int, metavar="N", help="of ties and generated names (default: 0, or FILE's)")
    parser.add_argument("--until", type=_duration, metavar="DURATION", help="as 90s (default: until all is settled)")
    parser.add_argument("--log", type=Path, metavar="FILE", help="write the event log there, as JSON lines")
    parser.add_argument("--watch", action="store_true", help="show pods as they change, as kubectl get -A -w does")
    parser.add_argument("--output", choices=("text", "json"), default="text")
    add_scheduler(parser)
    parser.set_defaults(run=run)


def _duration(text: str) -> int:
    from kschedlab.simulation.durations import parse_duration

    return argument(parse_duration, text)


def run(options: argparse.Namespace) -> int:
    """Run the simulation: 0, or 1 if an entry of the timeline failed."""
    from time import perf_counter

    from kschedlab.simulation.simulation import Simulation
    from kschedlab.simulation.timeline.scenario import load_scenario
    from kschedlab.views.simulation import Bar, pods_text, report_text

    scenario = load_scenario(*options.files, workload=options.workload)
    for warning in scenario.report.lines():
        print(warning, file=sys.stderr)
    profiles = chosen_profiles(options) if options.config is not None else options.generation
    try:
        plugins = options.plugins if options.config is None else ()
        simulation = Simulation.of(scenario, profiles, options.seed, plugins)
    except (ValueError, TypeError) as error:
        raise UsageError(f"--plugin: {error}") from None
    with _log_file(options.log) as log:
        began = perf_counter()
        if options.watch:
            _watch(simulation, options.until)
        else:
            bar = Bar(sys.stderr, perf_counter) if sys.stderr.isatty() else None
            simulation.run(options.until, bar.show if bar else None)
            if bar:
                bar.clear()
        report = simulation.report(perf_counter() - began)
        if log is not None:
            log.writelines(f"{line}\n" for line in simulation.log.lines())
    if options.output == "json":
        print(msgspec.json.encode(report.to_dict()).decode())
    else:
        table = "" if options.watch else f"{pods_text(simulation.pods(), simulation.now)}\n\n"
        print(f"{table}{report_text(report)}")
    return 1 if report.failures else 0


def _watch(simulation: Simulation, until: int | None) -> None:
    """Print a line whenever a pod changes."""
    from kschedlab.simulation.log import Changed
    from kschedlab.views.kubectl import PodTable

    table = PodTable(all_namespaces=True)
    for entry in simulation.follow(until):
        if isinstance(entry, Changed) and entry.kind == "Pod":
            for line in table.lines([entry.old if entry.new is None else entry.new], entry.at):
                print(line)


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
