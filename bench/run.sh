#!/usr/bin/env bash
# Speed and memory beside HAProxy: see bench.py. `./dev bench` builds what this needs and calls it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec python3 -B bench/bench.py "$@"
