"""``kschedlab compare``: one decision in all generations, and the rules that differ."""

from __future__ import annotations

import argparse

from kschedlab.generations import GENERATIONS
from kschedlab.manifests.loading import load
from kschedlab.program.options import Commands, UsageError, add_files


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser("compare", help="one decision in all generations, and the rules that tell them apart")
    add_files(parser, "manifests, as for explain")
    parser.add_argument("--pod", metavar="NAMESPACE/NAME", required=True)
    parser.add_argument("--output", choices=("text", "html"), default="text")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Compare the decision for one pod."""
    from kschedlab.views.comparison import comparison_html, comparison_text
    from kschedlab.whatif.compare import compare

    objects = load(*options.files)
    if all(pod.key != options.pod for pod in objects.pods):
        raise UsageError(f'no pod "{options.pod}"')
    comparison = compare(objects, options.pod, tuple(GENERATIONS.values()))
    print((comparison_html if options.output == "html" else comparison_text)(comparison))
    return 0
