"""The verbs of a resource: get, list, watch, create, replace, patch, delete."""

from __future__ import annotations

from typing import Any

from kschedlab.manifests.known_fields import known, unknown_fields
from kschedlab.objects.model import Namespace, Pod, ReplicaSet
from kschedlab.objects.problems import path_text
from kschedlab_live.serve.apply import Record, Records, applied, created, nodes
from kschedlab_live.serve.kinds import OF_MODEL, Served
from kschedlab_live.serve.objects import ServedObjects
from kschedlab_live.serve.patches import patch_of
from kschedlab_live.serve.relations import root
from kschedlab_live.serve.requests import TRUE, Call
from kschedlab_live.serve.selectors import selected
from kschedlab_live.serve.tables import table
from kschedlab_live.serve.versions import as_asked, as_kept
from kschedlab_live.serve.watching import Stream
from kschedlab_live.wire.objects import APPLY, parsed, without_nulls
from kschedlab_live.wire.statuses import method_not_allowed, success, unsupported
from kschedlab_simulation.server.store import ObjectFilter
from kschedlab_simulation.status import ApiError

_IMMORTAL = ("default", "kube-system", "kube-public")
"""Namespaces that stay. v1.37: apiserver pkg/admission/plugin/namespace/lifecycle/admission.go, Register."""

Data = dict[str, Any]
Answer = tuple[int, Any]


