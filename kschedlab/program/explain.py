"""``kschedlab explain``: where pods go and why."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kschedlab.cluster.cluster import Cluster
from kschedlab.explanation import Explanation, NoProfileError, each_pending, explain
from kschedlab.generations import Profiles, api_of
from kschedlab.objects.problems import UnknownNameError
from kschedlab.program import hooks
from kschedlab.program.options import (
    Commands,
    UsageError,
    add_files,
    add_moment,
    add_output,
    add_scheduler,
    check_not_finished,
    pod_named,
    print_html,
    print_json,
    read_at,
    say,
    screen,
)
from kschedlab.program.progress import Progress

if TYPE_CHECKING:
    from kschedlab.program.terminal.screen import Screen


MANY = 500
"""The most pending pods whose decisions are printed; of more, how many wait for what, and all only with ``--all``."""


WORKLOADS = ("CronJob.batch", "DaemonSet.apps", "Deployment.apps", "Job.batch")
"""Kinds whose pods only controllers make."""


def add(commands: Commands) -> None:
    parser = commands.add_parser("explain", help="explain where pods go, and why")
    add_files(parser, "manifests: files or folders, YAML or JSON; - is standard input")
    parser.add_argument(
        "--pod", metavar="POD", help="NAME or NAMESPACE/NAME (default: every pending pod, in queue order)"
    )
    add_moment(parser)
    add_output(parser, "text", "json", "html")
    add_scheduler(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Explain one pod, or every pending pod."""
    objects, profiles = read_at(options)
    cluster = Cluster(objects, api_of(profiles))
    made = [kind.partition(".")[0] for kind in WORKLOADS if kind in objects.report.unknown]
    if made and not cluster.pending and options.pod is None:
        say(f"the pods of each {' and '.join(made)} come from its controller: --at 10s runs the controllers first")
    if options.pod is not None:
        pod = pod_named(options.pod, objects)
        check_not_finished(objects, pod)
        explanations = iter([_one(pod, cluster, profiles)])
    else:
        if options.output == "text" and len(cluster.pending) > MANY and hooks.has_part("summary"):
            out = screen(options)
            hooks.part("summary", "explain").print_summary(objects, cluster, profiles, out)
            if not out.all:
                out.folded = True
                out.print("", "--pod NAME explains one decision.")
                out.close()
                return 0
            out.print("", out.rule(), "")
        explanations = _watched(_pending(cluster, profiles), len(cluster.pending))
    if options.output == "json":
        for each in explanations:
            print_json(each.to_dict())
    elif options.output == "html":
        from kschedlab.text.explanation import page_html

        print_html(page_html(list(explanations)))
    else:
        _print(explanations, screen(options))
    return 0


def _one(pod: str, cluster: Cluster, profiles: Profiles) -> Explanation:
    try:
        return explain(pod, cluster, profiles)
    except (UnknownNameError, NoProfileError) as error:
        raise UsageError(str(error)) from None


def _pending(cluster: Cluster, profiles: Profiles) -> Iterator[Explanation]:
    """Explain every pending pod in queue order; standard error names pods without a matching profile."""
    for info, decision in each_pending(cluster, profiles):
        if decision is None:
            say(f"skipped: {NoProfileError(info)}")
        else:
            yield Explanation(decision)


def _print(explanations: Iterator[Explanation], out: Screen) -> None:
    """Print each decision as soon as it is made, then how many pods found a node.

    Consecutive pods that fail for the same reasons, such as replicas, are listed after the first one.
    """
    from kschedlab.program.terminal.pending import alike, failure, outcome_of, summary
    from kschedlab.program.terminal.writer import limits, written

    outcomes: Counter[str] = Counter()
    same: list[str] = []
    latest = None
    for explanation in explanations:
        decision = explanation.decision
        why = None if out.all else failure(decision)
        outcomes[outcome_of(decision)] += 1
        if why is not None and why == latest:
            same.append(decision.pod.key)
            continue
        if outcomes.total() > 1:
            out.print(*alike(same, out), "", out.rule(), "")
        out.print(*written(explanation.sections(limits(out)), out, decision.cluster.names))
        same, latest = [], why
    out.print(*alike(same, out))
    if outcomes.total() != 1:
        out.print(*([""] if outcomes else []), summary(outcomes))
    out.close()


def _watched(explanations: Iterator[Explanation], total: int) -> Iterator[Explanation]:
    """The explanations; a progress line shows while the next one is computed."""
    with Progress(sys.stderr) as progress:
        for done, explanation in enumerate(explanations, start=1):
            if sys.stdout.isatty():
                progress.clear()
            yield explanation
            progress.show(done, total, "decided")
