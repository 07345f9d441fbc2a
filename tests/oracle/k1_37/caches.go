package main

import (
	"time"

	v1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	coreinformers "k8s.io/client-go/informers/core/v1"
	resourceinformers "k8s.io/client-go/informers/resource/v1"
	"k8s.io/client-go/kubernetes"
	toolscache "k8s.io/client-go/tools/cache"
)

// watched is an informer that notes when each of its event handlers has had all objects.
type watched struct {
	toolscache.SharedIndexInformer
	handled *[]toolscache.DoneChecker
}

func (w watched) AddEventHandler(h toolscache.ResourceEventHandler) (toolscache.ResourceEventHandlerRegistration, error) {
	return w.AddEventHandlerWithOptions(h, toolscache.HandlerOptions{})
}

func (w watched) AddEventHandlerWithOptions(h toolscache.ResourceEventHandler, o toolscache.HandlerOptions) (toolscache.ResourceEventHandlerRegistration, error) {
	r, err := w.SharedIndexInformer.AddEventHandlerWithOptions(h, o)
	if err == nil {
		*w.handled = append(*w.handled, r.HasSyncedChecker())
	}
	return r, err
}

// watchedCaches are those that event handlers fill, after the informers have the objects: of volumes and devices.
func watchedCaches(factory informers.SharedInformerFactory) *[]toolscache.DoneChecker {
	handled := &[]toolscache.DoneChecker{}
	type constructor = func(kubernetes.Interface, time.Duration, toolscache.Indexers) toolscache.SharedIndexInformer
	for _, each := range []struct {
		kind     runtime.Object
		informer constructor
	}{
		{&v1.PersistentVolume{}, coreinformers.NewPersistentVolumeInformer},
		{&v1.PersistentVolumeClaim{}, func(c kubernetes.Interface, d time.Duration, i toolscache.Indexers) toolscache.SharedIndexInformer {
			return coreinformers.NewPersistentVolumeClaimInformer(c, v1.NamespaceAll, d, i)
		}},
		{&resourcev1.DeviceClass{}, resourceinformers.NewDeviceClassInformer},
		{&resourcev1.ResourceClaim{}, func(c kubernetes.Interface, d time.Duration, i toolscache.Indexers) toolscache.SharedIndexInformer {
			return resourceinformers.NewResourceClaimInformer(c, v1.NamespaceAll, d, i)
		}},
	} {
		byNamespace := toolscache.Indexers{toolscache.NamespaceIndex: toolscache.MetaNamespaceIndexFunc}
		factory.InformerFor(each.kind, func(client kubernetes.Interface, resync time.Duration) toolscache.SharedIndexInformer {
			return watched{each.informer(client, resync, byNamespace), handled}
		})
	}
	return handled
}
