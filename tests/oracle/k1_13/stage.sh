#!/bin/sh
# k8s.io/apiserver and k8s.io/cloud-provider of v1.13.12 are not on the module proxy. The same source lies in
# staging/src of the module k8s.io/kubernetes@v1.13.12: copy the few packages that the scheduler needs into ./staging.
set -e
cd "$(dirname "$0")"
go mod download k8s.io/kubernetes@v1.13.12 2>/dev/null || (cd "${TMPDIR:-/tmp}" && GOFLAGS=-mod=mod go mod download k8s.io/kubernetes@v1.13.12)
src="$(go env GOMODCACHE)/k8s.io/kubernetes@v1.13.12/staging/src/k8s.io"
rm -rf staging
for p in apiserver/pkg/util/feature apiserver/pkg/util/trace apiserver/pkg/features apiserver/pkg/storage/names \
         apiserver/pkg/authentication/authenticator apiserver/pkg/authentication/serviceaccount apiserver/pkg/authentication/user \
         apiserver/pkg/apis/config cloud-provider; do
	mkdir -p "staging/$p"
	find "$src/$p" -maxdepth 1 -name '*.go' ! -name '*_test.go' -exec cp {} "staging/$p/" \;
done
for m in apiserver cloud-provider; do
	cp "$src/$m/LICENSE" "staging/$m/"
	printf 'module k8s.io/%s\n' "$m" > "staging/$m/go.mod"
done
chmod -R u+w staging
