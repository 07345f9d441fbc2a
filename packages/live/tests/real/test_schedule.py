"""Our scheduler on a real API server of v1.37."""

import urllib.request

from packages.live.tests.real.plane import Kubelets, Plane, node, pod, until
from packages.live.tests.real.schedulers import scheduler


def events(plane: Plane, name: str) -> list[dict]:
    found = plane.call("GET", "/apis/events.k8s.io/v1/namespaces/default/events")[1]["items"]
    return [each for each in found if each["regarding"]["name"] == name]


def test_it_binds_says_why_not_and_stops_gently(plane: Plane) -> None:
    plane.create(*(node(f"n{i}") for i in range(3)), *(pod(f"web-{i}") for i in range(5)), pod("big", cpu="100"))
    plane.create(pod("another", scheduler="somebody-else"))
    with scheduler(plane.kubeconfig, "--port", "0") as program, Kubelets(plane):
        until(lambda: len(plane.bound("web-")) == 5)
        until(lambda: events(plane, "big"))
        program.wait_for("leads")
        for path in ("healthz", "livez", "readyz"):
            with urllib.request.urlopen(f"{program.url}/{path}") as answer:
                assert answer.read() == b"ok"
        with urllib.request.urlopen(f"{program.url}/metrics") as answer:
            text = answer.read().decode()
        assert 'scheduler_schedule_attempts_total{profile="kschedlab",result="scheduled"} 5.0' in text
        assert 'scheduler_pending_pods{queue="unschedulable"} 1.0' in text
    assert "another" not in plane.bound()
    (news,) = events(plane, "web-0")
    assert (news["reason"], news["action"], news["reportingController"]) == ("Scheduled", "Binding", "kschedlab")
    (status,) = [each["status"] for each in plane.pods() if each["metadata"]["name"] == "big"]
    (condition,) = status["conditions"]
    message = "0/3 nodes are available: 3 Insufficient cpu."
    assert condition["reason"] == "Unschedulable" and condition["message"].startswith(message)
    lease = plane.call("GET", "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kschedlab")[1]
    assert lease["spec"]["holderIdentity"] == "" and program.lines[-1].endswith("stopped")
