//go:build since_34

package main

import (
	"context"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	resourceinformers "k8s.io/client-go/informers/resource/v1"
	"k8s.io/client-go/kubernetes"
	toolscache "k8s.io/client-go/tools/cache"
	resourceslicetracker "k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/util/assumecache"
	"time"
)

func init() {
	counters = append(counters,
		counter{&resourcev1.DeviceClass{}, resourceinformers.NewDeviceClassInformer},
		counter{&resourcev1.ResourceSlice{}, resourceinformers.NewResourceSliceInformer},
		counter{&resourcev1.ResourceClaim{}, func(c kubernetes.Interface, d time.Duration, i toolscache.Indexers) toolscache.SharedIndexInformer {
			return resourceinformers.NewResourceClaimInformer(c, v1.NamespaceAll, d, i)
		}})
}

// more are the options about devices and what came later.
func (s *setting) more(ctx context.Context) ([]frameworkruntime.Option, error) {
	claims := assumecache.NewAssumeCache(klog.FromContext(ctx), s.factory.Resource().V1().ResourceClaims().Informer(), "ResourceClaim", "", nil)
	slices, err := resourceslicetracker.StartTracker(ctx, s.tracker())
	if err != nil {
		return nil, err
	}
	s.handled.done = append(s.handled.done, slices.HasSynced)
	dra := dynamicresources.NewDRAManager(ctx, claims, slices, s.factory)
	return append([]frameworkruntime.Option{frameworkruntime.WithSharedDRAManager(dra)}, s.later(dra)...), nil
}
