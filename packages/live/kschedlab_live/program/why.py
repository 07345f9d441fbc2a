"""``kubectl why`` and ``kschedlab why``: why a pod of the cluster is pending, or where it is."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING

from kschedlab.generations import Generation
from kschedlab.objects.problems import UnknownNameError
from kschedlab.program.main import main
from kschedlab.program.options import (
    Commands,
    UsageError,
    add_output,
    add_scheduler,
    chosen_profiles,
    print_json,
    say,
    screen,
)
from kschedlab.program.progress import Progress

if TYPE_CHECKING:
    from kschedlab.cluster.cluster import Cluster
    from kschedlab.text.sections import Section
    from kschedlab_live.kubectl import Kubectl
    from kschedlab_live.why.answer import Setting

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
PODS = ("pod", "pods", "po")
OTHER_KINDS = frozenset(
    ("cronjob", "daemonset", "deploy", "deployment", "ds", "job", "node", "replicaset", "rs", "statefulset", "sts")
)
NO_SUCH, UNREADABLE = 1, 3
STATUSES = """\
exit status:
  0  answered, whatever the answer is
  1  there is no such pod or node
  2  wrong usage, or a configuration that cannot be used
  3  kubectl could not read the cluster
130  interrupted

It reads through kubectl, writes nothing, and nothing leaves this machine.
docs/live.md says which rights it needs.
"""


def kubectl_why() -> int:
    """``kubectl why``, as kubectl's plugin: ``kschedlab why``."""
    return main(["why", *sys.argv[1:]], "kubectl")


def add(commands: Commands) -> None:
    """Add the command."""
    parser = commands.add_parser(
        "why",
        help="why a pod of kubectl's cluster is pending, or where it is",
        usage="%(prog)s POD | --pending | --watch [options]",
        description="Why is this pod pending, or where it is, and what would change that? It decides as the nearest "
        "known kube-scheduler to the server's version, unless you choose one.",
        epilog=STATUSES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("pod", nargs="?", metavar="POD", help="the pod: NAME, pod/NAME or NAMESPACE/NAME")
    parser.add_argument("--node", metavar="NODE", default="", help="why not there, beside the node that it gets?")
    parser.add_argument("--pending", action="store_true", help="all pending pods, grouped by cause")
    parser.add_argument("--watch", "-w", action="store_true", help="follow the cluster, and check each decision in it")
    parser.add_argument(
        "--add-node",
        action="append",
        default=[],
        type=_like,
        metavar="like=NODE",
        help="what if there were one more node like this? repeatable",
    )
    add_output(parser, "text", "json")
    parser.add_argument("-o", choices=("text", "json"), default=argparse.SUPPRESS, dest="output", help="as --output")
    add_scheduler(parser, asks_extenders=False)
    passed = parser.add_argument_group("kubectl's flags, passed on")
    passed.add_argument("--namespace", "-n", metavar="NAMESPACE", help="where the pod is (--pending: only there)")
    for name in VALUES:
        short = ("-s",) if name == "server" else ()
        passed.add_argument(f"--{name}", *short, action="append", default=[], dest=f"kubectl_{name}", metavar="VALUE")
    for name in SWITCHES:
        passed.add_argument(f"--{name}", action="store_true", dest=f"kubectl_{name}")
    parser.set_defaults(run=run)


def _like(text: str) -> str:
    word, equals, node = text.partition("=")
    if word != "like" or not equals or not node:
        raise argparse.ArgumentTypeError(f'"{text}": expected like=NODE, the name of a node')
    return node


def run(options: argparse.Namespace) -> int:
    """Answer the question that the options ask."""
    from kschedlab_live.kubectl import Kubectl, KubectlError

    if options.pending + options.watch + (options.pod is not None) != 1:
        raise UsageError("name a pod, or ask for --pending or --watch")
    if options.watch and (options.add_node or options.node or options.output == "json"):
        raise UsageError("--watch takes no --node, --add-node or --output")
    kubectl = Kubectl(flags(options))
    try:
        return (_watch if options.watch else _pending if options.pending else _pod)(options, kubectl)
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
    progress = Progress(sys.stderr)
    progress.announce("kubectl reads the cluster")
    try:
        yield
    finally:
        progress.clear()


def _print(sections: Iterable[Section], options: argparse.Namespace, cluster: Cluster | None) -> None:
    """Write the sections to standard output."""
    from kschedlab.program.terminal.writer import written

    out = screen(options)
    out.print(*written(sections, out, cluster.names if cluster is not None else ()))
    out.close()


def _pod(options: argparse.Namespace, kubectl: Kubectl) -> int:
    from kschedlab_live.why.answer import answer, enlarged
    from kschedlab_live.why.asking import asks_for, gather
    from kschedlab_live.why.text import answer_sections, now

    namespace, name = _named(options, kubectl)
    with _reading():
        setting = gather(kubectl, namespace, asks_for(namespace, name), _given(options), options.generation)
    pod = setting.pod(f"{namespace}/{name}")
    if pod is None:
        _no_pod(setting, namespace, name)
        return NO_SUCH
    larger = None
    if options.add_node and setting.cluster is not None:
        larger, setting.added = enlarged(setting.cluster, options.add_node)
    result = answer(setting, pod, options.node, larger)
    if options.output == "json":
        print_json(result.to_dict())
    else:
        _print(answer_sections(result, now(), options.all), options, setting.cluster)
    return 0


def _named(options: argparse.Namespace, kubectl: Kubectl) -> tuple[str, str]:
    """The pod's namespace and name. UsageError if another kind is named."""
    from kschedlab_live.why.version import context_of

    before, slash, name = options.pod.rpartition("/")
    if not name or "/" in before:
        raise UsageError(f'"{options.pod}" is not a pod: expected NAME, pod/NAME or NAMESPACE/NAME')
    if not OTHER_KINDS.isdisjoint((before, before.partition(".")[0].removesuffix("s"))):
        raise UsageError(f'"{options.pod}" is not a pod: name one of its pods, or ask for --pending')
    if slash and before not in PODS:
        if options.namespace is not None and options.namespace != before:
            raise UsageError(f'"{options.pod}" names the namespace {before}, and --namespace {options.namespace}')
        return before, name
    return options.namespace or context_of(kubectl).namespace, name


def _no_pod(setting: Setting, namespace: str, name: str) -> None:
    from kschedlab_live.why.reading import similar

    say(f"there is no pod {namespace}/{name}")
    if setting.cluster is not None and name in setting.cluster.index:
        say(f"{name} is a node: name a pod, and ask --node {name}")
    if near := similar(name, setting.reading.objects.pods):
        say(f"similar: {', '.join(near)}")
    for gap in setting.reading.gaps:
        if gap.what == "pods":
            say(f"pods of all namespaces cannot be read: {gap.why}")


def _pending(options: argparse.Namespace, kubectl: Kubectl) -> int:
    from kschedlab_live.why.asking import asks_pending, gather
    from kschedlab_live.why.pending import pending_data, pending_sections, sorted_out
    from kschedlab_live.why.text import now

    namespace = options.namespace or ""
    with _reading():
        setting = gather(kubectl, namespace, asks_pending(namespace), _given(options), options.generation)
    groups = sorted_out(setting, namespace, options.add_node)
    if options.output == "json":
        print_json(pending_data(groups))
    else:
        _print(pending_sections(groups, now(), options.all), options, setting.cluster)
    return 0


def _watch(options: argparse.Namespace, kubectl: Kubectl) -> int:
    from kschedlab_live.why.watching import watch

    return watch(kubectl, options.namespace or "", _given(options), options.generation, screen(options))
