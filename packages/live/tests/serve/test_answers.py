"""What a served cluster answers: the codes of its verbs, its bounds, and who may ask."""

import asyncio
import base64
import json
import re
from pathlib import Path
from typing import Any

import pytest

from kschedlab.objects.kinds import RESOURCES
from kschedlab.objects.model import Pod
from kschedlab_live.serve import app
from kschedlab_live.serve.bounds import check_length
from kschedlab_live.serve.custom import completed, defined
from kschedlab_live.serve.discovery import REVIEWS, reviewed, version_info
from kschedlab_live.serve.kinds import SERVED
from kschedlab_live.serve.plane import change_clock
from kschedlab_live.serve.security import checked_path, new_token
from kschedlab_live.wire import statuses
from kschedlab_simulation.log import Changed, LogEntry
from kschedlab_simulation.server.api import ApiServer
from kschedlab_simulation.status import ApiError
from packages.live.tests.serve.test_bounds import running, server

MAPS, SETS = "/api/v1/namespaces/default/configmaps", "/apis/apps/v1/namespaces/default/replicasets"
PODS = "/api/v1/namespaces/default/pods"
MERGE, APPLY = "application/merge-patch+json", "application/apply-patch+yaml?fieldManager=me"
POD_SPEC = {"schedulerName": "nobody", "containers": [{"name": "c", "image": "i"}]}
TEMPLATE = {"metadata": {"labels": {"app": "web"}}, "spec": POD_SPEC}
WEB = {
    "apiVersion": "apps/v1",
    "kind": "ReplicaSet",
    "metadata": {"name": "web"},
    "spec": {"replicas": 0, "selector": {"matchLabels": {"app": "web"}}, "template": TEMPLATE},
}
TARGET = {"target": {"kind": "Node", "name": "n1"}}


def config_map(name: str, **data: str) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": data}


