"""healthzBindAddress and metricsBindAddress: which addresses the real scheduler refuses, and in which words.

v1.20, v1.22: pkg/scheduler/apis/config/v1beta1/defaults.go, v1beta2/defaults.go, and IsValidSocketAddr in
k8s.io/apimachinery pkg/util/validation. v1.24: splitHostIntPort in apis/config/validation/validation.go. Both split an
address as Go's net.SplitHostPort does.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from ipaddress import ip_address

from kschedlab.messages import later
from kschedlab.objects.problems import quoted, shortened

Complaint = tuple[str, str]
"""The address after defaulting, and what is wrong with it."""
NO_IP = later("must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)")
NUMBER = re.compile(r"([+-]?)0*([0-9]+)")


def no_complaints(address: str) -> Iterator[Complaint]:
    """Nothing is wrong: the version has no addresses."""
    yield from ()


def socket_complaints(address: str, unreadable: bool = True) -> Iterator[Complaint]:
    """v1.20 and v1.22 want an IP address, which may be left out, and a port from 1.

    ``unreadable``: complain about an address without host and port; v1beta1 replaces it by the default.
    """
    try:
        host, port = split_host_port(address)
    except ValueError:
        if unreadable and not is_ip(address):
            yield address, later("must be a valid socket address format, (e.g. 0.0.0.0:10254 or [::]:10254)")
        return
    host = host or "0.0.0.0"  # noqa: S104 - the scheduler's default, nothing is bound
    joined = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    if not 1 <= _number_or_0(port) <= 65535:
        yield joined, later("must be between {lowest} and {highest}, inclusive", lowest=1, highest=65535)
    if not is_ip(host):
        yield joined, NO_IP


def port_0_complaints(address: str) -> Iterator[Complaint]:
    """v1.24 wants nothing, or an IP address with port 0."""
    if not address:
        return
    try:
        host, port = split_host_port(address)
        number = _number(port)
    except ValueError as error:
        yield address, str(error)
        return
    if not is_ip(host):
        yield address, NO_IP
    if number:
        yield address, later("must be empty or with an explicit 0 port")


def split_host_port(address: str) -> tuple[str, str]:
    """Host and port of ``host:port`` or ``[host]:port``. ValueError with Go's words if the address is neither."""
    host, colon, port = address.rpartition(":")
    inside, bracket, after = address[1:].partition("]")
    if not colon:
        why = "missing port in address"
    elif not address.startswith("["):
        why = "too many colons in address" if ":" in host else _stray_bracket(address)
    elif not bracket:
        why = "missing ']' in address"
    elif after != f":{port}":
        why = "too many colons in address" if after.startswith(":") else "missing port in address"
    else:
        host, why = inside, _stray_bracket(inside + after)
    if why:
        raise ValueError(f"address {shortened(address)}: {why}")
    return host, port


def _stray_bracket(text: str) -> str:
    return next((f"unexpected '{bracket}' in address" for bracket in "[]" if bracket in text), "")


def is_ip(text: str) -> bool:
    """Whether it is an IPv4 or IPv6 address without a zone. Octets may begin with zeros, as in the Go of that time."""
    try:
        ip_address(re.sub(r"\b0+(?=[0-9])", "", text) if ":" not in text else text)
    except ValueError:
        return False
    return "%" not in text


def _number(text: str) -> int:
    """The integer. ValueError with the words of Go's strconv.Atoi."""
    match = NUMBER.fullmatch(text)
    number = int(match[1] + match[2][:20]) if match else 0
    if not match or not -(2**63) <= number < 2**63:
        why = "value out of range" if match else "invalid syntax"
        raise ValueError(f"strconv.Atoi: parsing {quoted(text)}: {why}")
    return number


def _number_or_0(text: str) -> int:
    try:
        return _number(text)
    except ValueError:
        return 0
