//go:build since_34 && !since_35

package main

import (
	_ "unsafe" // go:linkname

	"k8s.io/kubernetes/pkg/apis/resource"
	_ "k8s.io/kubernetes/pkg/registry/resource/resourceclaim"
)

//go:linkname dropFields k8s.io/kubernetes/pkg/registry/resource/resourceclaim.dropDisabledFields
func dropFields(claim, old *resource.ResourceClaim)

func dropFromClaim(claim *resource.ResourceClaim) { dropFields(claim, nil) }
