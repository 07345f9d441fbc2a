"""What an experiment says: tables, files and a page."""

import csv
import json
import re

import numpy as np
import pytest

from kschedlab.build import as_yaml, budget, deployment, node, pod
from kschedlab.extras import MissingExtraError
from kschedlab_experiments import Arrival, Experiment, Generated, Poisson, Trace, Variant
from kschedlab_experiments.page import charts, write_page
from kschedlab_experiments.results import number
from kschedlab_experiments.runs import Task, simulation_of
from packages.experiments.tests.small import small
from tests.saying import says


@pytest.fixture(scope="module")
def results():
    return Experiment.example(nodes=6, pods=12, seeds=range(6)).run()


def test_the_example_shows_itself_as_a_table(results):
    text = str(results)
    assert says(text.splitlines()[0], "packing", "default", "6 seeds")
    row = next(line for line in text.splitlines() if "imbalance of cpu" in line)
    assert says(row, "real") and row.count("%") == 5
    page = results._repr_html_()
    assert "<table" in page and "imbalance of cpu" in page


def test_a_planted_difference_is_real_and_an_equal_scheduler_differs_in_nothing(results):
    assert says(str(results), "by chance", "5 %")
    found = {each.measure: each for each in results.differences()}
    assert found["imbalance/cpu"].real and found["imbalance/cpu"].difference.low > 0
    assert found["empty_nodes"].real and found["empty_nodes"].difference.mean > 1
    twins = Experiment(small().arrivals, [Variant("one"), Variant("two", generation="v1.37")], range(3)).run()
    assert twins.differences() == []
    assert says(str(twins), "same")


def test_few_seeds_are_said_to_be_too_few():
    assert says(str(small(seeds=range(2)).run()), "2 seeds", 6)


@pytest.mark.parametrize(("confidence", "needed"), [(0.5, 2), (0.96875, 6)])
def test_how_many_seeds_are_enough(confidence, needed):
    """Of n pairs, all differences have the same sign by chance once in 2 to the power of n - 1."""
    example = small(pods=4)
    few, enough = (
        Experiment(example.arrivals, example.variants, range(seeds), confidence=confidence).run()
        for seeds in (needed - 1, needed)
    )
    assert f"take {needed} or more" in str(few) and not any(each.real for each in few.differences())
    assert f"{100 - 100 * confidence:g} % or fewer come about by chance" in str(enough)
    assert f"{100 * confidence:g} % interval" in str(enough)


def test_one_variant_has_means_and_nothing_to_compare():
    results = Experiment(small().arrivals, [Variant("only")], range(2)).run()
    assert says(str(results), "only", "mean", "pods placed")
    with pytest.raises(ValueError) as error:
        results.differences()
    assert says(str(error.value), "one variant")


def test_unknown_names_list_the_known_ones(results):
    with pytest.raises(KeyError, match="imbalance/cpu"):
        results["imbalance"]
    with pytest.raises(KeyError, match="packing"):
        results.differences("pakcing")


def test_csv_has_a_row_for_each_run(tmp_path, results):
    results.to_csv(tmp_path / "r.csv")
    rows = list(csv.DictReader((tmp_path / "r.csv").open()))
    assert [(row["variant"], row["seed"]) for row in rows] == [
        (variant, str(seed)) for variant in ("default", "packing") for seed in range(6)
    ]
    assert [float(row["imbalance/cpu"]) for row in rows[:6]] == results["imbalance/cpu"][0].tolist()


def test_parquet_has_the_same_rows(tmp_path, results):
    parquet = pytest.importorskip("pyarrow.parquet")
    results.to_parquet(tmp_path / "r.parquet")
    assert parquet.read_table(tmp_path / "r.parquet").to_pylist() == list(results.rows())


