package main

import (
	"encoding/json"
	"strconv"

	"hash/fnv"

	apps "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/rand"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/controller"
)

// judgeHash answers the hash of a Deployment's template, as its controller computes it from what the server has stored,
// and the hash of the revision of a StatefulSet with this template (history.HashControllerRevision, getPatch).
func judgeHash(asked json.RawMessage) verdict {
	deployment := &apps.Deployment{}
	if err := json.Unmarshal(asked, deployment); err != nil {
		return verdict{Decode: err.Error()}
	}
	legacyscheme.Scheme.Default(deployment)
	stored, err := json.Marshal(deployment)
	if err != nil {
		panic(err)
	}
	deployment = &apps.Deployment{}
	if err := json.Unmarshal(stored, deployment); err != nil {
		panic(err)
	}
	template := &deployment.Spec.Template
	return verdict{Hash: controller.ComputeHash(template, deployment.Status.CollisionCount), Revision: revision(deployment)}
}

func revision(deployment *apps.Deployment) string {
	set := &apps.StatefulSet{Spec: apps.StatefulSetSpec{Template: deployment.Spec.Template}}
	data, err := runtime.Encode(legacyscheme.Codecs.LegacyCodec(apps.SchemeGroupVersion), set)
	if err != nil {
		panic(err)
	}
	raw := struct {
		Spec struct{ Template map[string]any }
	}{}
	if err := json.Unmarshal(data, &raw); err != nil {
		panic(err)
	}
	raw.Spec.Template["$patch"] = "replace"
	patch, err := json.Marshal(map[string]any{"spec": map[string]any{"template": raw.Spec.Template}})
	if err != nil {
		panic(err)
	}
	hash := fnv.New32()
	hash.Write(patch)
	collisions := int32(0)
	if deployment.Status.CollisionCount != nil {
		collisions = *deployment.Status.CollisionCount
	}
	hash.Write([]byte(strconv.Itoa(int(collisions))))
	return rand.SafeEncodeString(strconv.FormatUint(uint64(hash.Sum32()), 10))
}
