"""The tables of kinds that are only kept. v1.37: pkg/printers/internalversion/printers.go."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from kschedlab_live.serve.tables.cells import (
    NONE,
    UNSET,
    Columns,
    Data,
    age_of,
    joined,
    maps,
    name_of,
    number,
    part,
    selector,
    text,
)

_LISTED = 3
"""How many addresses, ports or hosts a cell has; it counts the others."""


def _config_map(data: Data, now: int) -> list[Any]:
    count = len(part(data, "data") or ()) + len(part(data, "binaryData") or ())
    return [name_of(data), str(count), age_of(data, now)]


def _secret(data: Data, now: int) -> list[Any]:
    return [name_of(data), text(data, "type"), str(len(part(data, "data") or ())), age_of(data, now)]


def _lease(data: Data, now: int) -> list[Any]:
    return [name_of(data), text(data, "spec", "holderIdentity"), age_of(data, now)]


def _network_policy(data: Data, now: int) -> list[Any]:
    return [name_of(data), selector(part(data, "spec", "podSelector")), age_of(data, now)]


def _endpoints(data: Data, now: int) -> list[Any]:
    return [name_of(data), _first([*_of_subsets(data)]) or NONE, age_of(data, now)]


def _of_subsets(data: Data) -> Iterator[str]:
    for subset in maps(data, "subsets"):
        addresses = [text(each, "ip") for each in maps(subset, "addresses")]
        ports = maps(subset, "ports")
        for port in ports:
            hosts = (f"[{ip}]" if ":" in ip else ip for ip in addresses)
            yield from (f"{host}:{number(port, 'port')}" for host in hosts)
        if not ports:
            yield from addresses


def _endpoint_slice(data: Data, now: int) -> list[Any]:
    ports = [str(port.get("port") or port.get("name") or "*") for port in maps(data, "ports")]
    addresses = [str(each) for endpoint in maps(data, "endpoints") for each in part(endpoint, "addresses") or ()]
    cells = [text(data, "addressType"), *(_first(texts) or UNSET for texts in (ports, addresses))]
    return [name_of(data), *cells, age_of(data, now)]


def _ingress(data: Data, now: int) -> list[Any]:
    spec = part(data, "spec")
    hosts = [host for rule in maps(spec, "rules") if (host := text(rule, "host"))]
    points = maps(data, "status", "loadBalancer", "ingress")
    address = joined(sorted({text(point, "ip") or text(point, "hostname") for point in points} - {""}))
    ports = "80, 443" if maps(spec, "tls") else "80"
    cells = [text(spec, "ingressClassName", otherwise=NONE), _first(hosts) or "*", address, ports]
    return [name_of(data), *cells, age_of(data, now)]


def _first(texts: list[str]) -> str:
    rest = f" + {len(texts) - _LISTED} more..." if len(texts) > _LISTED else ""
    return joined(texts[:_LISTED]) + rest


def _ingress_class(data: Data, now: int) -> list[Any]:
    annotations = part(data, "metadata", "annotations")
    default = text(annotations, "ingressclass.kubernetes.io/is-default-class") == "true"
    given = part(data, "spec", "parameters")
    group = text(given, "apiGroup")
    kind = f"{text(given, 'kind')}.{group}" if group else text(given, "kind")
    cells = [text(data, "spec", "controller"), f"{kind}/{text(given, 'name')}" if given else NONE]
    return [name_of(data) + (" (default)" if default else ""), *cells, age_of(data, now)]


def _created(data: Data, now: int) -> list[Any]:
    return [name_of(data), text(data, "metadata", "creationTimestamp")]


def _role_binding(data: Data, now: int) -> list[Any]:
    role = part(data, "roleRef")
    subjects: dict[str, list[str]] = {"User": [], "Group": [], "ServiceAccount": []}
    for subject in maps(data, "subjects"):
        kind, namespace = text(subject, "kind"), text(subject, "namespace")
        name = f"{namespace}/{text(subject, 'name')}" if kind == "ServiceAccount" else text(subject, "name")
        subjects.setdefault(kind, []).append(name)
    named = [", ".join(names) for names in [*subjects.values()][:3]]
    return [name_of(data), f"{text(role, 'kind')}/{text(role, 'name')}", age_of(data, now), *named]


def _webhooks(data: Data, now: int) -> list[Any]:
    return [name_of(data), len(maps(data, "webhooks")), age_of(data, now)]


def _policy(data: Data, now: int) -> list[Any]:
    rules = maps(data, "spec", "validations") or maps(data, "spec", "mutations")
    kind = part(data, "spec", "paramKind")
    parameter = f"{text(kind, 'apiVersion')}/{text(kind, 'kind')}" if kind else UNSET
    return [name_of(data), len(rules), parameter, age_of(data, now)]


def _policy_binding(data: Data, now: int) -> list[Any]:
    given = part(data, "spec", "paramRef")
    reference = f"{text(given, 'namespace', otherwise='*')}/{text(given, 'name')}" if text(given, "name") else UNSET
    return [name_of(data), text(data, "spec", "policyName"), reference, age_of(data, now)]


def _api_service(data: Data, now: int) -> list[Any]:
    """v1.37: k8s.io/kube-aggregator pkg/apis/apiregistration (printers)."""
    service = part(data, "spec", "service")
    named = f"{text(service, 'namespace')}/{text(service, 'name')}" if service else "Local"
    states = [each for each in maps(data, "status", "conditions") if text(each, "type") == "Available"]
    status, reason = (text(states[0], "status"), text(states[0], "reason")) if states else ("Unknown", "")
    return [name_of(data), named, f"{status} ({reason})" if reason and status != "True" else status, age_of(data, now)]


def _runtime_class(data: Data, now: int) -> list[Any]:
    return [name_of(data), text(data, "handler"), age_of(data, now)]


_BOUND = Columns("Name Role Age Users* Groups* ServiceAccounts*", _role_binding)
_HOOKED = Columns("Name Webhooks Age", _webhooks, {"Webhooks": "integer"})
_BINDS = Columns("Name PolicyName ParamRef Age", _policy_binding)
_CREATED = Columns("Name Created_At", _created)

TABLES: dict[str, Columns] = {
    "configmaps": Columns("Name Data Age", _config_map),
    "secrets": Columns("Name Type Data Age", _secret),
    "leases": Columns("Name Holder Age", _lease),
    "networkpolicies": Columns("Name Pod-Selector Age", _network_policy),
    "endpoints": Columns("Name Endpoints Age", _endpoints),
    "endpointslices": Columns("Name AddressType Ports Endpoints Age", _endpoint_slice),
    "ingresses": Columns("Name Class Hosts Address Ports Age", _ingress),
    "ingressclasses": Columns("Name Controller Parameters Age", _ingress_class),
    "customresourcedefinitions": _CREATED,
    "roles": _CREATED,
    "clusterroles": _CREATED,
    "rolebindings": _BOUND,
    "clusterrolebindings": _BOUND,
    "validatingwebhookconfigurations": _HOOKED,
    "mutatingwebhookconfigurations": _HOOKED,
    "validatingadmissionpolicies": Columns("Name Validations ParamKind Age", _policy, {"Validations": "integer"}),
    "mutatingadmissionpolicies": Columns("Name Mutations ParamKind Age", _policy, {"Mutations": "integer"}),
    "validatingadmissionpolicybindings": _BINDS,
    "mutatingadmissionpolicybindings": _BINDS,
    "apiservices": Columns("Name Service Available Age", _api_service),
    "runtimeclasses": Columns("Name Handler Age", _runtime_class),
}
