"""A log read back is the log that was written."""

import tracemalloc

import msgspec
import pytest
from hypothesis import given, strategies as st

from kschedlab.build import node, pod
from kschedlab.manifests.decoding import KINDS
from kschedlab.objects.meta import Time
from kschedlab.objects.model import Node, NodeStatus, ObjectMeta, Pod, PodCondition, PodSpec, PodStatus
from kschedlab.objects.problems import ManifestError
from kschedlab.objects.quantity import Quantity
from kschedlab_simulation.log import Acted, Began, Changed, Log, Measured, Moved, Recorded, Step, read_log
from kschedlab_simulation.simulation import Simulation
from kschedlab_simulation.status import ApiError

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
names = st.from_regex(r"[a-z0-9]{1,8}", fullmatch=True)
times = st.integers(0, 4 * 10**15)
moments = times.map(Time)
maps = st.dictionaries(texts, texts, max_size=2)
metadata = st.builds(
    ObjectMeta,
    name=names,
    namespace=names,
    labels=maps,
    creationTimestamp=moments,
    deletionTimestamp=moments | st.none(),
)
conditions = st.builds(PodCondition, type=texts, status=texts, message=texts, lastTransitionTime=moments | st.none())
statuses = st.builds(PodStatus, phase=texts, nominatedNodeName=names, conditions=st.tuples() | st.tuples(conditions))
amounts = st.sampled_from(["1", "100m", "1.5Gi", "0.1m", "12e3", "32Gi"]).map(Quantity)
nodes = st.builds(
    Node, metadata=metadata, status=st.builds(NodeStatus, allocatable=st.dictionaries(texts, amounts, max_size=2))
)
pods = st.builds(Pod, metadata=metadata, spec=st.builds(PodSpec, nodeName=names, nodeSelector=maps), status=statuses)
others = st.sampled_from(list(KINDS.values())).flatmap(lambda kind: st.builds(kind, metadata=metadata))
objects = st.none() | pods | nodes | others
refusals = st.none() | st.just(ApiError.not_found(Pod, "web").status) | st.just(ApiError.conflict(Node, "n1").status)
entries = st.lists(
    st.builds(Changed, at=st.just(0), type=texts, kind=texts, key=texts, old=objects, new=objects, by=texts)
    | st.builds(Step, at=st.just(0), pod=texts, step=texts, node=texts, detail=texts)
    | st.builds(Moved, at=st.just(0), pod=texts, origin=texts, to=texts, event=texts)
    | st.builds(Recorded, at=st.just(0), kind=texts, key=texts, type=texts, reason=texts, message=texts, related=texts)
    | st.builds(Began, at=st.just(0), generation=texts, seed=st.integers(0, 2**63))
    | st.builds(Acted, at=st.just(0), act=texts, place=texts, error=texts, status=refusals)
    | st.builds(Measured, at=st.just(0), name=texts, on=st.booleans(), namespaces=st.tuples(texts), labels=maps),
    max_size=6,
)


def log_of(given_entries):
    log = Log()
    for entry in given_entries:
        log.write(entry)
    return log


@given(entries, st.lists(times, min_size=6, max_size=6))
def test_a_log_read_back_is_the_log_that_was_written(found, moments_given):
    log = log_of(msgspec.structs.replace(entry, at=at) for entry, at in zip(found, sorted(moments_given), strict=False))
    again = read_log(log.lines())
    assert again.entries == log.entries
    assert list(again.lines()) == list(log.lines())


@given(entries)
def test_nobody_can_change_what_is_in_a_log(found):
    for entry in found:
        with pytest.raises(AttributeError):
            entry.at = 1


def test_a_part_that_is_written_empty_does_not_replace_one_that_is_not_written():
    written, unwritten = Node(metadata=ObjectMeta(name="a"), status=NodeStatus()), Node(metadata=ObjectMeta(name="b"))
    changes = (unwritten, written), (written, unwritten)
    log = log_of(Changed(at=0, type="", kind="", key="", old=old, new=new) for old, new in changes)
    assert list(read_log(log.lines()).lines()) == list(log.lines())


def test_empty_lines_are_skipped():
    log = log_of([Step(at=1, pod="default/a", step="pop")])
    assert len(read_log(["", *log.lines(), "\n"])) == 1


@pytest.mark.parametrize(
    "line",
    ["{", "3", "[]", '{"entry":"Step"}', '{"entry":"Step","at":"1","pod":"a","step":"b"}', '{"entry":"Other","at":1}']
    + ['{"entry":"Changed","at":1,"type":"ADDED","kind":"Pod","key":"a","new":{"kind":"Nothing"}}']
    + [
        '{"entry":"Changed","at":1,"type":"ADDED","kind":"Node","key":"a","new":{"kind":"Node","status":{"capacity":{"cpu":"x"}}}}'
    ]
    + ["[" * 5000],
)
def test_an_invalid_entry_is_reported_with_its_line(line):
    with pytest.raises(ManifestError, match=r"^run.jsonl:2: is not an entry of a log: "):
        read_log(['{"entry":"Step","at":1,"pod":"a","step":"b"}', line], "run.jsonl")


def test_time_does_not_run_backwards():
    log = log_of([Step(at=2, pod="a", step="pop"), Step(at=1, pod="a", step="bind")])
    with pytest.raises(ManifestError, match=r"<log>:2: is earlier than the entry before it"):
        read_log(log.lines())


def test_a_log_read_back_shares_what_did_not_change():
    """A change's old object is the one that was new before, and equal parts are one object."""
    spec = PodSpec(nodeName="n1", nodeSelector={"a": "b"})
    first, second = (Pod(metadata=ObjectMeta(name=name, namespace="d"), spec=spec) for name in "ab")
    done = msgspec.structs.replace(first, status=PodStatus(phase="Succeeded"))
    room = Node(metadata=ObjectMeta(name="n"), status=NodeStatus(allocatable={"memory": Quantity("1Gi")}))
    same = Node(metadata=ObjectMeta(name="n"), status=NodeStatus(allocatable={"memory": Quantity("1024Mi")}))
    log = Log()
    for kind, key, old, new in (
        ("Pod", "d/a", None, first),
        ("Pod", "d/b", None, second),
        ("Pod", "d/a", first, done),
        ("Pod", "d/a", done, None),
        ("Node", "n", None, room),
        ("Node", "n", room, same),
    ):
        log.write(Changed(at=0, type="MODIFIED", kind=kind, key=key, old=old, new=new, by="test"))
    lines = list(log.lines())
    a, b, changed, gone, *_ = again = read_log(lines).entries
    assert list(read_log(lines).lines()) == lines and '"1024Mi"' not in lines[4]
    assert a.new.spec is b.new.spec is changed.new.spec and a.new.metadata is changed.new.metadata
    assert changed.old is a.new and gone.old is changed.new and gone.new is None
    assert len({id(entry.by) for entry in again}) == 1


def test_a_million_lines_fit_into_a_gigabyte():
    run = Simulation([node("n1"), *(pod(f"p{i}", cpu="1m") for i in range(100))])
    run.run()
    lines = list(run.log.lines())
    tracemalloc.start()
    try:
        log = read_log(lines)
        per_line = tracemalloc.get_traced_memory()[0] / len(log)
    finally:
        tracemalloc.stop()
    assert len(log) > 1000 and per_line < 1000
