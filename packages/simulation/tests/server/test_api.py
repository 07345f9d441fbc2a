"""The API server: the effects of requests, and the messages of rejected ones."""

import re
from typing import Any

import pytest
import simpy
from hypothesis import given, strategies as st
from msgspec.structs import replace

from kschedlab.build import deployment, node, pod
from kschedlab.manifests.decoding import KINDS, decode
from kschedlab.objects.api import API_1_13, API_1_37, Api
from kschedlab.objects.kinds import RESOURCES
from kschedlab.objects.meta import Time
from kschedlab.objects.model import (
    ApiObject,
    Condition,
    Deployment,
    Job,
    Node,
    NodeCondition,
    NodeStatus,
    ObjectMeta,
    OwnerReference,
    Pod,
    PodCondition,
    PodDisruptionBudget,
    PodDisruptionBudgetStatus,
    PodStatus,
    PriorityClass,
    ReplicaSet,
    Service,
    Toleration,
)
from kschedlab_simulation.log import Log
from kschedlab_simulation.server.api import BOOKMARKS, ApiServer
from kschedlab_simulation.status import ApiError

NOON = 1_700_000_000_000_000
SECOND = 1_000_000


def typed(manifest: dict[str, Any]) -> Any:
    document, faults = decode(manifest, manifest["kind"])
    assert not faults
    return document


def web(name: str = "web", on: str = "", /, **spec: Any) -> Pod:
    return typed(pod(name, on, **spec))


def budget(name: str = "b", allowed: int = 1, /, **status: Any) -> PodDisruptionBudget:
    return typed(
        {
            "kind": "PodDisruptionBudget",
            "metadata": {"name": name, "namespace": "default"},
            "spec": {"selector": {"matchLabels": {"app": "web"}}, "minAvailable": 2},
            "status": {"disruptionsAllowed": allowed, "currentHealthy": 3, "desiredHealthy": 2} | status,
        }
    )


def replica_set(labels: str = "web", **spec: Any) -> ReplicaSet:
    template = {"metadata": {"labels": {"app": labels}}, "spec": {"containers": [{"name": "c"}]}}
    return typed(
        {
            "kind": "ReplicaSet",
            "metadata": {"name": "rs"},
            "spec": {"replicas": 2, "selector": {"matchLabels": {"app": "web"}}, "template": template} | spec,
        }
    )


class Server(ApiServer):
    def __init__(self, api: Api = API_1_37, **more: Any) -> None:
        self.env = simpy.Environment(initial_time=NOON)
        self.log = Log()
        super().__init__(self.env, self.log, api, **more)

    def wait(self, seconds: float) -> None:
        self.env.run(until=self.env.now + int(seconds * SECOND))


@pytest.fixture
def api() -> Server:
    return Server()


def refused(request, *arguments: Any, **more: Any) -> ApiError:
    with pytest.raises(ApiError) as found:
        request(*arguments, **more)
    return found.value


# -- create


def test_a_created_pod_has_defaults_and_server_set_fields(api: Server) -> None:
    api.wait(1.5)
    given = replace(web(), metadata=replace(web().metadata, uid="mine", deletionTimestamp=Time(5)))
    made = api.create(given, by="timeline")
    assert made is api.get(Pod, "default", "web")
    assert made.metadata.uid not in ("", "mine")
    assert made.metadata.creationTimestamp == NOON + SECOND  # whole seconds, as on the wire
    assert (made.metadata.resourceVersion, made.metadata.generation) == ("2", 1)
    assert made.metadata.deletionTimestamp is None
    assert (made.status.phase, made.status.startTime) == ("Pending", None)
    assert (made.spec.preemptionPolicy, made.spec.priority) == ("PreemptLowerPriority", 0)
    (entry,) = api.log
    assert (entry.type, entry.kind, entry.key, entry.old, entry.new, entry.by) == (
        "ADDED",
        "Pod",
        "default/web",
        None,
        made,
        "timeline",
    )


def test_resource_versions_are_shared_by_all_kinds(api: Server) -> None:
    made = [api.create(web()), api.create(typed(node("n"))), api.create(budget()), api.create(web("x"))]
    assert [one.metadata.resourceVersion for one in made] == ["2", "3", "4", "5"]
    assert api.list(Service) == ([], "5")
    assert len({one.metadata.uid for one in made}) == 4


def test_cluster_scoped_objects_have_no_namespace(api: Server) -> None:
    made = api.create(Node(metadata=ObjectMeta(name="n", namespace="x")))
    assert made.metadata.namespace == ""
    assert api.get(Node, "", "n") is made
    assert api.create(replica_set()).metadata.namespace == "default"


def test_a_status_is_dropped_except_for_a_nodes(api: Server) -> None:
    assert api.create(budget()).status == PodDisruptionBudgetStatus()
    assert api.create(typed(node("n"))).status.allocatable


@pytest.mark.parametrize(("status", "taints"), [("False", 1), ("Unknown", 1), ("True", 0), ("", 0)])
def test_a_new_node_that_is_not_ready_is_tainted_at_once(api: Server, status: str, taints: int) -> None:
    """So no pod comes before the controller's taints."""
    conditions = (NodeCondition(type="Ready", status=status),) if status else ()
    node = api.create(Node(metadata=ObjectMeta(name="n"), status=NodeStatus(conditions=conditions)))
    assert [(each.key, each.effect) for each in node.spec.taints] == taints * [
        ("node.kubernetes.io/not-ready", "NoSchedule")
    ]


def test_a_name_is_taken_once(api: Server) -> None:
    api.create(web())
    error = refused(api.create, web())
    assert (error.code, str(error)) == (409, 'pods "web" already exists')
    assert len(api.log) == 1


