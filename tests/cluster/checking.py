"""Checks the columns against columns that are rebuilt from the pods and nodes."""

from __future__ import annotations

import numpy as np

from kschedlab.cluster.columns import Columns
from kschedlab.cluster.interning import Signatures
from kschedlab.cluster.signatures import Signature


def check(cluster: Columns) -> None:
    """Raise AssertionError unless every column and count equals one rebuilt from the pods and nodes."""
    rebuilt = Columns(cluster._older_zone_labels_only)
    rebuilt.signatures = cluster.signatures
    for name in cluster.resources:
        rebuilt._row(name)
    rebuilt._change_nodes((name, cluster.nodes[cluster.index[name]]) for name in cluster._order.by_zone())
    assert cluster.names == rebuilt.names and cluster.index == rebuilt.index, "nodes are in the wrong order"
    assert [node.metadata.name for node in cluster.nodes] == cluster.names, "nodes and names disagree"
    live = np.flatnonzero(cluster.pods.live())
    assert sorted(cluster.pods.row_of.values()) == live.tolist(), "rows and pods disagree"
    for row in live.tolist():
        info = cluster.pods.info(row)
        number = info.signature.number
        assert cluster.pods.row_of[info.key] == row and cluster.pods.signature[row] == number, (
            f"row {row} is not {info.key}"
        )
        assert (cluster.pods.priority[row], cluster.pods.start[row]) == (info.priority, info.start), (
            f"row {row} is outdated"
        )
        rebuilt.bind(info, cluster.names[cluster.pods.node[row]])
    for name in ("allocatable", "max_pods", "requested", "nonzero", "pods_on"):
        assert np.array_equal(getattr(rebuilt, name), getattr(cluster, name)), (
            f"{name} disagrees with the pods and nodes"
        )
    for _, node in (*cluster.without_node.values(), *cluster.nominated_without_node.values()):
        assert node not in cluster.index, f"pods are set aside although node {node} exists"
    rows = cluster.pods.by_signature
    found = [(row, number, place) for number in range(len(rows)) for place, row in enumerate(rows.of(number))]
    assert sorted(row for row, _, _ in found) == live.tolist(), "rows are found twice"
    for row, number, place in found:
        assert (cluster.pods.signature[row], rows._place[row]) == (number, place), f"row {row} is found in vain"
    free = sorted([*cluster.pods._free, *range(cluster.pods._used, len(cluster.pods.node))])
    assert sorted([*live.tolist(), *free]) == [*range(len(cluster.pods.node))], "rows are neither used nor free"
    check_signatures(cluster.signatures)
    for query, column in cluster._counts.columns.items():
        count = np.zeros(len(cluster.nodes), np.int64)
        answers = [query.of(cluster.pods.info(row).signature) for row in live.tolist()]
        np.add.at(count, cluster.pods.node[live], answers)
        assert np.array_equal(count, column), f"the count of {query} disagrees with the pods"


def check_signatures(signatures: Signatures) -> None:
    """Raise AssertionError unless the kept answers and lists equal what all signatures say now."""
    living, free = signatures.living(), set(signatures._free)
    numbers = {signature.number for signature in living}
    assert len(numbers) == len(living) and not numbers & free, "two signatures have one number"
    for query in list(signatures.answered):
        expected = {each.number: answer for each in living if (answer := query.of(each))}
        answers = {number: answer for number, answer in signatures.answers(query).items() if number in numbers}
        assert answers == expected, f"the answers to {query} disagree with the signatures"
    for extract in list(signatures.listed):
        lists: dict[object, list[Signature]] = {}
        for signature in living:
            for item in dict.fromkeys(extract(signature)):
                lists.setdefault(item, []).append(signature)
        for item in {*lists, *signatures._items_of(extract)}:
            found = signatures.with_item(extract, item)
            assert len(found) == len(lists.get(item, [])) and {*found} == {*lists.get(item, [])}, f"{item} is not found"
