//go:build since_34

package main

import (
	"context"

	v1 "k8s.io/api/core/v1"
)

func rawScore(ctx context.Context, p plugin, state cycleState, pod *v1.Pod, n nodeInfo) (int64, error) {
	s, st := p.(scorePlugin).Score(ctx, state, pod, n)
	return s, st.AsError()
}
