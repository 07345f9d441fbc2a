"""Accepted or refused as v1.37's API server answers: recorded objects, one for each sort of answer."""

import gzip
import json
from pathlib import Path

from tests.oracle.differences import LET_THROUGH, REFUSED_HERE
from tests.oracle.valid_objects import VALID
from tests.oracle.validation import agrees, ours

DATA = Path(__file__).parent / "data/validation.jsonl.gz"
RECORDED = [json.loads(line) for line in gzip.decompress(DATA.read_bytes()).splitlines()]
DOCS = Path(__file__).parents[3] / "docs/validation.md"


def test_every_recorded_object_gets_the_real_answer() -> None:
    wrong = [o for o in RECORDED if not agrees(o["object"]["kind"], ours(o["object"]), o["refused"])]
    assert not wrong, f"{len(wrong)} of {len(RECORDED)}, the first: {json.dumps(wrong[0])} {ours(wrong[0]['object'])}"


def test_many_objects_of_every_kind_are_recorded() -> None:
    answers = {(each["object"]["kind"], each["refused"]) for each in RECORDED}
    assert answers == {(kind, refused) for kind in VALID for refused in (True, False)}
    assert len(RECORDED) > 700 and sum(each["refused"] for each in RECORDED) > 500


def test_the_documentation_lists_the_differences() -> None:
    rows = [line for line in DOCS.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    listed = [f"| {each.name} | {each.reason} |" for each in (*LET_THROUGH, *REFUSED_HERE)]
    assert [row for row in rows if row not in ("| What | Why |", "|---|---|")] == listed