class Verbs:
    """Answers requests to resources: (HTTP status, JSON), or a :class:`Stream`."""

    def __init__(self, objects: ServedObjects) -> None:
        self.objects = objects
        self.records = Records()

    # -- reading

    def read(self, call: Call) -> Answer:
        """Get or list."""
        if call.name:
            return 200, self.shown(call, self.objects.get(call.served, *call.key))
        objects = self.objects.items(call.served, call.namespace, selected(call.served, call.query))
        version = str(self.objects.api.version)
        if call.as_table:
            return 200, self._table(call, objects, version)
        kind = "PartialObjectMetadataList" if call.only_metadata else f"{call.served.kind}List"
        api_version = "meta.k8s.io/v1" if call.only_metadata else call.api_version
        items = [self._shown_plainly(call, obj) for obj in objects]
        return 200, {"kind": kind, "apiVersion": api_version, "metadata": {"resourceVersion": version}, "items": items}

    def watch(self, call: Call) -> Stream:
        """Open a watch."""
        filter: ObjectFilter | None = selected(call.served, call.query)
        if call.name:
            named, inner = call.name, filter
            filter = lambda obj: obj.metadata.name == named and (inner is None or inner(obj))  # noqa: E731
        version = "" if call.query.get("sendInitialEvents") == "true" else call.query.get("resourceVersion", "")
        bookmarks = call.query.get("allowWatchBookmarks") in ("1", "true")
        watch = self.objects.watch(call.served, version, bookmarks, call.namespace, filter)
        return Stream(call, watch, self.objects.api.version, lambda obj: self.shown(call, obj))

    def shown(self, call: Call, obj: Any) -> Data:
        """An object as the client wants it."""
        return (
            self._table(call, [obj], obj.metadata.resourceVersion) if call.as_table else self._shown_plainly(call, obj)
        )

    def json(self, call: Call, obj: Any) -> Data:
        """An object in the version that the client uses."""
        return as_asked(self.objects.json(call.served, obj), call.api_version)

    def _shown_plainly(self, call: Call, obj: Any) -> Data:
        data = self.json(call, obj)
        if not call.only_metadata:
            return data
        return {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": data["metadata"]}

    def _table(self, call: Call, objects: list[Any], version: str) -> Data:
        include = call.query.get("includeObject", "Metadata")
        pairs = ((obj, self.objects.json(call.served, obj)) for obj in objects)
        return table(call.served, pairs, self.objects.api.now, version, include)

    # -- writing

    def create(self, call: Call) -> Answer:
        """Create an object."""
        return 201, self.shown(call, self._create(call, self._body(call, call.body)))

    def _create(self, call: Call, body: Data) -> Any:
        served = call.served
        metadata = dict(body["metadata"])
        if served.resource.namespaced:
            namespace = call.namespace or metadata.get("namespace") or "default"
            if metadata.get("namespace") not in (None, "", namespace):
                raise ApiError.bad_request(
                    "the namespace of the provided object does not match the namespace sent on the request"
                )
            metadata["namespace"] = namespace
            self.objects.check_namespace(namespace)
        if served.acts:
            call.warnings.append(f"kschedlab keeps this {served.kind}, but nothing in the simulation acts on it")
        return self.objects.create(served, {**body, "metadata": metadata}, call.by, call.dry)

    def replace(self, call: Call) -> Answer:
        """Replace an object, or its status."""
        old = self.objects.get(call.served, *call.key)
        before = self.objects.json(call.served, old)
        new = self.objects.replace(call.served, old, self._body(call, call.body), call.subresource, call.by, call.dry)
        return 200, self._written(call, old, before, new)

    def patch(self, call: Call) -> Answer:
        """Patch an object, or its status."""
        if call.content_type == APPLY:
            return self._apply(call)
        change = patch_of(call.content_type, call.raw)
        old = self.objects.get(call.served, *call.key)

        def changed(data: Data) -> Data:
            after = change(as_asked(data, call.api_version))
            if not isinstance(after, dict) or not isinstance(after.get("metadata"), dict):
                raise ApiError.bad_request("the patch makes the object something else than an object with metadata")
            self._check_fields(call, after)
            return as_kept(after)

        before = self.objects.json(call.served, old)
        new = self.objects.patch(call.served, old, changed, call.subresource, call.by, call.dry)
        return 200, self._written(call, old, before, new)

    def _apply(self, call: Call) -> Answer:
        """Create an object, or change it, as an applier's configuration says; conflicts are refused unless forced."""
        manager = call.query.get("fieldManager", "")
        if not manager:
            raise ApiError.bad_request("fieldManager: Required value: is required for apply patch")
        config = self._config(call)
        type, records = root(call.served, config.get("apiVersion", call.api_version)), self.records
        try:
            old = self.objects.get(call.served, *call.key)
        except ApiError as error:
            if error.code != 404 or call.subresource:
                raise
            new = self._create(call, config)
            record = created(config, type, manager)
            answer = 201
        else:

            def changed(data: Data) -> Data:
                nonlocal record
                before = records.of(data, type)
                after, record = applied(data, config, type, before, manager, call.query.get("force") in TRUE)
                return after

            record = Record()
            new = self.objects.patch(call.served, old, changed, call.subresource, call.by, call.dry)
            answer = 200
        if not call.dry:
            known = nodes(self.objects.json(call.served, new), type)
            records.keep(new.metadata.uid, Record(record.owners, known))
        return answer, self.shown(call, new)

    def _config(self, call: Call) -> Data:
        """What an applier sets: all but the status, or the status alone where it is applied."""
        if call.subresource not in ("", "status"):
            raise unsupported(f"{call.subresource} cannot be applied: patch it")
        config = without_nulls(self._body(call, parsed(call.raw)))
        name = config["metadata"].get("name", call.name)
        if name != call.name:
            why = f"the name of the object ({name}) does not match the name on the URL ({call.name})"
            raise ApiError.bad_request(why)
        status = "status" if "status" in call.served.subresources else ""
        config = {name: value for name, value in config.items() if (name == status) == bool(call.subresource)}
        return config | {"metadata": config.get("metadata", {}) | {"name": call.name}}

    def _written(self, call: Call, old: Any, before: Data, new: Any) -> Data:
        """The changed object; with a warning if only fields have changed that the simulation does not read."""
        same_version = old.metadata.resourceVersion == new.metadata.resourceVersion
        if same_version and not call.dry and before != self.objects.json(call.served, new):
            call.warnings.append("kschedlab keeps this change, but the simulation reads none of the changed fields")
        return self.shown(call, new)

    def delete(self, call: Call) -> Answer:
        """Delete an object, or all that the selectors choose."""
        options = _options(call)
        if call.name:
            old = self.objects.get(call.served, *call.key)
            return 200, self._delete(call, call.served, old, options)
        chosen = self.objects.items(call.served, call.namespace, selected(call.served, call.query))
        for obj in chosen:
            self._delete(call, call.served, obj, options)
        return 200, success({"kind": call.served.resource.name})

    def _delete(self, call: Call, served: Served, old: Any, options: Data) -> Data:
        if served.model is Namespace and old.metadata.name in _IMMORTAL:
            raise ApiError.forbidden(Namespace, old.metadata.name, "this namespace may not be deleted")
        if not call.dry:
            if options.get("propagationPolicy") == "Orphan" or options.get("orphanDependents") is True:
                self._orphan(old, call.by)
            if served.model is Namespace:
                self._empty_namespace(old.metadata.name, call.by)
        last = self.objects.delete(served, old, options, call.by, call.dry)
        if last.metadata.deletionTimestamp is not None:
            return self.objects.json(served, last)
        details = {"name": old.metadata.name, "group": served.resource.group, "kind": served.resource.name}
        return success({**details, "uid": old.metadata.uid})

    def _orphan(self, owner: Any, by: str) -> None:
        """Take the owner out of its dependents, so that they stay."""
        for served in OF_MODEL.values():
            for obj in self.objects.items(served, None, lambda obj: bool(obj.metadata.ownerReferences)):
                data = self.objects.json(served, obj)
                owners = data["metadata"]["ownerReferences"]
                left = [reference for reference in owners if reference.get("uid") != owner.metadata.uid]
                if len(left) < len(owners):
                    metadata = {**data["metadata"], "ownerReferences": left}
                    self.objects.replace(served, obj, {**data, "metadata": metadata}, "", by, False)

    def _empty_namespace(self, name: str, by: str) -> None:
        """Delete what is in a namespace, as the namespace controller does; owners first: they make no new pods then."""
        kinds = self.objects.kept.kinds.served.values()
        for served in sorted(kinds, key=lambda served: served.model in (ReplicaSet, Pod)):
            if served.resource.namespaced and not served.is_event:
                for obj in self.objects.items(served, name, None):
                    self.objects.delete(served, obj, {}, by, False)

    def _body(self, call: Call, body: Any) -> Data:
        """The object in the body, of the right kind and with known fields."""
        if not isinstance(body, dict):
            raise ApiError.bad_request("the body is not an object: expected apiVersion, kind and metadata")
        for name, expected in (("kind", call.served.kind), ("apiVersion", call.api_version)):
            if body.get(name, expected) != expected:
                why = f"{name} is {body[name]!r}, and {expected} is expected here"
                raise ApiError.bad_request(f"the object provided is unrecognized: {why}")
        if not isinstance(body.get("metadata", {}), dict):
            raise ApiError.bad_request("metadata: expected a map of fields")
        self._check_fields(call, body)
        return as_kept(
            {**body, "metadata": body.get("metadata", {}), "apiVersion": call.api_version, "kind": call.served.kind}
        )

    def _check_fields(self, call: Call, data: Data) -> None:
        """Unknown fields are refused, or give warnings, as the client wants it (fieldValidation)."""
        validation = call.query.get("fieldValidation", "Warn")
        if call.served.model is None or validation == "Ignore" or call.served.kind not in known().types:
            return
        texts = [f'unknown field "{path_text(fault.path)}"' for fault in unknown_fields(data, call.served.kind)]
        if texts and validation == "Strict":
            kind = call.served.kind
            version = call.api_version.rpartition("/")[2]
            why = f'{kind} in version "{version}" cannot be handled as a {kind}: strict decoding error: '
            raise ApiError.bad_request(why + ", ".join(texts))
        call.warnings.extend(texts)


def _options(call: Call) -> Data:
    """The DeleteOptions of a body or a query. ApiError (400)."""
    options = dict(call.body)
    grace = options.get("gracePeriodSeconds", call.query.get("gracePeriodSeconds"))
    if isinstance(grace, str) and grace.lstrip("-").isdigit() and grace.isascii() and len(grace) < 10:
        grace = int(grace)
    if grace is not None and type(grace) is not int:
        raise ApiError.bad_request("gracePeriodSeconds: expected a whole number")
    if grace is not None and grace < 0:
        grace = 1
    options["gracePeriodSeconds"] = grace
    options.setdefault("propagationPolicy", call.query.get("propagationPolicy"))
    if not isinstance(options.get("preconditions") or {}, dict):
        raise ApiError.bad_request("preconditions: expected a map of fields")
    return options


def wrong_verb(call: Call) -> ApiError:
    """The resource cannot be asked for this."""
    return method_not_allowed(f"{call.verb} is not possible on {call.served.resource.name}")
