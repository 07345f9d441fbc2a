"""Checks of a container's ports.

v1.37: pkg/apis/core/validation/validation.go (validateContainerPorts).
"""

from __future__ import annotations

import re
from functools import lru_cache

from kschedlab.manifests.fields import check_name
from kschedlab.messages import later
from kschedlab.objects.model import ContainerPort
from kschedlab.objects.problems import Fault, Path, shortened

_PORT_NAME = re.compile(r"(?=.*[a-z])[a-z0-9](?:-?[a-z0-9])*")


def check_ports(ports: tuple[ContainerPort, ...], host_network: bool, path: Path, faults: list[Fault]) -> None:
    """Check a container's ports."""
    faults += [fault._replace(path=path + fault.path) for fault in _port_faults(ports, host_network)]


@lru_cache(4096)
def _port_faults(ports: tuple[ContainerPort, ...], host_network: bool) -> tuple[Fault, ...]:
    """What is wrong with a container's ports."""
    faults: list[Fault] = []
    names: set[str] = set()
    for i, port in enumerate(ports):
        path: Path = ("ports", i)
        if port.name:
            check_name(port.name, (*path, "name"), faults, _port_name_fault)
            if port.name in names:
                faults.append(
                    Fault((*path, "name"), later('"{name}" is the name of another port', name=shortened(port.name)))
                )
            names.add(port.name)
        if host_network and 0 <= port.hostPort < 65536 and port.hostPort not in (0, port.containerPort):
            faults.append(Fault((*path, "hostPort"), "must equal containerPort because the pod uses hostNetwork"))
    return tuple(faults)


@lru_cache(4096)
def _port_name_fault(name: str) -> str | None:
    """What is wrong with the name of a port."""
    if len(name) <= 15 and _PORT_NAME.fullmatch(name):
        return None
    return later(
        '"{name}" is not the name of a port: use a-z, 0-9 and single - (at most 15), and at least one letter',
        name=shortened(name),
    )
