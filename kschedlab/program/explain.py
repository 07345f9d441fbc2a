"""``kschedlab explain``: where pods go and why."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import msgspec

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.decision import Decision
from kschedlab.generations import Profiles, api_of, profile_for
from kschedlab.program.decide import no_profile
from kschedlab.program.options import (
    Commands,
    UsageError,
    add_files,
    add_output,
    add_scheduler,
    chosen_profiles,
    no_pod,
    read,
    say,
    screen,
)
from kschedlab.program.progress import Progress
from kschedlab.queue.order import queue_order
from kschedlab.scheduler import Scheduler

if TYPE_CHECKING:
    from kschedlab.program.terminal.screen import Screen


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser("explain", help="explain where pods go, and why")
    add_files(parser, "manifests: files or folders, YAML or JSON; - is standard input")
    parser.add_argument(
        "--pod", metavar="NAMESPACE/NAME", help="the pod to explain (default: every pending pod, in queue order)"
    )
    add_output(parser, "text", "json", "html")
    add_scheduler(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Explain one pod, or every pending pod."""
    profiles = chosen_profiles(options)
    cluster = Cluster(read(options.files), api_of(profiles))
    for warning in cluster.report.lines():
        say(warning)
    if options.pod is not None:
        decisions = iter([explain_one(cluster, options.pod, profiles)])
    else:
        decisions = _watched(explain_all(cluster, profiles), len(cluster.pending))
    if options.output == "json":
        for decision in decisions:
            print(msgspec.json.encode(decision.to_dict() | {"pod": decision.pod.key, "event": decision.event}).decode())
    elif options.output == "html":
        from kschedlab.views.tables import page_html

        print(page_html(list(decisions)))
    else:
        _print(decisions, screen(options))
    return 0


def _print(decisions: Iterator[Decision], out: Screen) -> None:
    """Print each decision when it is taken, then how many pods found a node.

    Pods that fail one after the other for the same reasons, as replicas do, are named after the first of them.
    """
    from kschedlab.program.terminal.decision import alike, decision_parts, failure, outcome_of, summary

    outcomes: Counter[str] = Counter()
    same: list[str] = []
    latest = None
    for decision in decisions:
        why = None if out.all else failure(decision)
        outcomes[outcome_of(decision)] += 1
        if why is not None and why == latest:
            same.append(decision.pod.key)
            continue
        if outcomes.total() > 1:
            out.print(*alike(same, out), "", out.rule(), "")
        out.print(*decision_parts(decision, out))
        same, latest = [], why
    out.print(*alike(same, out))
    if outcomes.total() != 1:
        out.print(*([""] if outcomes else []), summary(outcomes))
    out.close()


def _watched(decisions: Iterator[Decision], total: int) -> Iterator[Decision]:
    """The decisions, with a progress line while the next one is being taken."""
    progress = Progress(sys.stderr)
    try:
        for done, decision in enumerate(decisions, start=1):
            if sys.stdout.isatty():
                progress.clear()
            yield decision
            progress.show(done, total, "decided")
    finally:
        progress.clear()


def explain_one(cluster: Cluster, pod: str, profiles: Profiles) -> Decision:
    """Decide for one pod. A running pod is taken off its node first: why would it go there?"""
    fork = cluster.fork()
    if pod in fork.pods.row_of:
        info = _pending_again(fork.evict(pod))
    elif pod in fork.pending:
        info = fork.pending[pod]
    else:
        raise UsageError(no_pod(pod, [*fork.pending, *fork.pods.row_of]))
    if (generation := profile_for(info.pod, profiles)) is None:
        raise UsageError(no_profile(info))
    return Scheduler(fork, generation, exhaustive=True).decide(info)


def explain_all(cluster: Cluster, profiles: Profiles) -> Iterator[Decision]:
    """Decide for every pending pod in queue order; each finds the cluster as those before it left it."""
    fork = cluster.fork()
    for info in queue_order(fork.pending.values()):
        if (generation := profile_for(info.pod, profiles)) is None:
            say(f"passed over: {no_profile(info)}")
            continue
        decision = Scheduler(fork, generation, exhaustive=True).decide(info)
        fork = fork.fork()
        Scheduler(fork, generation, exhaustive=True).commit(decision)
        yield decision


def _pending_again(info: PodInfo) -> PodInfo:
    spec = msgspec.structs.replace(info.pod.spec, nodeName="")
    return replace(info, pod=msgspec.structs.replace(info.pod, spec=spec))
