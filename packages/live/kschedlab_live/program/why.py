"""``kubectl why``, and ``kschedlab why`` without a file: why a pod of kubectl's cluster is pending, or where it is."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from kschedlab.generations import GENERATIONS, LATEST, Generation
from kschedlab.objects.problems import UnknownNameError
from kschedlab.program.main import main
from kschedlab.program.options import UsageError, chosen_profiles, generation_name, say, screen
from kschedlab.program.progress import Progress
from kschedlab_why.program import NO_SUCH, answered, grouped, named, no_pod

if TYPE_CHECKING:
    from kschedlab_live.kubectl import Kubectl

VALUES = (
    "as",
    "as-group",
    "as-uid",
    "cache-dir",
    "certificate-authority",
    "client-certificate",
    "client-key",
    "cluster",
    "context",
    "kubeconfig",
    "request-timeout",
    "server",
    "tls-server-name",
    "token",
    "user",
)
"""kubectl's flags with a value that are passed on."""
SWITCHES = ("insecure-skip-tls-verify", "disable-compression")
UNREADABLE = 3


def kubectl_why() -> int:
    """``kubectl why``, as kubectl's plugin: ``kschedlab why``."""
    return main(["why", *sys.argv[1:]], "kubectl")


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add ``--watch`` and kubectl's own flags."""
    passed = parser.add_argument_group("kubectl's cluster, without FILE; its flags are passed on")
    passed.add_argument("--watch", "-w", action="store_true", help="follow the cluster, and check each decision in it")
    passed.add_argument(
        "--upgrade",
        type=generation_name,
        choices=tuple(GENERATIONS),
        metavar="VERSION",
        help="which pods would that version's default scheduler place differently, and by which change?",
    )
    for name in VALUES:
        short = ("-s",) if name == "server" else ()
        passed.add_argument(f"--{name}", *short, action="append", default=[], dest=f"kubectl_{name}", metavar="VALUE")
    for name in SWITCHES:
        passed.add_argument(f"--{name}", action="store_true", dest=f"kubectl_{name}")


def run(options: argparse.Namespace) -> int:
    """Answer the question that the options ask."""
    from kschedlab_live.kubectl import Kubectl, KubectlError

    upgrading = options.upgrade is not None
    if options.pending + options.watch + upgrading + (options.pod is not None) != 1:
        raise UsageError("name a pod, or ask for --pending, --watch or --upgrade")
    if upgrading and (
        options.add_node or options.node or options.output == "json" or options.config or options.plugins
    ):
        raise UsageError("--upgrade compares default schedulers: no --node, --add-node, --output, --config or --plugin")
    if options.watch and (options.add_node or options.node or options.output == "json"):
        raise UsageError("--watch takes no --node, --add-node or --output")
    kubectl = Kubectl(flags(options))
    try:
        asked = _watch if options.watch else _pending if options.pending else _upgrade if upgrading else _pod
        return asked(options, kubectl)
    except KubectlError as error:
        say(f"kubectl: {error}")
        return UNREADABLE
    except UnknownNameError as error:
        say(str(error))
        return NO_SUCH


def flags(options: argparse.Namespace) -> tuple[str, ...]:
    """The flags for kubectl, each in one word, so that no value can pass for a flag."""
    chosen = vars(options)
    values = [f"--{name}={value}" for name in VALUES for value in chosen[f"kubectl_{name}"]]
    return (*values, *(f"--{name}" for name in SWITCHES if chosen[f"kubectl_{name}"]))


def _given(options: argparse.Namespace) -> Mapping[str, Generation] | None:
    """The profiles of ``--config``, or of ``--plugin``; None to take the cluster's own."""
    if options.config is None and not options.plugins:
        return None
    profiles = chosen_profiles(options)
    return {"default-scheduler": profiles} if isinstance(profiles, Generation) else profiles


@contextmanager
def _reading() -> Iterator[None]:
    """Say that kubectl reads, which takes long in a large cluster."""
    with Progress(sys.stderr) as progress:
        progress.announce("kubectl reads the cluster")
        yield


def _pod(options: argparse.Namespace, kubectl: Kubectl) -> int:
    from kschedlab_live.why.asking import asks_for, gather
    from kschedlab_live.why.version import context_of

    namespace, name = named(options)
    namespace = namespace or context_of(kubectl).namespace
    with _reading():
        setting = gather(kubectl, namespace, asks_for(namespace, name), _given(options), options.generation)
    pod = setting.pod(f"{namespace}/{name}")
    return no_pod(setting, namespace, name) if pod is None else answered(setting, pod, options, now())


def _pending(options: argparse.Namespace, kubectl: Kubectl) -> int:
    from kschedlab_live.why.asking import asks_pending, gather

    namespace = options.namespace or ""
    with _reading():
        setting = gather(kubectl, namespace, asks_pending(namespace), _given(options), options.generation)
    return grouped(setting, options, now())


def _upgrade(options: argparse.Namespace, kubectl: Kubectl) -> int:
    from kschedlab.program.terminal.writer import limits, written
    from kschedlab_live.why.asking import asks_pending, gather
    from kschedlab_live.why.version import nearest
    from kschedlab_why.upgrade import upgrade

    with _reading():
        setting = gather(kubectl, "", asks_pending(""), None, options.generation)
    if setting.cluster is None:
        say("nodes cannot be read: nothing can be compared")
        return UNREADABLE
    for note in setting.notes:
        say(note)
    for gap in setting.reading.gaps:
        say(f"{gap.what} cannot be read: {gap.unknown}")
    own = options.generation or (nearest(setting.server) if setting.server else LATEST)
    found = upgrade(setting.cluster, own, options.upgrade)
    out = screen(options)
    out.print(*written(found.sections(limits(out)), out, setting.cluster.names))
    out.close()
    return 0


def now() -> int:
    """The time in microseconds since 1970."""
    return int(datetime.now(UTC).timestamp() * 1_000_000)


def _watch(options: argparse.Namespace, kubectl: Kubectl) -> int:
    from kschedlab_live.why.watching import watch

    return watch(kubectl, options.namespace or "", _given(options), options.generation, screen(options))
