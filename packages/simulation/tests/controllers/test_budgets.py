import math
from collections.abc import Sequence

import pytest
from hypothesis import given, strategies as st

from kschedlab.objects.model import (
    Condition,
    Deployment,
    ObjectMeta,
    OwnerReference,
    Pod,
    PodCondition,
    PodDisruptionBudget,
    PodDisruptionBudgetSpec,
    PodDisruptionBudgetStatus,
    PodStatus,
    ReplicaSet,
    ReplicaSetSpec,
    Time,
)
from kschedlab_simulation.controllers.budgets import Scaled, ScaleError, budget_status, failed_status, scaled_value

NOW = 1_700_000_000_000_000
SECOND = 1_000_000


def reference(name: str, kind: str = "ReplicaSet", version: str = "apps/v1") -> OwnerReference:
    return OwnerReference(version, kind, name, f"uid-{name}", controller=True)


def pod(name: str, *owners: OwnerReference, ready: bool = True, going: bool = False) -> Pod:
    status = PodStatus(phase="Running", conditions=(PodCondition(type="Ready", status=str(ready)),))
    deleted = Time(NOW) if going else None
    return Pod(metadata=ObjectMeta(name=name, ownerReferences=owners, deletionTimestamp=deleted), status=status)


def budget(
    least: int | str | None = None, most: int | str | None = None, status: PodDisruptionBudgetStatus | None = None
) -> PodDisruptionBudget:
    spec = PodDisruptionBudgetSpec(minAvailable=least, maxUnavailable=most)
    return PodDisruptionBudget(spec=spec, status=status or PodDisruptionBudgetStatus())


def sets(**replicas: int) -> dict[str, Scaled]:
    """ReplicaSets by name, with their replicas."""
    return {
        name: ReplicaSet(metadata=ObjectMeta(name=name, uid=f"uid-{name}"), spec=ReplicaSetSpec(replicas=count))
        for name, count in replicas.items()
    }


def status(of: PodDisruptionBudget, pods: Sequence[Pod], owners: dict[str, Scaled] | None = None) -> tuple[int, ...]:
    """(healthy, desired healthy, expected, disruptions allowed)."""

    def find(kind: type[Scaled], namespace: str, name: str) -> Scaled | None:
        found = (owners or {}).get(name)
        return found if type(found) is kind else None

    new = budget_status(of, pods, find, NOW).status
    return new.currentHealthy, new.desiredHealthy, new.expectedPods, new.disruptionsAllowed


WEB = reference("web")


def web(count: int, ready: int) -> list[Pod]:
    return [pod(f"p{i}", WEB, ready=i < ready) for i in range(count)]


def test_min_available_as_a_number_counts_existing_pods():
    assert status(budget(least=2), web(5, 4)) == (4, 2, 5, 2)
    assert status(budget(least=2), [pod("a"), pod("b"), pod("c")]) == (3, 2, 3, 1)


def test_a_percentage_is_of_the_owners_scale():
    assert status(budget(least="50%"), web(3, 3), sets(web=10)) == (3, 5, 10, 0)
    assert status(budget(least="50%"), web(3, 3), sets(web=3)) == (3, 2, 3, 1)
    assert status(budget(most="30%"), web(10, 10), sets(web=10)) == (10, 7, 10, 3)
    assert status(budget(most="25%"), web(3, 3), sets(web=3)) == (3, 2, 3, 1)
    assert status(budget(most=1), web(5, 5), sets(web=5)) == (5, 4, 5, 1)


def test_each_owner_counts_once():
    pods = [*web(2, 2), pod("x", reference("api")), pod("y", reference("api"))]
    assert status(budget(most=1), pods, sets(web=2, api=4)) == (4, 5, 6, 0)


def test_a_replica_set_counts_as_its_deployment():
    above = reference("front", "Deployment")
    its = ReplicaSet(
        metadata=ObjectMeta(name="web", uid="uid-web", ownerReferences=(above,)), spec=ReplicaSetSpec(replicas=3)
    )
    front = Deployment(metadata=ObjectMeta(name="front", uid="uid-front"), spec=ReplicaSetSpec(replicas=8))
    assert status(budget(most=1), web(3, 3), {"web": its, "front": front})[2] == 8
    assert status(budget(most=1), web(3, 3), {"web": its})[2] == 3


def test_pods_without_an_owner_are_named_and_not_expected():
    pods = [*web(3, 3), pod("alone")]
    judged = budget_status(budget(most=1), pods, lambda kind, namespace, name: sets(web=3)["web"], NOW)
    assert (judged.status.expectedPods, judged.unmanaged) == (3, ["alone"])
    assert judged.status.currentHealthy == 4


def test_no_disruption_is_allowed_while_no_pod_is_expected():
    assert status(budget(most=3), [pod("a"), pod("b")]) == (2, 0, 0, 0)
    assert status(budget(least=0), []) == (0, 0, 0, 0)


def test_max_unavailable_may_exceed_the_expected_pods():
    assert status(budget(most=9), web(3, 3), sets(web=3)) == (3, 0, 3, 3)


