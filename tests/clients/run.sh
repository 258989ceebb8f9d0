#!/usr/bin/env bash
# Real clients against a real gateway: tests/clients/run.sh [BINARY] [PART OF A CASE'S NAME]
# Installs the pinned SDKs under build/clients. The last line is "N passed, N failed".
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
binary=$(realpath -m "${1:-$root/build/release/penstock}")
out=$root/build/clients
mkdir -p "$out"

give_up() {
  echo "FAIL  setup: $1"
  echo "0 passed, 1 failed"
  exit 1
}

unchanged() {  # unchanged STAMP FILE…: whether the files are those of the last installation
  local stamp=$1
  shift
  [[ -f $stamp ]] && cat "$@" | sha256sum | cmp -s - "$stamp"
}

install_python() {
  local stamp=$out/venv/installed
  unchanged "$stamp" "$here/requirements.txt" && "$out/venv/bin/python" -c 'import openai' && return
  rm -rf "$out/venv"
  python3 -m venv "$out/venv" &&
    "$out/venv/bin/python" -m pip install --quiet --no-input --disable-pip-version-check \
      -r "$here/requirements.txt" &&
    sha256sum <"$here/requirements.txt" >"$stamp"
}

install_node() {
  local stamp=$out/node_modules/installed
  # A module finds its packages beside itself, so the suite runs from a copy.
  cp "$here"/{package.json,package-lock.json,.npmrc,node_cases.mjs,node_suite.mjs} "$out"/ || return
  unchanged "$stamp" "$here"/package.json "$here"/package-lock.json && return
  (cd "$out" && npm ci --no-audit --no-fund) &&
    cat "$here"/package.json "$here"/package-lock.json | sha256sum >"$stamp"
}

[[ -x $binary ]] || give_up "there is no $binary; build it with ./dev build"
for command in python3 node npm curl openssl haproxy redis-server redis-cli; do
  command -v "$command" >/dev/null || give_up "$command is missing"
done
(install_python && install_node) >"$out/setup.log" 2>&1 || {
  tail -n 20 "$out/setup.log"
  give_up "the SDKs could not be installed; see build/clients/setup.log"
}

# Nothing from the caller's environment may steer a client: no proxies, no keys, no addresses.
exec env -u http_proxy -u https_proxy -u all_proxy -u HTTP_PROXY -u HTTPS_PROXY -u ALL_PROXY \
  -u OPENAI_API_KEY -u OPENAI_BASE_URL -u OPENAI_ORG_ID -u OPENAI_PROJECT_ID -u OPENAI_LOG \
  PYTHONPYCACHEPREFIX="$out/pycache" \
  "$out/venv/bin/python" "$here/run_suites.py" --binary "$binary" --out "$out" --only "${2:-}"
