"""The program: ``kschedlab explain | compare | decide | bench | simulate | sheet``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import IO, TYPE_CHECKING, TypeVar

import msgspec

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.decision import Decision
from kschedlab.generations import GENERATIONS, LATEST, Deciders, Generation, api_of, decider
from kschedlab.manifests.loading import ManifestError, load
from kschedlab.queue.order import queue_order
from kschedlab.scheduler import Scheduler
from kschedlab.vectors import decide_lines, no_profile

if TYPE_CHECKING:
    from kschedlab.simulation.simulation import Simulation

T = TypeVar("T")

__all__ = ["decide_lines", "main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit status: 0, or 2 for input that can't be used.

    1 if a simulation's timeline wanted what could not be.
    """
    options = _parser().parse_args(arguments)
    try:
        status: int = options.run(options)
    except (ManifestError, UsageError) as error:
        print(error, file=sys.stderr)
        return 2
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    return status


class UsageError(Exception):
    """Something that was asked for does not exist; the message names what does."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="kschedlab", description="Decide exactly as kube-scheduler decides, and say why."
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    explain = commands.add_parser("explain", help="say where pods go and why")
    explain.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="manifests: files or folders, YAML or JSON; - is standard input",
    )
    explain.add_argument("--pod", metavar="NAMESPACE/NAME", help="the pod (default: every pending pod, in queue order)")
    explain.add_argument("--output", choices=("text", "json", "html"), default="text")
    explain.set_defaults(run=_explain)

    compare = commands.add_parser("compare", help="one decision in all generations, and the rules that tell them apart")
    compare.add_argument("files", nargs="+", metavar="FILE", help="manifests, as for explain")
    compare.add_argument("--pod", metavar="NAMESPACE/NAME", required=True)
    compare.add_argument("--output", choices=("text", "html"), default="text")
    compare.set_defaults(run=_compare)

    decide = commands.add_parser(
        "decide", help="scenarios (JSON lines) from standard input, verdicts to standard output"
    )
    decide.set_defaults(run=_decide)

    bench = commands.add_parser("bench", help="time the scheduling of a workload's queue")
    bench.add_argument("workload", type=Path, metavar="WORKLOAD.json")
    bench.add_argument(
        "--percentage",
        type=_percentage,
        metavar="N",
        help="percentageOfNodesToScore; 0 is adaptive (default: what the configuration says, or else 0)",
    )
    bench.set_defaults(run=_bench)

    simulate = commands.add_parser("simulate", help="let a cluster run: objects, a timeline, the scheduler's loop")
    simulate.add_argument(
        "files",
        nargs="+",
        metavar="FILE",
        help="manifests, timelines, workload files of scheduler_perf: files or folders; - is standard input",
    )
    simulate.add_argument("--workload", default="", metavar="TEST/WORKLOAD", help="which one of a workload file")
    simulate.add_argument("--seed", type=int, metavar="N", help="of ties and generated names (default: 0, or FILE's)")
    simulate.add_argument("--until", type=_duration, metavar="DURATION", help="as 90s (default: until all is settled)")
    simulate.add_argument("--log", type=Path, metavar="FILE", help="write the event log there, as JSON lines")
    simulate.add_argument("--watch", action="store_true", help="show pods as they change, as kubectl get -A -w does")
    simulate.add_argument("--output", choices=("text", "json"), default="text")
    simulate.set_defaults(run=_simulate)

    for_class = commands.add_parser("sheet", help="a lesson's exercises for a class, a seed for each student")
    for_class.add_argument("lesson", type=_lesson, metavar="LESSON", help="overview, queue, score, ...")
    for_class.add_argument("--seeds", type=_seeds, metavar="1-30", required=True, help="e.g. 1-30 or 1,4,7-9")
    for_class.add_argument("--solutions", action="store_true", help="with the solutions")
    for_class.add_argument("--answers", action="store_true", help="only a table of the answers, to mark at a glance")
    for_class.set_defaults(run=_sheet)

    for command in (explain, decide, bench, simulate):
        command.add_argument("--generation", choices=tuple(GENERATIONS), help=f"default: {LATEST}, or what reads FILE")
        command.add_argument(
            "--config",
            metavar="FILE",
            help="decide as this KubeSchedulerConfiguration (v1.37, v1.20) or Policy (v1.13, v1.16) says",
        )
    return parser


def _percentage(text: str) -> int:
    if not (text.isascii() and text.isdigit() and int(text) <= 100):
        raise argparse.ArgumentTypeError(f'"{text}" is not a percentage from 0 to 100')
    return int(text)


def _argument(parse: Callable[[str], T], text: str) -> T:
    """What ``parse`` makes of an argument; its ValueError is what the program says."""
    try:
        return parse(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _duration(text: str) -> int:
    from kschedlab.simulation.durations import parse_duration

    return _argument(parse_duration, text)


def _lesson(text: str) -> str:
    from kschedlab.lab.exercises.lesson import lesson_named

    return _argument(lesson_named, text)


def _seeds(text: str) -> list[int]:
    from kschedlab.lab.exercises.sheet import parse_seeds

    return _argument(parse_seeds, text)


def _decide(options: argparse.Namespace) -> int:
    for verdict in decide_lines(sys.stdin.buffer, _deciders(options)):
        print(verdict)
    return 0


def _bench(options: argparse.Namespace) -> int:
    from kschedlab.bench import bench

    deciders = _deciders(options)
    generations = [deciders] if isinstance(deciders, Generation) else [*deciders.values()]
    if len(generations) > 1:
        raise UsageError(f"{options.config}: bench takes one profile, not {len(generations)}")
    try:
        result = bench(options.workload, generations[0], options.percentage)
    except (OSError, msgspec.MsgspecError, ManifestError) as error:
        raise UsageError(f"{options.workload}: not a workload: {error}") from None
    print(msgspec.json.encode(result).decode())
    return 0


def _deciders(options: argparse.Namespace) -> Deciders:
    """What was asked for; warnings about a configuration file go to standard error."""
    base = GENERATIONS[options.generation] if options.generation is not None else None
    if options.config is None:
        return base or GENERATIONS[LATEST]
    from kschedlab.configuration import load_configuration

    profiles = load_configuration(Path(options.config) if options.config != "-" else "-", base)
    for warning in profiles.warnings:
        print(warning, file=sys.stderr)
    return profiles


def _explain(options: argparse.Namespace) -> int:
    deciders = _deciders(options)
    cluster = Cluster(load(*options.files), api_of(deciders))
    for warning in cluster.report.lines():
        print(warning, file=sys.stderr)
    one = options.pod is not None
    decisions = [explain_one(cluster, options.pod, deciders)] if one else explain_all(cluster, deciders)
    print(_rendered(list(decisions), options.output))
    return 0


def _compare(options: argparse.Namespace) -> int:
    from kschedlab.views.comparison import comparison_html, comparison_text
    from kschedlab.whatif.compare import compare

    objects = load(*options.files)
    if all(pod.key != options.pod for pod in objects.pods):
        raise UsageError(f'no pod "{options.pod}"')
    comparison = compare(objects, options.pod, tuple(GENERATIONS.values()))
    print((comparison_html if options.output == "html" else comparison_text)(comparison))
    return 0


def _simulate(options: argparse.Namespace) -> int:
    from time import perf_counter

    from kschedlab.simulation.simulation import Simulation
    from kschedlab.simulation.timeline.scenario import load_scenario
    from kschedlab.views.simulation import Bar, pods_text, report_text

    scenario = load_scenario(*options.files, workload=options.workload)
    for warning in scenario.report.lines():
        print(warning, file=sys.stderr)
    deciders = _deciders(options) if options.config is not None else options.generation
    simulation = Simulation.of(scenario, deciders, options.seed)
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


def _sheet(options: argparse.Namespace) -> int:
    from kschedlab.lab.exercises.sheet import answers, sheet

    if options.answers:
        print(answers(options.lesson, options.seeds))
    else:
        print(sheet(options.lesson, options.seeds, options.solutions))
    return 0


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


def explain_one(cluster: Cluster, pod: str, deciders: Deciders) -> Decision:
    """Decide for one pod. A running pod is taken off its node first: why would it go there?"""
    fork = cluster.fork()
    if pod in fork.pods.row_of:
        info = _pending_again(fork.evict(pod))
    elif pod in fork.pending:
        info = fork.pending[pod]
    else:
        known = [*fork.pending, *fork.pods.row_of]
        raise UsageError(
            f'no pod "{pod}"; there are {len(known)}: {", ".join(known[:10])}{", ..." * (len(known) > 10)}'
        )
    if (generation := decider(deciders, info.pod)) is None:
        raise UsageError(no_profile(info))
    return Scheduler(fork, generation, survey=True).decide(info)


def explain_all(cluster: Cluster, deciders: Deciders) -> Iterator[Decision]:
    """Decide for every pending pod in queue order; each finds the cluster as those before it left it."""
    fork = cluster.fork()
    for info in queue_order(fork.pending.values()):
        if (generation := decider(deciders, info.pod)) is None:
            print(f"passed over: {no_profile(info)}", file=sys.stderr)
            continue
        decision = Scheduler(fork, generation, survey=True).decide(info)
        fork = fork.fork()
        Scheduler(fork, generation, survey=True).commit(decision)
        yield decision


def _pending_again(info: PodInfo) -> PodInfo:
    spec = msgspec.structs.replace(info.pod.spec, nodeName="")
    return replace(info, pod=msgspec.structs.replace(info.pod, spec=spec))


def _rendered(decisions: list[Decision], output: str) -> str:
    if output == "json":
        return "\n".join(
            msgspec.json.encode(d.to_dict() | {"pod": d.pod.key, "event": d.event}).decode() for d in decisions
        )
    if output == "html":
        from kschedlab.views.tables import page_html

        return page_html(decisions)
    return "\n\n".join(str(d) for d in decisions) if decisions else "no pending pods"
