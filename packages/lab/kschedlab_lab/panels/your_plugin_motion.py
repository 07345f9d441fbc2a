"""How often a filter of yours has a pod tried while the racks cool down: simulated, and drawn on a line of time."""

from __future__ import annotations

from kschedlab.build import as_yaml, node, pod
from kschedlab.generations import V1_37
from kschedlab.messages import say
from kschedlab.text.html import Html
from kschedlab_lab.views.tries import draw_tries, tries_text
from kschedlab_simulation import Simulation
from kschedlab_simulation.log import Step
from kschedlab_simulation.timeline.scenario import loads_scenario

TIMELINE = """
timeline:
- {at: 10s, label: node/rack-a, labels: {celsius: "74"}}
- {at: 20s, label: node/rack-b, labels: {celsius: "40"}}
"""
SECOND = 10**6


class Motion:
    """Two hot racks and the pod ``web``: rack-a has a degree less after 10 seconds, rack-b is cool after 20.

    ``tries``: by name of a plugin, the seconds at which web was tried; ``nodes``: where it runs at last.
    """

    def __init__(self, **plugins: object) -> None:
        hot = [node("rack-a", labels={"celsius": "75"}), node("rack-b", labels={"celsius": "70"}), pod("web")]
        scenario = loads_scenario(as_yaml(hot) + "---" + TIMELINE)
        self.tries: dict[str, list[int]] = {}
        self.nodes: dict[str, str] = {}
        for name, plugin in plugins.items():
            simulation = Simulation.of(scenario, V1_37.plus(plugin))
            simulation.run()
            began = simulation.log.entries[0].at
            popped = [each.at for each in simulation.log if isinstance(each, Step) and each.step == "pop"]
            self.tries[name] = [(at - began) // SECOND for at in popped]
            (web,) = simulation.pods()
            self.nodes[name] = web.spec.nodeName or say("none")

    def __repr__(self) -> str:
        return tries_text(self.tries, self.nodes)

    def html(self) -> Html:
        """The tries on a time axis."""
        events = {10: ("rack-a", "75° → 74°"), 20: ("rack-b", "70° → 40°")}
        return draw_tries(self.tries, self.nodes, events)

    def _repr_html_(self) -> str:
        return str(self.html())
