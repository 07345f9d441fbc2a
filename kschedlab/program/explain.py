"""``kschedlab explain``: where pods go and why."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator

from kschedlab.cluster.cluster import Cluster
from kschedlab.explanation import Explanation, NoProfileError, each_pending, explain
from kschedlab.generations import Profiles, api_of
from kschedlab.program import hooks
from kschedlab.program.options import (
    Commands,
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
from kschedlab.text.html import element
from kschedlab.text.tables import LIMITS, html

MANY = 500
"""The most pending pods whose decisions are printed; of more, how many wait for what, and all only with ``--all``."""

PAGE = (
    ":root{color-scheme:light dark}body{font-family:system-ui,sans-serif;margin:1.5em;line-height:1.4}"
    "section{margin-bottom:2em}"
)
"""The style of the page."""

WORKLOADS = ("CronJob.batch", "DaemonSet.apps", "Deployment.apps", "Job.batch")
"""Kinds whose pods only controllers make."""


def add(commands: Commands) -> None:
    parser = commands.add_parser("explain", help="explain where pods go, and why")
    add_files(parser, "manifests: files or folders, YAML or JSON; - is standard input")
    help = "NAME or NAMESPACE/NAME (default: every pending pod, in queue order)"
    parser.add_argument("--pod", metavar="POD", help=help)
    add_moment(parser)
    add_output(parser, "text", "json", "html")
    add_scheduler(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    objects, profiles = read_at(options)
    cluster = Cluster(objects, api_of(profiles))
    made = [kind.partition(".")[0] for kind in WORKLOADS if kind in objects.report.unknown]
    if made and not cluster.pending and options.pod is None:
        say(f"the pods of each {' and '.join(made)} come from its controller: --at 10s runs the controllers first")
    if options.pod is not None:
        pod = pod_named(options.pod, objects)
        check_not_finished(objects, pod)
        explanations = iter([explain(pod, cluster, profiles)])
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
        print_html(page_html(list(explanations)))
    else:
        from kschedlab.program.terminal.pending import print_all

        print_all(explanations, screen(options))
    return 0


def _pending(cluster: Cluster, profiles: Profiles) -> Iterator[Explanation]:
    """Explain every pending pod in queue order; standard error names pods without a matching profile."""
    for info, decision in each_pending(cluster, profiles):
        if decision is None:
            say(f"skipped: {NoProfileError(info)}")
        else:
            yield Explanation(decision)


def _watched(explanations: Iterator[Explanation], total: int) -> Iterator[Explanation]:
    """The explanations; a progress line shows while the next one is computed."""
    with Progress(sys.stderr) as progress:
        for done, explanation in enumerate(explanations, start=1):
            if sys.stdout.isatty():
                progress.clear()
            yield explanation
            progress.show(done, total, "decided")


def page_html(explanations: Iterable[Explanation]) -> str:
    sections = [element("section", html(each.sections(LIMITS))) for each in explanations]
    head = element("head", element("meta", charset="utf-8"), element("title", "kschedlab"), element("style", PAGE))
    body = element("body", *(sections or [element("p", "no pending pods")]))
    return f"<!DOCTYPE html>{element('html', head, body, lang='en')}"
