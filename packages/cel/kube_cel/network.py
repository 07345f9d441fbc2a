"""IP addresses, their ranges, URLs and named formats, as Kubernetes adds them to CEL.

k8s.io/apiserver v0.37.0: pkg/cel/library/ip.go, cidr.go, urls.go, format.go. What is valid is the same; the explanation
of an address or URL that is not may be shorter than Go's.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import Any
from urllib.parse import quote, unquote, unquote_to_bytes

from kube_cel.errors import go_quote
from kube_cel.values import NONE, Err, Foreign, Function, Map, Optional, Value


class IP(Foreign):
    """An IP address."""

    __slots__ = ("address",)
    type_name, go_type, short = "net.IP", "cel.IP", "IP"

    def __init__(self, address: IPv4Address | IPv6Address) -> None:
        self.address = address

    def same(self, other: Any) -> bool:
        return bool(self.address == other.address)

    @property
    def size(self) -> int:
        """Its length in bytes."""
        return len(self.address.packed)


class CIDR(Foreign):
    """A range of IP addresses, written as an address and the length of a prefix."""

    __slots__ = ("address", "bits")
    type_name, go_type, short = "net.CIDR", "cel.CIDR", "CIDR"

    def __init__(self, address: IPv4Address | IPv6Address, bits: int) -> None:
        self.address = address
        self.bits = bits

    def same(self, other: Any) -> bool:
        return bool(self.address == other.address and self.bits == other.bits)

    @property
    def size(self) -> int:
        """The length of the prefix in bytes."""
        return -(-self.bits // 8)

    @property
    def network(self) -> IPv4Network | IPv6Network:
        return ip_network(f"{self.address}/{self.bits}", strict=False)


def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(text)
    except ValueError:
        return None


def _ip(text: str) -> Value:
    address = _address(text)
    if address is None:
        shown = go_quote(text)
        return Err(
            f"IP Address {shown} parse error during conversion from string: ParseAddr({shown}): unable to parse IP"
        )
    if isinstance(address, IPv6Address):
        if address.scope_id:
            return Err(f"IP address {go_quote(text)} with zone value is not allowed")
        if address.ipv4_mapped:
            return Err(f"IPv4-mapped IPv6 address {go_quote(text)} is not allowed")
    return IP(address)


def _cidr(text: str) -> Value:
    twice = "network address parse error during conversion from string: "
    before, slash, bits = text.rpartition("/")
    address = _address(before) if slash and "%" not in before else None
    if address is None or not re.fullmatch("0|[1-9][0-9]{0,2}", bits) or int(bits) > address.max_prefixlen:
        shown = go_quote(text)
        reason = "no '/'" if not slash else "unable to parse IP" if address is None else "prefix length out of range"
        return Err(f"{twice}{twice}netip.ParsePrefix({shown}): {reason}")
    if isinstance(address, IPv6Address) and address.ipv4_mapped:
        return Err(f"{twice}IPv4-mapped IPv6 address {go_quote(text)} is not allowed")
    return CIDR(address, int(bits))


def _contains_ip(range_: CIDR, other: Value) -> Value:
    address = _ip(other) if isinstance(other, str) else other
    if isinstance(address, Err):
        return Err("no such overload")
    return address.address.version == range_.address.version and address.address in range_.network


def _contains_cidr(range_: CIDR, other: Value) -> Value:
    inner = _cidr(other) if isinstance(other, str) else other
    if isinstance(inner, Err):
        return inner
    if inner.address.version != range_.address.version:
        return False
    return bool(range_.network.overlaps(inner.network)) and range_.bits <= inner.bits


def _is_canonical(text: str) -> Value:
    address = _ip(text)
    return address if isinstance(address, Err) else str(address.address) == text


def _flag(name: str) -> Function:
    return lambda ip: bool(getattr(ip.address, name))


def _global_unicast(ip: IP) -> bool:
    a = ip.address
    broadcast = isinstance(a, IPv4Address) and int(a) == 2**32 - 1
    return not (broadcast or a.is_unspecified or a.is_loopback or a.is_multicast or a.is_link_local)


def _link_local_multicast(ip: IP) -> bool:
    packed = ip.address.packed
    return packed[:3] == b"\xe0\x00\x00" if len(packed) == 4 else packed[0] == 0xFF and packed[1] & 0x0F == 2


class Url(Foreign):
    __slots__ = ("host", "path", "query", "scheme", "text")
    type_name, go_type, short = "kubernetes.URL", "cel.URL", "URL"

    def __init__(self, text: str, scheme: str, host: str, path: str, query: str) -> None:
        self.text = text
        self.scheme = scheme
        self.host = host
        self.path = path
        self.query = query

    def same(self, other: Any) -> bool:
        return bool(self.text == other.text)


_URL = re.compile(r"(?:([a-zA-Z][a-zA-Z0-9+.\-]*):)?([^?]*)(?:\?([\s\S]*))?")
_PATH = re.compile(r"[A-Za-z0-9\-_.~!$&'()*+,;=:@\[\]%/]*")
_USER = r"(?:[A-Za-z0-9\-._:~!$&'()*+,;=%@]*@)?"
_NAME = r"(?:[A-Za-z0-9\-_.~!$&'()*+,;=:\]<>\"]|[^\x00-\x7f]|%25|%[89a-fA-F][0-9a-fA-F])*"
_HOST = re.compile(rf"{_USER}({_NAME}|\[([0-9a-fA-F:.]+(?:%25{_NAME})?)\](?::[0-9]*)?)")


def _url(text: str) -> Value:
    fault = _uri(text)
    if fault is None:
        scheme, rest, query = _parts(text.partition("#")[0])
        authority, path = _authority(rest) if scheme or not rest.startswith("///") else ("", rest)
        host = _host(scheme, authority)
        if host is not None and not _bad_escape(text.partition("#")[2]):
            return Url(text, scheme, host, path if path.startswith("/") or path == "*" else "", query)
        fault = f"parse {go_quote(text)}: invalid URL"
    return Err(f"URL parse error during conversion from string: {fault}")


def _parts(text: str) -> tuple[str, str, str]:
    """The scheme, what is between it and the query, and the query."""
    match = _URL.fullmatch(text)
    assert match
    return (match[1] or "").lower(), match[2], match[3] or ""


def _authority(rest: str) -> tuple[str, str]:
    """(who serves, the path)."""
    if not rest.startswith("//"):
        return "", rest
    authority, slash, path = rest[2:].partition("/")
    return authority, slash + path


def _host(scheme: str, authority: str) -> str | None:
    """The host with its port, if it is valid."""
    match = _HOST.fullmatch(authority)
    if match is None:
        return None
    if match[2]:
        address = _address(unquote(match[2]))
        return unquote(match[1]) if isinstance(address, IPv6Address) else None
    before, colon, port = match[1].partition(":") if scheme in ("http", "https") else match[1].rpartition(":")
    return unquote(match[1]) if not colon or re.fullmatch("[0-9]*", port) else None


def _bad_escape(text: str) -> str:
    match = re.search(r"%(?![0-9a-fA-F]{2}).{0,2}", text)
    return match.group() if match else ""


def _uri(text: str) -> str | None:
    """What is wrong with the address (Go: net/url, ParseRequestURI, which knows no fragment)."""
    fault = f"parse {go_quote(text)}: "
    if not text:
        return fault + "empty url"
    if re.search(r"[\x00-\x1f\x7f]", text):
        return fault + "net/url: invalid control character in URL"
    if text.startswith(":"):
        return fault + "missing protocol scheme"
    scheme, rest, _ = _parts(text)
    if not rest.startswith("/"):
        return None if scheme or text == "*" else fault + "invalid URI for request"
    authority, path = _authority(rest) if scheme else ("", rest)
    if escape := _bad_escape(authority + path):
        return fault + f"invalid URL escape {go_quote(escape)}"
    return None if _host(scheme, authority) is not None else fault + "invalid character in host name"


def _name_and_port(url: Url) -> tuple[str, str]:
    match = re.fullmatch(r"(.*?)(?::([0-9]*))?", url.host, re.DOTALL)
    assert match
    name = match[1]
    return name[1:-1] if name.startswith("[") and name.endswith("]") else name, match[2] or ""


def _escaped_path(url: Url) -> str:
    return url.path if _PATH.fullmatch(url.path) else quote(unquote_to_bytes(url.path), safe="/:@$&+,;=-_.~")


def _query(url: Url) -> Map:
    values: dict[str, list[str]] = {}
    for pair in url.query.split("&"):
        if not pair or ";" in pair:
            continue
        parts = [part.replace("+", " ") for part in pair.partition("=")[::2]]
        if any(re.search("%(?![0-9a-fA-F]{2})", part) for part in parts):
            continue
        key, value = (unquote_to_bytes(part).decode("utf-8", "replace") for part in parts)
        values.setdefault(key, []).append(value)
    return Map(values.items())


class Format(Foreign):
    """A named format. ``faults``: what is wrong with a text; ``max_regex_size``: what validation is charged for."""

    __slots__ = ("faults", "max_regex_size", "name")
    type_name, go_type, short = "kubernetes.NamedFormat", "cel.Format", "Format"
    is_hashable = False

    def __init__(self, name: str, max_regex_size: int, faults: Callable[[str], list[str]]) -> None:
        self.name = name
        self.max_regex_size = max_regex_size
        self.faults = faults

    def same(self, other: Any) -> bool:
        return bool(self.name == other.name)


_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_SUBDOMAIN = rf"{_LABEL}(\.{_LABEL})*"
_LABEL_FAULT = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    "an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?')"
)
_SUBDOMAIN_FAULT = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
)
_LABEL_1035_FAULT = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
    "and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is "
    "'[a-z]([-a-z0-9]*[a-z0-9])?')"
)


def _pattern(expression: str, fault: str, most: int, prefix: bool = False) -> Callable[[str], list[str]]:
    compiled = re.compile(expression)

    def faults(text: str) -> list[str]:
        bare = text[:-2] + "a" if prefix and text.endswith("-") and len(text) > 1 else text
        problems = [f"must be no more than {most} characters"] if _utf8(bare) > most else []
        if compiled.fullmatch(bare):
            return problems
        dots = fault == _LABEL_FAULT and re.fullmatch(_SUBDOMAIN, bare)
        return [*problems, "must not contain dots" if dots else fault]

    return faults


def _one(fault: Callable[[str], str | None]) -> Callable[[str], list[str]]:
    return lambda text: [message] if (message := fault(text)) else []


# apimachinery v0.37: pkg/api/validate/content/kube.go, IsLabelKey and IsLabelValue
_KEY = "([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_KEY_FAULT = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    f"(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '{_KEY}')"
)
_VALUE_FAULT = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start "
    "and end with an alphanumeric character "
    f"(e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '({_KEY})?')"
)
_LONGEST = 63


def _qualified_name(text: str) -> list[str]:
    *prefixes, name = text.split("/")
    if len(prefixes) > 1:
        return [
            f"a valid label key {_KEY_FAULT} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
        ]
    found = []
    for prefix in prefixes:
        faults = FORMATS["dns1123Subdomain"].faults(prefix) if prefix else ["must be non-empty"]
        found += [f"prefix part {fault}" for fault in faults]
    if not name:
        found.append("name part must be non-empty")
    elif _utf8(name) > _LONGEST:
        found.append(f"name part must be no more than {_LONGEST} bytes")
    return found if re.fullmatch(_KEY, name) else [*found, f"name part {_KEY_FAULT}"]


def _label_value(text: str) -> list[str]:
    faults = [f"must be no more than {_LONGEST} bytes"] if _utf8(text) > _LONGEST else []
    return faults if re.fullmatch(f"({_KEY})?", text) else [*faults, _VALUE_FAULT]


def _utf8(text: str) -> int:
    return len(text.encode("utf-8", "replace"))


def _uuid(text: str) -> str | None:
    plain = re.fullmatch(r"[0-9a-fA-F]{8}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{4}-?[0-9a-fA-F]{12}", text)
    return None if plain else "does not match the UUID format"


_BASE64 = "(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})"  # govalidator v11


def _bytes(text: str) -> str | None:
    return None if re.fullmatch(_BASE64, text) else "invalid base64"


def _date(text: str) -> str | None:
    match = re.fullmatch("([0-9]{4})-([0-9]{2})-([0-9]{2})", text)
    try:
        valid = match and date(int(match[1]) or 400, int(match[2]), int(match[3]))  # Go has a year 0
    except ValueError:
        valid = None
    return None if valid else "invalid date"


def _datetime(text: str) -> str | None:
    """kube-openapi: pkg/validation/strfmt/time.go, IsDateTime."""
    day, *times = text.lower().split("t")
    match = re.fullmatch("([0-9]{2}):([0-9]{2}):([0-9]{2})(?:.[0-9]+)?(?:z|[+-][0-9]{2}:[0-9]{2})", (*times, "")[0])
    valid = match and match[1] <= "23" and match[2] <= "59" and match[3] <= "59" and _date(day) is None
    return None if valid else "invalid datetime"


_LABEL_1035 = "[a-z]([-a-z0-9]*[a-z0-9])?"
FORMATS = {
    "dns1123Label": Format("DNS1123Label", 30, _pattern(_LABEL, _LABEL_FAULT, 63)),
    "dns1123Subdomain": Format("DNS1123Subdomain", 60, _pattern(_SUBDOMAIN, _SUBDOMAIN_FAULT, 253)),
    "dns1035Label": Format("DNS1035Label", 30, _pattern(_LABEL_1035, _LABEL_1035_FAULT, 63)),
    "qualifiedName": Format("QualifiedName", 60, _qualified_name),
    "dns1123LabelPrefix": Format("DNS1123LabelPrefix", 30, _pattern(_LABEL, _LABEL_FAULT, 63, True)),
    "dns1123SubdomainPrefix": Format("DNS1123SubdomainPrefix", 60, _pattern(_SUBDOMAIN, _SUBDOMAIN_FAULT, 253, True)),
    "dns1035LabelPrefix": Format("DNS1035LabelPrefix", 30, _pattern(_LABEL_1035, _LABEL_1035_FAULT, 63, True)),
    "labelValue": Format("LabelValue", 40, _label_value),
    "uri": Format("URI", 1103, _one(_uri)),
    "uuid": Format("uuid", 70, _one(_uuid)),
    "byte": Format("byte", 84, _one(_bytes)),
    "date": Format("date", 71, _one(_date)),
    "datetime": Format("datetime", 71, _one(_datetime)),
}


def _validate(format: Format, text: str) -> Optional:
    faults = format.faults(text)
    return Optional(True, faults) if faults else NONE


def _named(name: str) -> Optional:
    return Optional(True, FORMATS[name]) if name in FORMATS else NONE


def _constant(value: Value) -> Function:
    return lambda: value


FUNCTIONS: dict[str, Function] = {
    "ip": lambda value: IP(value.address) if isinstance(value, CIDR) else _ip(value),
    "isIP": lambda text: not isinstance(_ip(text), Err),
    "ip.isCanonical": _is_canonical,
    "family": lambda ip: ip.address.version,
    "isUnspecified": _flag("is_unspecified"),
    "isLoopback": _flag("is_loopback"),
    "isLinkLocalUnicast": _flag("is_link_local"),
    "isLinkLocalMulticast": _link_local_multicast,
    "isGlobalUnicast": _global_unicast,
    "cidr": _cidr,
    "isCIDR": lambda text: not isinstance(_cidr(text), Err),
    "containsIP": _contains_ip,
    "containsCIDR": _contains_cidr,
    "prefixLength": lambda range_: range_.bits,
    "masked": lambda range_: CIDR(range_.network.network_address, range_.bits),
    "string": lambda value: str(value.address) if isinstance(value, IP) else f"{value.address}/{value.bits}",
    "url": _url,
    "isURL": lambda text: _uri(text) is None,
    "getScheme": lambda url: url.scheme,
    "getHost": lambda url: url.host,
    "getHostname": lambda url: _name_and_port(url)[0],
    "getPort": lambda url: _name_and_port(url)[1],
    "getEscapedPath": _escaped_path,
    "getQuery": _query,
    "validate": _validate,
    "format.named": _named,
    **{f"format.{name}": _constant(format) for name, format in FORMATS.items()},
}
