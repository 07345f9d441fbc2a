"""What a sentence of ours must say: names, numbers and the rule, so that its wording may become better.

Sentences of Kubernetes, and what a document shows, are compared letter by letter instead.
"""

import re


def says(text: str, *facts: object) -> bool:
    """Whether the text has all of these, as whole words, in capitals or not. AssertionError names what is missing."""
    missing = [str(each) for each in facts if not _has(text, str(each))]
    assert not missing, f"{text!r} does not say {', '.join(missing)}"
    return True


def _has(text: str, fact: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(fact)}(?![\w-])", text, re.IGNORECASE) is not None