def test_names_are_generated_the_same_for_the_same_seed() -> None:
    def names(seed: int) -> list[str]:
        server = Server(seed=seed)
        given = replace(web(), metadata=ObjectMeta(generateName="web-", namespace="default"))
        return [server.create(given).metadata.name for _ in range(20)]

    assert names(1) == names(1) != names(2)
    assert len(set(names(1))) == 20
    assert all(re.fullmatch("web-[bcdfghjklmnpqrstvwxz2456789]{5}", name) for name in names(1))


def test_a_generated_name_has_63_letters_at_most(api: Server) -> None:
    made = api.create(replace(web(), metadata=ObjectMeta(generateName="x" * 80)))
    assert len(made.metadata.name) == 63


@pytest.mark.parametrize(("taken", "name"), [(7, "web-hhhhh"), (8, None)])
def test_of_eight_generated_names_one_must_be_free(api: Server, monkeypatch, taken: int, name: str | None) -> None:
    """apiserver pkg/registry/generic/registry/store.go, maxNameGenerationCreateAttempts."""
    letters = iter("abcdefghi")
    monkeypatch.setattr(api, "_random", type("Next", (), {"choices": lambda *_, k: next(letters) * k})())
    for letter in "abcdefgh"[:taken]:
        api.create(web(f"web-{letter * 5}"))
    given = replace(web(), metadata=ObjectMeta(generateName="web-"))
    if name is None:
        assert refused(api.create, given).reason == "AlreadyExists"
    else:
        assert api.create(given).metadata.name == name


