#!/usr/bin/env bash
# Builds everything and runs every test. Ends with ctest's own summary.
#   JOBS=N    parallel jobs (default: one per processor)
set -euo pipefail
cd "$(dirname "$0")/.."

scripts/build.sh "$@"
echo "== Testing"
exec ctest --test-dir build --output-on-failure --no-tests=error -j "${JOBS:-$(nproc)}"
