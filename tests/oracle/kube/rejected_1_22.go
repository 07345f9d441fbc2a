//go:build !since_30

package main

func isRejected(st *podStatus) bool             { return st.IsUnschedulable() }
func pluginOf(st *podStatus) string             { return st.FailedPlugin() }
func prioritizes(_ extender, weight int64) bool { return weight != 0 }
