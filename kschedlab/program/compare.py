"""``kschedlab compare``: one decision in all generations, and the rules that differ."""

from __future__ import annotations

import argparse
import sys

from msgspec.structs import replace

from kschedlab.generations import GENERATIONS
from kschedlab.objects.model import Pod
from kschedlab.program.options import (
    Commands,
    UsageError,
    add_files,
    add_output,
    add_plugins,
    no_pod,
    read,
    screen,
    with_plugins,
)
from kschedlab.program.progress import Progress

LARGE = 1000
"""A comparison of more nodes and pods than this can take two seconds."""


def add(commands: Commands) -> None:
    """Add the command."""
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
    from kschedlab.views.comparison import comparison_html
    from kschedlab.whatif.compare import compare

    objects = read(options.files)
    _make_pending(objects.pods, options.pod)
    generations = [with_plugins(generation, options) for generation in GENERATIONS.values()]
    progress = Progress(sys.stderr)
    if len(objects.nodes) + len(objects.pods) > LARGE:
        progress.announce(f"deciding in {len(generations)} generations")
    try:
        comparison = compare(objects, options.pod, generations)
    finally:
        progress.clear()
    if options.output == "html":
        print(comparison_html(comparison))
        return 0
    from kschedlab.program.terminal.comparison import comparison_parts

    out = screen(options)
    out.print(*comparison_parts(comparison, out))
    out.close()
    return 0


def _make_pending(pods: list[Pod], key: str) -> None:
    """Take the pod off its node, if it runs: where would it go now? UsageError if it is not there or has finished."""
    for i, pod in enumerate(pods):
        if pod.key == key:
            if pod.status.phase in ("Succeeded", "Failed"):
                raise UsageError(f"pod {key} has finished ({pod.status.phase}): no scheduler looks at it")
            pods[i] = replace(pod, spec=replace(pod.spec, nodeName=""))
            return
    raise UsageError(no_pod(key, [pod.key for pod in pods]))
