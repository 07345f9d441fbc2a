"""Runs as text."""

import io

from kschedlab.objects.meta import Time
from kschedlab.objects.model import ObjectMeta, Pod, PodSpec, PodStatus
from kschedlab.simulation.log import Changed, Log
from kschedlab.simulation.replay import Replay
from kschedlab.simulation.report import Report, Throughput, Utilization, WaitTimes
from kschedlab.views.simulation import Bar, pods_text, report_text, seconds

SECOND = 1_000_000
QUIET = Utilization(0.0, 0.0, ())


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
        cpu=QUIET,
        memory=QUIET,
        throughput=(),
        unschedulable={},
        failures=(),
    )
    return Report(**(fields | given))


def a_pod(name, node="", created=0):
    metadata = ObjectMeta(name=name, namespace="default", creationTimestamp=Time(created))
    return Pod(metadata=metadata, spec=PodSpec(nodeName=node), status=PodStatus(phase="Pending"))


def test_a_report_in_full():
    text = report_text(
        a_report(
            wall_pods_per_second=3.456,
            preemptions=1,
            victims=2,
            evicted=1,
            deleted=3,
            skipped=4,
            waits={100: WaitTimes(1, 0.25, 0.25, 0.25), 0: WaitTimes(2000, 0.005, 12.5, 1234)},
            cpu=Utilization(0.5, 1.0, ()),
            throughput=(Throughput("namespace-1", 1, 0.012, 83.3), Throughput("none", 0, 0, None)),
            unschedulable={"default/a": "0/1 nodes are available", "default/b": ""},
            failures=("run.yaml:3: delete pod default/x: not found",),
        )
    )
    assert (
        text
        == """\
v1.37, seed 7: 42 s of the virtual clock
2 pods of 3 bound: 1,234 pods/s, 3.5 pods/s on the clock on the wall
3 attempts, 1 without a node, 4 skipped
1 preemption with 2 victims, 1 evicted otherwise, 3 deleted in all
From creation to binding
  priority  pods   p50     p95     longest
  100       1      0.25 s  0.25 s  0.25 s
  0         2,000  5 ms    12.5 s  1,234 s
Requested of what the nodes have
          mean   at the end
  cpu     50.0%  100.0%
  memory  0.0%   0.0%
Measured namespace-1: 1 pod in 12 ms, 83 pods/s
Measured none: 0 pods in 0 s
2 pods without a node
  default/a: 0/1 nodes are available
  default/b: not tried yet
1 entry of the timeline failed
  run.yaml:3: delete pod default/x: not found"""
    )


def test_what_there_is_nothing_to_tell_of_is_left_out():
    assert (
        report_text(a_report())
        == """\
v1.37, seed 7: 42 s of the virtual clock
2 pods of 3 bound: 1,234 pods/s
3 attempts, 1 without a node
Requested of what the nodes have
          mean  at the end
  cpu     0.0%  0.0%
  memory  0.0%  0.0%"""
    )


def test_long_lists_are_folded_and_text_is_made_visible():
    text = report_text(a_report(unschedulable={f"p{i:02}": "\x1b[31m" for i in range(23)}, failures=("a", "b")))
    assert "  p19: [U+001B][31m\n  and 3 more\n2 entries of the timeline failed" in text


def test_pods_are_listed_up_to_a_number():
    assert pods_text([], 0) == "No resources found"
    few = pods_text([a_pod("a")], 5 * SECOND)
    assert few.splitlines()[0].startswith("NAMESPACE   NAME   READY")
    many = pods_text([a_pod(f"p{i:02}") for i in range(43)], 0).splitlines()
    assert len(many) == 1 + 40 + 1
    assert many[-1] == "and 3 more pods"


def test_the_table_at_a_position_of_a_replay():
    log = Log()
    before, after = a_pod("web"), a_pod("web", "n1")
    log.write(Changed(at=0, type="ADDED", kind="Pod", key="default/web", new=before))
    log.write(Changed(at=90 * SECOND, type="MODIFIED", kind="Pod", key="default/web", old=before, new=after))
    replay = Replay(log)
    assert pods_text(replay.pods(), replay.now) == "No resources found"
    rows = []
    for position in (1, 2, 1):
        replay.seek(position)
        rows.append(pods_text(replay.pods(), replay.now).splitlines()[1].split())
    assert [(row[5], row[7]) for row in rows] == [("0s", "<none>"), ("90s", "n1"), ("0s", "<none>")]


def test_seconds_have_three_figures():
    assert list(map(seconds, (0, 0.0001, 0.0123, 0.5, 12.345, 99.96, 1234.5))) == [
        "0 s",
        "0.1 ms",
        "12.3 ms",
        "0.5 s",
        "12.3 s",
        "100 s",
        "1,234 s",
    ]


def test_a_bar_appears_only_in_long_runs():
    moments = iter([0.0, 0.5, 1.9, 2.1, 2.1, 2.15, 2.3, 2.3])
    out = io.StringIO()
    bar = Bar(out, lambda: next(moments))
    bar.show(1, 10)
    bar.show(2, 10)
    bar.clear()
    assert out.getvalue() == ""
    bar.show(3, 9)
    assert out.getvalue() == f"\r[{'#' * 10}{'.' * 20}] 3 of 9 pods bound"
    bar.show(4, 9)
    assert out.getvalue().count("\r") == 1, "not more than ten times a second"
    bar.show(9, 9)
    assert out.getvalue().endswith(f"\r[{'#' * 30}] 9 of 9 pods bound")
    bar.clear()
    assert out.getvalue().endswith("\r")
