"""The functions that an expression may call, as the scheduler of v1.37 declares them, in their order.

A row: name (``.name`` is a method), id of the overload, types of the arguments, type of the result; ``*`` stands for
each of the types that can be sorted. k8s.io/apiserver v0.37.0 (pkg/cel/environment, pkg/cel/library) and cel-go v0.29.2
(common/stdlib, ext). The last rows are about authorisation; selectors have no value that they accept.
"""

# ruff: noqa: E501 (the table)

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from kube_cel.kinds import Type, parse


class Overload(NamedTuple):
    """One form of a function."""

    id: str
    member: bool
    args: tuple[Type, ...]
    result: Type


@cache
def overloads() -> dict[str, list[Overload]]:
    """All functions with their forms."""
    table: dict[str, list[Overload]] = {}
    for row in _TABLE.strip().splitlines():
        for text in [row.replace("*", kind) for kind in _SORTABLE] if "(*)" in row else [row]:
            name, id, types = text.split(" ", 2)
            member = name.startswith(".") and len(name) > 1
            *args, result = parse(f"type{_arguments(types)}").params
            table.setdefault(name[member:], []).append(Overload(id, member, tuple(args), result))
    return table


def _arguments(types: str) -> str:
    """``(int, int) bool`` as one list of parameters."""
    depth = 0
    for at, character in enumerate(types):
        depth += (character == "(") - (character == ")")
        if depth == 0:
            inner = types[1:at]
            return f"({inner + ', ' if inner else ''}{types[at + 1 :].strip()})"
    raise AssertionError(types)


