"""The configuration of the cluster's kube-scheduler, as far as its pods and ConfigMaps show it."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from kschedlab.generations import GENERATIONS, Generation
from kschedlab.generations.feature_gates import FeatureGateError, chosen, with_gates
from kschedlab.manifests.loading import ManifestError
from kschedlab.objects.names import name_fault
from kschedlab.objects.problems import safe_text
from kschedlab_configuration import load_configuration
from kschedlab_live.kubectl import Kubectl, KubectlError, decoded
from kschedlab_live.why.reading import key_of, scheduler_command

FILES = ("config", "policy-config-file")
KUBEADM = ("kube-system", "kubeadm-config")
GROUPS = (
    "DRAWorkloadResourceClaims",
    "GenericWorkload",
    "PodGroupPreemptionPolicy",
    "TopologyAwareWorkloadScheduling",
)
MOST = 8
"""The most pods of kube-scheduler whose configuration is looked at."""


@dataclass
class Configured:
    """``profiles``: the generation for each schedulerName. ``notes``: where it is from, and what is not known of it.

    ``gates``: the feature gates on the command line.
    """

    profiles: dict[str, Generation] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    gates: dict[str, bool] = field(default_factory=dict)


def configured(kubectl: Kubectl, programs: Sequence[dict[str, Any]], all_pods: bool, generation: str) -> Configured:
    """The configuration that the pods of kube-scheduler show, with the default profile added.

    ``all_pods``: whether all pods could be read. If not, kubeadm's ConfigMap may say more.
    """
    result = Configured()
    for pod in programs[:MOST]:
        _of_pod(kubectl, pod, generation, result)
    if not programs and (all_pods or not _of_kubeadm(kubectl, result)):
        result.notes.append("kube-scheduler's pod is not visible: its default configuration is assumed.")
    result.profiles.setdefault("default-scheduler", GENERATIONS[generation])
    _obey_gates(result)
    result.notes = list(dict.fromkeys(result.notes))
    return result


def _of_pod(kubectl: Kubectl, pod: dict[str, Any], generation: str, result: Configured) -> None:
    """Add the profiles of one kube-scheduler."""
    flags = flags_of(scheduler_command(pod)[1:])
    namespace, name = key_of(pod)
    _gates(flags, result)
    if config_map := flags.get("policy-configmap"):
        _of_config_map(
            kubectl, flags.get("policy-configmap-namespace", "kube-system"), config_map, "", generation, result
        )
        return
    path = next((flags[flag] for flag in FILES if flag in flags), "")
    if not path:
        return
    if source := mounted(pod, path):
        _of_config_map(kubectl, namespace, *source, generation, result)
    else:
        result.notes.append(unread(path, f"a file on the node of {namespace}/{name}"))


def _of_kubeadm(kubectl: Kubectl, result: Configured) -> bool:
    """Read the scheduler's flags from kubeadm's ConfigMap; false where it does not exist."""
    try:
        settings = _data(kubectl, *KUBEADM).get("ClusterConfiguration", "")
    except KubectlError:
        return False
    flags = _kubeadm_flags(str(settings))
    _gates(flags, result)
    if path := next((flags[flag] for flag in FILES if flag in flags), ""):
        result.notes.append(unread(path, "a file on the control plane's nodes"))
    return True


def _kubeadm_flags(settings: str) -> dict[str, str]:
    """``scheduler.extraArgs``, a map, or since kubeadm's v1beta4 a list of names and values."""
    from kschedlab.manifests.source_text import SourceText

    try:
        documents = SourceText(0, "kubeadm-config", settings).compose().roots
    except ManifestError:
        return {}
    for data, _ in documents:
        scheduler = data.get("scheduler") if isinstance(data, dict) else None
        extra = scheduler.get("extraArgs") if isinstance(scheduler, dict) else None
        if isinstance(extra, dict):
            return {str(name): str(value) for name, value in extra.items()}
        if isinstance(extra, list):
            return {str(entry.get("name")): str(entry.get("value")) for entry in extra if isinstance(entry, dict)}
    return {}


