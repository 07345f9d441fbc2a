#!/bin/sh
# Build programs that link the real kube-scheduler: sh build.sh FOLDER [NAME...]   (Go 1.26 or later; some minutes)
# Names: k1_13 k1_16 k1_20 k1_37 (verdicts for scenarios) bench_1_37 (the speed of v1.37), validate_1_37 (its validation),
# cel_1_37 (its selectors of devices), allocate_1_37 (its allocation of devices), groups_1_37 (its pod groups).
set -e
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
bin=$(cd "$1" && pwd)
shift
[ $# -gt 0 ] || set -- k1_37 k1_20 k1_16 k1_13 bench_1_37 validate_1_37 cel_1_37 allocate_1_37 groups_1_37
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$here/." "$work"
for name in "$@"; do
	case $name in
	k1_*) out=oracle_${name#k} ;;
	*) out=$name ;;
	esac
	[ ! -f "$work/$name/stage.sh" ] || sh "$work/$name/stage.sh"
	(cd "$work/$name" && go build -buildvcs=false -ldflags=-checklinkname=0 -o "$bin/$out" .)
	echo "$bin/$out"
done
