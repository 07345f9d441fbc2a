#!/bin/sh
# Installs what pip cannot: the browser of the browser tests, a library of the program that drives it, and kubectl.
# Debian and Ubuntu, as root or with sudo. What is on the PATH already is left alone.
set -eu

missing=""
found() { command -v "$1" >/dev/null 2>&1; }

found chromium || found chromium-browser || found google-chrome || missing="$missing chromium"
python3 -c 'import ctypes; ctypes.CDLL("libatomic.so.1")' 2>/dev/null || missing="$missing libatomic1"
found kubectl || missing="$missing kubernetes-client"
python3 -c 'import ensurepip' 2>/dev/null || missing="$missing python3-venv"

[ -n "$missing" ] || exit 0
if ! found apt-get; then
    echo "Please install with your system's package manager:$missing" >&2
    exit 1
fi
as_root=""
[ "$(id -u)" -eq 0 ] || as_root="sudo"
$as_root apt-get update -qq
# Word splitting wanted: one argument for each package.
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq --yes --no-install-recommends $missing
