// Prints the Go types of a pod template, as far as kschedlab models them, for packages/simulation/kschedlab_simulation/controllers/template_hash.py:
//
//	go run . > ../../packages/simulation/kschedlab_simulation/controllers/template_types.txt
//
// A line is a type with its fields in Go's order, each "Name/jsonName=type=kind": "v1.Toleration Key/key=string=string ...".
// A "!" after the name marks a field that is in the JSON even if it is empty.
package main

import (
	"fmt"
	"reflect"
	"sort"
	"strings"

	v1 "k8s.io/api/core/v1"
)

// Modelled are the types of which kschedlab has values.
const modelled = ` PodTemplateSpec ObjectMeta PodSpec Container ContainerPort ResourceRequirements ResourceClaim ContainerRestartRule
 Volume VolumeSource PersistentVolumeClaimVolumeSource EphemeralVolumeSource PersistentVolumeClaimTemplate PersistentVolumeClaimSpec
 VolumeResourceRequirements CSIVolumeSource GCEPersistentDiskVolumeSource AWSElasticBlockStoreVolumeSource ISCSIVolumeSource
 RBDVolumeSource CinderVolumeSource AzureDiskVolumeSource AzureFileVolumeSource VsphereVirtualDiskVolumeSource PortworxVolumeSource
 ImageVolumeSource EmptyDirVolumeSource Affinity NodeAffinity NodeSelector NodeSelectorTerm NodeSelectorRequirement
 PreferredSchedulingTerm PodAffinity PodAntiAffinity PodAffinityTerm WeightedPodAffinityTerm LabelSelector LabelSelectorRequirement
 Toleration TopologySpreadConstraint PodSecurityContext PodSchedulingGate PodReadinessGate PodResourceClaim `

func main() {
	lines := map[string]string{}
	add(reflect.TypeFor[v1.PodTemplateSpec](), lines)
	names := []string{}
	for name := range lines {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Println(lines[name])
	}
}

func add(t reflect.Type, lines map[string]string) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || lines[t.String()] != "" || !strings.Contains(strings.ReplaceAll(modelled, "\n", " "), " "+t.Name()+" ") {
		return
	}
	fields := []string{t.String()}
	for i := 0; i < t.NumField(); i++ {
		name, options, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name != "" && !strings.Contains(options, "omit") {
			name += "!"
		}
		fields = append(fields, fmt.Sprintf("%s/%s=%s=%s", t.Field(i).Name, name, t.Field(i).Type, t.Field(i).Type.Kind()))
	}
	lines[t.String()] = strings.Join(fields, " ")
	for i := 0; i < t.NumField(); i++ {
		add(t.Field(i).Type, lines)
	}
}
