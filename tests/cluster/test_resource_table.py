"""A table of amounts equals an array, whether its rows are arrays or lists."""

import tracemalloc

import numpy as np
from hypothesis import given, strategies as st

from kschedlab.build import cluster, node, pod
from kschedlab.cluster.resource_table import ResourceTable
from tests.cluster.checking import check

ROWS, COLUMNS = 5, 24
amounts = st.dictionaries(st.integers(0, ROWS - 1), st.integers(0, 3))
changes = st.one_of(
    st.tuples(st.just("set"), st.integers(0, COLUMNS - 1), amounts),
    st.tuples(st.just("add"), st.integers(0, COLUMNS - 1), amounts),
    st.tuples(st.just("subtract"), st.integers(0, COLUMNS - 1), amounts),
    st.tuples(st.just("rearrange"), st.permutations([*range(COLUMNS - 2), -1, -1]), st.just({})),
)


def apply(change, table: ResourceTable, array: np.ndarray) -> tuple[ResourceTable, np.ndarray]:
    verb, where, change = change
    if verb == "rearrange":
        blank = np.zeros((ROWS, 1), np.int64)
        return table.rearranged(np.array(where)), np.hstack([array, blank])[:, where]
    if verb == "set":
        table.set(where, change)
        array[:, where] = 0
    else:
        table.add(where, change, -1 if verb == "subtract" else +1)
    for row, amount in change.items():
        array[row, where] += -amount if verb == "subtract" else amount
    return table, array


@given(st.lists(changes, max_size=40), st.lists(changes, max_size=10))
def test_a_table_equals_an_array_and_a_copy_is_independent(first, then):
    table, array = ResourceTable(2, COLUMNS), np.zeros((ROWS, COLUMNS), np.int64)
    for _ in range(ROWS - 2):
        table.add_row()
    for change in first:
        table, array = apply(change, table, array)
    copy, before = table.copy(), array.copy()
    for change in then:
        table, array = apply(change, table, array)
    for found, expected in ((table, array), (copy, before)):
        assert np.array_equal(found, expected) and len(found) == ROWS
        assert [found[row].tolist() for row in range(ROWS)] == expected.tolist()
        assert [found[row, 7] for row in range(ROWS)] == expected[:, 7].tolist()
        assert found[[4, 0]].tolist() == expected[[4, 0]].tolist()
        assert found[1:4, [3, 5]].tolist() == expected[1:4, [3, 5]].tolist()


def test_wider_tables_keep_their_amounts():
    table = ResourceTable(1, 8)
    table.add_row()
    table.set(7, {0: 5, 1: 6})
    table.widen(16)
    table.set(23, {0: 1, 1: 2})
    expected = np.zeros((2, 24), np.int64)
    expected[:, 7], expected[:, 23] = (5, 6), (1, 2)
    assert np.array_equal(table, expected)


def test_a_resource_of_its_own_on_every_node_takes_little_memory():
    """1,500 nodes and resources: as arrays, the amounts of nodes alone would take 18 MB."""
    own = [{f"example.com/r{i}": "1"} for i in range(1500)]
    nodes = [node(f"n{i}", allocatable={"cpu": "4", "pods": "110"} | own[i]) for i in range(1500)]
    pods = [pod(f"p{i}", f"n{i}", requests=own[i]) for i in range(1500)]
    tracemalloc.start()
    world = cluster(*nodes, *pods)
    taken = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert taken < 18_000_000 and len(world.resources) == 1503
    row = world.resources["example.com/r7"]
    assert world.allocatable[row].sum() == world.requested[row].sum() == 1
    assert world.allocatable[row, world.index["n7"]] == world.requested[row, world.index["n7"]] == 1
    check(world)
