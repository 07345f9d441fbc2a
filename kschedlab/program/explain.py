"""``kschedlab explain``: where pods go and why."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from dataclasses import replace

import msgspec

from kschedlab.cluster.cluster import Cluster
from kschedlab.cluster.pods import PodInfo
from kschedlab.decision import Decision
from kschedlab.generations import Profiles, api_of, profile_for
from kschedlab.manifests.loading import load
from kschedlab.program.decide import no_profile
from kschedlab.program.options import Commands, UsageError, add_files, add_scheduler, chosen_profiles
from kschedlab.queue.order import queue_order
from kschedlab.scheduler import Scheduler


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser("explain", help="say where pods go and why")
    add_files(parser, "manifests: files or folders, YAML or JSON; - is standard input")
    parser.add_argument("--pod", metavar="NAMESPACE/NAME", help="the pod (default: every pending pod, in queue order)")
    parser.add_argument("--output", choices=("text", "json", "html"), default="text")
    add_scheduler(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Explain one pod, or every pending pod."""
    profiles = chosen_profiles(options)
    cluster = Cluster(load(*options.files), api_of(profiles))
    for warning in cluster.report.lines():
        print(warning, file=sys.stderr)
    one = options.pod is not None
    decisions = [explain_one(cluster, options.pod, profiles)] if one else explain_all(cluster, profiles)
    print(_rendered(list(decisions), options.output))
    return 0


def explain_one(cluster: Cluster, pod: str, profiles: Profiles) -> Decision:
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
    if (generation := profile_for(info.pod, profiles)) is None:
        raise UsageError(no_profile(info))
    return Scheduler(fork, generation, exhaustive=True).decide(info)


def explain_all(cluster: Cluster, profiles: Profiles) -> Iterator[Decision]:
    """Decide for every pending pod in queue order; each finds the cluster as those before it left it."""
    fork = cluster.fork()
    for info in queue_order(fork.pending.values()):
        if (generation := profile_for(info.pod, profiles)) is None:
            print(f"passed over: {no_profile(info)}", file=sys.stderr)
            continue
        decision = Scheduler(fork, generation, exhaustive=True).decide(info)
        fork = fork.fork()
        Scheduler(fork, generation, exhaustive=True).commit(decision)
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
