"""``kschedlab experiment``: the same arrivals under several configurations, generations or nodes, over seeds."""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import TYPE_CHECKING

from kschedlab.extras import require
from kschedlab.generations import GENERATIONS, LATEST
from kschedlab.program.options import (
    Commands,
    UsageError,
    add_files,
    add_output,
    add_plugins,
    argument,
    print_json,
    reading,
    say,
    screen,
)
from kschedlab_simulation.program.simulate import scenario_profiles

if TYPE_CHECKING:
    from kschedlab_experiments.arrivals import Arrivals
    from kschedlab_experiments.experiment import Experiment
    from kschedlab_experiments.results import Results
    from kschedlab_experiments.variants import Variant

MOST = 100_000
"""The most seeds, so that a slip does not cost a week."""
_SEEDS = re.compile(r"(\d+)(?:-(\d+))?")


def add(commands: Commands) -> None:
    parser = commands.add_parser(
        "experiment", help="compare configurations, generations or nodes on the same arrivals, over seeds"
    )
    add_files(parser, "what kschedlab simulate reads; with --replay, a cluster's dump; - is not possible")
    parser.add_argument(
        "--config",
        dest="configs",
        action="append",
        default=[],
        metavar="FILE",
        help="compare this KubeSchedulerConfiguration or Policy; repeatable, the first one is what others differ from",
    )
    parser.add_argument(
        "--generation",
        dest="generations",
        action="append",
        default=[],
        choices=tuple(GENERATIONS),
        help="compare this version of the scheduler; repeatable; with one --config or more, only one: their version",
    )
    parser.add_argument(
        "--nodes",
        dest="pools",
        action="append",
        default=[],
        metavar="FILE",
        help="compare the nodes of this file, in place of those of FILE; repeatable",
    )
    add_plugins(parser)
    parser.add_argument(
        "--call-extenders",
        action="store_true",
        help="call the extenders that configurations name: they get the pods and the nodes",
    )
    parser.add_argument(
        "--seeds", type=_seeds, default="1-20", metavar="N-M,...", help="seeds, such as 1-20 or 3,5 (default: 1-20)"
    )
    parser.add_argument("--until", type=_duration, metavar="DURATION", help="stop each run at this virtual time")
    parser.add_argument(
        "--replay",
        action="store_true",
        help="FILE is a dump (kubectl get -o yaml, kubectl cluster-info dump, must-gather): its pods arrive again",
    )
    parser.add_argument("--confidence", type=_confidence, default="0.95", metavar="SHARE", help="(default: 0.95)")
    parser.add_argument("--jobs", type=_jobs, default="1", metavar="N", help="processes (default: 1)")
    parser.add_argument(
        "--out", type=Path, metavar="FILE", help="append each run to FILE; a killed experiment goes on there"
    )
    for name, what in (("html", "a page with charts"), ("csv", "a row per run"), ("parquet", "the same as Parquet")):
        parser.add_argument(f"--{name}", type=Path, metavar="FILE", help=f"write {what}")
    add_output(parser, "text", "json")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Run the experiment: 0. RunErrors are UsageErrors, because an input, a plugin or an executor is at fault."""
    from kschedlab.objects.problems import InputTypeError, InputValueError
    from kschedlab_experiments.running import RunError

    if options.parquet is not None:
        require("parquet", "pyarrow")
    _check_writable(options)
    try:
        experiment = _experiment(_arrivals(options), options)
        pool = None if options.jobs == 1 else lambda: ProcessPoolExecutor(options.jobs, get_context("spawn"))
        results = experiment.run(pool, options.out)
    except (InputTypeError, InputValueError, RunError) as error:
        raise UsageError(str(error)) from None
    _write(results, options)
    return 0


def _experiment(arrivals: Arrivals, options: argparse.Namespace) -> Experiment:
    from kschedlab_experiments.experiment import Experiment

    variants = _variants(options)
    seeds: range | list[int] = options.seeds
    return Experiment(arrivals, variants, seeds, until=options.until, confidence=options.confidence)


def _variants(options: argparse.Namespace) -> list[Variant]:
    from kschedlab_experiments.variants import Variant

    chosen = {"--config": options.configs, "--generation": options.generations, "--nodes": options.pools}
    given = [name for name, values in chosen.items() if len(values) > 1]
    if len(given) > 1:
        raise UsageError(f"{' and '.join(given)} are both given several times: compare one of them, the other once")
    generation = options.generations[0] if len(options.generations) == 1 else None
    config = options.configs[0] if len(options.configs) == 1 else None
    pools = [(pool, _nodes(pool, options)) for pool in options.pools]
    nodes = pools[0][1] if len(pools) == 1 else None
    plugins = tuple(options.plugins)
    if len(options.configs) > 1:
        names = _names(options.configs)
        made = [
            Variant(name, generation, Path(each), nodes=nodes, plugins=plugins)
            for name, each in zip(names, options.configs, strict=True)
        ]
    elif len(options.generations) > 1:
        made = [
            Variant(each, each, config and Path(config), nodes=nodes, plugins=plugins) for each in options.generations
        ]
    elif len(pools) > 1:
        names = _names([path for path, _ in pools])
        made = [
            Variant(name, generation, config and Path(config), nodes=each, plugins=plugins)
            for name, (_, each) in zip(names, pools, strict=True)
        ]
    else:
        name = Path(config).stem if config else generation or LATEST
        made = [Variant(name, generation, config and Path(config), nodes=nodes, plugins=plugins)]
    for variant in made:
        _stay_here(variant, options)
        for warning in variant.warnings:
            say(warning)
    return made


def _names(paths: list[str]) -> list[str]:
    """Short names of these files: without folder and ending, where they differ."""
    short = [Path(path).stem for path in paths]
    return short if len(set(short)) == len(short) else paths


def _stay_here(variant: Variant, options: argparse.Namespace) -> None:
    """UsageError if an extender would send objects to another program without the user's word."""
    from kschedlab.generations import Generation

    profiles = variant.profiles()
    generations = [profiles] if isinstance(profiles, Generation) else list(profiles.values())
    addresses = sorted({each.address for one in generations for each in one.extenders if each.address})
    if addresses and not options.call_extenders:
        would = f"{variant.name}: its extenders would get the pods and the nodes over the network: "
        raise UsageError(f"{would}{', '.join(addresses)}; add --call-extenders if you trust them")


