#!/usr/bin/env bash
# Installs what is missing, configures and builds everything into build/.
#   JOBS=N    parallel jobs (default: one per processor)
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/install-deps.sh "$@"
# 1 GB per job is twice what the largest file needs.
memory_gb=$(awk '/MemAvailable/ {print int($2 / 1048576)}' /proc/meminfo)
jobs=${JOBS:-$(nproc)}
[ -n "${JOBS:-}" ] || [ "$jobs" -le "$memory_gb" ] || jobs=$((memory_gb > 1 ? memory_gb : 1))

echo "== Configuring"
log=$(mktemp)
cmake --preset default >"$log" 2>&1 || {
  cat "$log" >&2
  exit 1
}
rm -f "$log"
echo "== Building with $jobs jobs"
NINJA_STATUS='[%f/%t, %es] ' cmake --build build -j "$jobs"
