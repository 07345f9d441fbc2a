//go:build since_35

package main

import (
	_ "unsafe" // go:linkname

	"k8s.io/kubernetes/pkg/apis/resource"
	_ "k8s.io/kubernetes/pkg/registry/resource/resourceclaim"
)

//go:linkname dropSpecFields k8s.io/kubernetes/pkg/registry/resource/resourceclaim.dropDisabledSpecFields
func dropSpecFields(claim, old *resource.ResourceClaim)

//go:linkname dropStatusFields k8s.io/kubernetes/pkg/registry/resource/resourceclaim.dropDisabledStatusFields
func dropStatusFields(claim, old *resource.ResourceClaim)

func dropFromClaim(claim *resource.ResourceClaim) {
	dropSpecFields(claim, nil)
	dropStatusFields(claim, nil)
}
