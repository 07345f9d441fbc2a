package main

import (
	"encoding/json"
	"math/rand"
	"os"
	"sort"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	"k8s.io/apimachinery/pkg/api/resource"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/randfill"
)

var versions = strings.Fields(`
	v1 admissionregistration.k8s.io/v1 apps/v1 autoscaling/v1 autoscaling/v2 batch/v1 coordination.k8s.io/v1 discovery.k8s.io/v1 events.k8s.io/v1
	networking.k8s.io/v1 node.k8s.io/v1 policy/v1 rbac.authorization.k8s.io/v1 resource.k8s.io/v1 scheduling.k8s.io/v1
	scheduling.k8s.io/v1beta1 storage.k8s.io/v1`)

// A message is an object as a client sends it: in protobuf, and the same object in JSON.
type message struct {
	Protobuf []byte          `json:"protobuf"`
	JSON     json.RawMessage `json:"json"`
}

// PrintMessages prints, for each kind, an empty object and a random one.
func printMessages(seed int64) {
	kinds := []schema.GroupVersionKind{}
	for gvk, kind := range scheme.Scheme.AllKnownTypes() {
		_, found := kind.FieldByName("ObjectMeta")
		for _, version := range versions {
			if found && version == gvk.GroupVersion().String() {
				kinds = append(kinds, gvk)
			}
		}
	}
	sort.Slice(kinds, func(i, j int) bool { return kinds[i].String() < kinds[j].String() })
	filler := fuzzer.FuzzerFor(fuzzer.MergeFuzzerFuncs(metafuzzer.Funcs, ours), rand.NewSource(seed), scheme.Codecs)
	filler.NilChance(0.5).NumElements(0, 2)
	for _, gvk := range kinds {
		for number := 0; number < 2; number++ {
			obj, err := scheme.Scheme.New(gvk)
			check(err)
			if number > 0 {
				filler.Fill(obj)
			}
			obj.GetObjectKind().SetGroupVersionKind(gvk)
			printMessage(obj)
		}
	}
	grace := int64(0)
	options := &metav1.DeleteOptions{GracePeriodSeconds: &grace, DryRun: []string{"All"}}
	options.SetGroupVersionKind(schema.GroupVersionKind{Group: "apps", Version: "v1", Kind: "DeleteOptions"})
	printMessage(options)
}

func printMessage(obj runtime.Object) {
	coded, err := runtime.Encode(protobuf.NewSerializer(scheme.Scheme, scheme.Scheme), obj)
	check(err)
	read, err := runtime.Decode(scheme.Codecs.UniversalDeserializer(), coded)
	check(err)
	written, err := json.Marshal(read) // protobuf cannot tell an empty list from none
	check(err)
	check(json.NewEncoder(os.Stdout).Encode(message{coded, written}))
}

// Ours fills what the generic functions leave empty or fill with what an API server never gets.
func ours(_ serializer.CodecFactory) []interface{} {
	return []interface{}{
		func(q *resource.Quantity, c randfill.Continue) {
			*q = resource.MustParse([]string{"0", "1", "100m", "1Gi", "5k"}[c.Intn(5)])
		},
		func(value *intstr.IntOrString, c randfill.Continue) {
			*value = []intstr.IntOrString{intstr.FromInt32(0), intstr.FromInt32(-3), intstr.FromString("25%")}[c.Intn(3)]
		},
		func(raw *runtime.RawExtension, c randfill.Continue) { raw.Raw = []byte(`{"a":[1,{"b":null}]}`) },
		func(text *string, c randfill.Continue) { *text = []string{"", "a", "äöü", "web-1"}[c.Intn(4)] },
		func(fields *metav1.FieldsV1, c randfill.Continue) {
			fields.Raw = []byte(`{"f:spec":{"f:replicas":{}}}`)
		},
		func(moment *metav1.MicroTime, c randfill.Continue) {
			*moment = metav1.NewMicroTime(time.UnixMicro(c.Int63n(4_000_000_000_000_000)))
		},
	}
}
