//go:build since_32 && !since_34

package main

import (
	"context"

	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

func (s *setting) more(context.Context) ([]frameworkruntime.Option, error) { return nil, nil }
