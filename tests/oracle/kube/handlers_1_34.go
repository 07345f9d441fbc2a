//go:build since_34

package main

import toolscache "k8s.io/client-go/tools/cache"

func (w watched) AddEventHandlerWithOptions(h toolscache.ResourceEventHandler, o toolscache.HandlerOptions) (toolscache.ResourceEventHandlerRegistration, error) {
	return w.SharedIndexInformer.AddEventHandlerWithOptions(w.handled.counting(h, w.wanted), o)
}
