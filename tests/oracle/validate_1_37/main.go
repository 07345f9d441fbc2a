// Command validate reads objects as JSON lines from standard input, handles each as v1.37's API server handles its
// creation (decoding, defaults, PrepareForCreate, validation with the strategy of its kind, then its status as an
// update of the status), and prints one JSON line per object: what is wrong with it.
//
//	{"decode": "..."}                                       the object cannot be decoded
//	{"errors": [{"field": "spec.x", "type": "FieldValueInvalid", "detail": "..."}]}
//	{}                                                      the API server creates it
//
// Arguments are feature gates that are on.
//
// A line {"hash": DEPLOYMENT} asks for the hashes of its template: {"hash": "pod-template-hash", "revision": "of a StatefulSet"}.
// A line {"default": OBJECT} asks for its defaults: {"spec": {...}}, the spec with them.
// A line {"resize": {"old": POD, "new": POD, "node": NODE}} is an update of a pod's subresource resize. Its answer may be
// {"forbidden": "..."}, by an admission plugin, or {"spec": {...}}: the spec of the resized pod.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/authentication/user"
	"k8s.io/apiserver/pkg/authorization/authorizer"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/rest"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
	corev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	podutil "k8s.io/kubernetes/pkg/api/pod"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/batch/install"
	"k8s.io/kubernetes/pkg/apis/core"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
	_ "k8s.io/kubernetes/pkg/apis/policy/install"
	"k8s.io/kubernetes/pkg/apis/resource"
	_ "k8s.io/kubernetes/pkg/apis/resource/install"
	_ "k8s.io/kubernetes/pkg/apis/scheduling/install"
	_ "k8s.io/kubernetes/pkg/apis/storage/install"
	"k8s.io/kubernetes/pkg/registry/apps/deployment"
	"k8s.io/kubernetes/pkg/registry/apps/replicaset"
	"k8s.io/kubernetes/pkg/registry/apps/statefulset"
	"k8s.io/kubernetes/pkg/registry/batch/job"
	"k8s.io/kubernetes/pkg/registry/core/namespace"
	"k8s.io/kubernetes/pkg/registry/core/node"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolume"
	"k8s.io/kubernetes/pkg/registry/core/persistentvolumeclaim"
	"k8s.io/kubernetes/pkg/registry/core/pod"
	"k8s.io/kubernetes/pkg/registry/core/replicationcontroller"
	"k8s.io/kubernetes/pkg/registry/core/service"
	"k8s.io/kubernetes/pkg/registry/policy/poddisruptionbudget"
	"k8s.io/kubernetes/pkg/registry/resource/deviceclass"
	"k8s.io/kubernetes/pkg/registry/resource/devicetaintrule"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaim"
	"k8s.io/kubernetes/pkg/registry/resource/resourceclaimtemplate"
	"k8s.io/kubernetes/pkg/registry/resource/resourceslice"
	"k8s.io/kubernetes/pkg/registry/scheduling/podgroup"
	"k8s.io/kubernetes/pkg/registry/scheduling/priorityclass"
	"k8s.io/kubernetes/pkg/registry/storage/csidriver"
	"k8s.io/kubernetes/pkg/registry/storage/csinode"
	"k8s.io/kubernetes/pkg/registry/storage/csistoragecapacity"
	"k8s.io/kubernetes/pkg/registry/storage/storageclass"
	"k8s.io/kubernetes/pkg/registry/storage/volumeattachment"
)

type strategies struct {
	create rest.RESTCreateStrategy
	status rest.RESTUpdateStrategy // nil: the kind has no status of its own
}

