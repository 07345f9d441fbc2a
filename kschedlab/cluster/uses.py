"""What a pod uses that other pods may use too: host ports and volumes."""

from __future__ import annotations

from kschedlab.objects.model import Pod, Volume


def uses(pod: Pod) -> tuple[object, ...]:
    """The containers' host ports, those of init containers, and the volumes; all are empty for most pods."""
    spec = pod.spec
    ports = [c.ports for c in spec.containers if any(port.hostPort > 0 for port in c.ports)]
    of_init = [(c.restartPolicy, c.ports) for c in spec.initContainers if any(port.hostPort > 0 for port in c.ports)]
    return ports, of_init, _mounts(pod) if spec.volumes else ()


def _mounts(pod: Pod) -> tuple[object, ...]:
    """The pod's volumes that can conflict with other pods or nodes. An ephemeral volume's claim is the pod's own."""
    volumes = [volume for volume in pod.spec.volumes if volume != Volume(volume.name)]  # without emptyDir and the like
    if not any(volume.ephemeral is not None for volume in volumes):
        return tuple(volumes)
    plain = [volume for volume in volumes if volume.ephemeral is None]
    ephemeral = [volume.name for volume in volumes if volume.ephemeral is not None]
    return plain, ephemeral, pod.metadata.name, pod.metadata.uid
