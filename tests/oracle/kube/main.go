// Command oracle runs the plugins of one version of kube-scheduler on scenarios read from standard input (JSON lines)
// and writes one verdict a line. What differs between versions is in the other files: a file has the name of the first
// version that it is for, and its build tags say for which others.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"reflect"
	"sort"
	"strings"
	"sync/atomic"
	"time"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	feature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	clientsetfake "k8s.io/client-go/kubernetes/fake"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	toolscache "k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	podutil "k8s.io/kubernetes/pkg/api/pod"
	api "k8s.io/kubernetes/pkg/apis/core"
	corev1 "k8s.io/kubernetes/pkg/apis/core/v1"
	_ "k8s.io/kubernetes/pkg/scheduler" // for its functions that are linked by name
	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	configscheme "k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/defaultpreemption"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"

	"oracle/wire"
)

var version string // set when this is linked

type (
	scenario      = wire.Scenario
	placement     = wire.Placement
	nodeStatus    = wire.NodeStatus
	candidateOut  = wire.Candidate
	preemptionOut = wire.Preemption
	scoresOut     = wire.Scores
	verdict       = wire.Verdict
)

func main() {
	klog.SetOutput(os.Stderr)
	flag.Parse()
	fs := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(fs)
	_ = fs.Parse([]string{"-logtostderr=false", "-stderrthreshold=FATAL", "-v=0"})
	metrics.Register()
	wire.Answer(run, runQueue)
}

// renamed maps "apiVersion kind" of today's API to the version under which an older one may know it.
var renamed = map[string]string{"storage.k8s.io/v1 CSIStorageCapacity": "storage.k8s.io/v1beta1"}

// decode reads one object, and does to it what the API server does: it sets the defaults and drops the fields of
// features that are off. An object whose kind this version does not know is nil.
func decode(raw json.RawMessage) (runtime.Object, error) {
	obj, kind, err := clientscheme.Codecs.UniversalDeserializer().Decode(raw, nil, nil)
	if runtime.IsNotRegisteredError(err) && kind != nil {
		older, ok := renamed[kind.GroupVersion().String()+" "+kind.Kind]
		if !ok {
			return nil, nil
		}
		var o map[string]interface{}
		if err := json.Unmarshal(raw, &o); err != nil {
			return nil, err
		}
		o["apiVersion"] = older
		again, _ := json.Marshal(o)
		obj, _, err = clientscheme.Codecs.UniversalDeserializer().Decode(again, nil, nil)
	}
	switch t := obj.(type) {
	case *v1.Pod:
		corev1.SetObjectDefaults_Pod(t)
		return withoutDisabled(t)
	case *v1.Node:
		corev1.SetObjectDefaults_Node(t)
	}
	if obj != nil && err == nil {
		err = admit(obj)
	}
	return obj, err
}

func withoutDisabled(in *v1.Pod) (*v1.Pod, error) {
	var internal api.Pod
	var out v1.Pod
	if err := corev1.Convert_v1_Pod_To_core_Pod(in, &internal, nil); err != nil {
		return nil, err
	}
	podutil.DropDisabledPodFields(&internal, nil)
	err := corev1.Convert_core_Pod_To_v1_Pod(&internal, &out, nil)
	out.Status = in.Status
	return &out, err
}

func status(s *podStatus, plugin string) *nodeStatus {
	r := append([]string{}, s.Reasons()...)
	sort.Strings(r)
	return &nodeStatus{Plugin: plugin, Code: s.Code().String(), Reasons: r}
}

func key(p *v1.Pod) string { return p.Namespace + "/" + p.Name }

