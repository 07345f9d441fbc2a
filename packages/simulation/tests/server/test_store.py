"""Stores: their history, and their watches."""

import pytest
from hypothesis import given, strategies as st

from kschedlab.objects.kinds import RESOURCES
from kschedlab.objects.model import Node, ObjectMeta, Pod, PodStatus, Service
from kschedlab_simulation.server.names import field_selector, field_terms
from kschedlab_simulation.server.store import Store, StoreWrite, Watch, with_resource_version
from kschedlab_simulation.status import ApiError

RUNNING = field_selector(Pod, "status.phase!=Succeeded,status.phase!=Failed")


class Writer:
    """Writes pods with increasing resourceVersions, from 2."""

    def __init__(self, history: int = 100) -> None:
        self.store = Store(RESOURCES[Pod], history)
        self.version = 1

    def put(self, name: str, phase: str = "Pending") -> None:
        old = self.store.objects.get(f"default/{name}")
        pod = Pod(metadata=ObjectMeta(name=name, namespace="default"), status=PodStatus(phase=phase))
        self._write("MODIFIED" if old else "ADDED", pod, old)

    def remove(self, name: str) -> None:
        old = self.store.objects[f"default/{name}"]
        self._write("DELETED", old, old)

    def watch(self, version: int, **more) -> Watch:
        return self.store.watch(version, self.version, more.get("filter"), more.get("bookmarks", False), 0)

    def _write(self, type: str, pod: Pod, old: Pod | None) -> None:
        self.version += 1
        self.store.write(
            StoreWrite(self.version * 10, self.version, type, with_resource_version(pod, self.version), old)
        )


def seen(watch: Watch) -> list[tuple[str, str, str]]:
    return [(e.type, e.object.metadata.name, e.object.metadata.resourceVersion) for e in watch]


def test_a_list_is_in_the_order_of_keys_as_etcd_sorts_them() -> None:
    store = Store(RESOURCES[Pod])
    for i, (namespace, name) in enumerate([("a", "z"), ("b", "c"), ("a-b", "x"), ("a", "b")]):
        store.write(StoreWrite(0, i + 2, "ADDED", Pod(metadata=ObjectMeta(name=name, namespace=namespace)), None))
    assert [pod.key for pod in store.items()] == ["a-b/x", "a/b", "a/z", "b/c"]
    assert [pod.key for pod in store.items("a")] == ["a/b", "a/z"]


def test_a_watch_sees_what_comes_after_its_version() -> None:
    writer = Writer()
    writer.put("a")
    writer.put("b")
    watch = writer.watch(2)
    writer.put("a", "Running")
    writer.remove("b")
    assert seen(watch) == [("ADDED", "b", "3"), ("MODIFIED", "a", "4"), ("DELETED", "b", "5")]
    assert seen(watch) == []


def test_a_watch_from_zero_first_sees_existing_objects() -> None:
    writer = Writer()
    writer.put("b")
    writer.put("a")
    writer.put("b", "Running")
    watch = writer.watch(0)
    writer.put("c")
    assert seen(watch) == [("ADDED", "a", "3"), ("ADDED", "b", "4"), ("ADDED", "c", "5")]


def test_a_watch_from_the_future_waits_for_it() -> None:
    writer = Writer()
    watch = writer.watch(3)
    for name in "abc":
        writer.put(name)
    assert seen(watch) == [("ADDED", "c", "4")]


def test_a_version_before_the_history_is_too_old() -> None:
    writer = Writer(history=3)
    for name in "abcde":
        writer.put(name)
    with pytest.raises(ApiError) as found:
        writer.watch(2)
    assert (found.value.code, found.value.reason) == (410, "Expired")
    assert str(found.value) == "too old resource version: 2 (3)"
    assert seen(writer.watch(3)) == [("ADDED", "c", "4"), ("ADDED", "d", "5"), ("ADDED", "e", "6")]


def test_a_history_of_one_change_serves_the_last_version() -> None:
    writer = Writer(history=1)
    writer.put("a")
    writer.put("b")
    assert seen(writer.watch(2)) == [("ADDED", "b", "3")]
    with pytest.raises(ApiError):
        writer.watch(1)


def test_a_history_of_two_changes_serves_both() -> None:
    writer = Writer(history=2)
    for name in "abc":
        writer.put(name)
    assert seen(writer.watch(2)) == [("ADDED", "b", "3"), ("ADDED", "c", "4")]
    with pytest.raises(ApiError):
        writer.watch(1)


def test_a_watch_that_has_not_read_a_forgotten_change_ends() -> None:
    writer = Writer()
    writer.put("a")
    writer.put("b")
    behind, ahead, done = writer.watch(1), writer.watch(2), writer.watch(3)
    writer.store.forget_oldest()
    assert [each.closed for each in (behind, ahead, done)] == [True, False, False]
    assert (seen(behind), seen(ahead)) == ([], [("ADDED", "b", "3")])
    with pytest.raises(ApiError):
        writer.watch(1)
    assert seen(writer.watch(2)) == [("ADDED", "b", "3")]
    assert writer.store.changes == 1


