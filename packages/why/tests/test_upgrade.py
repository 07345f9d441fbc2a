"""Which pods another generation would place differently, and by which change."""

import json
import subprocess
import sys
from pathlib import Path

from kschedlab.build import Manifest, cluster, node, pod
from kschedlab_why.upgrade import Placement, place_text, upgrade
from tests.saying import says

SOFT = [{"key": "old", "value": "yes", "effect": "PreferNoSchedule"}]
TERM = {"weight": 1, "preference": {"matchExpressions": [{"key": "disk", "operator": "Exists"}]}}
LIKING = {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": [TERM]}}
OWNER = [{"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "u", "controller": True}]


def world() -> list[Manifest]:
    liked = node("a", cpu="4", memory="8Gi", labels={"disk": "ssd"}, taints=SOFT)
    web = [pod(f"web-{i}", on, cpu="100m", affinity=LIKING) for i, on in enumerate(("a", "a", ""))]
    for each in web:
        each["metadata"]["ownerReferences"] = OWNER
    busy = pod("w", "b", cpu="1", memory="2Gi")
    return [liked, node("b", cpu="4", memory="8Gi"), busy, *web, pod("big", cpu="99")]


def test_one_pod_of_a_template_is_asked_about() -> None:
    found = upgrade(cluster(*world()), "v1.22", "v1.24")
    assert (found.pods, found.decided) == (5, 3)
    (moved,) = found.moved
    assert (moved.pod, moved.like, moved.whole) == ("default/web-2", 3, True)
    assert (moved.before.nodes, moved.after.nodes) == ({"a"}, {"b"})
    assert [cause.rule for cause in moved.causes] == ["weight of TaintToleration"]
    assert found.reworded == ("default/big",)


def test_pods_like_the_one_that_moves_are_counted() -> None:
    many = str(upgrade(cluster(*world()), "v1.22", "v1.24"))
    assert says(many, "3 of 5 pods", "3 decided", "default/web-2 (and 2 like it)")
    alone = [each for each in world() if each["metadata"]["name"] not in ("web-0", "web-1")]
    one = str(upgrade(cluster(*alone), "v1.22", "v1.24"))
    assert says(one, "1 of 3 pods", "default/web-2") and "like it" not in one and "decided" not in one


def test_nothing_moves_between_a_version_and_itself() -> None:
    found = upgrade(cluster(*world()), "v1.34", "v1.34")
    assert found.moved == () and found.reworded == ()


def test_of_many_nodes_that_tie_three_are_named() -> None:
    assert place_text(Placement(frozenset("cab"))) == "a, b, c"
    assert place_text(Placement(frozenset("dcab"))) == "a, b, c …"
    assert place_text(Placement(frozenset("dcab"), evicting=True)) == "evicts pods on a, b, c …"


def test_the_program(tmp_path: Path) -> None:
    file = tmp_path / "cluster.json"
    file.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": world()}))
    command = [sys.executable, "-m", "kschedlab", "compare", str(file)]
    asked = [*command, "--generation", "v1.22", "--generation", "v1.24"]
    printed = subprocess.run(asked, capture_output=True, text=True, check=True).stdout
    assert says(printed, "v1.22", "v1.24", "default/web-2", "TaintToleration")
    refused = subprocess.run(command, capture_output=True, text=True, check=False)
    assert refused.returncode == 2 and says(refused.stderr, "--pod", "generations")
