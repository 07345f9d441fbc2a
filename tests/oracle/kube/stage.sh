#!/bin/sh
# sh stage.sh VERSION: go.mod and go.sum of the program for that version, from those of Kubernetes itself, whose staging
# modules are published as v0.N. It prints the build tags: since_N for each N of `milestones` that is not later.
# Hashes of k8s.io modules are in k8s.sum.
set -e
cd "$(dirname "$0")"
minor=${1#v1.} minor=${minor%%.*}
own=$(go mod download -json "k8s.io/kubernetes@$1" | sed -n 's/.*"Dir": "\(.*\)".*/\1/p')
# golang.org/x/sys and x/net of old versions do not compile with a new Go; no package of the samples is imported
sed -e 's#^module .*#module k8s.io/kubernetes/pkg/scheduler/oracle#' -e '/^godebug/d' -e '/k8s.io\/sample-.* v0/d' -e 's#^go .*#go 1.26.0#' \
	-e "s#=> \./staging/src/\(k8s.io/.*\)#=> \1 v0.${1#v1.}#" \
	-e 's#^\(	golang.org/x/sys\) => .*#\1 => golang.org/x/sys v0.15.0#' "$own/go.mod" >go.mod
printf '\nrequire (\n\tk8s.io/kubernetes %s\n\toracle/wire v0.0.0\n)\n\nreplace oracle/wire => ../wire\n' "$1" >>go.mod
cat "$own/go.sum" k8s.sum >go.sum
for milestone in 24 28 30 32 34 35 36; do
	[ "$milestone" -gt "$minor" ] || printf 'since_%s,' "$milestone"
done