var byKind = map[string]strategies{
	"Pod":                   {pod.Strategy, pod.StatusStrategy},
	"Node":                  {node.Strategy, node.StatusStrategy},
	"Namespace":             {namespace.Strategy, namespace.StatusStrategy},
	"Service":               {service.Strategy, service.StatusStrategy},
	"ReplicationController": {replicationcontroller.Strategy, replicationcontroller.StatusStrategy},
	"ReplicaSet":            {replicaset.Strategy, replicaset.StatusStrategy},
	"StatefulSet":           {statefulset.Strategy, statefulset.StatusStrategy},
	"Deployment":            {deployment.Strategy, deployment.StatusStrategy},
	"Job":                   {job.Strategy, job.StatusStrategy},
	"PodDisruptionBudget":   {poddisruptionbudget.Strategy, poddisruptionbudget.StatusStrategy},
	"PriorityClass":         {priorityclass.Strategy, nil},
	"PodGroup":              {groups, podgroup.NewStatusStrategy(groups)},
	"PersistentVolume":      {persistentvolume.Strategy, persistentvolume.StatusStrategy},
	"PersistentVolumeClaim": {persistentvolumeclaim.Strategy, persistentvolumeclaim.StatusStrategy},
	"StorageClass":          {storageclass.Strategy, nil},
	"CSINode":               {csinode.Strategy, nil},
	"CSIDriver":             {csidriver.Strategy, nil},
	"CSIStorageCapacity":    {csistoragecapacity.Strategy, nil},
	"VolumeAttachment":      {volumeattachment.Strategy, volumeattachment.StatusStrategy},
	"ResourceSlice":         {resourceslice.Strategy, nil},
	"DeviceClass":           {deviceclass.Strategy, nil},
	"DeviceTaintRule":       {devicetaintrule.Strategy, devicetaintrule.StatusStrategy},
	"ResourceClaim":         {claims, resourceclaim.NewStatusStrategy(claims)},
	"ResourceClaimTemplate": {resourceclaimtemplate.NewStrategy(adminNamespaces{}), nil},
}

var groups = podgroup.NewStrategy()

var claims = resourceclaim.NewStrategy(adminNamespaces{}, authorizer.AuthorizerFunc(allow))

// AdminNamespaces have the label that allows admin access to devices.
type adminNamespaces struct{ corev1.NamespaceInterface }

func (adminNamespaces) Get(_ context.Context, name string, _ metav1.GetOptions) (*v1.Namespace, error) {
	labels := map[string]string{resource.DRAAdminNamespaceLabelKey: "true"}
	return &v1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}, nil
}

func allow(context.Context, authorizer.Attributes) (authorizer.Decision, string, error) {
	return authorizer.DecisionAllow, "", nil
}

type fault struct {
	Field  string `json:"field"`
	Type   string `json:"type"`
	Detail string `json:"detail,omitempty"`
}

type verdict struct {
	Decode    string  `json:"decode,omitempty"`
	Errors    []fault `json:"errors,omitempty"`
	Forbidden string  `json:"forbidden,omitempty"`
	Spec      any     `json:"spec,omitempty"`
	Hash      string  `json:"hash,omitempty"`
	Revision  string  `json:"revision,omitempty"`
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 64<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	for in.Scan() {
		if line := in.Bytes(); len(line) > 0 {
			if err := encoder.Encode(judge(line)); err != nil {
				panic(err)
			}
		}
	}
	if err := in.Err(); err != nil {
		panic(err)
	}
}

// judge answers what the API server finds wrong with the object.
func judge(line []byte) (answer verdict) {
	defer func() {
		if problem := recover(); problem != nil {
			answer = verdict{Decode: fmt.Sprintf("panic: %v", problem)}
		}
	}()
	var asked struct {
		Resize  *resize
		Hash    json.RawMessage
		Default json.RawMessage
	}
	if err := json.Unmarshal(line, &asked); err == nil && asked.Resize != nil {
		return judgeResize(*asked.Resize)
	} else if err == nil && asked.Hash != nil {
		return judgeHash(asked.Hash)
	} else if err == nil && asked.Default != nil {
		return defaulted(asked.Default)
	}
	object, kind, err := decode(line)
	if err != nil {
		return verdict{Decode: err.Error()}
	}
	strategy, known := byKind[kind.Kind]
	if !known {
		return verdict{Decode: "no strategy for " + kind.Kind}
	}
	return verdict{Errors: faults(validate(object, kind, strategy))}
}

