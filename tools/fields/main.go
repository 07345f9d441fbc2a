// Prints the kinds in the groups that kschedlab reads, and the fields of the kinds that it reads, from k8s.io/api:
//
//	go run . > ../../kschedlab/manifests/known_fields.txt
//	go run . protobuf > ../../packages/live/kschedlab_live/wire/protobuf.txt
//
// A line with an API version lists its kinds: "apps/v1 = DaemonSet Deployment ...". A line with a type lists its
// fields, each with the type of the maps in it: "PodSpec: affinity>Affinity nodeName ...", or after a * with the type
// of the values of a map: "Device: attributes>*DeviceAttribute ...".
package main

import (
	"fmt"
	"os"
	"reflect"
	"sort"
	"strings"

	"k8s.io/client-go/kubernetes/scheme"
)

// Read are the kinds that kschedlab reads, by group.
var read = map[string]string{
	"":                  "LimitRange Namespace Node PersistentVolume PersistentVolumeClaim Pod ReplicationController ResourceQuota Service",
	"apps":              "DaemonSet Deployment ReplicaSet StatefulSet",
	"autoscaling":       "HorizontalPodAutoscaler",
	"batch":             "CronJob Job",
	"policy":            "PodDisruptionBudget",
	"resource.k8s.io":   "DeviceClass DeviceTaintRule ResourceClaim ResourceClaimTemplate ResourceSlice",
	"scheduling.k8s.io": "PodGroup PriorityClass",
	"storage.k8s.io":    "CSIDriver CSINode CSIStorageCapacity StorageClass VolumeAttachment",
}

// Fields and kinds that a version since v1.13 had and v1.37 has not.
var (
	removedFields = map[string]string{
		"EphemeralVolumeSource":              "readOnly",
		"ManagedFieldsEntry":                 "fields",
		"NodeAllocatableResourceClaimStatus": "resources",
		"ObjectMeta":                         "clusterName initializers",
		"PersistentVolumeClaimStatus":        "resizeStatus",
		"PodResourceClaim":                   "source",
		"PodSpec":                            "workloadRef",
		"ServiceSpec":                        "ipFamily topologyKeys",
		"VolumeResourceRequirements":         "claims",
	}
	removedKinds = map[string][]string{
		"autoscaling/v2beta1":        {"HorizontalPodAutoscaler"},
		"autoscaling/v2beta2":        {"HorizontalPodAutoscaler"},
		"batch/v2alpha1":             {"CronJob"},
		"policy/v1beta1":             {"PodSecurityPolicy"},
		"scheduling.k8s.io/v1alpha1": {"PriorityClass"},
	}
)

func main() {
	if len(os.Args) > 1 {
		printMessages()
		return
	}
	kinds, types := removedKinds, map[string]map[string]string{}
	for gvk, kind := range scheme.Scheme.AllKnownTypes() {
		if _, found := kind.FieldByName("ObjectMeta"); !found || gvk.Version == "__internal" {
			continue
		}
		version := gvk.GroupVersion().String()
		if _, found := read[gvk.Group]; found {
			kinds[version] = append(kinds[version], gvk.Kind)
		}
		if strings.Contains(" "+read[gvk.Group]+" ", " "+gvk.Kind+" ") {
			add(kind, types)
		}
	}
	for name, fields := range removedFields {
		for _, field := range strings.Fields(fields) {
			types[name][field] = ""
		}
	}
	for _, version := range sorted(kinds) {
		sort.Strings(kinds[version])
		fmt.Printf("%s = %s\n", version, strings.Join(kinds[version], " "))
	}
	for _, name := range sorted(types) {
		fields := []string{}
		for _, field := range sorted(types[name]) {
			fields = append(fields, field+types[name][field])
		}
		fmt.Printf("%s: %s\n", name, strings.Join(fields, " "))
	}
}

// Add the fields of a struct, and of the structs in it; versions of one type are merged.
func add(t reflect.Type, types map[string]map[string]string) {
	if types[t.Name()] == nil {
		types[t.Name()] = map[string]string{}
	}
	addFields(t, types[t.Name()], types)
}

func addFields(t reflect.Type, fields map[string]string, types map[string]map[string]string) {
	for i := 0; i < t.NumField(); i++ {
		name, options, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		inner := t.Field(i).Type
		for inner.Kind() == reflect.Pointer || inner.Kind() == reflect.Slice {
			inner = inner.Elem()
		}
		if strings.Contains(options, "inline") || (t.Field(i).Anonymous && name == "") {
			addFields(inner, fields, types)
			continue
		}
		mapped := ""
		if inner.Kind() == reflect.Map {
			mapped, inner = "*", inner.Elem()
		}
		fields[name] = ""
		if inner.Kind() == reflect.Struct && !isScalar(inner) {
			fields[name] = ">" + mapped + inner.Name()
			add(inner, types)
		}
	}
}

// IsScalar says whether a struct is written as a text, a number or free data.
func isScalar(t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[interface{ MarshalJSON() ([]byte, error) }]()) ||
		reflect.PointerTo(t).Implements(reflect.TypeFor[interface{ MarshalJSON() ([]byte, error) }]())
}

func sorted[V any](m map[string]V) []string {
	names := []string{}
	for name := range m {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
