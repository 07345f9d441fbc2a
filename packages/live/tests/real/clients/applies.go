package main

import (
	"encoding/json"
	"errors"
	"math/rand"
	"os"
	"sort"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/managedfields/managedfieldstest"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
)

// A step is an apply or an update, and what the real field manager makes of it.
type step struct {
	Manager   string         `json:"manager"`
	Force     bool           `json:"force"`
	Update    bool           `json:"update"`
	Object    map[string]any `json:"object"`
	Conflicts []string       `json:"conflicts"`
	Live      map[string]any `json:"live"`
}

// PrintApplies prints random sequences of applies and updates of one object, each with the object after every step.
// Nothing in them is empty: this field manager keeps nulls, which a server has no more when it has stored the object.
func printApplies(seed int64, count int) {
	rng := rand.New(rand.NewSource(seed))
	converter := applyconfigurations.NewTypeConverter(scheme.Scheme)
	for number := 0; number < count; number++ {
		gvk, random := schema.FromAPIVersionAndKind("apps/v1", "Deployment"), deployment
		if number%3 == 2 {
			gvk, random = schema.FromAPIVersionAndKind("v1", "Service"), service
		}
		manager := managedfieldstest.NewTestFieldManager(converter, gvk)
		steps := []step{}
		updated := false
		for len(steps) < 6 {
			made := step{Manager: []string{"a", "b"}[rng.Intn(2)], Force: rng.Intn(4) == 0, Object: random(rng)}
			made.Update = !updated && len(steps) > 0 && rng.Intn(4) == 0
			updated = made.Update
			object := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(made.Object)}
			object.SetGroupVersionKind(gvk)
			object.SetName("x")
			made.Conflicts = []string{}
			if made.Update {
				check(manager.Update(object, "updater"))
			} else if err := manager.Apply(object, made.Manager, made.Force); err != nil {
				var status *apierrors.StatusError
				if !errors.As(err, &status) || !apierrors.IsConflict(err) {
					panic(err)
				}
				for _, cause := range status.ErrStatus.Details.Causes {
					made.Conflicts = append(made.Conflicts, cause.Field)
				}
			}
			sort.Strings(made.Conflicts)
			made.Live = manager.Live().(*unstructured.Unstructured).Object
			steps = append(steps, made)
		}
		check(json.NewEncoder(os.Stdout).Encode(map[string]any{"kind": gvk.Kind, "steps": steps}))
	}
}

func some(rng *rand.Rand, object map[string]any, name string, values ...any) {
	if rng.Intn(2) == 0 {
		object[name] = values[rng.Intn(len(values))]
	}
}

// Chosen are one or more of the values, in any order.
func chosen(rng *rand.Rand, values ...any) []any {
	rng.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
	return values[:1+rng.Intn(len(values))]
}

func metadata(rng *rand.Rand) map[string]any {
	object, labels := map[string]any{}, map[string]any{"z": "1"}
	some(rng, labels, "a", "1", "2")
	some(rng, labels, "b", "1", "2")
	object["labels"] = labels
	some(rng, object, "finalizers", chosen(rng, "x/1", "x/2"))
	return object
}

func service(rng *rand.Rand) map[string]any {
	spec := map[string]any{"sessionAffinity": "None"}
	some(rng, spec, "selector", map[string]any{"a": "1"}, map[string]any{"b": "1"})
	some(rng, spec, "type", "ClusterIP", "NodePort")
	udp := map[string]any{"port": int64(80), "protocol": "UDP"}
	some(rng, udp, "targetPort", int64(8080), "http")
	tcp := map[string]any{"port": int64(80), "protocol": "TCP"}
	some(rng, tcp, "name", "web", "http")
	other := map[string]any{"port": int64(81), "protocol": "TCP"}
	some(rng, spec, "ports", chosen(rng, udp, tcp, other))
	return map[string]any{"metadata": metadata(rng), "spec": spec}
}

func deployment(rng *rand.Rand) map[string]any {
	spec, template := map[string]any{}, map[string]any{"hostname": "x"}
	some(rng, spec, "replicas", int64(1), int64(2))
	some(rng, spec, "paused", true)
	some(rng, spec, "selector", map[string]any{"matchLabels": map[string]any{"a": "1"}})
	some(rng, template, "nodeSelector", map[string]any{"disk": "ssd"}, map[string]any{"zone": "a"})
	some(rng, template, "tolerations", chosen(rng, map[string]any{"key": "a"}, map[string]any{"key": "b"}))
	some(rng, template, "securityContext", map[string]any{"runAsUser": int64(1)})
	some(rng, template, "volumes", chosen(rng,
		map[string]any{"name": "v", "emptyDir": map[string]any{}},
		map[string]any{"name": "w", "configMap": map[string]any{"name": "c"}}))
	some(rng, template, "topologySpreadConstraints", chosen(rng,
		map[string]any{"topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "maxSkew": int64(1)},
		map[string]any{"topologyKey": "zone", "whenUnsatisfiable": "ScheduleAnyway", "maxSkew": int64(2)}))
	containers := []any{}
	for _, name := range []string{"c", "d", "e", "f"} {
		container := map[string]any{"name": name}
		some(rng, container, "image", "nginx:1", "nginx:2")
		some(rng, container, "env", chosen(rng,
			map[string]any{"name": "A", "value": "1"},
			map[string]any{"name": "B", "valueFrom": map[string]any{"fieldRef": map[string]any{"fieldPath": "x"}}}))
		some(rng, container, "args", chosen(rng, "x", "y"))
		some(rng, container, "ports", chosen(rng, map[string]any{"containerPort": int64(80), "protocol": "TCP", "name": "h"}))
		requests := map[string]any{}
		some(rng, requests, "cpu", "1", "2")
		some(rng, requests, "memory", "1Gi")
		if len(requests) > 0 {
			container["resources"] = map[string]any{"requests": requests}
		}
		containers = append(containers, container)
	}
	some(rng, template, "containers", chosen(rng, containers...))
	spec["template"] = map[string]any{"metadata": metadata(rng), "spec": template}
	return map[string]any{"metadata": metadata(rng), "spec": spec}
}