// decode reads the object with the defaults of its version, in the internal version.
func decode(line []byte) (runtime.Object, schema.GroupVersionKind, error) {
	info, _ := runtime.SerializerInfoForMediaType(legacyscheme.Codecs.SupportedMediaTypes(), runtime.ContentTypeJSON)
	decoder := legacyscheme.Codecs.DecoderToVersion(info.Serializer, schema.GroupVersions{
		{Group: "", Version: runtime.APIVersionInternal}, {Group: "apps", Version: runtime.APIVersionInternal},
		{Group: "batch", Version: runtime.APIVersionInternal}, {Group: "policy", Version: runtime.APIVersionInternal},
		{Group: "resource.k8s.io", Version: runtime.APIVersionInternal},
		{Group: "scheduling.k8s.io", Version: runtime.APIVersionInternal},
		{Group: "storage.k8s.io", Version: runtime.APIVersionInternal},
	})
	object, kind, err := decoder.Decode(line, nil, nil)
	if err != nil {
		return nil, schema.GroupVersionKind{}, err
	}
	return object, *kind, nil
}

func validate(object runtime.Object, kind schema.GroupVersionKind, strategy strategies) field.ErrorList {
	metadata, err := meta.Accessor(object)
	if err != nil {
		panic(err)
	}
	// Pod groups need gates that are off by default, and pods are checked without them.
	isGroup := kind.Kind == "PodGroup"
	gates := map[string]bool{"GenericWorkload": isGroup, "TopologyAwareWorkloadScheduling": isGroup, "PodGroupPreemptionPolicy": isGroup}
	for _, gate := range os.Args[1:] {
		gates[gate] = true
	}
	if err := utilfeature.DefaultMutableFeatureGate.SetFromMap(gates); err != nil {
		panic(err)
	}
	if strategy.create.NamespaceScoped() && metadata.GetNamespace() == "" {
		metadata.SetNamespace("default")
	} else if !strategy.create.NamespaceScoped() {
		metadata.SetNamespace("")
	}
	sent := object.DeepCopyObject()
	// A pod with a uid is from an export: what PrepareForCreate merges is in its selectors already.
	stored := metadata.GetUID() != "" && kind.Kind == "Pod"
	rest.WipeObjectMetaSystemFields(metadata)
	rest.FillObjectMetaSystemFields(metadata)
	ctx := contextOf(metadata, kind, "")
	if stored {
		object.(*core.Pod).Status = core.PodStatus{}
		podutil.DefaultPodLevelResources(object.(*core.Pod))
		metadata.SetGeneration(1)
	} else {
		strategy.create.PrepareForCreate(ctx, object)
	}
	errs := rest.ValidateCreate(ctx, object, strategy.create)
	if strategy.status == nil {
		return errs
	}
	return append(errs, validateStatus(object, sent, kind, strategy.status)...)
}

// validateStatus validates the status that was sent with the object, as an update of the created object.
func validateStatus(
	created, sent runtime.Object, kind schema.GroupVersionKind, strategy rest.RESTUpdateStrategy,
) field.ErrorList {
	metadata, _ := meta.Accessor(created)
	metadata.SetResourceVersion("1")
	updated := created.DeepCopyObject()
	before := reflect.ValueOf(sent).Elem().FieldByName("Status")
	reflect.ValueOf(updated).Elem().FieldByName("Status").Set(before)
	ctx := contextOf(metadata, kind, "status")
	strategy.PrepareForUpdate(ctx, updated, created)
	return rest.ValidateUpdate(ctx, updated, created, strategy)
}

func contextOf(metadata metav1.Object, kind schema.GroupVersionKind, subresource string) context.Context {
	ctx := request.WithNamespace(context.Background(), metadata.GetNamespace())
	ctx = request.WithUser(ctx, &user.DefaultInfo{Name: "admin"})
	plural, _ := meta.UnsafeGuessKindToResource(kind)
	return request.WithRequestInfo(ctx, &request.RequestInfo{
		IsResourceRequest: true, APIGroup: kind.Group, APIVersion: kind.Version, Resource: plural.Resource,
		Namespace: metadata.GetNamespace(), Name: metadata.GetName(), Subresource: subresource,
	})
}

func faults(errs field.ErrorList) []fault {
	var found []fault
	for _, err := range errs {
		found = append(found, fault{err.Field, string(err.Type), strings.TrimSpace(err.ErrorBody())})
	}
	return found
}
