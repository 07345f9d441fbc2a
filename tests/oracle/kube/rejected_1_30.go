//go:build since_30

package main

func isRejected(st *podStatus) bool        { return st.IsRejected() }
func pluginOf(st *podStatus) string        { return st.Plugin() }
func prioritizes(e extender, _ int64) bool { return e.IsPrioritizer() }