// runQueue schedules the queue's pods in their order. A tie goes to the node whose
// name sorts first. After a preemption the victims are gone at once, and the
// preemptor is scheduled again with its nomination.
func runQueue(s *scenario) *verdict {
	out := &verdict{ID: s.ID, Version: version, Feasible: []string{}}
	objects := map[string]map[string]interface{}{}
	order := []string{}
	put := func(raw json.RawMessage) string {
		var o map[string]interface{}
		if err := json.Unmarshal(raw, &o); err != nil {
			panic(err)
		}
		m := o["metadata"].(map[string]interface{})
		ns, _ := m["namespace"].(string)
		k := o["kind"].(string) + " " + ns + "/" + m["name"].(string)
		objects[k] = o
		order = append(order, k)
		return k
	}
	for _, raw := range s.Objects {
		put(raw)
	}
	for _, raw := range s.Queue {
		k := put(raw)
		p := placement{Pod: strings.TrimPrefix(k, "Pod ")}
		for try := 0; try < 2; try++ {
			step := scenario{ID: s.ID, Pod: p.Pod, FeatureGates: s.FeatureGates}
			for _, k := range order {
				if o := objects[k]; o != nil {
					b, _ := json.Marshal(o)
					step.Objects = append(step.Objects, b)
				}
			}
			v := run(&step)
			if v.Error != "" {
				out.Error = p.Pod + ": " + v.Error
				return out
			}
			if len(v.Feasible) == 1 {
				p.Node = v.Feasible[0]
			} else if v.Scores != nil {
				p.Node = v.Scores.Best[0]
			}
			if p.Node != "" {
				spec := objects[k]["spec"].(map[string]interface{})
				spec["nodeName"] = p.Node
				st := objects[k]["status"].(map[string]interface{})
				delete(st, "nominatedNodeName")
				st["phase"] = "Running"
				st["startTime"] = objects[k]["metadata"].(map[string]interface{})["creationTimestamp"]
				break
			}
			if v.Preemption == nil || len(v.Preemption.Chosen) == 0 || try == 1 {
				break
			}
			node := v.Preemption.Chosen[0]
			p.Victims = v.Preemption.Candidates[node].Victims
			for _, victim := range p.Victims {
				delete(objects, "Pod "+victim)
			}
			objects[k]["status"].(map[string]interface{})["nominatedNodeName"] = node
		}
		out.Placements = append(out.Placements, p)
	}
	return out
}

// profileFor is the profile that schedules the pod: of this configuration, or of the default one.
func profileFor(pod *v1.Pod, raw []byte) (profile config.KubeSchedulerProfile, err error) {
	cfg, err := latest.Default()
	if len(raw) > 0 {
		cfg = &config.KubeSchedulerConfiguration{}
		_, _, err = configscheme.Codecs.UniversalDecoder().Decode(raw, nil, cfg)
	}
	if err != nil {
		return profile, err
	}
	for _, p := range cfg.Profiles {
		if p.SchedulerName == pod.Spec.SchedulerName {
			return p, nil
		}
	}
	return profile, fmt.Errorf("no profile has the name %q", pod.Spec.SchedulerName)
}

func newExtenders(s *scenario) ([]extender, error) {
	var configs []config.Extender
	for _, e := range s.Extenders {
		c := config.Extender{URLPrefix: e.Name, FilterVerb: e.Verb("filter"), PrioritizeVerb: e.Verb("prioritize"),
			PreemptVerb: e.Verb("preempt"), Weight: e.Weight, NodeCacheCapable: e.NodeCacheCapable, Ignorable: e.Ignorable}
		for _, r := range e.ManagedResources {
			c.ManagedResources = append(c.ManagedResources, config.ExtenderManagedResource{Name: r})
		}
		configs = append(configs, c)
	}
	return makeExtenders(configs)
}

// extend asks the extenders about the nodes that passed the filters.
func extend(ctx context.Context, extenders []extender, pod *v1.Pod, v *verdict, feasible []nodeInfo, diagnosis statuses) ([]nodeInfo, error) {
	before := map[string]*podStatus{}
	forEach(diagnosis, func(n string, st *podStatus) {
		copied := *st
		before[n] = &copied
	})
	left, err := passExtenders(ctx, extenders, pod, scored(feasible), diagnosis)
	if err != nil {
		return nil, err
	}
	forEach(diagnosis, func(n string, st *podStatus) {
		if _, known := v.Filter[n]; known && (before[n] == nil || !reflect.DeepEqual(*before[n], *st)) {
			v.Filter[n] = status(st, "Extender")
		}
	})
	kept := map[string]bool{}
	for _, n := range left {
		kept[nameOf(n)] = true
		v.Filter[nameOf(n)] = nil
	}
	for _, n := range feasible {
		if name := n.Node().Name; !kept[name] && v.Filter[name] == nil {
			v.Filter[name] = droppedByExtender(diagnosis)
		}
	}
	return infosOf(left, feasible), nil
}

