"""The fuzzer finds a difference, shrinks it, and keeps it as a test."""

import gzip
import itertools
import json
import sys
import time
from pathlib import Path

import pytest

from kschedlab.program.decide import decide_lines
from tests.course import GENERATIONS
from tests.oracle.scenarios import FEATURES, scenario, scenarios
from tests.oracle.whole import whole_scenarios
from tools.fuzz import TIMED_OUT, Judges, Scenario, compared, keep, shrunk

LIAR = """#!{python}
import json, sys
from kschedlab.program.decide import decide_lines
for line in sys.stdin.buffer:
    (verdict,) = decide_lines([line], "v1.37")
    answer = json.loads(verdict)
    if "tolerations" in str(json.loads(line)["objects"]):
        answer["feasible"] = ["elsewhere"]
    print(json.dumps(answer))
"""


class Liar(Judges):
    """The same without a process."""

    def real(self, asked: list[Scenario]) -> list[Scenario]:
        answers = map(json.loads, decide_lines((json.dumps(each).encode() for each in asked), "v1.37"))
        lie = {"feasible": ["elsewhere"]}
        return [
            answer | (lie if "tolerations" in str(each["objects"]) else {})
            for each, answer in zip(asked, answers, strict=True)
        ]


HANGING = """#!/bin/sh
while read -r line; do
    case $line in *1*) exec sleep 1000 ;; esac
    echo "$line"
done
"""


@pytest.fixture
def liar(tmp_path: Path) -> Judges:
    """A scheduler that answers wrongly wherever a pod tolerates something."""
    program = tmp_path / "oracle"
    program.write_text(LIAR.format(python=sys.executable))
    program.chmod(0o755)
    return Judges("v1.37", program)


def test_a_difference_is_found(liar: Judges) -> None:
    assert liar.different([scenario("seed", ["taints", "ports"])]) == ({"seed": {"feasible"}}, 1)


def test_a_difference_is_shrunk_to_its_cause_and_kept(tmp_path: Path) -> None:
    asked, liar = scenario("seed", ["taints", "ports"]), Liar("v1.37", tmp_path)
    small = shrunk(asked, liar)
    (pod,) = small["objects"]
    assert pod["spec"]["tolerations"] == []
    assert set(pod) <= {"apiVersion", "kind", "metadata", "spec"} and small["pod"] == asked["pod"]
    for folder in ("scenarios", "v1.37"):
        (tmp_path / folder).mkdir()
    path = keep(small, liar, tmp_path)
    verdict = json.loads(gzip.decompress((tmp_path / "v1.37" / path.name).read_bytes()))
    assert json.loads(gzip.decompress(path.read_bytes())) == small
    assert (verdict["id"], verdict["feasible"]) == ("seed", ["elsewhere"])


def test_where_both_agree_nothing_is_found(liar: Judges) -> None:
    assert liar.different([scenario(f"{number}", ["ports"]) for number in range(5)]) == ({}, 5)


def test_a_scenario_at_which_the_real_scheduler_panics_is_left_out_alone(tmp_path: Path) -> None:
    program = tmp_path / "oracle"
    program.write_text(
        LIAR.format(python=sys.executable).replace(
            "    (verdict", "    json.loads(line)['id'] == '1' and sys.exit(2)\n    (verdict", 1
        )
    )
    program.chmod(0o755)
    asked = [scenario(f"{number}", ["ports"]) for number in range(4)]
    assert Judges("v1.37", program).different(asked) == ({}, 3)


def test_scenarios_without_a_verdict_are_counted(tmp_path: Path) -> None:
    program = tmp_path / "oracle"
    program.write_text(LIAR.format(python=sys.executable).replace("    (verdict", "    sys.exit(2)\n    (verdict", 1))
    program.chmod(0o755)
    answered, differ, unanswered = compared(Judges("v1.37", program), seed=1, count=1, seconds=1)
    assert (answered, differ) == (0, 0) and unanswered > 0


def test_a_scenario_at_which_the_real_scheduler_hangs_is_left_out_alone(tmp_path: Path) -> None:
    program = tmp_path / "oracle"
    program.write_text(HANGING)
    program.chmod(0o755)
    asked = [{"id": f"{number}"} for number in range(4)]
    assert Judges("v1.37", program, patience=2).real(asked) == [{"id": "0"}, {"id": "2"}, {"id": "3"}]


def test_when_the_time_is_up_a_difference_is_kept_as_it_is(liar: Judges) -> None:
    asked = scenario("seed", ["taints"])
    assert shrunk(asked, liar, until=time.monotonic()) == asked


class Wavering(Liar):
    """It answers another way every other time, as if the order of a map decided."""

    turn = itertools.count()

    def real(self, asked: list[Scenario]) -> list[Scenario]:
        return super().real(asked) if next(self.turn) % 2 else Judges.real(self, asked)


def test_an_answer_that_the_real_scheduler_also_gives_is_no_difference(liar: Judges) -> None:
    asked = scenario("seed", ["taints"])
    assert Liar("v1.37", liar.program).always_different(asked)
    honest = liar.program.with_name("honest")
    honest.write_text(LIAR.format(python=sys.executable).replace('"tolerations" in', "None in ()  and"))
    honest.chmod(0o755)
    assert not Wavering("v1.37", honest).always_different(asked)


def test_a_verdict_that_a_time_limit_ended_is_not_compared(tmp_path: Path) -> None:
    class Slow(Liar):
        def real(self, asked: list[Scenario]) -> list[Scenario]:
            return [each | {"error": TIMED_OUT} for each in super().real(asked)]

    assert Slow("v1.37", tmp_path).different([scenario("seed", ["taints"])]) == ({}, 0)


@pytest.mark.parametrize("generation", GENERATIONS)
def test_every_feature_is_answered_by_every_generation(generation: str) -> None:
    asked = [scenario(f"{feature}-{number}", [feature]) for feature in FEATURES for number in range(3)]
    answers = [json.loads(line) for line in decide_lines((json.dumps(each).encode() for each in asked), generation)]
    assert [each["id"] for each in answers] == [each["id"] for each in asked]
    assert any(len(each.get("feasible", [])) > 1 for each in answers) and any("preemption" in each for each in answers)


def test_a_seed_gives_the_same_scenarios() -> None:
    one, other = (list(itertools.islice(scenarios(3), 4)) for _ in range(2))
    assert one == other and len({json.dumps(each) for each in one}) == 4


def test_the_whole_profile_is_fuzzed() -> None:
    newest = list(itertools.islice(whole_scenarios(1, "v1.37"), 20))
    assert sum("extenders" in each for each in newest) == 4
    assert sum(any(one["kind"] == "ResourceSlice" for one in each["objects"]) for each in newest) == 6
    older = list(itertools.islice(whole_scenarios(1, "v1.16"), 20))
    assert sum("extenders" in each for each in older) == 4
    assert not any(one["kind"] == "ResourceSlice" for each in older for one in each["objects"])
    for each in newest:
        (verdict,) = decide_lines([json.dumps(each).encode()], "v1.37")
        assert "errors" not in json.loads(verdict), each["id"]
