"""Reviews: who am I, and what may I do? One user may do everything.

v1.37: k8s.io/api authorization/v1, authentication/v1.
"""

from __future__ import annotations

from typing import Any

USER = {"username": "kschedlab", "groups": ["system:masters", "system:authenticated"]}

REVIEWS = {
    "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews": "SelfSubjectAccessReview",
    "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews": "SelfSubjectRulesReview",
    "/apis/authentication.k8s.io/v1/selfsubjectreviews": "SelfSubjectReview",
}
"""The kind of review that is created at a path."""

_RULES = {
    "resourceRules": [{"verbs": ["*"], "apiGroups": ["*"], "resources": ["*"]}],
    "nonResourceRules": [{"verbs": ["*"], "nonResourceURLs": ["*"]}],
    "incomplete": False,
}


def reviewed(path: str) -> dict[str, Any]:
    """The review with its answer, which is the same for every question: kubectl asks some of them in protobuf."""
    kind = REVIEWS[path]
    status: dict[str, Any] = {"allowed": True, "reason": "kschedlab serve has one user, who may do everything"}
    if kind == "SelfSubjectRulesReview":
        status = _RULES
    elif kind == "SelfSubjectReview":
        status = {"userInfo": USER}
    api_version = path.split("/")[2] + "/v1"
    return {"kind": kind, "apiVersion": api_version, "metadata": {}, "spec": {}, "status": status}