func run(s *scenario) (v *verdict) {
	v = &verdict{ID: s.ID, Version: version, Feasible: []string{}}
	fail := func(err error) *verdict { v.Error = err.Error(); return v }
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if err := feature.DefaultMutableFeatureGate.SetFromMap(s.FeatureGates); err != nil {
		return fail(err)
	}

	var objs []runtime.Object
	var nodes []*v1.Node
	var bound, nominated []*v1.Pod
	var pod *v1.Pod
	for _, raw := range s.Objects {
		o, err := decode(raw)
		if err != nil {
			return fail(err)
		}
		if o == nil {
			continue
		}
		objs = append(objs, o)
		switch t := o.(type) {
		case *v1.Node:
			nodes = append(nodes, t)
		case *v1.Pod:
			switch {
			case key(t) == s.Pod:
				pod = t
			case t.Spec.NodeName != "":
				bound = append(bound, t)
			case t.Status.NominatedNodeName != "":
				nominated = append(nominated, t)
			}
		}
	}
	if pod == nil {
		return fail(fmt.Errorf("pod %q is not in the scenario", s.Pod))
	}
	if len(nodes) == 0 {
		return fail(fmt.Errorf("no nodes available to schedule pods"))
	}
	profile, err := profileFor(pod, s.Config)
	if err != nil {
		return fail(err)
	}
	extenders, err := newExtenders(s)
	if err != nil {
		return fail(err)
	}
	setup := &setting{
		client: clientsetfake.NewSimpleClientset(objs...), registry: frameworkruntime.Registry{}, profile: &profile, extenders: extenders,
		built: map[string]plugin{}, bound: bound, nodes: nodes,
	}
	setup.factory = informers.NewSharedInformerFactory(setup.client, 0)
	setup.handled = &counted{}
	countHandled(setup.factory, setup.handled, objs)
	for name, f := range plugins.NewInTreeRegistry() {
		setup.registry[name] = noting(name, f, setup.built)
	}
	if err := setup.build(ctx); err != nil {
		return fail(err)
	}
	f := setup.f
	if err := start(ctx, setup.factory, setup.handled); err != nil {
		return fail(err)
	}
	if err := setup.nominate(ctx, nominated); err != nil {
		return fail(err)
	}

	state := framework.NewCycleState()
	infos, err := f.SnapshotSharedLister().NodeInfos().List()
	if err != nil {
		return fail(err)
	}
	diagnosis := newStatuses()
	names, st := preFilter(ctx, f, state, pod)
	var feasible []nodeInfo
	if !st.IsSuccess() {
		if !isRejected(st) {
			return fail(st.AsError())
		}
		v.PreFilter = status(st, pluginOf(st))
		rejectAll(&diagnosis, infos, st)
	} else {
		v.Filter = map[string]*nodeStatus{}
		for name := range names {
			if _, err := f.SnapshotSharedLister().NodeInfos().Get(name); err != nil && missingNodeIsError {
				v.Filter = nil
				return fail(err)
			}
		}
		for _, info := range infos {
			name := info.Node().Name
			if names != nil && !names[name] {
				v.Filter[name] = &nodeStatus{Plugin: "PreFilter", Code: "UnschedulableAndUnresolvable", Reasons: []string{}}
				continue
			}
			st := f.RunFilterPluginsWithNominatedPods(ctx, state, pod, info)
			if st.Code().String() == "Error" {
				v.Filter = nil // the nodes that were looked at before, in the order of a map
				return fail(st.AsError())
			}
			if st.IsSuccess() {
				v.Filter[name] = nil
				feasible = append(feasible, info)
			} else {
				v.Filter[name] = status(st, pluginOf(st))
				set(diagnosis, name, st)
			}
		}
		if names != nil {
			excludeOthers(&diagnosis)
		}
	}
	if feasible, err = extend(ctx, extenders, pod, v, feasible, diagnosis); err != nil {
		v.PreFilter, v.Filter = nil, nil
		return fail(err)
	}
	for _, info := range feasible {
		v.Feasible = append(v.Feasible, info.Node().Name)
	}
	sort.Strings(v.Feasible)

	if len(feasible) > 1 {
		if v.Scores, err = score(ctx, setup, state, pod, feasible); err != nil {
			return fail(err)
		}
	}
	if len(feasible) == 0 {
		rejection := ""
		if v.PreFilter != nil {
			rejection = st.Message()
		}
		v.Message = fitError(pod, len(infos), diagnosis, rejection, "")
		if preempts(f) {
			if v.Preemption, err = preempt(ctx, setup, state, pod, infos, diagnosis); err != nil {
				return fail(err)
			}
		}
		if v.Preemption == nil || len(v.Preemption.Chosen) == 0 { // nothing is drawn at random: the whole event is known
			state = framework.NewCycleState() // the dry run above has left its traces in the other one
			names, st := preFilter(ctx, f, state, pod)
			for _, info := range infos {
				if st.IsSuccess() && (names == nil || names[info.Node().Name]) {
					f.RunFilterPluginsWithNominatedPods(ctx, state, pod, info)
				}
			}
			_, st = f.RunPostFilterPlugins(ctx, state, pod, diagnosis)
			v.Event = eventOf(pod, len(infos), diagnosis, rejection, st)
		}
	}
	return v
}

