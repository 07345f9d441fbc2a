"""``kschedlab compare``: one decision in several generations, or all pods in two, and the rules that differ."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from kschedlab.cluster.cluster import Cluster
from kschedlab.generations import COURSE, GENERATIONS, LATEST
from kschedlab.program import hooks
from kschedlab.program.options import (
    Commands,
    UsageError,
    add_files,
    add_output,
    add_plugins,
    check_not_finished,
    generation_name,
    print_html,
    read,
    screen,
    with_plugins,
)
from kschedlab.program.progress import Progress

if TYPE_CHECKING:
    from kschedlab.shown import Shown

LARGE = 1000
"""Number of nodes and pods beyond which a comparison can take two seconds."""


def add(commands: Commands) -> None:
    help = "compare decisions in several generations, and name the rules that differ"
    parser = commands.add_parser("compare", help=help)
    add_files(parser, "manifests, as for explain")
    parser.add_argument("--pod", metavar="NAMESPACE/NAME", help="the pod to decide for (default: all)")
    parser.add_argument(
        "--generation",
        dest="generations",
        action="append",
        type=generation_name,
        choices=tuple(GENERATIONS),
        metavar="VERSION",
        help=f"one to compare; repeatable (default: {', '.join(COURSE)}; without --pod: two, the second {LATEST})",
    )
    add_output(parser, "text", "html")
    add_plugins(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    objects = read(options)
    if options.pod is not None:
        check_not_finished(objects, options.pod)
    names = _compared(options)
    generations = [with_plugins(GENERATIONS[name], options) for name in names]
    with Progress(sys.stderr) as progress:
        if len(objects.nodes) + len(objects.pods) > LARGE:
            progress.announce(f"deciding in {len(generations)} generations")
        comparison: Shown
        if options.pod is not None:
            from kschedlab.whatif.compare import compare

            comparison = compare(options.pod, Cluster(objects), generations)
        else:
            comparison = hooks.part("upgrade", "compare without --pod")(Cluster(objects), *generations)
    if options.output == "html":
        print_html(comparison._repr_html_())
        return 0
    from kschedlab.program.terminal.writer import limits, written

    out = screen(options)
    nodes = tuple(node.metadata.name for node in objects.nodes)
    out.print(*written(comparison.sections(limits(out)), out, nodes))
    out.close()
    return 0


def _compared(options: argparse.Namespace) -> list[str]:
    """The names of the generations that the options choose. UsageError if all pods are to be compared in too many."""
    chosen = list(dict.fromkeys(options.generations or ()))
    if options.pod is not None:
        return (chosen if len(chosen) != 1 else [*chosen, LATEST]) or list(COURSE)
    if not chosen:
        raise UsageError("name a pod (--pod NAMESPACE/NAME), or the two generations to compare for all pods")
    if len(chosen) == 1:
        chosen.append(LATEST)
    if len(chosen) != 2 or chosen[0] == chosen[1]:
        raise UsageError("without --pod two different generations are compared: --generation v1.28 --generation v1.34")
    return chosen
