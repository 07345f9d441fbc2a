//go:build since_34

package main

import (
	"context"

	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/kubernetes/pkg/apis/resource"
	conversion "k8s.io/kubernetes/pkg/apis/resource/v1"
	"k8s.io/kubernetes/pkg/registry/resource/deviceclass"
	"k8s.io/kubernetes/pkg/registry/resource/resourceslice"
)

// admit drops the fields of features that are off, as the API server does.
func admit(o runtime.Object) error {
	switch t := o.(type) {
	case *resourcev1.ResourceSlice:
		var slice resource.ResourceSlice
		if err := conversion.Convert_v1_ResourceSlice_To_resource_ResourceSlice(t, &slice, nil); err != nil {
			return err
		}
		resourceslice.Strategy.PrepareForCreate(context.Background(), &slice)
		slice.Generation = t.Generation
		*t = resourcev1.ResourceSlice{TypeMeta: t.TypeMeta}
		return conversion.Convert_resource_ResourceSlice_To_v1_ResourceSlice(&slice, t, nil)
	case *resourcev1.DeviceClass:
		var class resource.DeviceClass
		if err := conversion.Convert_v1_DeviceClass_To_resource_DeviceClass(t, &class, nil); err != nil {
			return err
		}
		deviceclass.Strategy.PrepareForCreate(context.Background(), &class)
		class.Generation = t.Generation
		*t = resourcev1.DeviceClass{TypeMeta: t.TypeMeta}
		return conversion.Convert_resource_DeviceClass_To_v1_DeviceClass(&class, t, nil)
	case *resourcev1.ResourceClaim:
		var claim resource.ResourceClaim
		if err := conversion.Convert_v1_ResourceClaim_To_resource_ResourceClaim(t, &claim, nil); err != nil {
			return err
		}
		dropFromClaim(&claim)
		*t = resourcev1.ResourceClaim{TypeMeta: t.TypeMeta}
		return conversion.Convert_resource_ResourceClaim_To_v1_ResourceClaim(&claim, t, nil)
	}
	return nil
}
