#!/bin/sh
# Installs what pip cannot: the browser of the browser tests, a library of the program that drives it, and kubectl.
# Debian and Ubuntu, as root or with sudo. What is on the PATH already is left alone.
set -eu

missing=""
found() { command -v "$1" >/dev/null 2>&1; }

# The shell is Chromium without a window: tests take a third less. Where there is none, the whole program does.
browser() {
    apt-cache show chromium-headless-shell >/dev/null 2>&1 && echo chromium-headless-shell || echo chromium
}
need_browser=""
found chromium-headless-shell || found chromium || found chromium-browser || found google-chrome || need_browser=1
python3 -c 'import ctypes; ctypes.CDLL("libatomic.so.1")' 2>/dev/null || missing="$missing libatomic1"
found kubectl || missing="$missing kubernetes-client"
python3 -c 'import ensurepip' 2>/dev/null || missing="$missing python3-venv"

[ -n "$missing$need_browser" ] || exit 0
if ! found apt-get; then
    echo "Please install with your system's package manager:${need_browser:+ chromium}$missing" >&2
    exit 1
fi
as_root=""
[ "$(id -u)" -eq 0 ] || as_root="sudo"
$as_root apt-get update -qq
[ -z "$need_browser" ] || missing="$missing $(browser)"
# Word splitting wanted: one argument for each package.
$as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq --yes --no-install-recommends $missing