def test_parquet_without_its_library_says_what_to_install(tmp_path, results, monkeypatch):
    monkeypatch.setattr("kschedlab.extras.find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"kschedlab\[parquet\]"):
        results.to_parquet(tmp_path / "r.parquet")


def figures_of(page):
    (text,) = re.findall(r"<script type='application/json' id='figures'>(.*?)</script>", page.read_text(), re.S)
    return json.loads(text)


def test_the_page_needs_nothing_else(tmp_path):
    variants = [Variant("<b>one</b>"), Variant("two", generation="v1.20")]
    results = Experiment(small().arrivals, variants, range(2)).run()
    write_page(results, tmp_path / "r.html")
    text = (tmp_path / "r.html").read_text()
    own = re.sub(r"<script>.*?</script>", "", text, flags=re.S)
    assert not re.search(r"(src|href)=|https?://|@import", own)
    assert "<b>one</b>" not in text and "&lt;b&gt;one&lt;/b&gt;" in text
    assert len(figures_of(tmp_path / "r.html")) == own.count("<figure") >= 5
    assert "light-dark(" in text and "prefers-color-scheme" in text


def test_a_resource_that_one_variant_lacks_is_drawn_for_the_others(tmp_path):
    gpus = node("g", allocatable={"cpu": 8, "memory": "8Gi", "pods": 9, "example.com/gpu": 4})
    arrivals = Trace([node("plain")], [Arrival(0, pod("p", cpu=1))])
    results = Experiment(arrivals, [Variant("plain"), Variant("gpus", nodes=[gpus])], [1]).run()
    drawn = dict(charts(results))["Requested example.com/gpu over time"]
    assert {trace.name for trace in drawn.data if trace.name} == {"gpus"}


def test_the_page_has_the_differences_in_percent_with_their_intervals(results, tmp_path):
    write_page(results, tmp_path / "r.html")
    (text,) = re.findall(
        r"<script type='application/json' id='figures'>(.*?)</script>", (tmp_path / "r.html").read_text(), re.S
    )
    traces = [trace for figure in json.loads(text) for trace in figure["data"] if "error_x" in trace]
    (shown,) = traces
    found = [each for each in results.differences() if each.difference.low == each.difference.low]
    assert len(found) == len(shown["x"]) > 2
    for place, each in enumerate(found):
        percent = 100 / max(abs(each.first), abs(each.second))
        x, above, below = shown["x"][place], shown["error_x"]["array"][place], shown["error_x"]["arrayminus"][place]
        ends = [x - below, x, x + above]
        expected = [each.difference.low, each.difference.mean, each.difference.high]
        assert ends == pytest.approx([percent * value for value in expected])


def test_a_variant_without_a_generation_has_that_of_the_scenario(tmp_path):
    file = tmp_path / "scenario.yaml"
    late = {"at": "1s", "create": pod("late", cpu=1)}
    file.write_text(as_yaml([node("a"), {"simulation": {"generation": "v1.13"}, "timeline": [late]}]))
    plan = Experiment([file], [Variant("as it is"), Variant("newer", generation="v1.20")], [1]).plan
    names = [
        simulation_of(plan, Task(variant, 1)).scheduler.context.generations["default-scheduler"].name
        for variant in (0, 1)
    ]
    assert names == ["v1.13", "v1.20"]


@pytest.mark.parametrize(
    ("value", "measure", "signed", "shown"),
    [
        (0.12345, "pods", False, "0.123"),
        (12.345, "pods", True, "+12.3"),
        (-12.345, "pods", True, "−12.3"),
        (0.0, "pods", True, "0"),
        (999.4, "pods", False, "999"),
        (1000.6, "pods", False, "1,001"),
        (-1000.6, "pods", False, "−1,001"),
        (12345.6, "pods", False, "12,346"),
        (1.2345, "imbalance/cpu", False, "1.23 %"),
        (-9.876, "imbalance/cpu", False, "−9.88 %"),
        (-10.26, "imbalance/cpu", False, "−10.3 %"),
        (45.678, "imbalance/cpu", True, "+45.7 %"),
        (float("nan"), "pods", False, "–"),
    ],
)
def test_a_number_has_three_figures_or_all_of_a_whole_number(value, measure, signed, shown):
    assert number(value, measure, signed) == shown


# -- measures


def numbers(arrivals, **variant):
    results = Experiment(arrivals, [Variant("one", **variant)], [1]).run()
    return {name: results[name][0, 0] for name in results.measures}


def test_waiting_preemption_and_a_budget():
    """A pod of priority 5 evicts the only other one, whose budget allows nothing; it then waits for the victim."""
    low = pod("low", "a", cpu=3, priority=1, labels={"app": "low"}, terminationGracePeriodSeconds=5)
    low["status"] |= {"conditions": [{"type": "Ready", "status": "True"}]}
    keep = budget("low", 0, minAvailable=1)
    made = numbers(Trace([node("a"), low, keep], [Arrival(10, pod("high", cpu=3, priority=5))]))
    assert [made[name] for name in ("pods", "placed", "preemptions", "victims", "budget_violations")] == [1] * 5
    assert made["preemptions/5"] == made["victims/1"] == 1
    assert 5 <= made["wait_p50"] == made["wait_p95"] == made["wait_p99"] < 20
    assert made["attempts"] == 2 and made["evictions"] == 0


def test_a_budget_is_violated_once_it_allows_no_more():
    """Two pods must go, of which the budget allows one; a pod without a class has the priority 0."""
    lows = [pod(name, "a", cpu=2, labels={"app": "low"}) for name in ("one", "two")]
    for low in lows:
        low["status"] |= {"conditions": [{"type": "Ready", "status": "True"}]}
    keep = budget("low", 1, minAvailable=1)
    made = numbers(Trace([node("a", cpu=4), *lows, keep], [Arrival(1, pod("high", cpu=4, priority=5))]))
    assert [made[name] for name in ("victims", "victims/0", "budget_violations")] == [2, 2, 1]


def test_pods_that_are_evicted_through_the_api(tmp_path):
    (tmp_path / "s.yaml").write_text(
        as_yaml([node("a"), node("b"), deployment("web", 2, cpu="1"), {"timeline": [{"at": "90s", "drain": "a"}]}])
    )
    assert numbers(tmp_path / "s.yaml")["evictions"] == 1


def test_what_is_free_and_what_is_full():
    """One device of two is taken: a pod for one device could have the other, a pod for two could not."""
    has = {"cpu": 4, "memory": "8Gi", "pods": 9, "example.com/gpu": 1}
    there = [node(name, allocatable=has) for name in "ab"]
    for asked, lost in (((1,), 0), ((1, 2), 50)):
        arrivals = [Arrival(0, pod(f"p{each}", requests={"example.com/gpu": each})) for each in asked]
        made = numbers(Trace(there, arrivals))
        shares = [made[f"{name}/example.com/gpu"] for name in ("requested_end", "imbalance", "fragmentation")]
        assert shares == pytest.approx([50, 50, lost], abs=1)
    full = numbers(Trace([node("a", cpu=1)], [Arrival(0, pod("p", cpu=1))]))
    assert (full["requested_end/cpu"], full["fragmentation/cpu"]) == (100, pytest.approx(0, abs=1))


def test_the_least_time_that_is_measured_is_a_minute():
    run = next(iter(Experiment(Trace([node("a")], [Arrival(5, pod("p", cpu=1))]), seeds=[1]).run().runs()))
    assert (run.series.at[0], run.series.at[-1]) == (0, 60)
    assert (run.series.placed[-1], run.series.pending[-1], run.series.requested["cpu"][-1]) == (1, 0, 0.25)


def violations(tmp_path, *timeline, **status):
    """How many budgets a preemption violates: the only budget allows nothing, unless the timeline deletes it."""
    low = pod("low", "a", cpu=3, labels={"app": "low"}, terminationGracePeriodSeconds=5)
    keep = budget("low", 0, minAvailable=1)
    keep["status"] |= status
    late = {"at": "10s", "create": pod("high", cpu=3, priority=5)}
    file = tmp_path / "s.yaml"
    file.write_text(as_yaml([node("a"), low, keep, {"timeline": [*timeline, late]}]))
    made = numbers(file)
    assert made["victims"] == 1
    return made["budget_violations"]


def test_a_budget_that_is_gone_or_counts_the_pod_as_disrupted_is_not_violated(tmp_path):
    """v1.37: pkg/scheduler/framework/preemption/util.go, FilterVictimsWithPDBViolation."""
    assert violations(tmp_path) == 1
    assert violations(tmp_path, {"at": "5s", "delete": "poddisruptionbudget/low"}) == 0
    assert violations(tmp_path, disruptedPods={"low": "2026-01-01T00:00:00Z"}) == 0


def test_a_pod_that_is_deleted_waits_no_more(tmp_path):
    file, large = tmp_path / "s.yaml", pod("large", cpu=99)
    later = [{"at": "61s", "create": pod("small", cpu=1)}]
    for deletion, pending in (([], 1), ([{"at": "30s", "delete": "pod/large"}], 0)):
        timeline = [{"at": "1s", "create": large}, *deletion, *later]
        file.write_text(as_yaml([node("a"), {"timeline": timeline}]))
        made = numbers(file)
        assert (made["pods"], made["pending"]) == (2, pending)


def test_failed_entries_of_a_timeline_are_told(tmp_path):
    twice = [{"at": f"{second}s", "delete": "pod/web", "grace": "0s"} for second in (1, 2)]
    (tmp_path / "s.yaml").write_text(as_yaml([node("a"), pod("web", "a"), {"timeline": twice}]))
    results = Experiment([tmp_path / "s.yaml"], [Variant("one")], [1]).run()
    assert says(str(results), "1 entries of timelines failed", "kschedlab simulate")


def test_pending_pods_and_fragmentation():
    """Two nodes with 1 CPU left each cannot take a pod that asks for 2: all that is free is lost to it."""
    arrivals = [Arrival(number, pod(f"p{number}", cpu=2)) for number in range(3)]
    made = numbers(Trace([node("a", cpu=3), node("b", cpu=3)], arrivals))
    assert (made["placed"], made["pending"]) == (2, 1)
    assert made["requested_end/cpu"] == pytest.approx(400 / 6)
    assert made["fragmentation/cpu"] > 80 and made["imbalance/cpu"] < 5


def test_nodes_that_could_be_emptied():
    """Three small pods on three nodes fit on one; a large one must stay."""
    there = [node(name) for name in "abc"] + [pod(f"p{name}", name, cpu=1) for name in "abc"]
    assert numbers(Trace(there, []))["emptiable_nodes"] == 2
    there += [node("d"), pod("big", "d", cpu=4)]
    made = numbers(Trace(there, []))
    assert (made["emptiable_nodes"], made["empty_nodes"]) == (2, 0)


def test_other_resources_and_pools():
    gpus = [node(name, allocatable={"cpu": 8, "memory": "8Gi", "pods": 9, "example.com/gpu": 4}) for name in "ab"]
    arrivals = Trace([node("plain")], [Arrival(0, pod("p", requests={"example.com/gpu": 2}))])
    assert numbers(arrivals)["pending"] == 1
    made = numbers(arrivals, nodes=gpus)
    assert (made["placed"], made["requested_end/example.com/gpu"]) == (1, 25)
    assert made["imbalance/example.com/gpu"] == pytest.approx(25, abs=1)


def test_weights_and_plugins_are_variants():
    fits = Variant("weights", weights={"NodeResourcesBalancedAllocation": 0, "NodeResourcesFit": 3})
    assert [score.name for score, _ in fits.profiles().scores].count("NodeResourcesBalancedAllocation") == 0
    with pytest.raises(KeyError, match="NodeResourcesFit"):
        Variant("wrong", weights={"NodeResourcesFits": 1})


def test_a_broken_configuration_is_refused_with_its_place(tmp_path):
    file = tmp_path / "c.yaml"
    file.write_text("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\nprofiles: 3\n")
    with pytest.raises(Exception, match=r"c\.yaml:3"):
        Experiment(small().arrivals, [file])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"seeds": []}, ["seed"]),
        ({"seeds": [1, 1]}, ["seed 1", "twice"]),
        ({"seeds": ["1"]}, ["'1'", "whole number"]),
        ({"variants": []}, ["variant"]),
        ({"variants": [Variant("a"), Variant("a")]}, ["a", "name of its own"]),
        ({"variants": [3]}, ["Variant"]),
        *[({"confidence": share}, [share, "between 0 and 1"]) for share in (95, 1, 0)],
        ({"arrivals": 3}, ["Trace"]),
    ],
)
def test_wrong_arguments_are_refused(change, words):
    given = {"arrivals": small().arrivals, "variants": ["v1.37"], "seeds": [1]} | change
    with pytest.raises((TypeError, ValueError)) as error:
        Experiment(**given)
    assert says(str(error.value), *words)


