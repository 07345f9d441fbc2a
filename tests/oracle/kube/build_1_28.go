//go:build since_28 && !since_32

package main

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	internalqueue "k8s.io/kubernetes/pkg/scheduler/internal/queue"
)

func (s *setting) build(ctx context.Context) (err error) {
	nominator := internalqueue.NewPodNominator(s.factory.Core().V1().Pods().Lister())
	s.addNominated = func(_ context.Context, p *v1.Pod) error {
		info, err := framework.NewPodInfo(p)
		nominator.AddNominatedPod(klog.Background(), info, nil)
		return err
	}
	options := append(s.options(), frameworkruntime.WithPodNominator(nominator), frameworkruntime.WithLogger(klog.Background()))
	s.f, err = frameworkruntime.NewFramework(ctx, s.registry, s.profile, options...)
	return err
}