// preempts: the profile has DefaultPreemption's PostFilter.
func preempts(f framework.Framework) bool {
	for _, p := range f.ListPlugins().PostFilter.Enabled {
		if p.Name == defaultpreemption.Name {
			return true
		}
	}
	return false
}

func score(ctx context.Context, setup *setting, state cycleState, pod *v1.Pod, feasible []nodeInfo) (*scoresOut, error) {
	sort.Slice(feasible, func(i, j int) bool { return feasible[i].Node().Name < feasible[j].Node().Name })
	total, err := totals(ctx, setup.extenders, setup.f, state, pod, scored(feasible))
	if err != nil {
		return nil, err
	}
	state = state.Clone()
	if st := setup.f.RunPreScorePlugins(ctx, state, pod, scored(feasible)); !st.IsSuccess() {
		return nil, st.AsError()
	}
	out := &scoresOut{Raw: map[string]map[string]int64{}, Total: total}
	if out.Weighted, err = weighted(ctx, setup.f, state, pod, scored(feasible)); err != nil {
		return nil, err
	}
	for name := range out.Weighted {
		out.Raw[name] = map[string]int64{}
		for _, n := range feasible {
			if out.Raw[name][n.Node().Name], err = rawScore(ctx, setup.built[name], state, pod, n); err != nil {
				return nil, err
			}
		}
	}
	for _, e := range setup.extenders {
		list, weight, err := e.Prioritize(pod, scored(feasible))
		if !prioritizes(e, weight) || err != nil || !e.IsInterested(pod) {
			continue
		}
		raw, weighted := map[string]int64{}, map[string]int64{}
		for _, n := range feasible {
			raw[n.Node().Name], weighted[n.Node().Name] = 0, 0
		}
		for _, h := range *list {
			if _, ok := raw[h.Host]; ok {
				raw[h.Host], weighted[h.Host] = h.Score, h.Score*weight*10
			}
		}
		out.Raw[e.Name()], out.Weighted[e.Name()] = raw, weighted
	}
	var max int64 = math.MinInt64
	for _, n := range feasible {
		name := n.Node().Name
		var sum int64
		for _, row := range out.Weighted {
			sum += row[name]
		}
		if sum != total[name] {
			return nil, fmt.Errorf("oracle: the scores of %s add up to %d, not %d", name, sum, total[name])
		}
		if sum > max {
			max, out.Best = sum, nil
		}
		if sum == max {
			out.Best = append(out.Best, name)
		}
	}
	return out, nil
}

func preempt(ctx context.Context, setup *setting, state cycleState, pod *v1.Pod, infos []nodeInfo, diagnosis statuses) (*preemptionOut, error) {
	out := &preemptionOut{Candidates: map[string]candidateOut{}, Chosen: []string{}}
	ev := newEvaluator(setup, state)
	var reason string
	out.Eligible, reason = ev.eligible(ctx, pod, get(diagnosis, pod.Status.NominatedNodeName))
	if !out.Eligible {
		out.Reason = strings.TrimSuffix(reason, ".")
		return out, nil
	}
	potential, err := ev.potential(setup, infos, diagnosis)
	if err != nil || len(potential) == 0 {
		return out, err
	}
	pdbs, err := setup.factory.Policy().V1().PodDisruptionBudgets().Lister().List(labels.Everything())
	if err != nil {
		return nil, err
	}
	cands, err := ev.dryRun(ctx, setup, state, pod, potential, pdbs)
	if err != nil && len(cands) == 0 {
		if len(setup.extenders) == 0 {
			return nil, err
		}
		out.Error = err.Error()
		return out, nil
	}
	if len(cands) > 0 {
		var st *podStatus
		if cands, st = ev.ask(setup, pod, cands); !st.IsSuccess() {
			out.Error = st.Message()
			return out, nil
		}
	}
	for _, c := range cands {
		co := candidateOut{NumPDBViolations: c.Victims().NumPDBViolations}
		for _, p := range c.Victims().Pods {
			co.Victims = append(co.Victims, key(p))
		}
		out.Candidates[c.Name()] = co
	}
	chosen := map[string]bool{}
	for i := 0; i < 2000 && len(cands) > 0; i++ { // ties are broken by Go's map order: sample it
		chosen[ev.choose(ctx, cands).Name()] = true
	}
	for n := range chosen {
		out.Chosen = append(out.Chosen, n)
	}
	sort.Strings(out.Chosen)
	return out, nil
}

