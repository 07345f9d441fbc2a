//go:build since_32

package main

import internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"

var newSnapshot = internalcache.NewSnapshot
