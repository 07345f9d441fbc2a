package main

import (
	"context"
	"encoding/json"
	"fmt"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/apiserver/pkg/registry/rest"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	podutil "k8s.io/kubernetes/pkg/api/pod"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/pkg/apis/core/helper/qos"
	"k8s.io/kubernetes/pkg/registry/core/pod"
	"k8s.io/kubernetes/plugin/pkg/admission/nodedeclaredfeatures"
	"k8s.io/kubernetes/plugin/pkg/admission/podresize"
)

// resize is an update of a pod's subresource resize; Node is the pod's node, if it exists.
type resize struct {
	Old, New json.RawMessage
	Node     *v1.Node
}

// judgeResize answers what the strategy and the admission plugins say, and the pod's spec if nobody objects.
func judgeResize(asked resize) verdict {
	old, kind, err := decode(asked.Old)
	if err != nil {
		return verdict{Decode: err.Error()}
	}
	updated, _, err := decode(asked.New)
	if err != nil {
		return verdict{Decode: err.Error()}
	}
	before, after := old.(*core.Pod), updated.(*core.Pod)
	podutil.DefaultPodLevelResources(before) // as when it was created
	before.Status.QOSClass = qos.ComputePodQOS(before)
	after.Status.QOSClass = before.Status.QOSClass // a client sends what it has read
	before.ResourceVersion, after.ResourceVersion = "1", "1"
	ctx := contextOf(before, kind, "resize")
	pod.ResizeStrategy.PrepareForUpdate(ctx, after, before)
	if errs := rest.ValidateUpdate(ctx, after, before, pod.ResizeStrategy); len(errs) > 0 {
		return verdict{Errors: faults(errs)}
	}
	if err := admitResize(ctx, after, before, asked.Node); err != nil {
		return verdict{Forbidden: err.Error()}
	}
	out := &v1.Pod{}
	if err := legacyscheme.Scheme.Convert(after, out, nil); err != nil {
		panic(err)
	}
	return verdict{Spec: &out.Spec}
}

func admitResize(ctx context.Context, after, before *core.Pod, node *v1.Node) error {
	factory := informers.NewSharedInformerFactory(fake.NewClientset(), 0)
	features, err := nodedeclaredfeatures.NewPlugin()
	if err != nil {
		return err
	}
	sizes, err := podresize.NewPlugin()
	if err != nil {
		return err
	}
	features.InspectFeatureGates(utilfeature.DefaultFeatureGate)
	sizes.InspectFeatureGates(utilfeature.DefaultFeatureGate)
	features.SetExternalKubeInformerFactory(factory)
	sizes.SetExternalKubeInformerFactory(factory)
	if node != nil {
		if err := factory.Core().V1().Nodes().Informer().GetIndexer().Add(node); err != nil {
			return err
		}
	}
	features.SetReadyFunc(func() bool { return true })
	sizes.SetReadyFunc(func() bool { return true })
	attributes := admission.NewAttributesRecord(
		after, before, schema.GroupVersionKind{Version: "v1", Kind: "Pod"}, after.Namespace, after.Name,
		schema.GroupVersionResource{Version: "v1", Resource: "pods"}, "resize", admission.Update, nil, false, nil,
	)
	for _, plugin := range []admission.ValidationInterface{features, sizes} {
		if err := plugin.Validate(ctx, attributes, nil); err != nil {
			return fmt.Errorf("%w", err)
		}
	}
	return nil
}