def test_generated_names_run_out(api: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(api, "_random", type("One", (), {"choices": lambda *_, k: "x" * k})())
    given = replace(web(), metadata=ObjectMeta(generateName="web-"))
    api.create(given)
    assert str(refused(api.create, given)) == (
        'pods "web-xxxxx" already exists, the server was not able to generate a unique name for the object'
    )


def test_invalid_fields_are_listed(api: Server) -> None:
    error = refused(api.create, replace(web(), spec=replace(web().spec, containers=())))
    assert (error.code, error.reason) == (422, "Invalid")
    (cause,) = error.status.details.causes
    assert cause.field == "spec.containers"
    assert str(error).startswith('Pod "web" is invalid: spec.containers: ')
    assert not api.list(Pod)[0]


def test_a_template_must_be_what_the_selector_selects(api: Server) -> None:
    error = refused(api.create, replica_set("db"))
    assert [cause.field for cause in error.status.details.causes] == ["spec.template.metadata.labels"]
    assert str(error).startswith('ReplicaSet.apps "rs" is invalid')
    api.create(replica_set("web"))


def test_a_job_must_not_restart_its_pods_always(api: Server) -> None:
    given = {"kind": "Job", "metadata": {"name": "j"}, "spec": {"template": {"spec": {"containers": [{"name": "c"}]}}}}
    assert "spec.template.spec.restartPolicy" in str(refused(api.create, typed(given)))
    given["spec"]["template"]["spec"]["restartPolicy"] = "Never"
    assert api.create(typed(given)).spec.template.spec.restartPolicy == "Never"


def test_a_priority_class_gives_its_priority_if_it_exists(api: Server) -> None:
    given = replace(web(), spec=replace(web().spec, priority=None, priorityClassName="high"))
    error = refused(api.create, given)
    assert (error.code, str(error)) == (403, 'pods "web" is forbidden: no PriorityClass with name high was found')
    api.create(PriorityClass(metadata=ObjectMeta(name="high"), value=7, preemptionPolicy="Never"))
    made = api.create(given)
    assert (made.spec.priority, made.spec.preemptionPolicy) == (7, "Never")
    api.delete(PriorityClass, "", "high")
    assert refused(api.create, replace(given, metadata=ObjectMeta(name="other"))).code == 403


def test_a_gated_pod_has_a_condition(api: Server) -> None:
    made = api.create(web(schedulingGates=[{"name": "g"}]))
    (condition,) = made.status.conditions
    assert (condition.type, condition.status, condition.reason) == ("PodScheduled", "False", "SchedulingGated")
    error = refused(api.create, web("x", "n", schedulingGates=[{"name": "g"}]))
    assert str(error).endswith("spec.nodeName: Forbidden: cannot be set until all schedulingGates have been cleared")


def test_fields_unknown_to_the_generation_are_dropped() -> None:
    given = web(schedulingGates=[{"name": "g"}], overhead={"cpu": "1"})
    assert Server(API_1_37).create(given).spec.schedulingGates
    old = Server(API_1_13).create(given)
    assert (old.spec.schedulingGates, old.spec.overhead, old.status.conditions) == ((), {}, ())


def test_a_new_object_has_no_version(api: Server) -> None:
    made = api.create(web())
    api.delete(Pod, "default", "web")
    for version in (made.metadata.resourceVersion, "1"):
        stale = replace(made, metadata=replace(made.metadata, resourceVersion=version))
        assert str(refused(api.create, stale)) == "resourceVersion should not be set on objects to be created"
    api.create(replace(made, metadata=replace(made.metadata, resourceVersion="")))


def test_a_cluster_is_set_up_with_its_status_and_age(api: Server) -> None:
    given = web("web", "n", start="2023-11-14T22:00:00Z")
    given = replace(given, metadata=replace(given.metadata, uid="u", creationTimestamp=Time(NOON - 5 * SECOND)))
    kept = api.restore(given)
    assert (kept.metadata.uid, kept.metadata.creationTimestamp) == ("u", NOON - 5 * SECOND)
    assert kept.status.startTime is not None
    assert (kept.status.phase, kept.metadata.resourceVersion) == ("Running", "2")
    assert api.restore(budget()).status.disruptionsAllowed == 1
    assert refused(api.restore, given).reason == "AlreadyExists"


@pytest.mark.parametrize("uid", ["", "u"])
@pytest.mark.parametrize("created", [None, Time(NOON - 5 * SECOND)])
@pytest.mark.parametrize("generation", [0, 7])
def test_an_object_of_a_cluster_keeps_what_it_has_and_gets_what_it_lacks(
    api: Server, uid: str, created: Time | None, generation: int
) -> None:
    metadata = ObjectMeta(name="x", uid=uid, creationTimestamp=created, generation=generation)
    for obj in (web("x", "n"), replica_set(), typed(node("x"))):
        kept = api.restore(replace(obj, metadata=metadata)).metadata
        assert kept.uid == uid if uid else kept.uid.startswith("00000000-0000-4000-8000-")
        assert kept.creationTimestamp == (created or NOON)
        assert kept.generation == (generation or (0 if isinstance(obj, Node) else 1))


def test_a_pod_of_a_cluster_has_a_phase_and_a_class(api: Server) -> None:
    obj = web("x", "n")
    for name, status in (
        ("a", PodStatus()),
        ("b", PodStatus(phase="Running")),
        ("c", PodStatus(qosClass="Guaranteed")),
    ):
        kept = api.restore(replace(obj, metadata=ObjectMeta(name=name), status=status)).status
        assert (kept.phase, kept.qosClass) == (status.phase or "Pending", status.qosClass or "BestEffort")


def test_a_cluster_is_set_up_with_owners_that_have_no_template(api: Server) -> None:
    bare = replica_set(template=None)
    assert refused(api.create, bare).reason == "Invalid"
    kept = api.restore(bare)
    assert api.update(replace(kept, spec=replace(kept.spec, replicas=5))).spec.replicas == 5
    full = api.create(replace(replica_set(), metadata=ObjectMeta(name="full")))
    assert refused(api.update, replace(full, spec=replace(full.spec, template=None))).reason == "Invalid"


def test_owners_without_a_uid_are_those_of_the_name(api: Server) -> None:
    owner = api.restore(replica_set())
    references = (
        OwnerReference("apps/v1", "ReplicaSet", "rs"),
        OwnerReference("apps/v1", "ReplicaSet", "rs", "other"),
        OwnerReference("apps/v1", "ReplicaSet", "gone"),
        OwnerReference("apps/v1", "DaemonSet", "rs"),
    )
    kept = api.restore(replace(web(), metadata=replace(web().metadata, ownerReferences=references)))
    assert [each.uid for each in kept.metadata.ownerReferences] == [owner.metadata.uid, "other", "", ""]


# -- update


def test_a_stale_update_conflicts(api: Server) -> None:
    stale = api.create(typed(node("n")))
    fresh = api.update(replace(stale, spec=replace(stale.spec, unschedulable=True)))
    assert fresh.metadata.resourceVersion == "3"
    error = refused(api.update, replace(stale, metadata=replace(stale.metadata, labels={"a": "b"})))
    assert (error.code, str(error)) == (
        409,
        'Operation cannot be fulfilled on nodes "n": the object has been modified; '
        "please apply your changes to the latest version and try again",
    )
    assert api.get(Node, "", "n") is fresh


@pytest.mark.parametrize("version", ["", "0"])
def test_an_update_without_a_version_is_unconditional(api: Server, version: str) -> None:
    stale = api.create(typed(node("n")))
    api.update(replace(stale, spec=replace(stale.spec, unschedulable=True)))
    given = replace(stale, metadata=replace(stale.metadata, resourceVersion=version, labels={"a": "b"}))
    assert api.update(given).metadata.labels == {"a": "b"}


def test_an_update_with_another_uid_conflicts(api: Server) -> None:
    old = api.create(web())
    api.delete(Pod, "default", "web")
    new = api.create(web())
    error = refused(api.update, replace(old, metadata=replace(old.metadata, resourceVersion="")))
    assert str(error) == (
        'Operation cannot be fulfilled on pods "web": StorageError: invalid object, Code: 4, '
        "Key: /registry/pods/default/web, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: "
        f"UID in precondition: {old.metadata.uid}, UID in object meta: {new.metadata.uid}"
    )


def test_an_update_without_changes_writes_nothing(api: Server) -> None:
    made = api.create(web())
    assert api.update(web()) is made
    assert api.update_status(made) is made
    assert (len(api.log), api.version) == (1, 2)


def test_an_update_keeps_server_set_fields(api: Server) -> None:
    api.create(web())
    bound = api.bind("default", "web", "", "n")
    given = replace(web("web", "n", labels={"a": "b"}))
    new = api.update(given)
    assert new.metadata.labels == {"a": "b"}
    assert (new.metadata.uid, new.metadata.creationTimestamp) == (bound.metadata.uid, bound.metadata.creationTimestamp)
    assert new.status == bound.status
    assert new.metadata.generation == 1


def test_the_generation_counts_changes_of_the_spec(api: Server) -> None:
    made = api.create(replica_set())
    scaled = api.update(replace(made, spec=replace(made.spec, replicas=5)))
    labelled = api.update(replace(scaled, metadata=replace(scaled.metadata, labels={"a": "b"})))
    stated = api.update_status(replace(labelled, status=replace(labelled.status, replicas=5)))
    assert [one.metadata.generation for one in (made, scaled, labelled, stated)] == [1, 2, 2, 2]


def test_new_objects_whose_spec_is_counted_begin_with_one(api: Server) -> None:
    kinds = (web(), replica_set(), budget(), typed(node("n")))
    assert [api.create(each).metadata.generation for each in kinds] == [1, 1, 1, 0]


def test_the_generation_of_a_deployment_counts_its_annotations_too(api: Server) -> None:
    """v1.37: pkg/registry/apps/deployment/strategy.go, PrepareForUpdate."""
    for obj, expected in ((typed(deployment("d", 1)), 2), (replica_set(), 1)):
        made = api.create(obj)
        annotated = api.update(replace(made, metadata=replace(made.metadata, annotations={"a": "b"})))
        assert annotated.metadata.generation == expected


def test_a_missing_object_cannot_be_updated(api: Server) -> None:
    error = refused(api.update, budget())
    assert (error.code, str(error)) == (404, 'poddisruptionbudgets.policy "b" not found')
    assert refused(api.update_status, budget()).code == 404


IMMUTABLE = [
    (
        dict(nodeName="other"),
        "spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`",
    ),
    (dict(priority=9), "changed: priority"),
    (dict(containers=()), "spec.containers"),
    (dict(tolerations=()), "spec.tolerations: Forbidden: existing toleration can not be modified"),
    (dict(activeDeadlineSeconds=61), "must be less than or equal to previous value"),
    (dict(activeDeadlineSeconds=2**31 - 1), "must be less than or equal to previous value"),
    (dict(activeDeadlineSeconds=2**31), "must be between 1 and 2147483647, inclusive"),
    (dict(activeDeadlineSeconds=0), "must be between 1 and 2147483647, inclusive"),
    (dict(activeDeadlineSeconds=None), "must not update from a positive integer to nil value"),
    (dict(activeDeadlineSeconds=-1), "must be between 1 and 2147483647, inclusive"),
    (dict(nodeSelector={"a": "b"}), "changed: nodeSelector"),
]


@pytest.mark.parametrize(("change", "message"), IMMUTABLE, ids=[next(iter(c)) for c, _ in IMMUTABLE])
def test_most_pod_fields_are_immutable(api: Server, change: dict[str, Any], message: str) -> None:
    made = api.create(web("web", "n", tolerations=[{"key": "k", "operator": "Exists"}], activeDeadlineSeconds=60))
    error = refused(api.update, replace(made, spec=replace(made.spec, **change)))
    assert error.code == 422
    assert message in str(error)
    assert api.get(Pod, "default", "web") is made


FIVE_MINUTES = ["not-ready:NoExecute:300", "unreachable:NoExecute:300"]


@pytest.mark.parametrize(
    ("own", "added"),
    [
        ([], FIVE_MINUTES),
        ([{"key": "k", "operator": "Exists"}], FIVE_MINUTES),
        ([{"key": "node.kubernetes.io/not-ready", "operator": "Exists"}], FIVE_MINUTES[1:]),
        ([{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoSchedule"}], FIVE_MINUTES),
        ([{"operator": "Exists"}], []),
    ],
)
@pytest.mark.parametrize("restores", [False, True])
def test_a_pod_tolerates_lost_nodes_for_five_minutes(
    api: Server, own: list[dict[str, str]], added: list[str], restores: bool
) -> None:
    pod = web(tolerations=own)
    stored = (api.restore(pod) if restores else api.create(pod)).spec.tolerations
    texts = [f"{each.key.rpartition('/')[2]}:{each.effect}:{each.tolerationSeconds}" for each in stored[len(own) :]]
    assert texts == added


@pytest.mark.parametrize(
    ("resources", "qos"),
    [
        ({}, "BestEffort"),
        ({"requests": {"cpu": "1"}}, "Burstable"),
        ({"limits": {"cpu": "1", "memory": "1Gi"}}, "Guaranteed"),
    ],
)
def test_a_pod_has_a_quality_of_service_class(api: Server, resources: dict[str, Any], qos: str) -> None:
    one = {"name": "c", "image": "i", "resources": resources}
    assert api.create(web("a", containers=[one])).status.qosClass == qos
    assert api.restore(web("b", containers=[one])).status.qosClass == qos


def test_mutable_pod_fields(api: Server) -> None:
    made = api.create(
        web(
            "web",
            "n",
            tolerations=[{"key": "k", "operator": "Exists", "effect": "NoExecute"}],
            activeDeadlineSeconds=60,
        )
    )
    spec = replace(
        made.spec,
        containers=(replace(made.spec.containers[0], image="other"),),
        tolerations=(
            replace(made.spec.tolerations[0], tolerationSeconds=5),
            Toleration(operator="Exists"),
            *made.spec.tolerations[1:],
        ),
        activeDeadlineSeconds=30,
    )
    new = api.update(replace(made, spec=spec))
    assert (new.spec, new.metadata.generation) == (spec, 2)
    same = api.update(replace(new, metadata=replace(new.metadata, labels={"a": "b"})))
    assert (same.spec, same.metadata.generation) == (spec, 2)


def test_a_gated_pod_may_lose_gates_and_get_stricter_constraints(api: Server) -> None:
    terms = [{"matchExpressions": [{"key": "a", "operator": "Exists"}]}]
    affinity = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}
    api.create(web(schedulingGates=[{"name": "g"}, {"name": "h"}], nodeSelector={"zone": "a"}, affinity=affinity))
    narrower = [{"matchExpressions": [*terms[0]["matchExpressions"], {"key": "b", "operator": "Exists"}]}]
    particular = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": narrower}}}
    selector = {"zone": "a", "disk": "ssd"}
    new = api.update(web(schedulingGates=[{"name": "h"}], nodeSelector=selector, affinity=particular))
    assert new.spec.nodeSelector == selector
    for change, message in (
        (dict(nodeSelector={"zone": "b"}), "only additions to spec.nodeSelector are allowed"),
        (dict(nodeSelector=selector, affinity=affinity), "only additions are allowed"),
        (dict(nodeSelector=selector, affinity={}), "no additions/deletions to non-empty NodeSelectorTerms"),
        (dict(nodeSelector=selector, affinity=particular | {"podAffinity": {}}), "changed: affinity"),
        (
            dict(nodeSelector=selector, affinity=particular, schedulingGates=[{"name": "x"}]),
            "only deletion is allowed, but found new scheduling gate 'x'",
        ),
    ):
        assert message in str(refused(api.update, web(**({"schedulingGates": [{"name": "h"}]} | change))))
    assert api.update(web(nodeSelector=selector, affinity=particular)).spec.schedulingGates == ()


def test_owner_selectors_are_immutable(api: Server) -> None:
    made = api.create(replica_set())
    selector = replace(made.spec.selector, matchLabels={"app": "db"})
    template = replace(made.spec.template, metadata=ObjectMeta(labels={"app": "db"}))
    error = refused(api.update, replace(made, spec=replace(made.spec, selector=selector, template=template)))
    assert str(error).endswith('spec.selector: Invalid value: {"matchLabels":{"app":"db"}}: field is immutable')


# -- status


def test_a_status_update_writes_only_the_status(api: Server) -> None:
    made = api.create(typed(node("n")))
    capacity = typed(node("n", allocatable={"cpu": "1"})).status
    new = api.update_status(replace(made, status=capacity, spec=replace(made.spec, unschedulable=True)))
    assert (new.status, new.spec.unschedulable) == (capacity, False)


def test_a_status_patch_keeps_other_fields(api: Server) -> None:
    api.create(web())
    api.patch_status(Pod, "default", "web", nominatedNodeName="n")
    ready = PodCondition(type="Ready", status="False")
    first = api.patch_status(Pod, "default", "web", conditions=[ready, PodCondition(type="Initialized")])
    api.wait(3)
    same = api.patch_status(Pod, "default", "web", conditions=[replace(ready, reason="Starting")])
    api.wait(3)
    turned = api.patch_status(Pod, "default", "web", conditions=[replace(ready, status="True")], phase="Running")
    assert [c.type for c in turned.status.conditions] == ["Ready", "Initialized"]
    since = [one.status.conditions[0].lastTransitionTime for one in (first, same, turned)]
    assert since == [NOON, NOON, NOON + 6 * SECOND]
    assert (turned.status.phase, turned.status.nominatedNodeName) == ("Running", "n")


def test_invalid_statuses_are_rejected(api: Server) -> None:
    made = api.create(web())
    api.create(PriorityClass(metadata=ObjectMeta(name="c")))
    stored = api.create(budget())
    negative = replace(stored, status=replace(stored.status, disruptionsAllowed=-1))
    for error, code in (
        (refused(api.update_status, replace(made, status=replace(made.status, phase="Happy"))), 422),
        (refused(api.patch_status, Pod, "default", "web", phase="Happy"), 422),
        (refused(api.patch_status, Pod, "default", "web", mood="happy"), 400),
        (refused(api.patch_status, PriorityClass, "", "c", phase="x"), 404),
        (refused(api.update_status, PriorityClass(metadata=ObjectMeta(name="c"))), 404),
        (refused(api.patch_status, Pod, "default", "web", uid="other", phase="Running"), 409),
        (refused(api.update_status, negative), 422),
    ):
        assert error.code == code, str(error)
    assert api.get(Pod, "default", "web") is made


# -- binding


def test_a_bound_pod_has_its_node_and_condition(api: Server) -> None:
    made = api.create(web())
    bound = api.bind("default", "web", made.metadata.uid, "n1", by="default-scheduler")
    (condition,) = bound.status.conditions
    assert bound.spec.nodeName == "n1"
    assert (condition.type, condition.status, condition.lastTransitionTime) == ("PodScheduled", "True", NOON)
    assert bound.metadata.generation == 1


def test_a_pod_is_bound_once_to_a_valid_node_name(api: Server) -> None:
    api.create(web())
    api.create(web("gated", schedulingGates=[{"name": "g"}]))
    api.bind("default", "web", "", "n1")
    again, gated = refused(api.bind, "default", "web", "", "n2"), refused(api.bind, "default", "gated", "", "n1")
    assert str(again) == (
        'Operation cannot be fulfilled on pods/binding "web": pod web is already assigned to node "n1"'
    )
    assert (again.code, again.status.details.kind) == (409, "pods/binding")
    assert str(gated).endswith("pod gated has non-empty .spec.schedulingGates")
    api.delete(Pod, "default", "web")
    going = refused(api.bind, "default", "web", "", "n2")
    assert str(going).endswith("pod web is being deleted, cannot be assigned to a host")
    assert refused(api.bind, "default", "web", "other", "n2").reason == "Conflict"
    assert str(refused(api.bind, "default", "nobody", "", "n1")) == 'pods "nobody" not found'
    assert str(refused(api.bind, "default", "gated", "", "")) == "target.name: Required value"
    assert refused(api.bind, "default", "gated", "", "N 1").code == 500


@pytest.mark.parametrize(("generation", "kept"), [(API_1_37, ""), (API_1_13, "n0")])
def test_binding_clears_the_nomination_in_v1_37(generation: Api, kept: str) -> None:
    api = Server(generation)
    api.create(web())
    api.patch_status(Pod, "default", "web", nominatedNodeName="n0")
    assert api.bind("default", "web", "", "n1").status.nominatedNodeName == kept


# -- deletion


def test_an_assigned_pod_has_a_grace_period(api: Server) -> None:
    api.create(web("web", "n"))
    api.wait(2.5)
    marked = api.delete(Pod, "default", "web", by="kubectl")
    assert marked.metadata.deletionTimestamp == NOON + 32 * SECOND
    assert (marked.metadata.deletionGracePeriodSeconds, marked.metadata.generation) == (30, 2)
    assert api.get(Pod, "default", "web") is marked
    api.delete(Pod, "default", "web", 0, by="kubelet")
    assert refused(api.get, Pod, "default", "web").code == 404
    assert [(e.type, e.by) for e in api.log] == [
        ("ADDED", ""),
        ("MODIFIED", "kubectl"),
        ("MODIFIED", "kubelet"),
        ("DELETED", "kubelet"),
    ]


def test_a_second_deletion_can_only_shorten_the_grace_period(api: Server) -> None:
    api.create(web("web", "n", terminationGracePeriodSeconds=60))
    first = api.delete(Pod, "default", "web")
    api.wait(10)
    assert api.delete(Pod, "default", "web") is first
    assert api.delete(Pod, "default", "web", 90) is first
    shorter = api.delete(Pod, "default", "web", 20)
    assert shorter.metadata.deletionTimestamp == NOON + 20 * SECOND
    late = api.delete(Pod, "default", "web", 5)  # those five seconds are over
    assert late.metadata.deletionTimestamp == NOON + 10 * SECOND
    assert late.metadata.deletionGracePeriodSeconds == 1
    assert late.metadata.generation == 2


@pytest.mark.parametrize(("given", "seconds"), [(5, 5), (-3, 1), (10**30, 10**9)])
def test_the_requested_grace_period_applies(api: Server, given: int, seconds: int) -> None:
    api.create(web("web", "n"))
    assert api.delete(Pod, "default", "web", given).metadata.deletionGracePeriodSeconds == seconds


def test_a_second_deletion_with_a_negative_grace_period_leaves_one_second(api: Server) -> None:
    api.create(web("web", "n"))
    api.delete(Pod, "default", "web", 60)
    assert api.delete(Pod, "default", "web", -3).metadata.deletionGracePeriodSeconds == 1


def test_a_pod_without_a_kubelet_is_deleted_at_once(api: Server) -> None:
    api.create(web())
    api.restore(replace(web("done", "n"), status=replace(web().status, phase="Succeeded")))
    for name in ("web", "done"):
        api.delete(Pod, "default", name)
        assert refused(api.get, Pod, "default", name).reason == "NotFound"


def test_only_pods_have_a_grace_period(api: Server) -> None:
    api.create(typed(node("n")))
    api.delete(Node, "", "n", 100)
    assert api.list(Node)[0] == []


@pytest.mark.parametrize("kind", [Node, Pod])
def test_finalizers_hold_an_object(api: Server, kind: type[Any]) -> None:
    given = typed(node("x")) if kind is Node else web("x", "n")
    made = api.create(replace(given, metadata=replace(given.metadata, finalizers=("a/b",))))
    namespace = made.metadata.namespace
    marked = api.delete(kind, namespace, "x", 0)
    assert (marked.metadata.deletionTimestamp, marked.metadata.deletionGracePeriodSeconds) == (NOON, 0)
    assert api.delete(kind, namespace, "x", 0) is marked
    more = replace(marked, metadata=replace(marked.metadata, finalizers=("a/b", "c/d")))
    assert 'found new finalizers []string{"c/d"}' in str(refused(api.update, more))
    api.update(replace(marked, metadata=replace(marked.metadata, finalizers=())))
    assert api.list(kind)[0] == []
    assert [entry.type for entry in api.log] == ["ADDED", "MODIFIED", "DELETED"]


def test_removing_finalizers_does_not_shorten_the_grace_period(api: Server) -> None:
    api.create(replace(web("x", "n"), metadata=ObjectMeta(name="x", finalizers=("a/b",))))
    marked = api.delete(Pod, "default", "x")
    api.update(replace(marked, metadata=replace(marked.metadata, finalizers=())))
    assert api.list(Pod)[0]
    api.delete(Pod, "default", "x", 0)
    assert not api.list(Pod)[0]


def test_deletion_preconditions(api: Server) -> None:
    made = api.create(web("web", "n"))
    uid = refused(api.delete, Pod, "default", "web", uid="other")
    version = refused(api.delete, Pod, "default", "web", resource_version="1")
    assert str(uid) == (
        'Operation cannot be fulfilled on Pod "web": the UID in the precondition (other) does not match the UID in '
        f"record ({made.metadata.uid}). The object might have been deleted and then recreated"
    )
    assert str(version).endswith("in record (2). The object might have been modified")
    api.delete(Pod, "default", "web", uid=made.metadata.uid, resource_version="2")
    assert refused(api.delete, Pod, "default", "nobody").code == 404


# -- eviction


def running(api: Server, name: str = "web", ready: str = "True") -> Pod:
    api.create(web(name, "n", labels={"app": "web"}))
    conditions = [PodCondition(type="Ready", status=ready)]
    return api.patch_status(Pod, "default", name, phase="Running", conditions=conditions)


def test_an_eviction_charges_the_budget(api: Server) -> None:
    running(api)
    running(api, "other")
    api.restore(budget("b", 1))
    gone = api.evict("default", "web", by="drain")
    assert gone.metadata.deletionTimestamp == NOON + 30 * SECOND
    assert gone.status.conditions[-1].type == "DisruptionTarget"
    status = api.get(PodDisruptionBudget, "default", "b").status
    assert (status.disruptionsAllowed, status.disruptedPods) == (0, {"web": NOON})
    (condition,) = status.conditions
    assert (condition.type, condition.status, condition.reason) == ("DisruptionAllowed", "False", "InsufficientPods")
    error = refused(api.evict, "default", "other")
    assert (error.code, str(error)) == (429, "Cannot evict pod as it would violate the pod's disruption budget.")
    assert api.get(Pod, "default", "other").metadata.deletionTimestamp is None
    api.evict("default", "web")  # it is going anyway


CONDITION = Condition(type="DisruptionAllowed", status="False", reason="SyncFailed", message="no controller")
FORBIDDING: list[tuple[dict[str, Any], int, str]] = [
    ({"currentHealthy": 2}, 429, "The disruption budget b needs 2 healthy pods and has 2 currently"),
    ({}, 429, "The disruption budget b does not allow evicting pods currently"),
    ({"conditions": (CONDITION,)}, 429, "currently because it failed sync: no controller"),
    ({"conditions": (replace(CONDITION, reason="Why"),)}, 429, "currently (Why): no controller"),
    (
        {"disruptedPods": {str(i): None for i in range(2001)}, "disruptionsAllowed": 1},
        403,
        "too many pending evictions",
    ),
]


@pytest.mark.parametrize(("status", "code", "cause"), FORBIDDING, ids=range(len(FORBIDDING)))
def test_a_refused_eviction_has_the_budgets_reason(api: Server, status: dict[str, Any], code: int, cause: str) -> None:
    running(api)
    given = budget("b", 0)
    api.restore(replace(given, status=replace(given.status, **status)))
    error = refused(api.evict, "default", "web")
    assert error.code == code
    assert cause in error.status.details.causes[0].message
    assert error.status.details.causes[0].reason == "DisruptionBudget"


def test_two_thousand_evictions_may_be_pending(api: Server) -> None:
    """v1.37: pkg/registry/core/pod/storage/eviction.go, MaxDisruptedPodSize."""
    running(api)
    api.restore(budget("b", 1, disruptedPods={str(i): None for i in range(2000)}))
    assert api.evict("default", "web").metadata.deletionTimestamp


def test_an_unprocessed_budget_allows_no_eviction(api: Server) -> None:
    running(api)
    api.create(budget("b", 5))
    error = refused(api.evict, "default", "web")
    assert error.status.details.retryAfterSeconds == 10
    assert error.status.details.causes[0].message == ("The disruption budget b is still being processed by the server.")


@pytest.mark.parametrize(
    ("policy", "healthy", "desired", "allowed"),
    [
        (None, 3, 2, True),
        (None, 2, 2, True),
        (None, 1, 1, True),
        (None, 1, 2, False),
        (None, 0, 0, False),
        ("AlwaysAllow", 1, 2, True),
    ],
)
def test_eviction_of_unready_pods(api: Server, policy: str | None, healthy: int, desired: int, allowed: bool) -> None:
    running(api, ready="False")
    given = budget("b", 0, currentHealthy=healthy, desiredHealthy=desired)
    api.restore(replace(given, spec=replace(given.spec, unhealthyPodEvictionPolicy=policy)))
    if allowed:
        assert api.evict("default", "web").metadata.deletionTimestamp
        assert api.get(PodDisruptionBudget, "default", "b").status.disruptedPods == {}
    else:
        assert refused(api.evict, "default", "web").code == 429


def test_only_one_matching_budget_is_supported(api: Server) -> None:
    running(api)
    other = budget("x", 0)
    api.restore(replace(other, metadata=replace(other.metadata, namespace="elsewhere")))
    api.restore(replace(other, spec=replace(other.spec, selector=None)))
    api.restore(budget("b", 1))
    api.restore(budget("c", 1))
    assert str(refused(api.evict, "default", "web")).startswith("This pod has more than one PodDisruptionBudget")
    api.delete(PodDisruptionBudget, "default", "c")
    api.evict("default", "web", grace_seconds=3)


def test_a_pod_that_does_not_run_is_evicted_without_its_budget(api: Server) -> None:
    api.create(web("web", labels={"app": "web"}))
    api.restore(budget("b", 0))
    api.evict("default", "web")
    assert refused(api.evict, "default", "web").code == 404


def test_eviction_preconditions(api: Server) -> None:
    running(api)
    assert refused(api.evict, "default", "web", uid="other").reason == "Conflict"


# -- lists and watches


def test_watches_by_namespace_and_filter(api: Server) -> None:
    watch = api.watch(Pod, namespace="a", filter=lambda p: p.metadata.name != "x")
    for namespace, name in (("a", "x"), ("a", "y"), ("b", "y")):
        api.create(web(name, namespace=namespace))
    assert [(e.type, e.object.key) for e in watch] == [("ADDED", "a/y")]
    assert [p.key for p in api.list(Pod, "a", filter=lambda p: p.metadata.name != "x")[0]] == ["a/y"]


def test_bookmarks_come_once_a_minute_if_anything_is_written(api: Server) -> None:
    silent, quiet = api.watch(Node, str(api.version)), api.watch(Node, str(api.version), allow_bookmarks=True)
    for i in range(5):
        api.create(web(f"p{i}"))
        api.wait(BOOKMARKS / SECOND / 2)
    assert [(e.type, e.object.metadata.resourceVersion) for e in quiet] == [("BOOKMARK", "4"), ("BOOKMARK", "6")]
    assert list(silent) == []


@pytest.mark.parametrize("version", ["abc", "-1", "1.5", "٣", str(2**64), "9" * 30])
def test_a_version_is_a_number(api: Server, version: str) -> None:
    made = api.create(web())
    error = refused(api.watch, Pod, version)
    assert (error.code, error.status.details.causes[0].field) == (422, "resourceVersion")
    stale = replace(made, metadata=replace(made.metadata, resourceVersion=version))
    for request in (api.update, api.update_status, api.create):
        assert str(refused(request, stale)).startswith("strconv.ParseUint: parsing")


@pytest.mark.parametrize("zeros", [1, 30, 5000])
def test_a_version_may_begin_with_zeros(api: Server, zeros: int) -> None:
    """apiserver v0.37.0: pkg/storage/api_object_versioner.go, ParseResourceVersion; Go: strconv.ParseUint."""
    made = api.create(web())
    version = "0" * zeros + made.metadata.resourceVersion
    updated = api.update(replace(made, metadata=replace(made.metadata, resourceVersion=version, labels={"a": "b"})))
    assert [event.object for event in api.watch(Pod, version)] == [updated]
    assert refused(api.update, replace(made, metadata=replace(made.metadata, resourceVersion=version))).code == 409
    assert [event.type for event in api.watch(Pod, "0" * zeros)] == ["ADDED"]


class Unserved(ApiObject, frozen=True):
    metadata: ObjectMeta = ObjectMeta(name="x")


def test_unserved_kinds_are_rejected(api: Server) -> None:
    for request, arguments in (
        (api.create, (Unserved(),)),
        (api.update, (Unserved(),)),
        (api.restore, (Unserved(),)),
        (api.update_status, (Unserved(),)),
        (api.get, (Unserved, "", "x")),
        (api.list, (Unserved,)),
        (api.watch, (Unserved, "1")),
        (api.watch, (Unserved, "bad")),
        (api.delete, (Unserved, "", "x")),
        (api.patch_status, (Unserved, "", "x")),
    ):
        assert refused(request, *arguments).code == 404


def test_every_kind_that_is_served_can_be_named() -> None:
    assert {kind.__name__ for kind in RESOURCES} == set(KINDS) - {"Unserved"}
    assert RESOURCES[Deployment].qualified == "deployments.apps"
    assert RESOURCES[Job].qualified == "jobs.batch"


def test_new_uids_follow_those_of_an_earlier_simulation(api: Server) -> None:
    prefix = "00000000-0000-4000-8000-"
    earlier = [replace(web(), metadata=ObjectMeta(uid=uid)) for uid in (f"{prefix}00000000001f", "u", f"{prefix}x")]
    api.leave_uids(earlier)
    assert api.create(web()).metadata.uid == f"{prefix}000000000020"
    fresh = Server()
    fresh.leave_uids([])
    assert fresh.create(web()).metadata.uid == f"{prefix}000000000001"


def test_the_largest_version_has_64_bits(api: Server) -> None:
    """Go: strconv.ParseUint."""
    api.create(web())
    assert not api.watch(Pod, str(2**64 - 1)).pending


def test_a_history_must_not_be_empty() -> None:
    with pytest.raises(ValueError, match="history"):
        Server(history=0)


# -- whatever is asked


NAMES = st.sampled_from(["a", "b", "c"])
TEXTS = st.sampled_from(["", "a", "A b", "x" * 300, "-", "ü", "1", "a/b", "\0"])
VERSIONS = st.sampled_from(["", "0", "2", "3", "99", "x"])
COUNTS = st.sampled_from([None, 0, 1, -1, 30, 10**20])


@st.composite
def requests(draw: st.DrawFn) -> tuple[str, tuple[Any, ...]]:
    name, uid = draw(NAMES), draw(st.sampled_from(["", "other"]))
    metadata = ObjectMeta(
        name=draw(st.one_of(NAMES, TEXTS)),
        namespace=draw(st.sampled_from(["", "default", "Ü"])),
        resourceVersion=draw(VERSIONS),
        uid=uid,
        labels=draw(st.dictionaries(TEXTS, TEXTS, max_size=1)),
        finalizers=draw(st.sampled_from([(), ("f/g",)])),
    )
    given = draw(st.sampled_from([web("a"), web("a", "n"), web("a", schedulingGates=[{"name": "g"}])]))
    document = draw(st.sampled_from([given, typed(node("n")), budget(), replica_set(), PriorityClass()]))
    document = replace(document, metadata=metadata)
    kind = draw(st.sampled_from([Pod, Node, PodDisruptionBudget]))
    return draw(
        st.sampled_from(
            [
                ("create", (document,)),
                ("restore", (document,)),
                ("update", (document,)),
                ("update_status", (document,)),
                ("delete", (kind, "default", name, draw(COUNTS), draw(st.sampled_from([None, "other"])))),
                ("bind", ("default", name, uid, draw(TEXTS))),
                ("evict", ("default", name, draw(COUNTS))),
                ("watch", (kind, draw(VERSIONS))),
            ]
        )
    )


@given(st.lists(requests(), max_size=25))
def test_a_rejected_request_has_a_status_and_changes_nothing(asked) -> None:
    api = Server(history=5)
    for request, arguments in asked:
        before, version = {kind: api.list(kind)[0] for kind in RESOURCES}, api.version
        written = len(api.log)
        try:
            getattr(api, request)(*arguments)
        except ApiError as error:
            assert 400 <= error.code <= 500
            assert (before, version, written) == (
                {kind: api.list(kind)[0] for kind in RESOURCES},
                api.version,
                len(api.log),
            )
        api.wait(0.3)


@given(st.lists(requests(), max_size=25))
def test_the_log_contains_every_change(asked) -> None:
    api = Server()
    for request, arguments in asked:
        try:
            getattr(api, request)(*arguments)
        except ApiError:
            continue
    known: dict[tuple[str, str], Any] = {}
    for entry in api.log:
        assert known.pop((entry.kind, entry.key), None) == entry.old
        if entry.new is not None:
            known[entry.kind, entry.key] = entry.new
    assert known == {(k.__name__, RESOURCES[k].key_of(o)): o for k in RESOURCES for o in api.list(k)[0]}