REQUESTS: list[tuple[str, str, Any, str, int]] = [
    ("POST", MAPS, config_map("a"), "", 201),
    ("POST", MAPS, config_map("a"), "", 409),
    ("GET", f"{MAPS}/a", None, "", 200),
    ("GET", f"{MAPS}/b", None, "", 404),
    ("GET", MAPS, None, "", 200),
    ("PUT", f"{MAPS}/a", config_map("a", x="1"), "", 200),
    ("PATCH", f"{MAPS}/a", {"data": {"x": "2"}}, MERGE, 200),
    ("PATCH", f"{MAPS}/a", {"data": {"x": "2"}}, "text/plain", 415),
    ("PATCH", f"{MAPS}/b", config_map("b"), APPLY, 201),
    ("PATCH", f"{MAPS}/b", config_map("b", x="1"), APPLY, 200),
    ("POST", f"{MAPS}/a", config_map("a"), "", 405),
    ("DELETE", f"{MAPS}/a", None, "", 200),
    ("DELETE", MAPS, None, "", 200),
    ("GET", f"{MAPS}/b", None, "", 404),
    ("POST", SETS, WEB, "", 201),
    ("GET", f"{SETS}/web/scale", None, "", 200),
    ("PUT", f"{SETS}/web/scale", {"spec": {"replicas": 1}}, "", 200),
    ("PATCH", f"{SETS}/web/scale", {"spec": {"replicas": 2}}, MERGE, 200),
    ("DELETE", f"{SETS}/web/scale", None, "", 405),
    ("POST", PODS, {"metadata": {"name": "p"}, "spec": POD_SPEC}, "", 201),
    ("POST", f"{PODS}/p/binding", TARGET, "", 201),
    ("POST", f"{PODS}/p/binding", TARGET, "", 409),
    ("GET", f"{PODS}/p/log", None, "", 501),
    ("POST", f"{PODS}/p/eviction", {"metadata": {"name": "p"}}, "", 201),
    ("POST", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", {"spec": {}}, "", 201),
]


def test_each_verb_has_its_code(tmp_path: Path) -> None:
    """The code of the answer, which a Status names, too, unless it is 200."""
    with running(tmp_path) as (_, http):
        for method, path, body, kind, expected in REQUESTS:
            kind, _, query = (kind or "application/json").partition("?")
            content = None if body is None else json.dumps(body).encode()
            answer = http.request(method, f"{path}?{query}", content=content, headers={"Content-Type": kind})
            assert answer.status_code == expected, (method, path, answer.text)
            if answer.json()["kind"] == "Status":
                assert answer.json().get("code", 200) == expected


def test_a_scale_without_replicas_is_zero(tmp_path: Path) -> None:
    """As encoding/json of Go leaves it: autoscaling/v1, ScaleSpec."""
    with running(tmp_path) as (_, http):
        spec = WEB["spec"] | {"replicas": 2}  # type: ignore[operator]
        http.post(SETS, json=WEB | {"spec": spec}).raise_for_status()
        assert http.get(f"{SETS}/web/scale").json()["spec"]["replicas"] == 2
        assert http.put(f"{SETS}/web/scale", json={"spec": {}}).json()["spec"]["replicas"] == 0


def test_watches_are_counted_while_they_are_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(app, "MOST_WATCHES", 2)
    with running(tmp_path) as (_, http):
        for _ in range(3):
            assert http.get(f"{MAPS}?watch=1&timeoutSeconds=0").status_code == 200
        path = f"{MAPS}?watch=1&timeoutSeconds=30"
        with http.stream("GET", path) as first, http.stream("GET", path) as second:
            assert [first.status_code, second.status_code, http.get(path).status_code] == [200, 200, 429]


def test_a_fault_of_ours_is_an_internal_error_and_the_terminal_shows_it_without_the_token(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise TypeError("a fault of ours")

    with running(tmp_path) as (background, http):
        monkeypatch.setattr(ApiServer, "evict", fails)
        answer = http.post(f"{PODS}/p/eviction", json={"metadata": {"name": "p"}})
        assert (answer.status_code, answer.json()["reason"]) == (500, "InternalError")
        assert f"POST {PODS[1:]}/p/eviction failed" in caplog.text and "a fault of ours" in caplog.text
        assert background.server.token not in caplog.text and http.get(PODS).status_code == 200


def test_who_changes_something_is_named_by_the_first_part_of_its_user_agent(tmp_path: Path) -> None:
    with running(tmp_path) as (background, http):
        log: list[LogEntry] = []
        background.server.plane.followers.append(log.extend)
        for name, agent in (("a", "kubectl/v1.37.0 (linux/amd64)"), ("b", "x" * 65)):
            body = {"metadata": {"name": name}, "spec": POD_SPEC}
            http.post(PODS, json=body, headers={"User-Agent": agent}).raise_for_status()
        created = {each.key: each.by for each in log if isinstance(each, Changed) and each.type == "ADDED"}
    assert (created["default/a"], created["default/b"]) == ("kubectl", "x" * 64)


def test_who_is_to_try_again_later_is_told_when(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """v1.37: apiserver pkg/endpoints/handlers/responsewriters/writers.go, ErrorNegotiated."""

    def later(*_: object, **__: object) -> None:
        raise ApiError.too_many_requests("later", retry_after=10)

    with running(tmp_path) as (_, http):
        monkeypatch.setattr(ApiServer, "evict", later)
        answer = http.post(f"{PODS}/p/eviction", json={"metadata": {"name": "p"}})
        assert (answer.status_code, answer.headers["Retry-After"]) == (429, "10")


def test_twenty_warnings_are_sent_at_most(tmp_path: Path) -> None:
    with running(tmp_path) as (_, http):
        fields = {f"unknown{i}": 1 for i in range(25)}
        made = http.post(PODS, json={"metadata": {"name": "p"}, "spec": POD_SPEC | fields}, params={"dryRun": "All"})
        assert len(made.headers.get_list("warning")) == 20


@pytest.mark.parametrize(
    ("failure", "code", "reason"),
    [
        (statuses.not_found(RESOURCES[Pod], "a"), 404, "NotFound"),
        (statuses.already_exists(RESOURCES[Pod], "a"), 409, "AlreadyExists"),
        (statuses.conflict(RESOURCES[Pod], "a"), 409, "Conflict"),
        (statuses.invalid("Pod", "", "a", "spec", "no"), 422, "Invalid"),
        (statuses.unsupported("no"), 415, "UnsupportedMediaType"),
        (statuses.method_not_allowed(), 405, "MethodNotAllowed"),
        (statuses.internal(), 500, "InternalError"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_each_reason_has_its_code(failure: ApiError, code: int, reason: str) -> None:
    """v1.37: apimachinery pkg/api/errors/errors.go."""
    status = statuses.status_json(failure)
    assert (status["code"], status["reason"], status["status"]) == (code, reason, "Failure")


@pytest.mark.parametrize("path", REVIEWS)
def test_the_only_user_may_do_everything(path: str) -> None:
    """Each review has an answer in the API version of its path."""
    answer = reviewed(path)
    api_version, _, plural = path.removeprefix("/apis/").rpartition("/")
    assert (answer["apiVersion"], f"{answer['kind'].lower()}s") == (api_version, plural)
    status = answer["status"]
    assert status.get("allowed", True) is True and status.get("incomplete", False) is False


def test_the_version_is_that_of_the_scheduler() -> None:
    version = version_info("v1.37")
    assert (version["major"], version["minor"], version["gitVersion"]) == ("1", "37", "v1.37.0+kschedlab")


# -- objects that are only kept

CONFIG_MAPS = SERVED["v1", "configmaps"]


@pytest.mark.parametrize(
    ("metadata", "name"),
    [
        ({"name": "a" * 253}, r"a{253}"),
        ({"name": "a" * 254}, ""),
        ({"generateName": "web-"}, r"web-[0-9a-z]{5}"),
        ({"name": "a/b"}, ""),
        ({"name": "."}, ""),
        ({}, ""),
    ],
)
def test_a_name_is_given_or_made(metadata: dict[str, str], name: str, tmp_path: Path) -> None:
    """v1.37: apiserver pkg/storage/names/generate.go, and apimachinery pkg/api/validation/path."""
    kept = server(tmp_path).objects.kept
    data = {"metadata": {"namespace": "default"} | metadata}
    if name:
        assert re.fullmatch(name, kept.create(CONFIG_MAPS, data).metadata.name)
    else:
        with pytest.raises(ApiError, match="metadata.name"):
            kept.create(CONFIG_MAPS, data)


def test_an_object_with_a_finalizer_goes_without_grace(tmp_path: Path) -> None:
    kept = server(tmp_path).objects.kept
    made = kept.create(CONFIG_MAPS, {"metadata": {"name": "a", "namespace": "default", "finalizers": ["x/y"]}})
    metadata = kept.json(kept.delete(CONFIG_MAPS, made, {}))["metadata"]
    assert metadata["deletionGracePeriodSeconds"] == 0 and metadata["deletionTimestamp"]


# -- kinds that clients define


def definition(*versions: str, plural: str = "tabs", group: str = "example.com", **version: Any) -> dict[str, Any]:
    names = {"plural": plural, "kind": "Tab"}
    listed = [{"name": each, "served": True, "storage": i == 0} | version for i, each in enumerate(versions)]
    spec = {"group": group, "scope": "Namespaced", "names": names, "versions": listed}
    return {"metadata": {"name": f"{plural}.{group}"}, "spec": spec}


def test_the_newest_stable_version_is_preferred() -> None:
    """v1.37: apimachinery pkg/version/helpers_test.go, TestCompareKubeAwareVersionStrings, and Kubernetes' docs."""
    names = "v10 v2 v1 v11beta2 v11beta1 v10beta3 v3beta1 v12alpha1 v11alpha2 v2alpha10 foo1 foo10"
    order = names.split()
    made = completed(definition(*sorted(order)), 0)
    assert [api_version for api_version, _ in defined(made)] == [f"example.com/{each}" for each in order]
    assert made["status"]["storedVersions"] == [min(order)]


GROUP_OF_253 = ".".join(["a" * 50] * 4 + ["b" * 49])
DEFINITIONS: list[tuple[dict[str, Any], str]] = [
    (definition(*(f"v{i}" for i in range(1, 51))), ""),
    (definition(*(f"v{i}" for i in range(1, 52))), "spec.versions"),
    (definition("v1", group=GROUP_OF_253), ""),
    (definition("v1", group=f"{GROUP_OF_253}b"), "spec.group"),
    (definition("v1", plural="a" * 63), ""),
    (definition("v1", plural="a" * 64), "spec.names.plural"),
    (definition("v1", storage=False), "spec.versions"),
    (definition("v1", "v2", storage=True), "spec.versions"),
]


@pytest.mark.parametrize(("data", "field"), DEFINITIONS, ids=range(len(DEFINITIONS)))
def test_a_definition_has_bounds(data: dict[str, Any], field: str) -> None:
    if not field:
        completed(data, 0)
        return
    with pytest.raises(ApiError) as error:
        completed(data, 0)
    assert error.value.status.details is not None
    assert [each.field for each in error.value.status.details.causes] == [field]


def test_a_definition_has_fifty_columns_at_most() -> None:
    columns = [{"name": f"c{i}", "type": "string", "jsonPath": ".a"} for i in range(60)]
    (served,) = defined(completed(definition("v1", additionalPrinterColumns=columns), 0)).values()
    assert served.custom is not None
    assert [name for name, *_ in served.custom.columns] == [f"c{i}" for i in range(50)]


# -- who may ask, and for how much

TOKEN = "a-token"  # noqa: S105 - of this test
HERE = (b"Host", b"127.0.0.1:80")


def basic(text: str) -> bytes:
    return b"Basic " + base64.b64encode(text.encode())


@pytest.mark.parametrize(
    ("path", "headers", "answer"),
    [
        (f"/{TOKEN}/api", [HERE], "/api"),
        (f"http://127.0.0.1:80/{TOKEN}/api", [HERE], "/api"),
        (f"/{TOKEN}/api", [(b"host", b"LocalHost:80")], "/api"),
        (f"/{TOKEN}/api", [HERE, (b"Sec-Fetch-Site", b"none")], "/api"),
        (f"/{TOKEN}/api", [HERE, (b"Sec-Fetch-Site", b"same-origin")], "/api"),
        ("/readyz", [HERE], "/readyz"),
        ("/api", [HERE, (b"Authorization", b"Bearer a-token")], "/api"),
        ("http://localhost:80/api", [HERE, (b"Proxy-Authorization", basic("x:a-token"))], "/api"),
        ("/api", [HERE, (b"Proxy-Authorization", basic("a-token"))], 401),
        ("/api", [HERE, (b"Proxy-Authorization", basic("a-token:"))], 401),
        ("/api", [HERE, (b"Proxy-Authorization", b"Basic ?")], 401),
        ("/api", [HERE, (b"Authorization", b"Bearer another")], 401),
        ("/api", [HERE], 401),
        (f"/{TOKEN}", [HERE], 401),
        (f"/{TOKEN}/api", [], 403),
        (f"/{TOKEN}/api", [HERE, HERE], 403),
        (f"/{TOKEN}/api", [(b"Host", b"127.0.0.1:81")], 403),
        (f"/{TOKEN}/api", [HERE, (b"Origin", b"null")], 403),
        (f"/{TOKEN}/api", [HERE, (b"Sec-Fetch-Site", b"same-site")], 403),
    ],
)
def test_who_may_ask(path: str, headers: list[tuple[bytes, bytes]], answer: str | int) -> None:
    try:
        found: str | int = checked_path(path, headers, TOKEN, 80)
    except ApiError as error:
        found = error.code
    assert found == answer


def test_a_token_has_256_bits() -> None:
    one, other = new_token(), new_token()
    assert one != other and len(base64.urlsafe_b64decode(f"{one}=")) == 32


@pytest.mark.parametrize(
    ("length", "code"),
    [("", 0), ("0", 0), ("3145728", 0), ("3145729", 413), ("9" * 19, 413), ("9" * 20, 400), ("x", 400), ("-1", 400)],
)
def test_a_body_has_three_mebibytes_at_most(length: str, code: int) -> None:
    """v1.37: apiserver pkg/server/config.go, MaxRequestBodyBytes."""
    if not code:
        check_length(length)
        return
    with pytest.raises(ApiError) as error:
        check_length(length)
    assert error.value.code == code
    assert code == 400 or "at most 3 MiB" in str(error.value)


@pytest.mark.parametrize(("step", "refused"), [("0s", True), ("1us", False), ("720h", False), ("720h1us", True)])
def test_a_step_is_thirty_days_at_most(step: str, refused: bool, tmp_path: Path) -> None:
    plane = server(tmp_path).plane
    if refused:
        with pytest.raises(ApiError, match="at most 30 days"):
            asyncio.run(change_clock(plane, {"paused": True, "step": step}))
    else:
        asyncio.run(change_clock(plane, {"paused": True, "step": step}))
