"""How many candidates end the search: calculateNumCandidates of v1.20, written out."""

from kschedlab.lab.panels.preemption_search import SIZES, Settings, enough, how_many, panel, show


def plainly(nodes: int, percentage: int, absolute: int) -> int:
    number = max(nodes * percentage // 100, absolute)
    return min(number, nodes)


def test_every_setting() -> None:
    for settings in Settings.grid():
        number = plainly(settings.nodes, settings.percentage, settings.absolute)
        assert enough(settings, settings.nodes) == number
        assert f"The search ends with {number:,} candidates" in show(settings).sentence
        assert f"▶ {settings.nodes:,}" in show(settings).text


def test_the_question() -> None:
    asked = panel().ask(how_many())
    assert how_many().right(Settings()) == "200"
    assert asked.answer("100").view.sentence.endswith("10 % of 2,000 is 200, and it is at least 100.")
    assert len(SIZES) == len(Settings.controls()["nodes"].values)
    assert "but there are no more than 50" in show(Settings(nodes=50)).sentence
