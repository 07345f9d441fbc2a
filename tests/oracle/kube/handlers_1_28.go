//go:build since_28

package main

import (
	"sync/atomic"

	toolscache "k8s.io/client-go/tools/cache"
)

type countingHandler struct {
	toolscache.ResourceEventHandler
	seen *int64
}

func (c countingHandler) OnAdd(o interface{}, initial bool) {
	c.ResourceEventHandler.OnAdd(o, initial)
	atomic.AddInt64(c.seen, 1)
}

type watched struct {
	toolscache.SharedIndexInformer
	handled *counted
	wanted  int
}

func (w watched) AddEventHandler(h toolscache.ResourceEventHandler) (toolscache.ResourceEventHandlerRegistration, error) {
	return w.SharedIndexInformer.AddEventHandler(w.handled.counting(h, w.wanted))
}
