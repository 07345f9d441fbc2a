"""The words of Kubernetes' own rules for names. apimachinery v0.37: pkg/api/validate/content/kube.go"""

import pytest

from kschedlab.objects.devices import Device
from kube_cel import CelError, compile
from kube_cel.network import FORMATS

KEY = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', "
    "regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
VALUE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start "
    "and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)

LABEL = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)


@pytest.mark.parametrize(
    ("name", "text", "faults"),
    [
        ("qualifiedName", "example.com/gpu", []),
        ("qualifiedName", "", ["name part must be non-empty", f"name part {KEY}"]),
        ("qualifiedName", "/gpu", ["prefix part must be non-empty"]),
        ("qualifiedName", "x" * 64, ["name part must be no more than 63 bytes"]),
        ("qualifiedName", "gpu-", [f"name part {KEY}"]),
        (
            "qualifiedName",
            "a/b/c",
            [f"a valid label key {KEY} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"],
        ),
        ("dns1123LabelPrefix", "gpu-", []),
        ("dns1123LabelPrefix", "g_u-", [LABEL]),
        ("labelValue", "", []),
        ("labelValue", "-" * 64, ["must be no more than 63 bytes", VALUE]),
    ],
)
def test_faults_of_names(name: str, text: str, faults: list[str]) -> None:
    assert FORMATS[name].faults(text) == faults


def test_a_format_cannot_be_the_key_of_a_map() -> None:
    with pytest.raises(CelError, match=r"hash of unhashable type cel\.Format$"):
        compile("{format.uri(): 1}.size() == 1").matches("driver", Device())