def _nodes(path: str, options: argparse.Namespace) -> tuple[dict[str, object], ...]:
    """The manifests of the nodes in a file. ManifestError."""
    import msgspec

    from kschedlab.manifests.loading import load

    objects = load(path, strict=options.strict)
    if not objects.nodes:
        raise UsageError(f"{path}: has no nodes: name a file with objects of kind Node")
    return tuple(
        msgspec.to_builtins(node, enc_hook=str) | {"apiVersion": "v1", "kind": "Node"} for node in objects.nodes
    )


def _arrivals(options: argparse.Namespace) -> Arrivals:
    from kschedlab_experiments.arrivals.dumps import dump
    from kschedlab_experiments.arrivals.files import Files

    if "-" in options.files:
        raise UsageError("-: each run reads the files: write standard input to a file first")
    with reading(options.files):
        if options.replay:
            trace = dump(*options.files)
            for line in trace.left_out:
                say(line)
            return trace
        files = Files(*options.files, strict=options.strict)
        scenario = files.scenario(0)
    for warning in scenario.report.lines():
        say(warning)
    own = argparse.Namespace(config=None, generation=None, call_extenders=options.call_extenders)
    scenario_profiles(own, scenario.options.config, scenario.options.generation)
    return files


def _check_writable(options: argparse.Namespace) -> None:
    """UsageError now, not after hours, if a file cannot be written."""
    inputs = [path for path in (*options.files, *options.configs, *options.pools) if os.path.exists(path)]
    for path in (options.out, options.html, options.csv, options.parquet):
        if path is None:
            continue
        if path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
            raise UsageError(f"{path}: cannot be written: name a file in a folder that exists and is yours")
        if path.exists() and any(path.samefile(each) for each in inputs):
            raise UsageError(f"{path}: is read by this experiment: write to another file")


def _write(results: Results, options: argparse.Namespace) -> None:
    if options.html is not None:
        from kschedlab_experiments.page import write_page  # plotly takes a second to load

        write_page(results, options.html)
    writers: tuple[tuple[Path | None, Callable[[Path], None]], ...] = (
        (options.csv, results.to_csv),
        (options.parquet, results.to_parquet),
    )
    for path, write in writers:
        if path is not None:
            write(path)
    if options.output == "json":
        print_json(results.to_dict())
        return
    from kschedlab.program.terminal.writer import limits, written

    out = screen(options)
    out.print(*written(results.sections(limits(out)), out))
    out.close()


def _seeds(text: str) -> range | list[int]:
    """``1-20``, ``7`` or ``1-3,9``."""
    seeds: list[int] = []
    for part in text.split(","):
        match = _SEEDS.fullmatch(part.strip())
        if match is None or len(part) > 40:
            raise argparse.ArgumentTypeError(f'"{part[:40]}" is not a seed or a range of seeds such as 1-20')
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first:
            raise argparse.ArgumentTypeError(f"{part} ends before it starts: write {last}-{first}")
        if last - first + 1 + len(seeds) > MOST:
            raise argparse.ArgumentTypeError(f"{part} has more than {MOST:,} seeds")
        seeds += range(first, last + 1)
    return seeds


def _confidence(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f'"{text[:40]}" is not a number between 0 and 1, such as 0.95')
    return value


def _jobs(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text[:9]) <= 1024:
        raise argparse.ArgumentTypeError(f'"{text[:40]}" is not a number of processes from 1 to 1024')
    return int(text)


def _duration(text: str) -> int:
    from kschedlab_simulation.durations import parse_run_time

    return argument(parse_run_time, text)
