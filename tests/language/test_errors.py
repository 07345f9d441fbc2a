"""What is wrong with a file is told in Chinese: names, fields and values stay as Kubernetes spells them."""

import gzip
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from kschedlab.language import language
from kschedlab.manifests.known_fields import known
from kschedlab.manifests.loading import ManifestError, decode_objects, load
from tests.language.shown import english

DATA = Path(__file__).parents[1] / "manifests"
BAD = sorted(path for path in (DATA / "bad").iterdir() if path.suffix != ".txt")
RECORDED = [json.loads(line) for line in gzip.decompress((DATA / "data/validation.jsonl.gz").read_bytes()).splitlines()]

FIELDS = {field for fields in known().types.values() for field in fields}
KINDS = {kind for kinds in known().kinds.values() for kind in kinds}
VALUES = (
    "Always Never Equal Exists Honor Ignore Block Filesystem Delete Recycle Retain Immediate Managed Shared Dedicated "
    "Pending Running Succeeded Failed Unknown Recreate Parallel Restart All None Gt Lt In NotIn true false TCP UDP "
    "cpu memory storage limit request Ki Mi Gi Ti Pi Ei Kubernetes Pod Server tag surrogate objects"
)
"""Values of fields, resources, suffixes, and words that Chinese texts have, too."""
EXPRESSION = re.compile(r"[.]cel[.]expression：.*", re.DOTALL)
"""What cel-go says of a selector, which is English in every language."""


@pytest.fixture(autouse=True)
def chinese() -> Iterator[None]:
    language("zh")
    yield
    language("en")


def untranslated(errors: Iterable[str], given: str) -> dict[str, str]:
    """The English words of these messages that neither Kubernetes nor the input has."""
    names = FIELDS | KINDS | {*VALUES.split(), *re.findall(r"[A-Za-z]+", given)}
    found = english(EXPRESSION.sub("", each) for each in errors)
    return {word: text for word, text in found.items() if word not in names}


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.name)
def test_a_bad_manifest_is_refused_in_chinese(path: Path) -> None:
    with pytest.raises(ManifestError) as error:
        load(path)
    shown = [problem.message for problem in error.value.problems]
    assert untranslated(shown, path.read_text(encoding="utf-8")) == {}
    assert all(re.search("[一-鿿]", message) for message in shown)


def test_what_the_api_server_refuses_is_told_in_chinese() -> None:
    said: list[str] = []
    for each in RECORDED:
        try:
            said += decode_objects([each["object"]]).report.warnings
        except ManifestError as error:
            said += map(str, error.problems)
    given = json.dumps([each["object"] for each in RECORDED])
    assert len(said) > 500
    assert untranslated(said, given) == {}
