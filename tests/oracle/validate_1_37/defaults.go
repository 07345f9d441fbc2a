package main

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

// defaulted answers the object's spec as the API server fills it before it validates it.
func defaulted(asked json.RawMessage) verdict {
	object, _, err := legacyscheme.Codecs.UniversalDeserializer().Decode(asked, nil, nil)
	if err != nil {
		return verdict{Decode: err.Error()}
	}
	legacyscheme.Scheme.Default(object)
	data, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return verdict{Decode: err.Error()}
	}
	return verdict{Spec: data["spec"]}
}
