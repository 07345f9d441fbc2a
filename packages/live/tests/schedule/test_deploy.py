"""The manifest and the image recipe."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from kschedlab.cluster.object_store import RELEVANT_PART
from kschedlab.objects.kinds import RESOURCES
from kschedlab.objects.model import Node, Pod, PriorityClass
from kschedlab.program.main import _parser
from kschedlab_live.program.schedule import settings_of

DEPLOY = Path(__file__).parents[4] / "deploy"
OBJECTS: list[dict[str, Any]] = list(yaml.safe_load_all((DEPLOY / "schedule.yaml").read_text(encoding="utf-8")))


def only(kind: str) -> dict[str, Any]:
    (found,) = [each for each in OBJECTS if each["kind"] == kind]
    return found


def test_it_may_list_and_watch_what_it_watches_and_nothing_else() -> None:
    watched = {Node, Pod, *RELEVANT_PART} - {PriorityClass}
    rules = [rule for rule in only("ClusterRole")["rules"] if "watch" in rule["verbs"]]
    granted = {(group, name) for rule in rules for group in rule["apiGroups"] for name in rule["resources"]}
    assert granted == {(RESOURCES[kind].group, RESOURCES[kind].name) for kind in watched}
    assert all(rule["verbs"] == ["list", "watch"] for rule in rules)


def test_no_right_is_wide() -> None:
    rules = [*only("ClusterRole")["rules"], *only("Role")["rules"]]
    granted = {value for rule in rules for values in rule.values() for value in values}
    assert not granted & {"*", "secrets", "pods/exec", "update", "deletecollection", "impersonate", "bind", "escalate"}
    (lease,) = [rule for rule in only("Role")["rules"] if "patch" in rule["verbs"]]
    assert lease["resourceNames"] == ["kschedlab"]


def test_names_agree() -> None:
    account, role = only("ServiceAccount")["metadata"], only("ClusterRole")["metadata"]["name"]
    for kind, name in (("ClusterRoleBinding", role), ("RoleBinding", only("Role")["metadata"]["name"])):
        binding = only(kind)
        assert binding["roleRef"]["name"] == name
        assert binding["subjects"] == [{"kind": "ServiceAccount", **account}]
    assert only("Deployment")["spec"]["template"]["spec"]["serviceAccountName"] == account["name"]


def test_the_program_understands_the_arguments() -> None:
    (container,) = only("Deployment")["spec"]["template"]["spec"]["containers"]
    settings = settings_of(_parser("kschedlab").parse_args(container["args"]))
    assert settings.port == container["ports"][0]["containerPort"] and settings.address == "0.0.0.0"
    assert settings.lease is not None and settings.lease[1] == "kschedlab" and settings.name == "kschedlab"
    security = container["securityContext"]
    assert (
        security["runAsNonRoot"]
        and security["readOnlyRootFilesystem"]
        and security["capabilities"] == {"drop": ["ALL"]}
    )


def test_the_image_has_what_it_names() -> None:
    recipe = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    copied = next(line for line in recipe.splitlines() if line.startswith("COPY pyproject")).split()[1:-1]
    assert all((DEPLOY.parent / name).exists() for name in copied)
    assert " /source/packages/live " in recipe and "USER 65532" in recipe
