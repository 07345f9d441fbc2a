"""Checks the columns against columns that are rebuilt from the pods and nodes."""

from __future__ import annotations

import numpy as np

from kschedlab.cluster.columns import Columns


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
        assert cluster.pods.row_of[info.key] == row and cluster.pods.signature[row] == info.signature, (
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
    for query in cluster._counts.queries():
        count = np.zeros(len(cluster.nodes), np.int64)
        answers = np.array(
            [query.of(cluster.signatures[signature]) for signature in range(len(cluster.signatures))], np.int64
        )
        np.add.at(count, cluster.pods.node[live], answers[cluster.pods.signature[live]])
        assert np.array_equal(count, cluster._counts[query]), f"the count of {query} disagrees with the pods"
