#!/bin/sh
# Build programs that link the real kube-scheduler: sh build.sh FOLDER [NAME...]   (Go 1.26 or later; some minutes)
# Names: k1_13 k1_16 k1_20 k1_22 ... k1_37 (verdicts for scenarios; from k1_22 to k1_36 one program, kube, with the
# versions in kube/versions), bench_1_37 (the speed of v1.37), validate_1_37 (its validation), cel_1_37 (its selectors
# of devices), allocate_1_37 (its allocation of devices), groups_1_37 (its pod groups).
set -e
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
bin=$(cd "$1" && pwd)
shift
between=$(sed 's/^v1\.\([0-9]*\)\..*/k1_\1/' "$here/kube/versions")
[ $# -gt 0 ] || set -- k1_37 $between k1_20 k1_16 k1_13 bench_1_37 validate_1_37 cel_1_37 allocate_1_37 groups_1_37
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp -r "$here/." "$work"
for name in "$@"; do
	case $name in
	k1_*) out=oracle_${name#k} ;;
	*) out=$name ;;
	esac
	if [ -d "$work/$name" ]; then
		[ ! -f "$work/$name/stage.sh" ] || sh "$work/$name/stage.sh"
		(cd "$work/$name" && go build -buildvcs=false -ldflags=-checklinkname=0 -o "$bin/$out" .)
	else
		minor=${name#k1_}
		tags=$(sh "$work/kube/stage.sh" "$(grep "^v1\.$minor\." "$work/kube/versions")")
		(cd "$work/kube" && go build -buildvcs=false -mod=mod -tags "$tags" \
			-ldflags="-checklinkname=0 -X main.version=v1.$minor" -o "$bin/$out" .)
	fi
	echo "$bin/$out"
done