def test_an_object_that_stops_matching_is_deleted_as_it_last_matched() -> None:
    writer = Writer()
    watch = writer.watch(1, filter=RUNNING)
    for phase in ("Pending", "Running", "Succeeded", "Succeeded", "Running"):
        writer.put("a", phase)
    events = list(watch)
    assert [(e.type, e.object.status.phase, e.object.metadata.resourceVersion) for e in events] == [
        ("ADDED", "Pending", "2"),
        ("MODIFIED", "Running", "3"),
        ("DELETED", "Running", "4"),
        ("ADDED", "Running", "6"),
    ]


def test_the_deletion_of_an_unmatched_object_is_not_seen() -> None:
    writer = Writer()
    writer.put("a", "Failed")
    watch = writer.watch(writer.version, filter=RUNNING)
    writer.remove("a")
    assert seen(watch) == []


def test_bookmarks_go_to_watches_that_request_them() -> None:
    writer = Writer()
    without, with_them = writer.watch(1), writer.watch(1, bookmarks=True)
    writer.store.bookmark(77, 0)
    assert seen(without) == []
    assert seen(with_them) == [("BOOKMARK", "", "77")]


def test_a_stopped_watch_sees_nothing_more_and_notifies_once() -> None:
    writer = Writer()
    watch, told = writer.watch(1), []
    watch.on_event = lambda: told.append(watch.closed)
    writer.put("a")
    assert told == [False]
    writer.put("b")
    watch.stop()
    watch.stop()
    writer.put("c")
    assert told == [False, True]
    assert [name for _, name, _ in seen(watch)] == ["a", "b"]
    assert writer.store.watches == []


@pytest.mark.parametrize(
    ("kind", "text", "message"),
    [
        (Pod, "spec.priority=1", "field label not supported: spec.priority"),
        (Pod, "nonsense", "invalid selector: 'nonsense'; can't understand 'nonsense'"),
        (
            Service,
            "spec.type=x",
            '"spec.type" is not a known field selector: only "metadata.name", "metadata.namespace"',
        ),
    ],
)
def test_unsupported_field_selectors_are_rejected(kind, text: str, message: str) -> None:
    with pytest.raises(ApiError, match="^" + message.replace('"', ".").replace("'", ".")) as found:
        field_selector(kind, text)
    assert found.value.code == 400


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("", []),
        (",a=b,,c!=d,", [("a", "b", False), ("c", "d", True)]),
        ("a==b", [("a", "b", False)]),
        ("a!b=c", [("a!b", "c", False)]),
        (r"a=b\,c", [("a", "b,c", False)]),
        (r"a=b\=c\\", [("a", "b=c\\", False)]),
        ("a=b=c", "unescaped character in value: ="),
        ("a=b!=c", "unescaped character in value: ="),
        ("a===b", "unescaped character in value: ="),
        (r"a=b\c", "invalid escape sequence: \\c"),
        ("a=b\\", "invalid escape sequence: \\"),
        ("a=b,c", "invalid selector: 'a=b,c'; can't understand 'c'"),
        ("!a", "invalid selector: '!a'; can't understand '!a'"),
    ],
)
def test_terms_of_field_selectors(text: str, terms: list[tuple[str, str, bool]] | str) -> None:
    """v1.37: apimachinery pkg/fields/selector.go, and the cases of selector_test.go."""
    if isinstance(terms, str):
        with pytest.raises(ApiError) as found:
            field_terms(text)
        assert str(found.value).endswith(terms)
    else:
        assert field_terms(text) == terms


def test_field_selectors_compare_texts() -> None:
    on = Pod(metadata=ObjectMeta(name="a"), status=PodStatus(phase="Running"))
    assert field_selector(Pod, "metadata.name=a,spec.hostNetwork==false,spec.nodeName=")(on)
    assert not field_selector(Pod, "metadata.name!=a")(on)
    assert field_selector(Node, "spec.unschedulable=false")(Node())
    assert field_selector(Pod, "")(on)


WRITES = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from(["Pending", "Running", "Succeeded", None])), max_size=30
)


def follow(start: dict[str, str], watch: Watch) -> dict[str, str]:
    """The state of a client that starts with ``start`` and applies the watch's events."""
    for event in watch:
        name = event.object.metadata.name
        if event.type == "DELETED":
            assert name in start
            del start[name]
        else:
            assert (name in start) == (event.type == "MODIFIED")
            start[name] = event.object.status.phase
    return start


@given(WRITES, st.booleans(), st.integers(1, 40))
def test_a_watch_from_any_kept_version_reaches_the_same_state(writes, filtered: bool, history: int) -> None:
    filter = RUNNING if filtered else None
    writer = Writer(history)
    then: dict[int, dict[str, str]] = {1: {}}
    for name, phase in writes:
        if phase is not None:
            writer.put(name, phase)
        elif f"default/{name}" in writer.store.objects:
            writer.remove(name)
        then[writer.version] = {p.metadata.name: p.status.phase for p in writer.store.items(filter=filter)}
    served = 0
    for version, known in then.items():
        try:
            watch = writer.watch(version, filter=filter)
        except ApiError:
            assert writer.version - version > history
            continue
        served += 1
        assert follow(dict(known), watch) == then[writer.version]
    assert served == min(len(then), history + 1)
    assert follow({}, writer.watch(0, filter=filter)) == then[writer.version]
