"""A decision as HTML: well formed, complete, escaped."""

import re
from html.parser import HTMLParser

from kschedlab.build import cluster, node, pod
from kschedlab.explanation import Explanation
from kschedlab.program.explain import page_html
from kschedlab.scheduler import schedule
from kschedlab.text.html import VOID
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
    rows = Balanced(decide(Settings())._repr_html_()).rows
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
    markup = page_html([Explanation(decide(Settings())), Explanation(decide(Settings(allowed=0)))])
    assert markup.startswith("<!DOCTYPE html>") and markup.count("<section>") == 2
    assert not re.search(r"(src|href)=", markup) and "http" not in markup
    Balanced(markup)
    assert "no pending pods" in page_html([])
