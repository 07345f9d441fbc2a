"""Finds English in what is shown in Chinese: names, code, and kube-scheduler's own words may stay."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html.parser import HTMLParser

from kschedlab.text.html import VOID

OWN_WORDS = re.compile(
    "|".join(
        (
            r"\d+/\d+ nodes are available:.*",  # an event of kube-scheduler
            r"(no new claims to deallocate, )?preemption: \d+/\d+ .*",  # the same
            r"Insufficient [\w./-]+|Too many pods",  # reasons of its filters
            r"\d+(\.\d+)?[KMGT]i memory",  # an amount, as the resource's name has it
            r"(disruptionsAllowed|PodDisruptionBudget|status|spec|metadata)[\w.]*",  # fields and kinds
            r"node\(s\) [\w\s'/-]+",  # the same of v1.16
            r"skip schedule deleting pod: \S+|no nodes available to schedule pods",  # what v1.16 logs and says
            r"Binding rejected: .*|\S+ etcdserver: .*|persistentvolumeclaim .* not found",  # the same
            r"cannot allocate all claims",  # why devices are not allocated
            r"no such key: \w+(\. consider using .* optional fields)?",  # an error of a selector
            r"API server|list, watch|\$ kubectl .*|\{key: gpu, operator: Exists\}",
            r"couldn't create key [^”]*|object has no meta: ...|object not found",  # errors of v1.13's queue
            r"object was removed from heap data",  # the same
            r"(Pod \S+ )?already exists( in)?|the nominated map!|pod is already present in the \w+",  # the same
            r"[A-Za-z]\w*\((object\))?|queue\[\d\]",  # a call, a place
            r"[a-z]+…",  # a name that is cut
            r"Shift\+Enter|Ctrl\+Enter",  # keys
            r"[\w.-]*[\w]/[\w.-]+",  # namespace/name
            r"[A-Za-z]+[-_=.\d][\w=.-]*|\w*[a-z][A-Z]\w*|[A-Z]{2,}\w*",  # names with a hyphen, a digit or a hump
        )
    )
)
"""What is English in every language."""
NAMES = frozenset(
    ("urgent", "shop", "jobs", "mail", "logs", "vault", "Pod", "allocatable", "extender", "Go", "map", "status")
    + ("check", "hint", "scheduling", "gates", "etcd", "key", "values")
)
"""Names of pods and budgets in the lessons' clusters; Kubernetes' and Go's own words, which the documents keep."""
OWN_NAMES = {
    "first": "web db report batch",
    "overview": (  # pods, zones and labels; phases and columns; functions of v1.16; words that the documents keep
        "web busy proxy db cache critical batch south north gpu dedicated ssd data another "
        "done broken leaving large "
        "Pending Running Succeeded Failed Terminating Ready none get wide memory taint "
        "Schedule Preempt Reserve Permit Set Nominated Volumes Failure Scheduling record assume bind snapshot "
        "Pre Post Bind Plugins Fit Prioritize Nodes Producer Checks Name Allocation Pods "
        "informer goroutine leader lease list watch condition cordon kubectl kubelet Policy Service Reduce "
        "scheduler server healthz metrics min max No "
        # reasons of v1.16's predicates, broken into lines
        "Insufficient cpu node didn have had no were free ports for the requested pod match selector taints that "
        "tolerate affinity rules volume count exceed conflict available disk pressure hostname unschedulable"
    ),
    "queue": (  # pods; methods and fields of the queue; words that the documents keep
        "ant bee cat dog elk fox gnu hen owl yak new web ssd friend cache db one two three batch transition probe "
        "Add Delete Get Less Pop Push Swap Update Unschedulable add delete update flush key nil namespace name panic "
        "klog informer server condition type reason False false app disk Done Cycle items "
        "Queue Pods Added Node unschedulable"  # parts of names, broken into lines
    ),
    "score": (  # labels of nodes, a taint, a pod, an extender and its reason; the document's words; parts of names
        "web new east west fast slow maintenance cpu memory Thermometer rack is too hot Score worker default "
        "cache disk count requested match node affinity Allocation Allocated Pods Spread "
        "Affinity Balanced Image Least Locality Node Prefer Avoid Inter Pod Topology Taint Toleration"
    ),
    "map_reduce": (  # priorities, broken into lines; pods, settings and fields; words that the documents keep
        "Node Affinity Balanced Image Least Locality Priority Requested Selector Spread Taint Toleration Map Reduce "
        "Function "
        "Resource Allocation Prefer Avoid Inter Pods channel errs goroutine many results worker "
        "affinity spread taints job web name priorities weight kind algorithm Policy Service maintenance rack "
        "cpu memory max"
    ),
    "contents": "Heap Map Policy Reduce Score get kubectl results worker",
    "your_cluster": (  # pools, apps and resources; what is typed; parts of reasons and events, broken into lines
        "ebs ssd general spot data gpu ingress dedicated present nodes all disk cpu memory true init effect mine "
        "cart catalog checkout clickhouse gateway images inference invoices kafka payment pricing recommendations "
        "redis reviews search sessions overhead "
        "available is not helpful had didn match tolerate taint that the pod on node affinity volume conflict "
        "Insufficient Preemption preemption preempting found victims for incoming potential placement "
        "selector satisfy existing pods rules No were unschedulable new claims to deallocate scheduling "
        "untolerated taints unreachable Allocation"
    ),
    "your_plugin": (  # plugins, their label and their reason; part of a name; an error as the framework writes it
        "celsius web api db etl old cold patient Cooler Half Alone warm too hot had other pods "
        "normalize reverse Score plugin plugins running failed with Fit"
    ),
    "devices": (  # claims, pods, a taint; attributes; fields of a claim; parts of selectors, broken into lines
        "rival gpus train eval large allocation broken Broken model memory capacity firmware constraints requests "
        "tolerations count key true false in gi com"
    ),
    # policies, pods, fields of a pod
    "experiments": "default packing lucky cpu memory spec bootstrap name middle means small large",
}
"""By lesson, what else is a name there."""
HEARD = ("data-tip", "data-refuses", "aria-label", "alt")
WORD = re.compile(r"(?<![\w.-])[A-Za-z][a-z]+(?![\w-])")


class Shown(HTMLParser):
    """The texts of markup, and its attributes that a reader sees or hears; code is left out."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._open: list[bool] = []
        self.feed(markup)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        given = {name: text or "" for name, text in attributes}
        if tag not in VOID:
            self._open.append(tag in ("code", "pre", "style") or "monospace" in given.get("style", ""))
        self.texts += [text for name, text in given.items() if name in HEARD]

    def handle_endtag(self, tag: str) -> None:
        self._open.pop()

    def handle_data(self, data: str) -> None:
        if not any(self._open):
            assert "`" not in data, "code is marked up"
            self.texts.append(data)


def english(texts: Iterable[str], lesson: str = "") -> dict[str, str]:
    """The English words in these texts, each with a text that has it; without the names of the lesson."""
    names = NAMES | {*OWN_NAMES.get(lesson, "").split()}
    found: dict[str, str] = {}
    for text in texts:
        for word in WORD.findall(OWN_WORDS.sub(" ", text)):
            if word not in names:
                found.setdefault(word, text)
    return found
