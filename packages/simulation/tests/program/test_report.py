"""Runs as text."""

import io

import pytest

from kschedlab.program.terminal.screen import Screen
from kschedlab_simulation.program.report import report_parts, seconds
from kschedlab_simulation.report import Report, Throughput, WaitTimes
from kschedlab_simulation.rollouts import StuckRollout
from kschedlab_simulation.usage import Amounts, ResourceUse

SECOND = 1_000_000


def amounts(allocatable, requested, used=0.0, stranded=0.0, fragmented=0.0):
    return Amounts(allocatable, requested, used, stranded, fragmented)


def a_report(**given):
    fields = dict(
        generation="v1.37",
        seed=7,
        seconds=42.0,
        created=3,
        bound=2,
        pods_per_second=1234.5,
        wall_pods_per_second=None,
        attempts=3,
        failed_attempts=1,
        skipped=0,
        preemptions=0,
        victims=0,
        evicted=0,
        deleted=0,
        waits={},
        resources=(),
        usage=(),
        pending=(),
        stuck=(),
        throughput=(),
        unschedulable={},
        failures=(),
    )
    return Report(**(fields | given))


def printed(report, wall=0.25, **options):
    out = io.StringIO()
    screen = Screen(out, 80, **options)
    screen.print(*report_parts(report, wall, screen))
    screen.close()
    return out.getvalue().rstrip("\n")


def test_a_report_in_full():
    text = printed(
        a_report(
            wall_pods_per_second=3.456,
            preemptions=1,
            victims=2,
            evicted=1,
            deleted=3,
            skipped=4,
            waits={100: WaitTimes(1, 0.25, 0.25, 0.25), 0: WaitTimes(2000, 0.005, 12.5, 1234)},
            resources=(
                ResourceUse("cluster", "", "cpu", amounts(8, 4), amounts(8, 8, used=6)),
                ResourceUse("cluster", "", "nvidia.com/gpu", amounts(4, 1), amounts(4, 2, stranded=2, fragmented=2)),
            ),
            stuck=(
                StuckRollout("Deployment", "default/web", 3, 1, 2, 2, 30.0, True, {"Insufficient cpu": 1}, "too many"),
            ),
            throughput=(Throughput("namespace-1", 1, 0.012, 83.3), Throughput("none", 0, 0, None)),
            unschedulable={"default/a": "0/1 nodes are available", "default/b": ""},
            failures=("run.yaml:3: delete pod default/x: not found",),
        )
    )
    assert (
        text
        == """\
v1.37, seed 7
42 s of virtual time, 0.25 s of real time
2 pods of 3 bound: 1,234 pods/s of virtual time, 3.5 pods/s of real time
3 attempts, 1 without a node, 4 skipped
1 preemption with 2 victims, 1 evicted otherwise, 3 deleted in all
Measured namespace-1: 1 pod in 12 ms, 83 pods/s of virtual time
Measured none: 0 pods in 0 s
From creation to binding
  priority   pods     p50     p95  longest
       100      1  0.25 s  0.25 s   0.25 s
         0  2,000    5 ms  12.5 s  1,234 s
Resources: shares of what the nodes have
             resource        requested  at the end   used  stranded  fragmented
  all nodes  cpu                 50.0%      100.0%  75.0%      0.0%        0.0%
             nvidia.com/gpu      25.0%       50.0%   0.0%     50.0%       50.0%
1 rollout not complete
  Deployment default/web: 1 of 3 pods updated, 2 available, 2 of an older
  template, its deadline is over, since 30 s
    1 pod: Insufficient cpu
    too many
2 pods without a node
  1 pod: default/a
    0/1 nodes are available
  1 pod: default/b
    not tried yet
1 entry of the timeline failed
  run.yaml:3: delete pod default/x: not found"""
    )


@pytest.mark.parametrize(
    ("pools", "shown"), [((), ["all nodes"]), (("a",), ["all nodes"]), (("a", "b"), ["all nodes", "a", "b"])]
)
def test_pools_are_shown_if_there_are_several(pools, shown):
    same = amounts(8, 4)
    uses = [ResourceUse("cluster", "", "cpu", same, same), *(ResourceUse("pool", n, "cpu", same, same) for n in pools)]
    lines = [line for line in printed(a_report(resources=tuple(uses))).splitlines() if " cpu " in line]
    assert [line.partition(" cpu ")[0].strip() for line in lines] == shown


def test_what_there_is_nothing_to_tell_of_is_left_out():
    assert (
        printed(a_report())
        == """\
v1.37, seed 7
42 s of virtual time, 0.25 s of real time
2 pods of 3 bound: 1,234 pods/s of virtual time
3 attempts, 1 without a node"""
    )


def test_priorities_and_rates_of_two_figures():
    """Whole numbers from 10 on, two figures below; columns of numbers end at the same place."""
    waits = {1000: WaitTimes(1, 0, 0, 0), -5: WaitTimes(12345, 10, 20, 99.94)}
    lines = printed(a_report(pods_per_second=10.0, wall_pods_per_second=9.96, waits=waits)).splitlines()
    assert lines[2] == "2 pods of 3 bound: 10 pods/s of virtual time, 10 pods/s of real time"
    assert lines[-2:] == [
        "      1000       1   0 s   0 s      0 s",
        "        -5  12,345  10 s  20 s   99.9 s",
    ]
    assert "9.8 pods/s of virtual" in printed(a_report(pods_per_second=9.84))


def test_pods_with_the_same_reason_are_grouped_and_long_lists_folded():
    reasons = {f"p{i:02}": f"reason {i // 2}" for i in range(23)}
    text = printed(a_report(unschedulable=reasons, failures=("a", "b")))
    assert "  2 pods: p18, p19\n    reason 9\n  and 3 more pods\n2 entries of the timeline failed" in text
    assert text.endswith("\n(--all shows what was left out)")
    assert "  1 pod: p22\n    reason 11" in printed(a_report(unschedulable=reasons), all=True)
    assert "  23 pods: p00, p01, p02 and 20 more\n" in printed(a_report(unschedulable=dict.fromkeys(reasons, "x")))


def test_text_of_a_user_is_made_visible():
    assert "[U+001B][31m" in printed(a_report(unschedulable={"p": "\x1b[31m"}))


def test_seconds_have_three_figures():
    assert list(map(seconds, (0, 0.0001, 0.0123, 0.0999, 0.1, 0.5, 12.345, 99.96, 100.4, 1234.5))) == [
        "0 s",
        "0.1 ms",
        "12.3 ms",
        "99.9 ms",
        "0.1 s",
        "0.5 s",
        "12.3 s",
        "100 s",
        "100 s",
        "1,234 s",
    ]
