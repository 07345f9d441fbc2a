package main

import (
	"fmt"
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
)

// Written are the API versions whose objects clients may send as protobuf.
var written = strings.Fields(`
	v1 admissionregistration.k8s.io/v1 apps/v1 autoscaling/v1 autoscaling/v2 batch/v1 coordination.k8s.io/v1 discovery.k8s.io/v1 events.k8s.io/v1
	networking.k8s.io/v1 node.k8s.io/v1 policy/v1 rbac.authorization.k8s.io/v1 resource.k8s.io/v1 scheduling.k8s.io/v1
	scheduling.k8s.io/v1beta1 storage.k8s.io/v1`)

// Scalars are the kinds of scalar values, by the letters that stand for them.
var scalars = map[reflect.Kind]string{
	reflect.String: "s", reflect.Bool: "b", reflect.Int: "i", reflect.Int32: "i", reflect.Int64: "i", reflect.Uint8: "i",
}

// PrintMessages prints the fields of each message in protobuf, for packages/live/kschedlab_live/wire/protobuf.py.
func printMessages() {
	messages := map[string][]string{}
	addMessage(reflect.TypeFor[metav1.DeleteOptions](), messages)
	for gvk, kind := range scheme.Scheme.AllKnownTypes() {
		_, found := kind.FieldByName("ObjectMeta")
		for _, version := range written {
			if found && version == gvk.GroupVersion().String() {
				addMessage(kind, messages)
			}
		}
	}
	for _, name := range sorted(messages) {
		fmt.Printf("%s: %s\n", name, strings.Join(messages[name], " "))
	}
}

// MessageName is the end of a type's package and its name: core/v1.Pod.
func messageName(t reflect.Type) string {
	parts := strings.Split(t.PkgPath(), "/")
	return strings.Join(parts[max(0, len(parts)-2):], "/") + "." + t.Name()
}

func addMessage(t reflect.Type, messages map[string][]string) {
	name := messageName(t)
	if messages[name] != nil || isScalar(t) {
		return
	}
	messages[name] = []string{}
	for i := 0; i < t.NumField(); i++ {
		field := t.Field(i)
		coded := strings.Split(field.Tag.Get("protobuf"), ",")
		if len(coded) < 2 {
			continue
		}
		json, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if json == "" {
			json = "~"
		}
		mark, inner := "", field.Type
		switch {
		case inner.Kind() == reflect.Pointer:
			inner = inner.Elem()
		case strings.Contains(options, "omitempty"):
			mark = "?"
		}
		messages[name] = append(messages[name], fmt.Sprintf("%s:%s:%s%s", coded[1], json, coding(inner, name, messages), mark))
	}
}

// Coding says how a field's value is read: a letter, or a message without its package if that is the owner's; after
// "[]" in a list, after "{}" in a map.
func coding(t reflect.Type, owner string, messages map[string][]string) string {
	switch {
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		return "x"
	case t.Kind() == reflect.Slice:
		return "[]" + coding(t.Elem(), owner, messages)
	case t.Kind() == reflect.Map:
		return "{}" + coding(t.Elem(), owner, messages)
	case t.Kind() == reflect.Struct:
		addMessage(t, messages)
		pkg, _, _ := strings.Cut(owner, ".")
		return strings.TrimPrefix(messageName(t), pkg+".")
	}
	return scalars[t.Kind()]
}
