//go:build since_24 && !since_28

package main

import (
	"context"

	v1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	internalqueue "k8s.io/kubernetes/pkg/scheduler/internal/queue"
)

func (s *setting) build(context.Context) (err error) {
	nominator := internalqueue.NewPodNominator(s.factory.Core().V1().Pods().Lister())
	s.addNominated = func(_ context.Context, p *v1.Pod) error {
		nominator.AddNominatedPod(framework.NewPodInfo(p), nil)
		return nil
	}
	options := append(s.options(), frameworkruntime.WithPodNominator(nominator))
	s.f, err = frameworkruntime.NewFramework(s.registry, s.profile, options...)
	return err
}