@pytest.mark.parametrize(
    ("owner", "message"),
    [
        (WEB, 'found no controllers for pod "a"'),
        (reference("j", "Job", "batch/v1"), "jobs.batch does not implement the scale subresource"),
        (reference("d", "DaemonSet"), "daemonsets.apps does not implement the scale subresource"),
        (reference("x", "Rocket", "space.io/v1"), 'no matches for kind "Rocket" in version "space.io/v1"'),
    ],
)
def test_an_owner_without_a_scale_makes_the_budget_fail_which_then_allows_nothing(owner: OwnerReference, message: str):
    known = PodDisruptionBudgetStatus(disruptionsAllowed=3, currentHealthy=5)
    with pytest.raises(ScaleError) as error:
        status(budget(most=1, status=known), [pod("a", owner)])
    assert str(error.value) == message
    after = failed_status(budget(most=1, status=known), error.value, NOW)
    assert (after.disruptionsAllowed, after.currentHealthy) == (0, 5)
    assert [(each.status, each.reason, each.message) for each in after.conditions] == [("False", "SyncFailed", message)]


def test_an_owner_with_another_uid_does_not_count():
    with pytest.raises(ScaleError):
        status(budget(most=1), [pod("a", OwnerReference("apps/v1", "ReplicaSet", "web", "old", True))], sets(web=3))


def disrupted(seconds_ago: float, *names: str) -> PodDisruptionBudgetStatus:
    moment = Time(NOW - int(seconds_ago * SECOND))
    return PodDisruptionBudgetStatus(disruptedPods=dict.fromkeys(names, moment))


def test_an_evicted_pod_counts_as_disrupted_for_two_minutes():
    for ago, healthy, kept in ((10, 4, ["p0"]), (120, 5, ["p0"]), (121, 5, [])):
        judged = budget_status(budget(least=1, status=disrupted(ago, "p0")), web(5, 5), lambda *_: None, NOW)
        assert judged.status.currentHealthy == healthy
        assert list(judged.status.disruptedPods) == kept
        assert judged.requeue_at == (NOW + (120 - ago) * SECOND if kept else None)


def test_deleted_and_terminating_pods_are_no_longer_disrupted():
    pods = [pod("p0", WEB, going=True), pod("p1", WEB)]
    judged = budget_status(budget(least=1, status=disrupted(1, "p0", "p9")), pods, lambda *_: None, NOW)
    assert judged.status.disruptedPods == {} and judged.requeue_at is None
    assert judged.status.currentHealthy == 1


def test_an_unchanged_status_is_the_same_object():
    first = budget_status(budget(least=1), web(3, 3), lambda *_: None, NOW).status
    requeue_at = budget_status(budget(least=1, status=first), web(3, 3), lambda *_: None, NOW + SECOND).status
    assert requeue_at is first


def test_the_condition_says_whether_disruptions_are_allowed_and_since_when():
    few = budget_status(budget(least=3), web(3, 3), lambda *_: None, NOW).status
    assert few.conditions == (Condition("DisruptionAllowed", "False", "InsufficientPods", "", 0, Time(NOW)),)
    fewer = budget_status(budget(least=3, status=few), web(3, 2), lambda *_: None, NOW + 5 * SECOND).status
    assert fewer.conditions[0].lastTransitionTime == NOW
    enough = budget_status(budget(least=3, status=fewer), web(5, 5), lambda *_: None, NOW + 9 * SECOND).status
    assert (enough.conditions[0].reason, enough.conditions[0].lastTransitionTime) == (
        "SufficientPods",
        NOW + 9 * SECOND,
    )
    one = budget_status(budget(least=3), web(4, 4), lambda *_: None, NOW).status
    assert (one.disruptionsAllowed, one.conditions[0].status) == (1, "True")
    again = budget_status(budget(least=3, status=one), web(4, 4), lambda *_: None, NOW + SECOND).status
    assert again is one


AMOUNTS = st.integers(0, 12) | st.integers(0, 100).map(lambda share: f"{share}%")
KINDS = st.tuples(st.sampled_from(["", "a", "b"]), st.booleans(), st.booleans(), st.none() | st.integers(0, 300))


@given(AMOUNTS, st.booleans(), st.lists(KINDS, max_size=12), st.integers(0, 9), st.integers(0, 9))
def test_the_status_equals_a_recount(
    amount: int | str,
    is_most: bool,
    kinds: list[tuple[str, bool, bool, int | None]],
    a: int,
    b: int,
):
    """``kinds``: each pod's owner, readiness, whether it is terminating, and how long ago it was evicted, if at all."""
    pods = [
        pod(f"p{i}", *([reference(owner)] if owner else []), ready=ready, going=going)
        for i, (owner, ready, going, _) in enumerate(kinds)
    ]
    evicted = {f"p{i}": Time(NOW - ago * SECOND) for i, (*_, ago) in enumerate(kinds) if ago is not None}
    known = PodDisruptionBudgetStatus(disruptedPods=evicted)
    of = budget(most=amount, status=known) if is_most else budget(least=amount, status=known)
    healthy = sum(ready and not going and (ago is None or ago >= 120) for _, ready, going, ago in kinds)
    scales = {"a": a, "b": b}
    wanted = sum(scales[owner] for owner in {owner for owner, *_ in kinds if owner})
    if not is_most and isinstance(amount, int):
        wanted = len(pods)
    part = amount if isinstance(amount, int) else math.ceil(int(amount[:-1]) * wanted / 100)
    desired = max(0, wanted - part) if is_most else part
    allowed = max(0, healthy - desired) if wanted else 0
    assert status(of, pods, sets(a=a, b=b)) == (healthy, desired, wanted, allowed)


@given(st.integers(0, 100), st.integers(0, 10_000))
def test_shares_are_rounded_up_as_go_rounds_them(share: int, total: int):
    assert scaled_value(f"{share}%", total) == math.ceil(share * float(total) / 100)
