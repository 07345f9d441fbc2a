"""What ``kschedlab explain`` says first of many pending pods: how many wait for what."""

from __future__ import annotations

from kschedlab.cluster.cluster import Cluster
from kschedlab.generations import Generation, Profiles
from kschedlab.manifests.loading import Objects
from kschedlab.objects.model import DEFAULT_SCHEDULER
from kschedlab.program.terminal.screen import Screen
from kschedlab.program.terminal.writer import written
from kschedlab_why.answer import Setting
from kschedlab_why.pending import pending_sections, sorted_out
from kschedlab_why.reading import Reading


def print_summary(objects: Objects, cluster: Cluster, profiles: Profiles, out: Screen) -> None:
    """Print the pending pods of the cluster of these objects, grouped by cause."""
    by_name = {DEFAULT_SCHEDULER: profiles} if isinstance(profiles, Generation) else profiles
    reading = Reading(objects)
    groups = sorted_out(Setting(reading, by_name, cluster=cluster), "")
    out.print(*written(pending_sections(groups, reading.moment, out.all), out, cluster.names))
