//go:build since_32

package main

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	internalqueue "k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/queuesort"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

func (s *setting) build(ctx context.Context) error {
	queue := internalqueue.NewSchedulingQueue((&queuesort.PrioritySort{}).Less, s.factory)
	s.addNominated = func(ctx context.Context, p *v1.Pod) error { // the nominator reads the pod itself from the queue
		addTo(ctx, queue, p)
		return nil
	}
	more, err := s.more(ctx)
	if err != nil {
		return err
	}
	options := append(s.options(), more...)
	options = append(options, frameworkruntime.WithPodNominator(queue),
		frameworkruntime.WithWaitingPods(frameworkruntime.NewWaitingPodsMap()), frameworkruntime.WithLogger(klog.Background()))
	s.f, err = frameworkruntime.NewFramework(ctx, s.registry, s.profile, options...)
	return err
}
