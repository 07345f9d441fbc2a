package main

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
)

const namespace = "default"

var (
	ctx, cancel = context.WithTimeout(context.Background(), 2*time.Minute)
	now         = metav1.DeleteOptions{GracePeriodSeconds: new(int64)}
)

// Drive does with typed clients what controllers do, and panics where something is not as on a real server.
func drive(config *rest.Config) {
	defer func() {
		if problem := recover(); problem != nil {
			panic(fmt.Sprintf("with content type %q: %v", config.ContentType, problem))
		}
	}()
	clients := kubernetes.NewForConfigOrDie(config)
	nodes(clients)
	pods(clients)
	deployments(clients)
	leases(clients)
	events(clients)
	lead(clients)
	applies(clients)
	custom(dynamic.NewForConfigOrDie(config))
	fmt.Printf("content type %q: all as expected\n", config.ContentType)
}

func expect(holds bool, what string, seen ...any) {
	if !holds {
		panic(fmt.Sprint(what, ": ", seen))
	}
}

func got[T any](value T, err error) T {
	check(err)
	return value
}

func nodes(clients kubernetes.Interface) {
	all := got(clients.CoreV1().Nodes().List(ctx, metav1.ListOptions{}))
	expect(len(all.Items) == 2 && all.ResourceVersion != "", "two nodes", all)
	cpu := all.Items[0].Status.Allocatable[corev1.ResourceCPU]
	expect(cpu.Cmp(resource.MustParse("4")) == 0, "4 CPU", cpu)
	patch := []byte(`{"metadata":{"labels":{"disk":"ssd"}}}`)
	got(clients.CoreV1().Nodes().Patch(ctx, "n1", types.StrategicMergePatchType, patch, metav1.PatchOptions{}))
	chosen := got(clients.CoreV1().Nodes().List(ctx, metav1.ListOptions{LabelSelector: "disk=ssd"}))
	expect(len(chosen.Items) == 1 && chosen.Items[0].Name == "n1", "one node has the label", chosen)
}

func pod(name string) *corev1.Pod {
	requests := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100m")}
	container := corev1.Container{Name: "c", Image: "nginx:1", Resources: corev1.ResourceRequirements{Requests: requests}}
	labels := map[string]string{"app": name}
	spec := corev1.PodSpec{Containers: []corev1.Container{container}, TerminationGracePeriodSeconds: new(int64)}
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}, Spec: spec}
}

func pods(clients kubernetes.Interface) {
	api := clients.CoreV1().Pods(namespace)
	watching := got(api.Watch(ctx, metav1.ListOptions{LabelSelector: "app=one"}))
	created := got(api.Create(ctx, pod("one"), metav1.CreateOptions{}))
	expect(*created.Spec.TerminationGracePeriodSeconds == 0 && created.UID != "", "it is completed", created)
	_, err := api.Create(ctx, pod("one"), metav1.CreateOptions{})
	expect(errors.IsAlreadyExists(err), "its name is taken", err)
	for change := range watching.ResultChan() {
		seen := change.Object.(*corev1.Pod)
		if seen.Status.Phase == corev1.PodRunning {
			break
		}
		expect(change.Type != watch.Error, "a watch goes on", change)
	}
	watching.Stop()
	running := got(api.Get(ctx, "one", metav1.GetOptions{}))
	running.Annotations = map[string]string{"a": "b"}
	updated := got(api.Update(ctx, running, metav1.UpdateOptions{}))
	expect(updated.Annotations["a"] == "b" && updated.Spec.NodeName != "", "it is updated", updated)
	_, err = api.Update(ctx, created, metav1.UpdateOptions{})
	expect(errors.IsConflict(err), "an old version conflicts", err)
	updated.Status.Message = "noted"
	got(api.UpdateStatus(ctx, updated, metav1.UpdateOptions{}))

	bound := pod("two")
	bound.Spec.SchedulerName = "mine"
	got(api.Create(ctx, bound, metav1.CreateOptions{}))
	target := corev1.ObjectReference{Kind: "Node", Name: "n2"}
	binding := &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: "two", Namespace: namespace}, Target: target}
	check(api.Bind(ctx, binding, metav1.CreateOptions{}))
	expect(got(api.Get(ctx, "two", metav1.GetOptions{})).Spec.NodeName == "n2", "it is bound")

	eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: "one", Namespace: namespace}, DeleteOptions: &now}
	check(api.EvictV1(ctx, eviction))
	check(api.DeleteCollection(ctx, now, metav1.ListOptions{}))
	for len(got(api.List(ctx, metav1.ListOptions{})).Items) > 0 {
		time.Sleep(100 * time.Millisecond)
	}
	_, err = api.Get(ctx, "one", metav1.GetOptions{})
	expect(errors.IsNotFound(err), "it is gone", err)
}

func deployments(clients kubernetes.Interface) {
	api := clients.AppsV1().Deployments(namespace)
	template := pod("web")
	spec := appsv1.DeploymentSpec{
		Selector: &metav1.LabelSelector{MatchLabels: template.Labels},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: template.Labels}, Spec: template.Spec},
	}
	made := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{GenerateName: "web-"}, Spec: spec}
	made = got(api.Create(ctx, made, metav1.CreateOptions{}))
	expect(*made.Spec.Replicas == 1 && made.Spec.Strategy.RollingUpdate.MaxSurge.StrVal == "25%", "defaults", made)
	scale := got(api.GetScale(ctx, made.Name, metav1.GetOptions{}))
	scale.Spec.Replicas = 3
	got(api.UpdateScale(ctx, made.Name, scale, metav1.UpdateOptions{}))

	everything := cache.NewListWatchFromClient(clients.AppsV1().RESTClient(), "deployments", namespace, fields.Everything())
	store, informer := cache.NewInformerWithOptions(cache.InformerOptions{
		ListerWatcher: everything, ObjectType: &appsv1.Deployment{}, Handler: cache.ResourceEventHandlerFuncs{},
	})
	go informer.RunWithContext(ctx)
	expect(cache.WaitForCacheSync(ctx.Done(), informer.HasSynced), "an informer has all")
	for {
		seen, exists, err := store.GetByKey(namespace + "/" + made.Name)
		check(err)
		if exists && seen.(*appsv1.Deployment).Status.ReadyReplicas == 3 {
			break
		}
		expect(ctx.Err() == nil, "three replicas are ready", seen)
		time.Sleep(100 * time.Millisecond)
	}
	foreground := metav1.DeletePropagationForeground
	check(api.Delete(ctx, made.Name, metav1.DeleteOptions{PropagationPolicy: &foreground}))
}

