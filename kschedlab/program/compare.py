"""``kschedlab compare``: one decision in all generations, and the rules that differ."""

from __future__ import annotations

import argparse
import sys

from kschedlab.cluster.cluster import Cluster
from kschedlab.explanation import NoProfileError
from kschedlab.generations import GENERATIONS
from kschedlab.objects.problems import UnknownNameError
from kschedlab.program.options import (
    Commands,
    UsageError,
    add_files,
    add_output,
    add_plugins,
    check_not_finished,
    print_html,
    read,
    screen,
    with_plugins,
)
from kschedlab.program.progress import Progress

LARGE = 1000
"""Number of nodes and pods beyond which a comparison can take two seconds."""


def add(commands: Commands) -> None:
    parser = commands.add_parser(
        "compare", help="compare one decision in all generations, and name the rules that differ"
    )
    add_files(parser, "manifests, as for explain")
    parser.add_argument("--pod", metavar="NAMESPACE/NAME", required=True, help="the pod to decide for")
    add_output(parser, "text", "html")
    add_plugins(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Compare the decision for one pod."""
    from kschedlab.whatif.compare import compare

    objects = read(options)
    check_not_finished(objects, options.pod)
    generations = [with_plugins(generation, options) for generation in GENERATIONS.values()]
    progress = Progress(sys.stderr)
    if len(objects.nodes) + len(objects.pods) > LARGE:
        progress.announce(f"deciding in {len(generations)} generations")
    try:
        comparison = compare(options.pod, Cluster(objects), generations)
    except (UnknownNameError, NoProfileError) as error:
        raise UsageError(str(error)) from None
    finally:
        progress.clear()
    if options.output == "html":
        print_html(comparison._repr_html_())
        return 0
    from kschedlab.program.terminal.writer import limits, written

    out = screen(options)
    names = next(iter(comparison.decisions.values())).cluster.names
    out.print(*written(comparison.sections(limits(out)), out, names))
    out.close()
    return 0
