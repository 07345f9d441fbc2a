// Command allocate reads scenarios as JSON lines from standard input and prints what v1.37's allocator of devices
// answers for each node, one JSON line per scenario.
//
//	{"id": "...", "objects": [nodes, ResourceSlices, DeviceClasses, DeviceTaintRules and ResourceClaims]}, perhaps "featureGates": {}
//	{"id": "...", "nodes": {"n1": {"results": [...]}, "n2": {"error": "..."}, "n3": {}}}
//
// The claims without an allocation are allocated in their order; the others hold their devices. "onlyThisNode" marks
// an error that leaves other nodes. An empty answer: the node cannot serve the claims. A search has one second.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	v1 "k8s.io/api/core/v1"
	resourceapi "k8s.io/api/resource/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/dynamic-resource-allocation/cel"
	"k8s.io/dynamic-resource-allocation/structured"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/feature"
	"k8s.io/utils/ptr"
)

type scenario struct {
	ID           string            `json:"id"`
	Objects      []json.RawMessage `json:"objects"`
	FeatureGates map[string]bool   `json:"featureGates"`
}

type answer struct {
	Results      []resourceapi.AllocationResult `json:"results,omitempty"`
	Error        string                         `json:"error,omitempty"`
	OnlyThisNode bool                           `json:"onlyThisNode,omitempty"`
}

type cluster struct {
	nodes   []*v1.Node
	slices  []*resourceapi.ResourceSlice
	rules   []*resourceapi.DeviceTaintRule
	waiting []*resourceapi.ResourceClaim
	classes lister
	held    structured.AllocatedState
}

type lister map[string]*resourceapi.DeviceClass

func (l lister) List() ([]*resourceapi.DeviceClass, error) { return nil, errors.New("unused") }

func (l lister) Get(name string) (*resourceapi.DeviceClass, error) {
	if class, found := l[name]; found {
		return class, nil
	}
	return nil, apierrors.NewNotFound(resourceapi.Resource("deviceclass"), name)
}

func main() {
	input, output := bufio.NewScanner(os.Stdin), bufio.NewWriter(os.Stdout)
	input.Buffer(nil, 1<<28)
	defer output.Flush()
	for input.Scan() {
		var s scenario
		check(json.Unmarshal(input.Bytes(), &s))
		gates := map[string]bool{"DRAListTypeAttributes": false, "DRADeviceCompatibilityGroups": false}
		maps.Copy(gates, s.FeatureGates)
		check(utilfeature.DefaultMutableFeatureGate.SetFromMap(gates))
		features := dynamicresources.AllocatorFeatures(feature.NewSchedulerFeaturesFromGates(utilfeature.DefaultFeatureGate))
		cache := cel.NewCache(100, cel.Features{EnableConsumableCapacity: features.ConsumableCapacity, EnableListTypeAttributes: features.ListTypeAttributes})
		c := read(s.Objects)
		answers := map[string]answer{}
		ctx := context.Background()
		allocator, err := structured.NewAllocator(ctx, features, c.held, c.classes, c.slices, cache)
		check(err)
		for _, node := range c.nodes {
			ctx, cancel := context.WithTimeout(ctx, time.Second)
			results, err := allocator.Allocate(ctx, node, c.waiting)
			cancel()
			a := answer{Results: results}
			if err != nil {
				a = answer{Error: err.Error(), OnlyThisNode: errors.Is(err, structured.ErrFailedAllocationOnNode)}
			}
			answers[node.Name] = a
		}
		line, err := json.Marshal(map[string]any{"id": s.ID, "nodes": answers})
		check(err)
		fmt.Fprintf(output, "%s\n", line)
	}
	check(input.Err())
}

func read(objects []json.RawMessage) *cluster {
	c := &cluster{classes: lister{}, held: structured.AllocatedState{
		AllocatedDevices:         sets.New[structured.DeviceID](),
		AllocatedSharedDeviceIDs: sets.New[structured.SharedDeviceID](),
		AggregatedCapacity:       structured.NewConsumedCapacityCollection(),
	}}
	for _, raw := range objects {
		var object runtime.Object
		var kind struct{ Kind string }
		check(json.Unmarshal(raw, &kind))
		switch kind.Kind {
		case "Node":
			node := &v1.Node{}
			c.nodes, object = append(c.nodes, node), node
		case "ResourceSlice":
			slice := &resourceapi.ResourceSlice{}
			c.slices, object = append(c.slices, slice), slice
		case "DeviceTaintRule":
			rule := &resourceapi.DeviceTaintRule{}
			c.rules, object = append(c.rules, rule), rule
		case "DeviceClass":
			class := &resourceapi.DeviceClass{}
			check(json.Unmarshal(raw, class))
			c.classes[class.Name] = class
			continue
		case "ResourceClaim":
			claim := &resourceapi.ResourceClaim{}
			check(json.Unmarshal(raw, claim))
			legacyscheme.Scheme.Default(claim)
			if claim.Status.Allocation == nil {
				c.waiting = append(c.waiting, claim)
			}
			c.hold(claim.Status.Allocation)
			continue
		default:
			continue
		}
		check(json.Unmarshal(raw, object))
	}
	for _, rule := range c.rules {
		c.taint(rule)
	}
	return c
}

// As foreachAllocatedDevice in plugins/dynamicresources/allocateddevices.go, which is private.
func (c *cluster) hold(allocation *resourceapi.AllocationResult) {
	if allocation == nil {
		return
	}
	for _, result := range allocation.Devices.Results {
		id := structured.MakeDeviceID(result.Driver, result.Pool, result.Device)
		switch {
		case ptr.Deref(result.AdminAccess, false):
		case result.ShareID == nil:
			c.held.AllocatedDevices.Insert(id)
		default:
			c.held.AllocatedSharedDeviceIDs.Insert(structured.MakeSharedDeviceID(id, result.ShareID))
			if result.ConsumedCapacity != nil {
				c.held.AggregatedCapacity.Insert(structured.NewDeviceConsumedCapacity(id, result.ConsumedCapacity))
			}
		}
	}
}

// As applyPatches in resourceslice/tracker/tracker.go, which is private.
func (c *cluster) taint(rule *resourceapi.DeviceTaintRule) {
	selector := ptr.Deref(rule.Spec.DeviceSelector, resourceapi.DeviceTaintSelector{})
	matches := func(wanted *string, name string) bool { return wanted == nil || *wanted == name }
	for _, slice := range c.slices {
		if !matches(selector.Driver, slice.Spec.Driver) || !matches(selector.Pool, slice.Spec.Pool.Name) {
			continue
		}
		for i := range slice.Spec.Devices {
			if device := &slice.Spec.Devices[i]; matches(selector.Device, device.Name) {
				device.Taints = append(slices.Clone(device.Taints), rule.Spec.Taint)
			}
		}
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