_SORTABLE = ("int", "uint", "double", "bool", "duration", "timestamp", "string", "bytes")
_TABLE = """
!_ logical_not (bool) bool
-_ negate_double (double) double
-_ negate_int64 (int) int
@in in_list (A, list(A)) bool
@in in_map (A, map(A, B)) bool
@not_strictly_false not_strictly_false (bool) bool
.@sortByAssociatedKeys list_*_sortByAssociatedKeys (list(T), list(*)) list(T)
_!=_ not_equals (A, A) bool
_%_ modulo_int64 (int, int) int
_%_ modulo_uint64 (uint, uint) uint
_&&_ logical_and (bool, bool) bool
_*_ multiply_double (double, double) double
_*_ multiply_int64 (int, int) int
_*_ multiply_uint64 (uint, uint) uint
_+_ add_bytes (bytes, bytes) bytes
_+_ add_double (double, double) double
_+_ add_duration_duration (duration, duration) duration
_+_ add_duration_timestamp (duration, timestamp) timestamp
_+_ add_timestamp_duration (timestamp, duration) timestamp
_+_ add_int64 (int, int) int
_+_ add_list (list(A), list(A)) list(A)
_+_ add_string (string, string) string
_+_ add_uint64 (uint, uint) uint
_-_ subtract_double (double, double) double
_-_ subtract_duration_duration (duration, duration) duration
_-_ subtract_int64 (int, int) int
_-_ subtract_timestamp_duration (timestamp, duration) timestamp
_-_ subtract_timestamp_timestamp (timestamp, timestamp) duration
_-_ subtract_uint64 (uint, uint) uint
_/_ divide_double (double, double) double
_/_ divide_int64 (int, int) int
_/_ divide_uint64 (uint, uint) uint
_<=_ less_equals_bool (bool, bool) bool
_<=_ less_equals_int64 (int, int) bool
_<=_ less_equals_int64_double (int, double) bool
_<=_ less_equals_int64_uint64 (int, uint) bool
_<=_ less_equals_uint64 (uint, uint) bool
_<=_ less_equals_uint64_double (uint, double) bool
_<=_ less_equals_uint64_int64 (uint, int) bool
_<=_ less_equals_double (double, double) bool
_<=_ less_equals_double_int64 (double, int) bool
_<=_ less_equals_double_uint64 (double, uint) bool
_<=_ less_equals_string (string, string) bool
_<=_ less_equals_bytes (bytes, bytes) bool
_<=_ less_equals_timestamp (timestamp, timestamp) bool
_<=_ less_equals_duration (duration, duration) bool
_<_ less_bool (bool, bool) bool
_<_ less_int64 (int, int) bool
_<_ less_int64_double (int, double) bool
_<_ less_int64_uint64 (int, uint) bool
_<_ less_uint64 (uint, uint) bool
_<_ less_uint64_double (uint, double) bool
_<_ less_uint64_int64 (uint, int) bool
_<_ less_double (double, double) bool
_<_ less_double_int64 (double, int) bool
_<_ less_double_uint64 (double, uint) bool
_<_ less_string (string, string) bool
_<_ less_bytes (bytes, bytes) bool
_<_ less_timestamp (timestamp, timestamp) bool
_<_ less_duration (duration, duration) bool
_==_ equals (A, A) bool
_>=_ greater_equals_bool (bool, bool) bool
_>=_ greater_equals_int64 (int, int) bool
_>=_ greater_equals_int64_double (int, double) bool
_>=_ greater_equals_int64_uint64 (int, uint) bool
_>=_ greater_equals_uint64 (uint, uint) bool
_>=_ greater_equals_uint64_double (uint, double) bool
_>=_ greater_equals_uint64_int64 (uint, int) bool
_>=_ greater_equals_double (double, double) bool
_>=_ greater_equals_double_int64 (double, int) bool
_>=_ greater_equals_double_uint64 (double, uint) bool
_>=_ greater_equals_string (string, string) bool
_>=_ greater_equals_bytes (bytes, bytes) bool
_>=_ greater_equals_timestamp (timestamp, timestamp) bool
_>=_ greater_equals_duration (duration, duration) bool
_>_ greater_bool (bool, bool) bool
_>_ greater_int64 (int, int) bool
_>_ greater_int64_double (int, double) bool
_>_ greater_int64_uint64 (int, uint) bool
_>_ greater_uint64 (uint, uint) bool
_>_ greater_uint64_double (uint, double) bool
_>_ greater_uint64_int64 (uint, int) bool
_>_ greater_double (double, double) bool
_>_ greater_double_int64 (double, int) bool
_>_ greater_double_uint64 (double, uint) bool
_>_ greater_string (string, string) bool
_>_ greater_bytes (bytes, bytes) bool
_>_ greater_timestamp (timestamp, timestamp) bool
_>_ greater_duration (duration, duration) bool
_?._ select_optional_field (dyn, string) optional_type(V)
_?_:_ conditional (bool, A, A) A
_[?_] list_optindex_optional_int (list(V), int) optional_type(V)
_[?_] optional_list_optindex_optional_int (optional_type(list(V)), int) optional_type(V)
_[?_] map_optindex_optional_value (map(K, V), K) optional_type(V)
_[?_] optional_map_optindex_optional_value (optional_type(map(K, V)), K) optional_type(V)
_[_] index_list (list(A), int) A
_[_] index_map (map(A, B), A) B
_[_] optional_list_index_int (optional_type(list(V)), int) optional_type(V)
_[_] optional_map_index_value (optional_type(map(K, V)), K) optional_type(V)
_in_ in_list (A, list(A)) bool
_in_ in_map (A, map(A, B)) bool
_||_ logical_or (bool, bool) bool
.add quantity_add (kubernetes.Quantity, kubernetes.Quantity) kubernetes.Quantity
.add quantity_add_int (kubernetes.Quantity, int) kubernetes.Quantity
.asApproximateFloat quantity_get_float (kubernetes.Quantity) double
.asInteger quantity_get_int (kubernetes.Quantity) int
bool bool_to_bool (bool) bool
bool string_to_bool (string) bool
bytes bytes_to_bytes (bytes) bytes
bytes string_to_bytes (string) bytes
cel.@mapInsert @mapInsert_map_key_value (map(K, V), K, V) map(K, V)
cel.@mapInsert @mapInsert_map_map (map(K, V), map(K, V)) map(K, V)
.charAt string_char_at_int (string, int) string
cidr string_to_cidr (string) net.CIDR
.compareTo quantity_compare_to (kubernetes.Quantity, kubernetes.Quantity) int
.compareTo semver_compare_to (kubernetes.Semver, kubernetes.Semver) int
.contains contains_string (string, string) bool
.containsCIDR cidr_contains_cidr_string (net.CIDR, string) bool
.containsCIDR cidr_contains_cidr (net.CIDR, net.CIDR) bool
.containsIP cidr_contains_ip_string (net.CIDR, string) bool
.containsIP cidr_contains_ip_ip (net.CIDR, net.IP) bool
.distinct list_distinct (list(T)) list(T)
double double_to_double (double) double
double int64_to_double (int) double
double string_to_double (string) double
double uint64_to_double (uint) double
duration duration_to_duration (duration) duration
duration string_to_duration (string) duration
dyn to_dyn (A) dyn
.endsWith ends_with_string (string, string) bool
.family ip_family (net.IP) int
.find string_find_string (string, string) string
.findAll string_find_all_string (string, string) list(string)
.findAll string_find_all_string_int (string, string, int) list(string)
.first list_first (list(V)) optional_type(V)
.flatten list_flatten (list(list(T))) list(T)
.flatten list_flatten_int (list(dyn), int) list(dyn)
.format string_format (string, list(dyn)) string
format.byte format.byte () kubernetes.NamedFormat
format.date format.date () kubernetes.NamedFormat
format.datetime format.datetime () kubernetes.NamedFormat
format.dns1035Label format.dns1035Label () kubernetes.NamedFormat
format.dns1035LabelPrefix format.dns1035LabelPrefix () kubernetes.NamedFormat
format.dns1123Label format.dns1123Label () kubernetes.NamedFormat
format.dns1123LabelPrefix format.dns1123LabelPrefix () kubernetes.NamedFormat
format.dns1123Subdomain format.dns1123Subdomain () kubernetes.NamedFormat
format.dns1123SubdomainPrefix format.dns1123SubdomainPrefix () kubernetes.NamedFormat
format.labelValue format.labelValue () kubernetes.NamedFormat
format.named format-named (string) optional_type(kubernetes.NamedFormat)
format.qualifiedName format.qualifiedName () kubernetes.NamedFormat
format.uri format.uri () kubernetes.NamedFormat
format.uuid format.uuid () kubernetes.NamedFormat
.getDate timestamp_to_day_of_month_1_based (timestamp) int
.getDate timestamp_to_day_of_month_1_based_with_tz (timestamp, string) int
.getDayOfMonth timestamp_to_day_of_month (timestamp) int
.getDayOfMonth timestamp_to_day_of_month_with_tz (timestamp, string) int
.getDayOfWeek timestamp_to_day_of_week (timestamp) int
.getDayOfWeek timestamp_to_day_of_week_with_tz (timestamp, string) int
.getDayOfYear timestamp_to_day_of_year (timestamp) int
.getDayOfYear timestamp_to_day_of_year_with_tz (timestamp, string) int
.getEscapedPath url_get_escaped_path (kubernetes.URL) string
.getFullYear timestamp_to_year (timestamp) int
.getFullYear timestamp_to_year_with_tz (timestamp, string) int
.getHost url_get_host (kubernetes.URL) string
.getHostname url_get_hostname (kubernetes.URL) string
.getHours timestamp_to_hours (timestamp) int
.getHours timestamp_to_hours_with_tz (timestamp, string) int
.getHours duration_to_hours (duration) int
.getMilliseconds timestamp_to_milliseconds (timestamp) int
.getMilliseconds timestamp_to_milliseconds_with_tz (timestamp, string) int
.getMilliseconds duration_to_milliseconds (duration) int
.getMinutes timestamp_to_minutes (timestamp) int
.getMinutes timestamp_to_minutes_with_tz (timestamp, string) int
.getMinutes duration_to_minutes (duration) int
.getMonth timestamp_to_month (timestamp) int
.getMonth timestamp_to_month_with_tz (timestamp, string) int
.getPort url_get_port (kubernetes.URL) string
.getQuery url_get_query (kubernetes.URL) map(string, list(string))
.getScheme url_get_scheme (kubernetes.URL) string
.getSeconds timestamp_to_seconds (timestamp) int
.getSeconds timestamp_to_seconds_tz (timestamp, string) int
.getSeconds duration_to_seconds (duration) int
.hasValue optional_hasValue (optional_type(V)) bool
in in_list (A, list(A)) bool
in in_map (A, map(A, B)) bool
.includes list_includes_dyn_dyn (dyn, dyn) bool
.indexOf string_index_of_string (string, string) int
.indexOf string_index_of_string_int (string, string, int) int
.indexOf list_a_index_of_int (list(A), A) int
int int64_to_int64 (int) int
int double_to_int64 (double) int
int duration_to_int64 (duration) int
int string_to_int64 (string) int
int timestamp_to_int64 (timestamp) int
int uint64_to_int64 (uint) int
ip string_to_ip (string) net.IP
.ip cidr_ip (net.CIDR) net.IP
ip.isCanonical ip_is_canonical (string) bool
isCIDR is_cidr (string) bool
.isGlobalUnicast ip_is_global_unicast (net.IP) bool
.isGreaterThan quantity_is_greater_than (kubernetes.Quantity, kubernetes.Quantity) bool
.isGreaterThan semver_is_greater_than (kubernetes.Semver, kubernetes.Semver) bool
isIP is_ip (string) bool
.isInteger quantity_is_integer (kubernetes.Quantity) bool
.isLessThan quantity_is_less_than (kubernetes.Quantity, kubernetes.Quantity) bool
.isLessThan semver_is_less_than (kubernetes.Semver, kubernetes.Semver) bool
.isLinkLocalMulticast ip_is_link_local_multicast (net.IP) bool
.isLinkLocalUnicast ip_is_link_local_unicast (net.IP) bool
.isLoopback ip_is_loopback (net.IP) bool
isQuantity is_quantity_string (string) bool
isSemver is_semver_string (string) bool
isSemver is_semver_string_bool (string, bool) bool
.isSorted list_*_is_sorted_bool (list(*)) bool
isURL is_url_string (string) bool
.isUnspecified ip_is_unspecified (net.IP) bool
.join list_join (list(string)) string
.join list_join_string (list(string), string) string
.last list_last (list(V)) optional_type(V)
.lastIndexOf string_last_index_of_string (string, string) int
.lastIndexOf string_last_index_of_string_int (string, string, int) int
.lastIndexOf list_a_last_index_of_int (list(A), A) int
lists.range lists_range (int) list(int)
.lowerAscii string_lower_ascii (string) string
.major semver_major (kubernetes.Semver) int
.masked cidr_masked (net.CIDR) net.CIDR
matches matches (string, string) bool
.matches matches_string (string, string) bool
.max list_*_max_* (list(*)) *
.min list_*_min_* (list(*)) *
.minor semver_minor (kubernetes.Semver) int
optional.none optional_none () optional_type(V)
optional.of optional_of (V) optional_type(V)
optional.ofNonZeroValue optional_ofNonZeroValue (V) optional_type(V)
optional.unwrap optional_unwrap (list(optional_type(V))) list(V)
.or optional_or_optional (optional_type(V), optional_type(V)) optional_type(V)
.orValue optional_orValue_value (optional_type(V), V) V
.patch semver_patch (kubernetes.Semver) int
.prefixLength cidr_prefix_length (net.CIDR) int
quantity string_to_quantity (string) kubernetes.Quantity
.replace string_replace_string_string (string, string, string) string
.replace string_replace_string_string_int (string, string, string, int) string
.reverse list_reverse (list(T)) list(T)
semver string_to_semver (string) kubernetes.Semver
semver string_bool_to_semver (string, bool) kubernetes.Semver
sets.contains list_sets_contains_list (list(T), list(T)) bool
sets.equivalent list_sets_equivalent_list (list(T), list(T)) bool
sets.intersects list_sets_intersects_list (list(T), list(T)) bool
sign quantity_sign (kubernetes.Quantity) int
size size_bytes (bytes) int
.size bytes_size (bytes) int
size size_list (list(A)) int
.size list_size (list(A)) int
size size_map (map(A, B)) int
.size map_size (map(A, B)) int
size size_string (string) int
.size string_size (string) int
.slice list_slice (list(T), int, int) list(T)
.sort list_*_sort (list(*)) list(*)
.split string_split_string (string, string) list(string)
.split string_split_string_int (string, string, int) list(string)
.startsWith starts_with_string (string, string) bool
string string_to_string (string) string
string bool_to_string (bool) string
string bytes_to_string (bytes) string
string double_to_string (double) string
string duration_to_string (duration) string
string int64_to_string (int) string
string timestamp_to_string (timestamp) string
string uint64_to_string (uint) string
string ip_to_string (net.IP) string
string cidr_to_string (net.CIDR) string
strings.quote strings_quote (string) string
.sub quantity_sub (kubernetes.Quantity, kubernetes.Quantity) kubernetes.Quantity
.sub quantity_sub_int (kubernetes.Quantity, int) kubernetes.Quantity
.substring string_substring_int (string, int) string
.substring string_substring_int_int (string, int, int) string
.sum list_int_sum_int (list(int)) int
.sum list_uint_sum_uint (list(uint)) uint
.sum list_double_sum_double (list(double)) double
.sum list_duration_sum_duration (list(duration)) duration
timestamp timestamp_to_timestamp (timestamp) timestamp
timestamp int64_to_timestamp (int) timestamp
timestamp string_to_timestamp (string) timestamp
.trim string_trim (string) string
type type (A) type(A)
uint uint64_to_uint64 (uint) uint
uint double_to_uint64 (double) uint
uint int64_to_uint64 (int) uint
uint string_to_uint64 (string) uint
.unwrapOpt optional_unwrapOpt (list(optional_type(V))) list(V)
.upperAscii string_upper_ascii (string) string
url string_to_url (string) kubernetes.URL
.validate format-validate (kubernetes.NamedFormat, string) optional_type(list(string))
.value optional_value (optional_type(V)) V
.allowed decision_allowed (kubernetes.authorization.Decision) bool
.check pathcheck_check (kubernetes.authorization.PathCheck, string) kubernetes.authorization.Decision
.check resourcecheck_check (kubernetes.authorization.ResourceCheck, string) kubernetes.authorization.Decision
.error decision_error (kubernetes.authorization.Decision) string
.errored decision_errored (kubernetes.authorization.Decision) bool
.fieldSelector authorizer_fieldselector (kubernetes.authorization.ResourceCheck, string) kubernetes.authorization.ResourceCheck
.group authorizer_group (kubernetes.authorization.Authorizer, string) kubernetes.authorization.GroupCheck
.labelSelector authorizer_labelselector (kubernetes.authorization.ResourceCheck, string) kubernetes.authorization.ResourceCheck
.name resourcecheck_name (kubernetes.authorization.ResourceCheck, string) kubernetes.authorization.ResourceCheck
.namespace resourcecheck_namespace (kubernetes.authorization.ResourceCheck, string) kubernetes.authorization.ResourceCheck
.path authorizer_path (kubernetes.authorization.Authorizer, string) kubernetes.authorization.PathCheck
.reason decision_reason (kubernetes.authorization.Decision) string
.resource groupcheck_resource (kubernetes.authorization.GroupCheck, string) kubernetes.authorization.ResourceCheck
.serviceAccount authorizer_serviceaccount (kubernetes.authorization.Authorizer, string, string) kubernetes.authorization.Authorizer
.subresource resourcecheck_subresource (kubernetes.authorization.ResourceCheck, string) kubernetes.authorization.ResourceCheck
"""