def _of_config_map(kubectl: Kubectl, namespace: str, name: str, key: str, generation: str, result: Configured) -> None:
    """Add the profiles of a configuration in a ConfigMap; without a key, its only text."""
    where = f"ConfigMap {safe_text(namespace)}/{safe_text(name)}"
    try:
        data = _data(kubectl, namespace, name)
        text = str(data[key] if key else next(iter(data.values())))
        source = io.StringIO(text)
        source.name = where  # messages name it
        profiles = load_configuration(source, GENERATIONS[generation])
    except (KubectlError, ManifestError, KeyError, StopIteration) as error:
        why = str(error).splitlines()[0] if str(error) else "it is not in it"
        result.notes.append(f"kube-scheduler's configuration in {where} cannot be used, so defaults are assumed: {why}")
        return
    for scheduler, profile in profiles.items():
        result.profiles.setdefault(scheduler, profile)
    result.notes.append(f"kube-scheduler's configuration is from {where}.")
    result.notes += profiles.warnings


def _data(kubectl: Kubectl, namespace: str, name: str) -> Mapping[str, Any]:
    """A ConfigMap's texts. KubectlError."""
    if name_fault(name) or name_fault(namespace):
        raise KubectlError("its name is not valid")
    command = ("get", "configmaps", name, f"--namespace={namespace}", "--output=json", "--request-timeout=30s")
    result: Any = decoded(kubectl.start(*command)())
    data = result.get("data") if isinstance(result, dict) else None
    return data if isinstance(data, dict) else {}


def unread(path: str, where: str) -> str:
    """The note about a configuration that kubectl cannot read."""
    return (
        f"kube-scheduler's configuration is {safe_text(path)}, {safe_text(where)}, which kubectl cannot read: defaults "
        "are assumed. Copy the file and name it with --config."
    )


def _gates(flags: Mapping[str, str], result: Configured) -> None:
    """Add the feature gates of a command line: ``A=true,B=false``."""
    for gate in flags.get("feature-gates", "").split(","):
        name, equals, value = gate.strip().partition("=")
        if equals:
            result.gates[name] = value.lower() == "true"


def _obey_gates(result: Configured) -> None:
    """Set the feature gates in all profiles, as far as they are modelled for one pod at a time."""
    try:
        gates = chosen(result.gates)
        obeyed = {name: value for name, value in gates.modelled.items() if name not in GROUPS}
        result.profiles = dict(with_gates(result.profiles, obeyed))
    except FeatureGateError as error:
        gates_text = ",".join(f"{name}={str(value).lower()}" for name, value in result.gates.items())
        result.notes.append(
            f"kube-scheduler runs with --feature-gates={safe_text(gates_text)}: decided without them ({error})."
        )
        return
    result.notes += [f"Of kube-scheduler's --feature-gates, {note.removeprefix('the ')}." for note in gates.notes]
    result.notes += [
        f"kube-scheduler runs with the feature gate {name}={str(obeyed[name]).lower()}." for name in obeyed
    ]
    if len(obeyed) < len(gates.modelled):
        result.notes.append("kube-scheduler places groups of pods: each pod is decided on its own here.")


def flags_of(words: Iterable[str]) -> dict[str, str]:
    """Flags by name: ``--config=FILE`` or ``--config FILE``."""
    flags: dict[str, str] = {}
    before = ""
    for word in words:
        if word.startswith("-"):
            before, equals, value = word.lstrip("-").partition("=")
            flags[before] = value if equals else "true"
            before = "" if equals else before
        elif before:
            flags[before], before = word, ""
    return flags


def mounted(pod: dict[str, Any], path: str) -> tuple[str, str] | None:
    """The ConfigMap and the key of a file that is mounted from one; None if it is not."""
    spec = pod.get("spec")
    spec = spec if isinstance(spec, dict) else {}
    volumes = {str(v.get("name")): v for v in _dicts(spec.get("volumes"))}
    wanted = PurePosixPath(path)
    for container in _dicts(spec.get("containers")):
        for mount in _dicts(container.get("volumeMounts")):
            at, source = PurePosixPath(str(mount.get("mountPath"))), volumes.get(str(mount.get("name")), {})
            config_map = source.get("configMap")
            if not isinstance(config_map, dict) or not wanted.is_relative_to(at):
                continue
            file = str(wanted.relative_to(at)) if wanted != at else str(mount.get("subPath") or wanted.name)
            keys = {str(item.get("path")): str(item.get("key")) for item in _dicts(config_map.get("items"))}
            return str(config_map.get("name")), keys.get(file, file)
    return None


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [entry for entry in value if isinstance(entry, dict)] if isinstance(value, list) else []
