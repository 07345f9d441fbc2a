"""The defaults that only kubectl shows. v1.37: pkg/apis/core/v1/defaults.go, pkg/util/parsers/parsers.go."""

import pytest

from kschedlab_live.serve.filling import filled


@pytest.mark.parametrize(
    ("container", "policy"),
    [
        ({"image": "nginx"}, "Always"),
        ({"image": "nginx:latest"}, "Always"),
        ({"image": "nginx:1.27"}, "IfNotPresent"),
        ({"image": "nginx@sha256:abc"}, "IfNotPresent"),
        ({"image": "nginx:latest@sha256:abc"}, "Always"),
        ({"image": "registry:5000/nginx"}, "Always"),
        ({"image": "registry:5000/nginx:1.27"}, "IfNotPresent"),
        ({"image": ""}, "IfNotPresent"),
        ({}, "IfNotPresent"),
        ({"image": "nginx", "imagePullPolicy": "Never"}, "Never"),
    ],
)
@pytest.mark.parametrize("kind", ["containers", "initContainers"])
def test_an_image_is_pulled_each_time_if_its_tag_is_latest(kind: str, container: dict, policy: str) -> None:
    (shown,) = filled("Pod", {"spec": {kind: [{"name": "c"} | container]}})["spec"][kind]
    assert shown["imagePullPolicy"] == policy
