"""Expressions at the edges of what CEL's values and functions allow, with the real answers (cel_1_37).

    python -m tests.oracle.cel_limits PROGRAMS/cel_1_37 packages/cel/tests/data/limits

Reads the rows of ``.txt`` and writes ``.jsonl.gz``. ``<<a||b>>`` stands for each of the alternatives. The value is
shown by the error about a missing key; a row that begins with ``=`` is asked for as it is.
"""

import itertools
import re
import sys
from pathlib import Path

from tests.oracle.cel import ask, compared, record

DEVICE = {
    "name": "d",
    "attributes": {"index": {"int": 3}, "model": {"string": "a100"}, "ids": {"ints": [1, 2]}},
    "capacity": {"memory": {"value": "40Gi"}},
}


def written(row: str) -> list[str]:
    """The expressions of a row."""
    parts = re.split("<<(.*?)>>", row)
    choices = [part.split("||") if at % 2 else [part] for at, part in enumerate(parts)]
    texts = ["".join(chosen) for chosen in itertools.product(*choices)]
    return [text[1:].strip() if row.startswith("=") else f"{{'': 1}}['%s'.format([{text}])] == 1" for text in texts]


def main(program: str, path: str) -> int:
    rows = Path(f"{path}.txt").read_text(encoding="utf-8").splitlines()
    texts = dict.fromkeys(text for row in rows if row and not row.startswith("#") for text in written(row))
    asked = [{"expression": text, "driver": "gpu.example.com", "device": DEVICE} for text in texts]
    real = ask(program, asked)
    record(f"{path}.jsonl.gz", asked, real)
    return compared(asked, real, reasons=False)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
