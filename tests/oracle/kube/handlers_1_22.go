//go:build !since_28

package main

import (
	"sync/atomic"
	"time"

	toolscache "k8s.io/client-go/tools/cache"
)

type countingHandler struct {
	toolscache.ResourceEventHandler
	seen *int64
}

func (c countingHandler) OnAdd(o interface{}) {
	c.ResourceEventHandler.OnAdd(o)
	atomic.AddInt64(c.seen, 1)
}

type watched struct {
	toolscache.SharedIndexInformer
	handled *counted
	wanted  int
}

func (w watched) AddEventHandler(h toolscache.ResourceEventHandler) {
	w.SharedIndexInformer.AddEventHandler(w.handled.counting(h, w.wanted))
}

func (w watched) AddEventHandlerWithResyncPeriod(h toolscache.ResourceEventHandler, d time.Duration) {
	w.SharedIndexInformer.AddEventHandlerWithResyncPeriod(w.handled.counting(h, w.wanted), d)
}
