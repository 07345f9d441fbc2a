"""Running pods as columns: a pod keeps its row while it runs, and free rows are reused."""

import numpy as np
from hypothesis import given, strategies as st

from kschedlab.build import pod
from kschedlab.cluster.pods import PodColumns, PodInfo, Requests
from kschedlab.cluster.signatures import Signature
from kschedlab.cluster.terms import PodTerms
from tests.verdicts import model

ANYBODY = model(pod("p"))


KINDS = [Signature(ANYBODY, PodTerms(), number) for number in range(3)]


def info(name: str, priority: int = 0) -> PodInfo:
    kind = KINDS[priority % 3]
    wants = Requests({"cpu": 7}, {"cpu": 7}, (100, 200), (100, 200))
    return PodInfo(ANYBODY, f"default/{name}", priority, len(name), kind, wants)


def add(columns: PodColumns, name: str, node: int = 0, priority: int = 0) -> int:
    return columns.add(info(name, priority), node, {0: 7})


def by_kind(columns: PodColumns) -> dict[int, list[int]]:
    """The rows of each signature that has any."""
    found = {number: columns.by_signature.of(number) for number in range(9) if columns.by_signature.of(number)}
    assert len({row for rows in found.values() for row in rows}) == sum(map(len, found.values()))
    return {number: sorted(rows) for number, rows in found.items()}


@given(st.lists(st.one_of(st.just("add"), st.integers(0, 99)), max_size=80))
def test_rows_hold_the_running_pods(events):
    """A number removes one of the running pods."""
    columns, running = PodColumns(2), {}
    for number, event in enumerate(events):
        if event == "add":
            running[f"default/p{number}"] = add(columns, f"p{number}", number % 4, priority=number)
        elif running:
            key = list(running)[event % len(running)]
            del running[key]
            columns.remove(key)
        assert columns.row_of == running
        assert set(np.flatnonzero(columns.live())) == set(running.values())
        for key, row in running.items():
            born = int(key.removeprefix("default/p"))
            assert columns.info(row).key == key
            assert (columns.node[row], columns.signature[row], columns.priority[row]) == (born % 4, born % 3, born)
            assert columns.request[:, row].tolist() == [7, 0]
        assert by_kind(columns) == {
            number: sorted(row for row in running.values() if columns.signature[row] == number)
            for number in {int(columns.signature[row]) for row in running.values()}
        }


def test_a_pod_that_changes_its_signature_is_found_by_the_new_one():
    columns = PodColumns(2)
    for name in "abc":
        add(columns, name)
    columns.replace(info("a", priority=1), {0: 7})
    rows = {key.removeprefix("default/"): row for key, row in columns.row_of.items()}
    assert by_kind(columns) == {0: [rows["b"], rows["c"]], 1: [rows["a"]]}
    columns.remove("default/a")
    assert list(by_kind(columns)) == [0]


def test_columns_grow_and_keep_their_pods():
    columns = PodColumns(2)
    rows = [add(columns, f"p{i}", node=i) for i in range(100)]
    assert sorted(rows) == list(range(100))
    assert columns.node[rows].tolist() == list(range(100))
    assert columns.request[:, rows].tolist() == [[7] * 100, [0] * 100]


def test_a_free_row_is_reused():
    columns = PodColumns(2)
    row = add(columns, "a")
    columns.remove("default/a")
    assert add(columns, "b") == row
    assert columns.info(row).key == "default/b"


def test_a_copy_is_independent():
    columns = PodColumns(2)
    add(columns, "a")
    other = columns.copy()
    add(other, "b", node=5)
    other.remove("default/a")
    assert (set(columns.row_of), set(other.row_of)) == ({"default/a"}, {"default/b"})
    assert columns.live().sum() == other.live().sum() == 1


def test_a_new_resource_is_a_row_of_zeros():
    columns = PodColumns(2)
    row = add(columns, "a")
    columns.request.add_row()
    assert columns.request[:, row].tolist() == [7, 0, 0]


def test_a_pod_says_what_it_requests():
    amounts = {"cpu": 500, "memory": 1024, "nvidia.com/gpu": 0}
    wants = Requests(amounts, amounts, (500, 1024), (500, 1024))
    shown = repr(PodInfo(ANYBODY, "default/web", 9, 0, KINDS[0], wants))
    assert shown == "<PodInfo default/web: priority 9, requests cpu=500m, memory=1024>"
    idle = Requests({}, {}, (100, 200), (100, 200))
    assert repr(PodInfo(ANYBODY, "default/idle", 0, 0, KINDS[0], idle)).endswith("requests nothing>")
