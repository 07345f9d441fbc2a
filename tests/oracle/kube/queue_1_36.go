//go:build since_36

package main

import (
	"context"

	v1 "k8s.io/api/core/v1"
	internalqueue "k8s.io/kubernetes/pkg/scheduler/backend/queue"
)

func addTo(ctx context.Context, queue internalqueue.SchedulingQueue, p *v1.Pod) { queue.Add(ctx, p) }
