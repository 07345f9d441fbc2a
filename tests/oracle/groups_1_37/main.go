// Command groups runs the real kube-scheduler of v1.37 for one scheduling cycle of a pod group: scenarios as JSON lines
// on standard input, a verdict a line on standard output.
//
//	{"id": "...", "objects": [...], "podGroup": "namespace/name", "featureGates": {"GenericWorkload": true}}
//
// The scheduler is whole, with its queue and its informers; the API server is client-go's fake one.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"slices"
	"sort"
	"sync"
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1beta1 "k8s.io/api/scheduling/v1beta1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	clientsetfake "k8s.io/client-go/kubernetes/fake"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	corev1 "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/kubernetes/pkg/scheduler"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	"k8s.io/kubernetes/pkg/scheduler/profile"
)

type scenario struct {
	ID           string            `json:"id"`
	Objects      []json.RawMessage `json:"objects"`
	PodGroup     string            `json:"podGroup"`
	FeatureGates map[string]bool   `json:"featureGates"`
}

type placement struct {
	Pod       string              `json:"pod"`
	Node      string              `json:"node"`
	Message   string              `json:"message,omitempty"`
	Nominated string              `json:"nominated,omitempty"`
	Devices   map[string][]string `json:"devices,omitempty"`
}

type condition struct {
	Status  string `json:"status"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

type verdict struct {
	ID          string            `json:"id"`
	Placements  []placement       `json:"placements"`
	Victims     []string          `json:"victims"`
	Condition   *condition        `json:"condition"`
	Volumes     map[string]string `json:"volumes,omitempty"`
	Deallocated []string          `json:"deallocated,omitempty"`

	// Of claims that are reserved for the group.
	Devices    map[string][]string `json:"devices,omitempty"`
	Reserved   []string            `json:"reserved,omitempty"`
	Unreserved []string            `json:"unreserved,omitempty"`
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	klog.SetOutput(os.Stderr)
	fs := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(fs)
	_ = fs.Parse([]string{"-logtostderr=false", "-stderrthreshold=FATAL", "-v=0"})
	metrics.Register()
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 64<<20)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for in.Scan() {
		var s scenario
		check(json.Unmarshal(in.Bytes(), &s))
		check(out.Encode(run(&s)))
	}
	check(in.Err())
}

func decode(raw json.RawMessage) runtime.Object {
	object, _, err := clientscheme.Codecs.UniversalDeserializer().Decode(raw, nil, nil)
	check(err)
	if pod, ok := object.(*v1.Pod); ok {
		corev1.SetObjectDefaults_Pod(pod)
	}
	return object
}

func run(s *scenario) *verdict {
	gates := map[string]bool{
		"GenericWorkload": false, "TopologyAwareWorkloadScheduling": false, "PodGroupPreemptionPolicy": false,
		"DRAWorkloadResourceClaims": false,
	}
	maps.Copy(gates, s.FeatureGates)
	check(utilfeature.DefaultMutableFeatureGate.SetFromMap(gates))
	var objects []runtime.Object
	var waiting []*v1.Pod
	members := map[string]bool{}
	for _, raw := range s.Objects {
		object := decode(raw)
		if pod, ok := object.(*v1.Pod); ok && pod.Spec.NodeName == "" {
			waiting = append(waiting, pod)
			members[pod.Namespace+"/"+pod.Name] = true
			continue
		}
		objects = append(objects, object)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	client := clientsetfake.NewClientset(objects...)
	seen := watch(client)
	for _, object := range objects {
		if claim, ok := object.(*resourcev1.ResourceClaim); ok && claim.Status.Allocation != nil {
			seen.allocated[claim.Namespace+"/"+claim.Name] = true
		}
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	all, one := int32(100), int32(1)
	recorder := profile.RecorderFactory(func(string) events.EventRecorderLogger { return events.NewFakeRecorder(10000) })
	sched, err := scheduler.New(ctx, client, factory, nil, recorder,
		scheduler.WithPercentageOfNodesToScore(&all), scheduler.WithParallelism(one))
	check(err)
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	check(sched.WaitForHandlersSync(ctx))
	for _, pod := range waiting {
		seen.nominee[pod.Namespace+"/"+pod.Name] = pod.Status.NominatedNodeName
		seen.uids[string(pod.UID)] = true
	}
	for _, pod := range waiting { // one after another, because the queue orders them by their arrival
		_, err := client.CoreV1().Pods(pod.Namespace).Create(ctx, pod, metav1.CreateOptions{})
		check(err)
		for before := time.Now(); time.Since(before) < 5*time.Second; time.Sleep(time.Millisecond) {
			if _, found := sched.SchedulingQueue.GetPod(pod.Name, pod.Namespace, pod.Spec.SchedulingGroup); found {
				break
			}
		}
	}
	time.Sleep(20 * time.Millisecond)
	if len(sched.SchedulingQueue.PodsInActiveQ()) > 0 {
		sched.ScheduleOne(ctx)
		seen.assumed = assumed(sched)
		seen.settle(sched)
	}
	return seen.verdict(s, members)
}

// assumed has the node of each pod. A pod whose volumes are to be bound stays there: no controller binds them.
func assumed(sched *scheduler.Scheduler) map[string]string {
	found := map[string]string{}
	for name, node := range sched.Cache.Dump().Nodes {
		for _, pod := range node.GetPods() {
			found[pod.GetPod().Namespace+"/"+pod.GetPod().Name] = name
		}
	}
	return found
}

type observer struct {
	sync.Mutex
	last        time.Time
	assumed     map[string]string
	message     map[string]string
	nominee     map[string]string
	victims     []string
	group       *condition
	allocated   map[string]bool
	devices     map[string]map[string][]string
	deallocated map[string]bool
	reserved    map[string]bool
	unreserved  map[string]bool
	uids        map[string]bool // of the pods
	volumes     map[string]string
}

// watch records the writes of the scheduler.
func watch(client *clientsetfake.Clientset) *observer {
	o := &observer{
		last: time.Now(), assumed: map[string]string{}, message: map[string]string{}, nominee: map[string]string{},
		allocated: map[string]bool{}, devices: map[string]map[string][]string{}, deallocated: map[string]bool{},
		reserved: map[string]bool{}, unreserved: map[string]bool{}, uids: map[string]bool{}, volumes: map[string]string{},
	}
	client.PrependReactor("*", "*", func(action clienttesting.Action) (bool, runtime.Object, error) {
		o.Lock()
		defer o.Unlock()
		switch action.GetVerb() {
		case "create", "patch", "update", "delete":
			o.last = time.Now()
		}
		switch t := action.(type) {
		case clienttesting.PatchAction:
			o.patched(t)
		case clienttesting.UpdateAction: // a CreateAction looks the same
			if action.GetVerb() == "update" {
				o.updated(t.GetObject())
			}
		case clienttesting.DeleteAction:
			if action.GetResource().Resource == "pods" {
				o.victims = append(o.victims, t.GetNamespace()+"/"+t.GetName())
			}
		}
		return false, nil, nil
	})
	return o
}

func (o *observer) patched(patch clienttesting.PatchAction) {
	key := patch.GetNamespace() + "/" + patch.GetName()
	switch patch.GetResource().Resource {
	case "pods":
		var pod v1.Pod
		check(json.Unmarshal(patch.GetPatch(), &pod))
		for _, c := range pod.Status.Conditions {
			if c.Type == v1.PodScheduled {
				o.message[key] = c.Message
			}
		}
		if bytes.Contains(patch.GetPatch(), []byte("\"nominatedNodeName\"")) { // null clears it
			o.nominee[key] = pod.Status.NominatedNodeName
		}
	case "resourceclaims":
		if !o.isMember(patch.GetPatch()) {
			o.unreserved[key] = true
		}
	case "podgroups":
		if patch.GetPatchType() == types.JSONPatchType {
			panic("a JSON patch")
		}
		var group schedulingv1beta1.PodGroup
		check(json.Unmarshal(patch.GetPatch(), &group))
		for _, c := range group.Status.Conditions {
			o.group = &condition{string(c.Status), c.Reason, c.Message}
		}
	}
}

// isMember tells a patch that removes a pod's reservation from one that removes the group's.
func (o *observer) isMember(patch []byte) bool {
	var removed struct {
		Status struct {
			ReservedFor []struct{ UID string }
		}
	}
	check(json.Unmarshal(patch, &removed))
	return slices.ContainsFunc(removed.Status.ReservedFor, func(each struct{ UID string }) bool { return o.uids[each.UID] })
}

func (o *observer) updated(object runtime.Object) {
	switch t := object.(type) {
	case *resourcev1.ResourceClaim:
		key := t.Namespace + "/" + t.Name
		if t.Status.Allocation == nil {
			if o.allocated[key] {
				o.deallocated[key] = true
			}
			return
		}
		if len(t.Status.ReservedFor) == 0 {
			return
		}
		last := t.Status.ReservedFor[len(t.Status.ReservedFor)-1]
		if last.Resource == "podgroups" {
			o.reserved[key] = true
		}
		if o.allocated[key] {
			return
		}
		pod := t.Namespace + "/" + last.Name
		if o.devices[pod] == nil {
			o.devices[pod] = map[string][]string{}
		}
		devices := []string{}
		for _, result := range t.Status.Allocation.Devices.Results {
			devices = append(devices, result.Driver+"/"+result.Pool+"/"+result.Device)
		}
		o.devices[pod][key] = devices
	case *v1.PersistentVolume:
		if t.Spec.ClaimRef != nil {
			o.volumes[t.Spec.ClaimRef.Namespace+"/"+t.Spec.ClaimRef.Name] = t.Name
		}
	case *v1.PersistentVolumeClaim:
		if t.Annotations["volume.kubernetes.io/selected-node"] != "" {
			o.volumes[t.Namespace+"/"+t.Name] = ""
		}
	}
}

// settle waits until the scheduler's goroutines write no more.
func (o *observer) settle(sched *scheduler.Scheduler) {
	for began := time.Now(); time.Since(began) < 10*time.Second; {
		busy := len(sched.SchedulingQueue.InFlightPods()) > 0
		o.Lock()
		quiet := time.Since(o.last) > 250*time.Millisecond
		o.Unlock()
		if quiet && !busy {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func (o *observer) verdict(s *scenario, members map[string]bool) *verdict {
	o.Lock()
	defer o.Unlock()
	found := &verdict{
		ID: s.ID, Placements: []placement{}, Victims: append([]string{}, o.victims...), Condition: o.group,
		Volumes: o.volumes, Deallocated: slices.Sorted(maps.Keys(o.deallocated)), Devices: o.devices[s.PodGroup],
		Reserved: slices.Sorted(maps.Keys(o.reserved)), Unreserved: slices.Sorted(maps.Keys(o.unreserved)),
	}
	for key := range members {
		p := placement{Pod: key, Node: o.assumed[key], Message: o.message[key], Devices: o.devices[key]}
		if p.Node == "" {
			p.Nominated = o.nominee[key]
		}
		found.Placements = append(found.Placements, p)
	}
	sort.Slice(found.Placements, func(i, j int) bool { return found.Placements[i].Pod < found.Placements[j].Pod })
	sort.Strings(found.Victims)
	return found
}
