"""Bad manifests and their exact error messages: all at once, each with its line. No other package adds checks."""

from itertools import groupby
from pathlib import Path

import pytest

from kschedlab.manifests import checks
from kschedlab.manifests.loading import ManifestError, load

BAD = Path(__file__).parent / "bad"
EXPECTED = (BAD / "expected.txt").read_text(encoding="utf-8").splitlines()
MANIFESTS = sorted(path.name for path in BAD.iterdir() if path.suffix in (".yaml", ".json"))


@pytest.fixture(autouse=True)
def alone(monkeypatch):
    monkeypatch.setattr(checks, "installed", lambda: ())


@pytest.mark.parametrize("name", MANIFESTS)
def test_the_messages(name, monkeypatch):
    monkeypatch.chdir(BAD)
    with pytest.raises(ManifestError) as caught:
        load(name)
    assert str(caught.value).splitlines() == [line for line in EXPECTED if line.startswith(f"{name}:")]


def test_every_expected_message_has_its_manifest():
    assert {line.split(":")[0] for line in EXPECTED} == set(MANIFESTS)


def test_messages_are_in_the_order_of_the_files(monkeypatch):
    monkeypatch.chdir(BAD)
    with pytest.raises(ManifestError) as caught:
        load("tolerations.yaml", "phase.yaml")
    named = [line.split(":")[0] for line in str(caught.value).splitlines()]
    assert [name for name, _ in groupby(named)] == ["tolerations.yaml", "phase.yaml"]


def test_the_documentation_s_example():
    text = """\
apiVersion: v1
kind: Pod
metadata: {name: web-1}
spec:
  containers:
  - name: app
    resources:
      requests:
        cpu: "1,5"
"""
    with pytest.raises(ManifestError) as caught:
        load_text(text)
    assert str(caught.value) == (
        'cluster.yaml:9: Pod default/web-1: spec.containers[0].resources.requests.cpu: "1,5" is not a quantity '
        '(use a decimal point: "1.5")'
    )
    (problem,) = caught.value.problems
    assert (problem.place, problem.line) == ("cluster.yaml", 9)


def load_text(text: str) -> None:
    from kschedlab.manifests.loading import loads

    loads(text, "cluster.yaml")
