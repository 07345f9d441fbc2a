//go:build !since_32

package main

import internalcache "k8s.io/kubernetes/pkg/scheduler/internal/cache"

var newSnapshot = internalcache.NewSnapshot