// start waits until the informers, and the caches that their handlers fill, have all objects; it looks more often than
// the factory's own function.
func start(ctx context.Context, factory informers.SharedInformerFactory, handled *counted) error {
	factory.Start(ctx.Done())
	deadline := time.Now().Add(20 * time.Second)
	wait := func(done func() bool) error {
		for !done() {
			if time.Now().After(deadline) {
				return fmt.Errorf("oracle: the informers don't sync")
			}
			time.Sleep(100 * time.Microsecond)
		}
		return nil
	}
	for _, i := range unexported(factory, "informers").(map[reflect.Type]toolscache.SharedIndexInformer) {
		if err := wait(i.HasSynced); err != nil {
			return err
		}
	}
	return wait(handled.all)
}

// unexported reads a field of the struct behind an interface or a pointer.
func unexported(from interface{}, name string) interface{} {
	f := reflect.ValueOf(from).Elem().FieldByName(name)
	return reflect.NewAt(f.Type(), unsafe.Pointer(f.UnsafeAddr())).Elem().Interface()
}

// setting is what one scenario needs: the framework and what it is made of.
type setting struct {
	client       *clientsetfake.Clientset
	factory      informers.SharedInformerFactory
	handled      *counted
	registry     frameworkruntime.Registry
	profile      *config.KubeSchedulerProfile
	extenders    []extender
	built        map[string]plugin
	bound        []*v1.Pod
	nodes        []*v1.Node
	f            framework.Framework
	addNominated func(ctx context.Context, p *v1.Pod) error
}

func (s *setting) nominate(ctx context.Context, pods []*v1.Pod) error {
	for _, p := range pods {
		if err := s.addNominated(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

// options are those that every version has.
func (s *setting) options() []frameworkruntime.Option {
	return []frameworkruntime.Option{
		frameworkruntime.WithClientSet(s.client),
		frameworkruntime.WithEventRecorder(&events.FakeRecorder{}),
		frameworkruntime.WithInformerFactory(s.factory),
		frameworkruntime.WithSnapshotSharedLister(newSnapshot(onNodes(s.bound, s.nodes), s.nodes)),
		frameworkruntime.WithParallelism(1),
		frameworkruntime.WithExtenders(s.extenders),
	}
}

// onNodes leaves out the pods of nodes that don't exist, as the cache's snapshot does.
func onNodes(pods []*v1.Pod, nodes []*v1.Node) []*v1.Pod {
	names := map[string]bool{}
	for _, n := range nodes {
		names[n.Name] = true
	}
	var out []*v1.Pod
	for _, p := range pods {
		if names[p.Spec.NodeName] {
			out = append(out, p)
		}
	}
	return out
}

// counted waits for the caches that event handlers fill after the informers have the objects.
type counted struct{ done []func() bool }

func (c *counted) all() bool {
	for _, done := range c.done {
		if !done() {
			return false
		}
	}
	return true
}

// counting is an event handler of an informer of so many objects.
func (c *counted) counting(h toolscache.ResourceEventHandler, wanted int) toolscache.ResourceEventHandler {
	seen := new(int64)
	c.done = append(c.done, func() bool { return atomic.LoadInt64(seen) >= int64(wanted) })
	return countingHandler{h, seen}
}

// countHandled makes the informers of volumes and claims count what their handlers have had.
func countHandled(factory informers.SharedInformerFactory, handled *counted, objs []runtime.Object) {
	wanted := map[reflect.Type]int{}
	for _, o := range objs {
		wanted[reflect.TypeOf(o)]++
	}
	for _, each := range counters {
		each := each
		factory.InformerFor(each.kind, func(client kubernetes.Interface, resync time.Duration) toolscache.SharedIndexInformer {
			by := toolscache.Indexers{toolscache.NamespaceIndex: toolscache.MetaNamespaceIndexFunc}
			return watched{each.informer(client, resync, by), handled, wanted[reflect.TypeOf(each.kind)]}
		})
	}
}

type counter struct {
	kind     runtime.Object
	informer func(kubernetes.Interface, time.Duration, toolscache.Indexers) toolscache.SharedIndexInformer
}

var counters = []counter{
	{&v1.PersistentVolume{}, coreinformers.NewPersistentVolumeInformer},
	{&v1.PersistentVolumeClaim{}, func(c kubernetes.Interface, d time.Duration, i toolscache.Indexers) toolscache.SharedIndexInformer {
		return coreinformers.NewPersistentVolumeClaimInformer(c, v1.NamespaceAll, d, i)
	}},
}
