"""A package of plugins, as an engineer would write one outside of this repository."""

from dataclasses import dataclass

from kschedlab.plugins import ArrayFilter, BoolArray, PodInfo, Refusal, Snapshot, node_score


class CoolRack(ArrayFilter):
    """No node whose rack is at ``limit`` degrees or more."""

    depends_on_pods = False
    monotonic = True

    def __init__(self, limit: int = 60) -> None:
        self.limit = limit

    def refuse(self, pod: PodInfo, snapshot: Snapshot) -> Refusal:
        """The hot nodes."""
        import numpy as np

        labels = (node.metadata.labels for node in snapshot.cluster.nodes)
        hot: BoolArray = np.array([int(each.get("celsius", 0)) >= self.limit for each in labels], np.bool_)
        return Refusal(hot, "node(s) were in a hot rack")


@node_score("Cooler", weight=3, formula="100 - {celsius}")
def cooler(pod: object, node: object) -> tuple[int, dict[str, int]]:
    """The cooler the better."""
    celsius = min(int(node.metadata.labels.get("celsius", 0)), 100)  # type: ignore[attr-defined]
    return 100 - celsius, {"celsius": celsius}


@dataclass
class NotAPlugin:
    """Something else."""

    size: int = 0
