"""A decision as HTML: well formed, complete, escaped."""

import re
from html.parser import HTMLParser

from kschedlab.build import cluster, node, pod
from kschedlab.explanation import Explanation
from kschedlab.generations import V1_37
from kschedlab.plugins import node_score
from kschedlab.program.explain import page_html
from kschedlab.scheduler import schedule
from kschedlab.text.html import VOID
from kschedlab.text.sections import Names, Section
from kschedlab.text.tables import html
from kschedlab_lab.panels.preemption import Settings, decide


class Balanced(HTMLParser):
    """Fails on a tag that is closed out of turn; collects the text of the rows."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.rows: list[list[str]] = []
        self.tags: set[str] = set()
        self.feed(markup)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.tags.add(tag)
        if tag not in VOID:
            self.open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if {"td", "th"} & set(self.open):
            self.rows[-1][-1] += data


def test_the_tables_of_a_preemption() -> None:
    rows = Balanced(decide(Settings(allowed=1))._repr_html_()).rows
    assert ["4", "NodeResourcesFit", "Insufficient cpunode-a, node-b, node-c, node-d", "may help"] in rows
    assert ["node-b", "keeps (PDB)", "default/jobs-b", "0", "09:30", ""] in rows
    assert ["", "evicts", "default/logs-b", "150", "07:00", "NodeResourcesFit"] in rows
    assert ["", "evicts", "default/shop-b", "100", "09:00", "NodeResourcesFit"] in rows
    sums = ["▶ 3", "smallest sum of victim priorities", "100 + 1×2³¹", "-", "100 + 2×2³¹", "decides: node-a"]
    assert sums in rows


def test_the_table_of_scores_folds_after_ten_nodes_and_keeps_them_all() -> None:
    nodes = [node(f"n{i}", allocatable={"cpu": str(4 + i), "memory": "8Gi", "pods": "10"}) for i in range(14)]
    decision = schedule("default/web", cluster(*nodes, pod("web", cpu="1")))
    assert decision.scores is not None
    rows = Balanced(decision._repr_html_()).rows
    best = {row[0]: row[-1] for row in rows if re.fullmatch(r"n\d+", row[0])}
    rest = {name: row[0] for row in rows if row[0].isdigit() for name in row[2].split(", ")}
    totals = zip(decision.scores.nodes, decision.scores.total, strict=True)
    assert best | rest == {decision.cluster.names[n]: str(total) for n, total in totals}
    assert len(best) == 10 and next(iter(best)) == decision.node


def test_all_refused_nodes_can_be_unfolded() -> None:
    nodes = [node(f"n{i}", unschedulable=True) for i in range(30)]
    markup = schedule("default/web", cluster(*nodes, pod("web")))._repr_html_()
    inside = re.search("<details><summary>n0, n1, n10 and 27 more</summary>(.*?)</details>", markup)
    assert inside and set(inside[1].split(", ")) == {f"n{i}" for i in range(30)}


def test_text_of_a_user_is_escaped() -> None:
    decision = schedule("default/web", cluster(node("n1"), pod("web")))
    object.__setattr__(decision, "error", "<script>alert(1)</script>\u202e")
    markup = decision._repr_html_()
    assert "script" not in Balanced(markup).tags
    assert "&lt;script&gt;alert(1)&lt;/script&gt;[U+202E]" in markup


def test_a_page_stands_alone() -> None:
    markup = page_html([Explanation(decide(Settings(allowed=1))), Explanation(decide(Settings(allowed=0)))])
    assert markup.startswith("<!DOCTYPE html>") and markup.count("<section>") == 2
    assert not re.search(r"(src|href)=", markup) and "http" not in markup
    Balanced(markup)
    assert "no pending pods" in page_html([])


def test_up_to_ten_names_are_not_folded() -> None:
    for number, is_folded in ((10, False), (11, True)):
        names = [f"n{i:02}" for i in range(number)]
        markup = str(html([Section("nodes", [Names(names)])]))
        assert ("<details>" in markup) is is_folded and ", ".join(names) in markup
        assert ("<summary>n00, n01, n02 and 8 more</summary>" in markup) is is_folded


def test_six_candidates_and_ten_of_their_pods_have_rows() -> None:
    for candidates, pods, rows, more in ((6, 10, 15, False), (7, 10, 15, True), (6, 11, 7, False)):
        nodes = [node(f"n{i}", pods if i == 0 else 1) for i in range(candidates)]
        crowd = [pod(f"crowd{i}", "n0", 1) for i in range(pods)]
        alone = [pod(f"alone{i}", f"n{i}", 1, 1) for i in range(1, candidates)]
        world = cluster(*nodes, *crowd, *alone, pod("mine", cpu=1, priority=9))
        markup = schedule("default/mine", world)._repr_html_()
        shown = [row for row in Balanced(markup).rows if row[1:2] and row[1].startswith(("evicts", "keeps"))]
        assert (len(shown), "and 1 more candidate" in markup) == (rows, more)


def test_ten_totals_below_the_best_nodes_have_rows() -> None:
    rank = node_score("Rank")(lambda pod, node: int(node.name[1:]))
    for number, more in ((20, []), (21, ["…"])):
        world = cluster(*(node(f"n{i}") for i in range(number)), pod("web"))
        rows = Balanced(schedule("default/web", world, V1_37.plus(rank).only("Rank"))._repr_html_()).rows
        assert [row[0] for row in rows if row[0] == "…"] == more
