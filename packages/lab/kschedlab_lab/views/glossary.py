"""The words of the course: the English term, the Chinese documents' term, and its meaning here in one line.

A lesson shows its own words with ``Glossary("heap", "active queue")``; ``docs/glossary.md`` has them all.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from kschedlab.messages import later, listed, say
from kschedlab.objects.problems import InputValueError
from kschedlab.text.html import Html, coded, element
from kschedlab.text.plain import aligned
from kschedlab_lab.views.style import CELL, HEAD, NOWRAP, TABLE


@dataclass(frozen=True)
class Term:
    """``documents``: the first digits of the documents that use the Chinese word; "" if the word is ours."""

    english: str
    chinese: str
    documents: str
    meaning: str


SECTIONS: dict[str, tuple[Term, ...]] = {
    "The whole way": (
        Term("scheduler", "调度器", "002 003", "the program that gives each pending pod a node: kube-scheduler"),
        Term(
            "pod", "Pod", "000 001 002 003 004", "containers that run together on one node; the unit that is scheduled"
        ),
        Term(
            "node",
            "节点",
            "000 001 002 003 004",
            "a machine that runs pods; its `status.allocatable` is what they may use",
        ),
        Term(
            "start-up",
            "启动",
            "003 004",
            "everything before the first pod: configuration, informers, event broadcaster",
        ),
        Term("configuration", "配置", "003 004", "which plugins run, and their order, weights and arguments"),
        Term(
            "event", "事件", "003", "a message about an object, e.g. FailedScheduling; `kubectl describe pod` shows it"
        ),
        Term(
            "informer",
            "监听",
            "003",
            "keeps a local copy of the API server's objects up to date: one list, then a watch",
        ),
        Term("scheduler cache", "缓存", "003", "the scheduler's own picture of nodes and pods, assumed pods included"),
        Term(
            "snapshot",
            "快照",
            "",
            "a copy of the cache at the start of a scheduling cycle; the cycle reads only this copy",
        ),
        Term("scheduling cycle", "调度周期", "003", "filter, score, select and reserve for one pod; one pod at a time"),
        Term(
            "binding cycle", "绑定周期", "", "permit, prebind, bind: in the background, while the next pod is scheduled"
        ),
        Term(
            "extension point",
            "扩展点",
            "002",
            "a place in the cycles where plugins are called: Filter, Score, Bind, ...",
        ),
        Term(
            "plugin",
            "插件",
            "002",
            "one rule of the scheduler: it filters, scores, binds, ... (v1.13, v1.16: algorithm)",
        ),
        Term("framework", "调度框架", "002", "the code that calls the plugins at their extension points"),
        Term(
            "extender",
            "扩展程序",
            "002",
            "a separate program that the scheduler asks over HTTP; the older way to extend it",
        ),
        Term(
            "algorithm",
            "算法",
            "003 004",
            "a predicate or priority function, as v1.13 and v1.16 call what are now plugins",
        ),
        Term("assume", "假定", "", "to count a pod on its node before the API server knows of it"),
        Term("bind", "绑定", "003", "to write the chosen node into the pod's `spec.nodeName`"),
        Term(
            "asynchronous", "异步", "003", "in the background: the scheduler does not wait for the API server's answer"
        ),
        Term(
            "FitError",
            "FitError",
            "003",
            "the error that says no node passed the filters, with each node's reasons",
        ),
    ),
    "Queue": (
        Term("scheduling queue", "调度队列", "003", "the pods that wait for a node: active, backoff and unschedulable"),
        Term("active queue", "activeQ", "001 003", "the heap of the pods to be scheduled next"),
        Term("heap", "堆", "001", "a tree in an array in which no child comes before its parent; the head is next"),
        Term("head of the heap", "堆的头", "001", "the element at index 0, which Pop takes out"),
        Term("array", "数组", "000 001 002 004", "elements with an index; the heap's `queue` holds the pods' keys"),
        Term("key", "key", "000 001 002", "namespace/name of a pod; `items` finds the object and its index by it"),
        Term(
            "less function", "比较方法", "001", "says which of two pods comes first: `activeQComp`, later PrioritySort"
        ),
        Term(
            "producer and consumer",
            "生产者/消费者",
            "001",
            "one side adds pods, the other waits until there is one to pop",
        ),
        Term(
            "pod timestamp",
            "最后一次被调度的时间",
            "001",
            "the time that decides between pods of equal priority: `podTimestamp`",
        ),
        Term(
            "unschedulable pods",
            "unschedulableQ",
            "001 003",
            "pods that were tried and found no node; an event brings them back",
        ),
        Term("backoff", "退避", "", "the time a failed pod waits before its next try; it doubles with each failure"),
        Term(
            "move request",
            "移动请求",
            "",
            "an event that may help failed pods; its cycle's number decides where a pod goes",
        ),
        Term(
            "queueing hint", "入队提示", "", "a plugin's answer (v1.37): does this event help the pod that I refused?"
        ),
        Term(
            "nominated pod",
            "抢占资源而成功的pods",
            "001",
            "a pod that has evicted others and waits for its node: `status.nominatedNodeName`",
        ),
        Term("scheduling gate", "调度门控", "", "a pod that has one is not yet to be scheduled (v1.37)"),
    ),
    "Filter": (
        Term(
            "filter",
            "预选",
            "003 004",
            "finding the nodes that can take the pod (v1.13, v1.16: predicates; later: Filter plugins)",
        ),
        Term("to filter out", "过滤", "000 003", "to refuse a node; each filter gives its reasons"),
        Term("predicate", "预选算法", "003", "a filter in v1.13 and v1.16, with a fixed order"),
        Term("feasible node", "可行节点", "002", "a node that has passed all filters (002: 候选节点)"),
        Term("host", "宿主机", "003", "the node, seen from the pod"),
        Term(
            "request",
            "request需求",
            "003",
            "the CPU, memory, ... that a container asks for; the sum over a node's pods must fit",
        ),
        Term("taint and toleration", "污点与容忍", "", "a node repels pods that do not tolerate its taints"),
        Term(
            "affinity",
            "亲和性",
            "",
            "a pod's wish, or demand, to run on certain nodes or near certain pods, named by labels",
        ),
        Term("topology spread", "拓扑分布", "", "similar pods should be spread evenly over zones or nodes"),
        Term("nodes to find", "最多需要检查的节点数", "003", "the search ends when this many feasible nodes are found"),
        Term(
            "percentage of nodes to score",
            "百分比",
            "003",
            "the share of nodes to find; if not set, it shrinks as the cluster grows",
        ),
        Term(
            "concurrent",
            "并发",
            "003",
            "several workers at once; the document's filters run node by node in 16 of them",
        ),
    ),
    "Score": (
        Term(
            "score phase",
            "优选",
            "004",
            "finding the best of the feasible nodes (v1.13, v1.16: priorities; later: Score plugins)",
        ),
        Term("scoring", "打分", "002 003 004", "to give a node a number: 0 to 10 in v1.13 and v1.16, 0 to 100 later"),
        Term("score", "得分", "002 003", "a node's number; raw from the plugin, then normalised, then weighted"),
        Term("total score", "总得分", "002", "the sum of a node's weighted scores over all plugins"),
        Term("summing", "汇总", "002 004", "from scores by plugin and node to one number a node"),
        Term("weight", "权重", "003 004", "the factor of a plugin's score in the sum"),
        Term("weighted score", "加权评分", "003", "score x weight"),
        Term(
            "normalising",
            "归一化",
            "004",
            "to bring raw scores to the range 0 to 100 once all nodes are scored, rounded down (004: 二次打分)",
        ),
        Term("random choice", "随机", "002 004", "v1.16, v1.20: all nodes with the highest total are equally likely"),
        Term(
            "reservoir sampling",
            "蓄水池抽样",
            "",
            "a fair draw in one pass: it holds one node, and takes the k-th equal one instead with probability 1/k",
        ),
    ),
    "Map and reduce": (
        Term("map", "单点", "004", "the first step of a priority: a raw score for one node, without looking at others"),
        Term(
            "reduce",
            "聚合",
            "004",
            "the second step: one algorithm looks at all of its nodes' scores and normalises them",
        ),
        Term(
            "in parallel",
            "并行",
            "004",
            "Map runs over nodes in 16 workers, Reduce with a goroutine for each algorithm",
        ),
        Term("lock-free", "无锁", "004", "no lock is needed, since no two workers write to the same place"),
        Term("data race", "数据竞争", "004", "two workers use one place at the same time, and one of them writes"),
        Term("two-dimensional array", "二维数组", "004", "`results[algorithm][node]`: a place for each pair"),
        Term(
            "index", "索引", "000 004", "the number of an algorithm or a node; together they say where a result belongs"
        ),
        Term(
            "adding up",
            "累加",
            "003 004",
            "the last step, in one goroutine: the sum of weight x score over the algorithms",
        ),
    ),
    "Preemption": (
        Term("preemption", "抢占", "000 001 003", "making room for a more important pod by evicting others"),
        Term("target node", "目标节点", "000", "the node on which pods are evicted"),
        Term(
            "candidate",
            "候选节点",
            "000",
            "a node on which evicting pods makes room, with its victims",
        ),
        Term("victim", "被抢占的 Pod", "000", "a pod that is evicted to make room (also: eviction, 驱逐)"),
        Term("eviction", "驱逐", "", "a pod is deleted so that another gets its place"),
        Term("priority", "优先级", "000 001 003 004", "`spec.priority`, a 32-bit number; higher is more important"),
        Term("reprieve", "赦免", "", "a pod that was to be evicted may stay after all"),
        Term(
            "PodDisruptionBudget",
            "干扰预算",
            "000",
            "how many pods of an application may be evicted at once (also: 中断预算)",
        ),
        Term(
            "violation", "violation", "000", "a victim whose eviction breaks a budget; `NumPDBViolations` counts them"
        ),
        Term(
            "sum of priorities", "优先级的总和", "000", "over a node's victims, each plus 2³¹, so that none is negative"
        ),
        Term(
            "start time",
            "启动时间",
            "",
            "`status.startTime`, set by the kubelet (the document says 创建时间, creation time)",
        ),
        Term("ladder of rules", "筛选", "000", "each rule keeps the nodes with the best value, until one is left"),
        Term("nominated node", "NOMINATED NODE", "003", "the node on which a pod waits for its victims to leave"),
        Term("tie", "平局", "", "several nodes are equal in everything that is compared"),
    ),
    "Generations and your cluster": (
        Term("generation", "版本", "001", "v1.13, v1.16, v1.20 or v1.37: a table in `kschedlab/generations`"),
        Term(
            "rule", "规则", "003", "a named difference between generations; code asks for the name, never for a version"
        ),
        Term("policy", "调度策略", "", "the configuration of v1.13 to v1.20: predicates and priorities by name"),
        Term("profile", "调度配置", "", "the configuration of v1.20 and later: plugins for each schedulerName"),
        Term("pending", "待调度", "", "a pod without a node: not tried yet, or refused by all nodes"),
        Term("manifest", "清单", "", "an object as YAML or JSON, as `kubectl get -o yaml` writes it"),
        Term("what-if", "假设分析", "", "the same decision after one change to the cluster"),
    ),
    "Devices": (
        Term("device", "设备", "", "a piece of hardware that pods get as a whole or in parts, such as a GPU"),
        Term(
            "slice", "资源切片", "", "a ResourceSlice: devices of a node with attributes and capacity, by their driver"
        ),
        Term("device class", "设备类", "", "a name for devices of one sort: a DeviceClass has selectors of its own"),
        Term(
            "claim", "资源申领", "", "a ResourceClaim: which devices are needed; `status.allocation` has those it got"
        ),
        Term("selector", "选择器", "", "an expression in CEL about one device: it is true for devices that will do"),
        Term("constraint", "约束", "", "what the devices of a claim have in common, or must not: `matchAttribute`"),
    ),
}
TERMS = {term.english: term for section in SECTIONS.values() for term in section}
CHINESE = {term.chinese: term for term in TERMS.values()}


class Glossary:
    """A table of these words, English or Chinese, or of all, for notebooks. ValueError if a word is not there."""

    def __init__(self, *words: str) -> None:
        known = CHINESE | TERMS
        if unknown := [str(word) for word in words if word not in known]:
            near = get_close_matches(unknown[0], known, 3, 0.0)
            message = later('"{word}" is not in the glossary; there are {near}, ...')
            raise InputValueError(say(message, word=unknown[0], near=listed(near)))
        self.terms = [known[word] for word in words or TERMS]

    def __repr__(self) -> str:
        rows = ([each.english, each.chinese, say(each.meaning)] for each in self.terms)
        return "\n".join(aligned([_heads(), *rows], ""))

    def _repr_html_(self) -> str:
        return str(_table(self.terms))


def _heads() -> list[str]:
    return ["English", "中文", say("here")]


def _table(terms: Iterable[Term]) -> Html:
    head = (element("th", text, scope="col", style=HEAD) for text in _heads())
    rows = (
        element(
            "tr",
            element("th", each.english, scope="row", style=CELL),
            element("td", each.chinese, lang="zh", style=CELL + NOWRAP),
            element("td", coded(say(each.meaning)), style=CELL),
        )
        for each in terms
    )
    return element("table", element("thead", element("tr", *head)), element("tbody", *rows), style=TABLE)


def page() -> str:
    """The text of ``docs/glossary.md``."""
    lines = [
        "# Glossary",
        "",
        "The words of the course with those of the Chinese documents. The last column says which documents use the",
        "word in this sense; without one, the word is ours. The list is in",
        "`packages/lab/kschedlab_lab/views/glossary.py`, and each lesson shows its own part of it.",
    ]
    for title, terms in SECTIONS.items():
        lines += ["", f"## {title}", "", "| English | 中文 | here | documents |", "|---|---|---|---|"]
        lines += [f"| {t.english} | {t.chinese} | {t.meaning} | {', '.join(t.documents.split())} |" for t in terms]
    return "\n".join(lines) + "\n"