def test_files_are_arrivals_too(tmp_path):
    file = tmp_path / "s.yaml"
    file.write_text(as_yaml([node("a"), pod("p", cpu=1)]))
    results = Experiment(file, ["v1.13", "v1.37"], [1]).run(None, tmp_path / "runs")
    assert results["placed"].tolist() == [[1], [1]]
    file.write_text(as_yaml([node("a"), pod("p", cpu=1), pod("q", cpu=1)]))
    with pytest.raises(ValueError, match="another experiment"):
        Experiment(file, ["v1.13", "v1.37"], [1]).run(None, tmp_path / "runs")


def test_a_run_ends_when_asked_to():
    busy = Generated([node("a", cpu=100)], {"p": pod("p", cpu="10m")}, Poisson(1.0), 60)
    made = Experiment(busy, seeds=[1], until="30s").run()
    assert 10 < made["pods"][0, 0] < 50


def test_the_means_are_over_time():
    """Half of the minute the only node is full, then it is empty."""
    half = Trace([node("a", cpu=1)], [Arrival(0, pod("p", cpu=1), 28.0), Arrival(60, pod("q", cpu=1))])
    assert numbers(half)["requested/cpu"] == pytest.approx(50, abs=4)
    assert np.isnan(numbers(Trace([node("a", cpu=1)], [Arrival(0, pod("p", cpu=2))]))["wait_p50"])


def test_the_page_has_a_band_around_each_mean_from_the_least_run_to_the_most(results):
    for title in ("Placed pods over time", "Requested cpu over time"):
        band, mean = dict(charts(results))[title].data[:2]
        low, high = np.asarray(band.y[: len(mean.y)]), np.asarray(band.y[len(mean.y) :])[::-1]
        assert (low <= np.asarray(mean.y) + 1e-6).all() and (high >= np.asarray(mean.y) - 1e-6).all()
        assert (low < high).any(), "the runs differ"


def test_the_page_has_the_waits_of_each_variant_as_bars(results):
    drawn = dict(charts(results))["Time to placement"]
    for place, (bars, variant) in enumerate(zip(drawn.data, results.variants, strict=True)):
        means = [np.nanmean(results[f"wait_{name}"][place]) for name in bars.x]
        assert bars.name == str(variant) and list(bars.x) == ["p50", "p95", "p99"]
        assert list(bars.y) == pytest.approx(means)
