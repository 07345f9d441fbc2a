"""Which objects the selectors of a request let through. v1.37: apimachinery pkg/labels, selector_test.go."""

import pytest

from kschedlab.objects.meta import ObjectMeta
from kschedlab_live.serve.kinds import SERVED, Kept
from kschedlab_live.serve.selectors import selected
from kschedlab_simulation.status import ApiError

CONFIG_MAPS, EVENTS = SERVED["v1", "configmaps"], SERVED["v1", "events"]
OBJECTS = {"web": {"app": "web", "tier": "front"}, "db": {"app": "db"}, "bare": {}}


def kept(name: str, labels: dict[str, str] | None = None, **data: object) -> Kept:
    metadata = {"name": name, "namespace": "default", "labels": labels or {}}
    return Kept(metadata=ObjectMeta(name=name, labels=labels or {}), data={"metadata": metadata} | data)


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("", ["web", "db", "bare"]),
        ("app=web", ["web"]),
        ("app==web", ["web"]),
        ("app = web , tier=front", ["web"]),
        ("app!=web", ["db", "bare"]),
        ("app", ["web", "db"]),
        ("!tier", ["db", "bare"]),
        ("app in (web, db)", ["web", "db"]),
        ("app notin (web)", ["db", "bare"]),
        ("app in (web,db),!tier", ["db"]),
        ("tier=", []),
    ],
)
def test_labels(selector: str, expected: list[str]) -> None:
    selects = selected(CONFIG_MAPS, {"labelSelector": selector})
    objects = [kept(name, labels) for name, labels in OBJECTS.items()]
    assert [each.metadata.name for each in objects if selects is None or selects(each)] == expected


@pytest.mark.parametrize("selector", ["a b", "app in web", "=web", "app=web=db", "app in (web", "a/b/c=d"])
def test_what_is_no_label_selector_is_refused(selector: str) -> None:
    with pytest.raises(ApiError, match="unable to parse requirement"):
        selected(CONFIG_MAPS, {"labelSelector": selector})


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        ("involvedObject.name=web", ["first"]),
        ("regarding.name==web,type!=Warning", ["first"]),
        ("type=Warning", ["second"]),
        ("type!=Warning", ["first"]),
        ("source=kubelet", ["second"]),
        ("reason=", ["first", "second"]),
        ("metadata.name=second,metadata.namespace=default", ["second"]),
        ("involvedObject.uid=u", []),
    ],
)
def test_fields_of_events(selector: str, expected: list[str]) -> None:
    events = [
        kept("first", involvedObject={"name": "web"}, type="Normal", source="odd"),
        kept("second", involvedObject={"name": "db"}, type="Warning", source={"component": "kubelet"}),
    ]
    selects = selected(EVENTS, {"fieldSelector": selector})
    assert selects is not None
    assert [each.metadata.name for each in events if selects(each)] == expected


def test_other_kinds_can_be_selected_by_their_name_and_both_selectors_count() -> None:
    both = selected(CONFIG_MAPS, {"fieldSelector": "metadata.name!=web", "labelSelector": "app"})
    assert both is not None
    assert [name for name, labels in OBJECTS.items() if both(kept(name, labels))] == ["db"]


@pytest.mark.parametrize(
    ("served", "selector"),
    [(CONFIG_MAPS, "data.a=b"), (EVENTS, "message=a"), (EVENTS, "type=a,message=b")],
    ids=str,
)
def test_other_fields_are_refused(served, selector: str) -> None:
    with pytest.raises(ApiError, match="field label not supported"):
        selected(served, {"fieldSelector": selector})