func leases(clients kubernetes.Interface) {
	api := clients.CoordinationV1().Leases(namespace)
	holder, moment := "me", metav1.NewMicroTime(time.UnixMicro(1_700_000_000_123_456))
	spec := coordinationv1.LeaseSpec{HolderIdentity: &holder, RenewTime: &moment}
	lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: "mine"}, Spec: spec}
	lease = got(api.Create(ctx, lease, metav1.CreateOptions{}))
	expect(lease.Spec.RenewTime.Equal(&moment), "microseconds are kept", lease)
	check(api.Delete(ctx, "mine", metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(lease.UID))}))
}

func events(clients kubernetes.Interface) {
	event := &eventsv1.Event{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "seen-"}, EventTime: metav1.NowMicro(), Reason: "Seen", Action: "Look",
		Note: "it is there", Type: "Normal", ReportingController: "drive", ReportingInstance: "drive-1",
		Regarding: corev1.ObjectReference{Kind: "Node", Name: "n1"},
	}
	made := got(clients.EventsV1().Events(namespace).Create(ctx, event, metav1.CreateOptions{}))
	expect(made.Note == "it is there", "an event is kept", made)
	older := got(clients.CoreV1().Events(namespace).Get(ctx, made.Name, metav1.GetOptions{}))
	expect(older.Message == "it is there" && older.InvolvedObject.Name == "n1", "the older version shows it", older)
	check(clients.CoreV1().Events(namespace).Delete(ctx, made.Name, metav1.DeleteOptions{}))
}

// Lead holds the leader's lease once, as every controller manager does.
func lead(clients kubernetes.Interface) {
	leading, stop := context.WithCancel(ctx)
	lock := &resourcelock.LeaseLock{
		LeaseMeta:  metav1.ObjectMeta{Name: "leader", Namespace: namespace},
		Client:     clients.CoordinationV1(),
		LockConfig: resourcelock.ResourceLockConfig{Identity: "me"},
	}
	led := false
	callbacks := leaderelection.LeaderCallbacks{
		OnStartedLeading: func(context.Context) { led = true; stop() },
		OnStoppedLeading: func() {},
	}
	leaderelection.RunOrDie(leading, leaderelection.LeaderElectionConfig{
		Lock: lock, LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: time.Second,
		Callbacks: callbacks, ReleaseOnCancel: true,
	})
	expect(led, "it has led")
}

func applies(clients kubernetes.Interface) {
	api := clients.CoreV1().ConfigMaps(namespace)
	data := map[string]string{"a": "1"}
	config := corev1ac.ConfigMap("applied", namespace).WithData(data)
	made := got(api.Apply(ctx, config, metav1.ApplyOptions{FieldManager: "drive"}))
	made.Data["a"] = "2"
	got(api.Update(ctx, made, metav1.UpdateOptions{}))
	_, err := api.Apply(ctx, config, metav1.ApplyOptions{FieldManager: "drive"})
	expect(errors.IsConflict(err), "another client has changed it", err)
	forced := got(api.Apply(ctx, config, metav1.ApplyOptions{FieldManager: "drive", Force: true}))
	expect(forced.Data["a"] == "1", "it is as applied", forced)
	check(api.Delete(ctx, "applied", metav1.DeleteOptions{}))
}

// Custom defines a kind and makes an object of it, with the client that knows no types.
func custom(clients dynamic.Interface) {
	definitions := clients.Resource(schema.GroupVersionResource{
		Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions",
	})
	definition := object("apiextensions.k8s.io/v1", "CustomResourceDefinition", "tabs.example.com", map[string]any{
		"group": "example.com", "scope": "Namespaced", "names": map[string]any{"plural": "tabs", "kind": "Tab"},
		"versions": []any{map[string]any{"name": "v1", "served": true, "storage": true}},
	})
	got(definitions.Create(ctx, definition, metav1.CreateOptions{}))
	tabs := clients.Resource(schema.GroupVersionResource{Group: "example.com", Version: "v1", Resource: "tabs"})
	tab := object("example.com/v1", "Tab", "mine", map[string]any{"every": int64(5)})
	got(tabs.Namespace(namespace).Create(ctx, tab, metav1.CreateOptions{}))
	all := got(tabs.List(ctx, metav1.ListOptions{}))
	every, _, _ := unstructured.NestedInt64(all.Items[0].Object, "spec", "every")
	expect(every == 5, "it is kept", all)
	check(definitions.Delete(ctx, "tabs.example.com", metav1.DeleteOptions{}))
	_, err := tabs.List(ctx, metav1.ListOptions{})
	expect(errors.IsNotFound(err), "its kind has ended", err)
}

func object(apiVersion, kind, name string, spec map[string]any) *unstructured.Unstructured {
	metadata := map[string]any{"name": name}
	return &unstructured.Unstructured{
		Object: map[string]any{"apiVersion": apiVersion, "kind": kind, "metadata": metadata, "spec": spec},
	}
}
