"""The source lines that tools/mutations.py changes exist; the script itself takes minutes."""

import pytest

from tools.mutations import ROOT, Mutation, mutations


@pytest.mark.parametrize("mutation", list(mutations()), ids=lambda mutation: f"{mutation.lesson} {mutation.name}")
def test_the_place_is_found_and_the_module_still_compiles(mutation: Mutation) -> None:
    path = ROOT / mutation.module
    text = path.read_text(encoding="utf-8")
    changed = mutation.applied(text)
    assert changed != text
    compile(changed, str(path), "exec")


def test_a_place_that_is_not_there_is_told() -> None:
    with pytest.raises(ValueError, match="x.py has 0 times: left"):
        Mutation("wrong", "05", "x.py", "left", "right").applied("nothing")
