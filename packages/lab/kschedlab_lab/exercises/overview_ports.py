"""Host ports in the manifests of lesson 01's exercises."""

from __future__ import annotations

from kschedlab.build import Manifest

Port = tuple[str, str, int]
"""Address, protocol and number of a host port."""


def with_port(made: Manifest, port: Port) -> Manifest:
    """The pod, which requests (or uses) this host port."""
    address, protocol, number = port
    made["spec"]["containers"][0]["ports"] = [
        {"containerPort": 80, "hostPort": number, "protocol": protocol, "hostIP": address}
    ]
    return made
