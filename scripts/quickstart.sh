#!/usr/bin/env bash
# The main job: one BERT-base layer, batch 64, 1024 tokens, scheduled for the
# published edge accelerator; its report; its schedule as a file; and the proof
# that the program emitted for it computes the right numbers.
#   ARCH=edge-64 scripts/quickstart.sh      another machine (see arch/)
set -euo pipefail
cd "$(dirname "$0")/.."

arch=${ARCH:-edge}
layer=examples/bert_base_1024_b64.mlir
out=build/quickstart

scripts/build.sh
export PATH=$PWD/build/bin:$PATH PYTHONPATH=$PWD/python
mkdir -p "$out"

echo "== Scheduling $layer on $arch"
transfusion-opt "$layer" --load-arch="$arch" --dpipe --tileseek -o "$out/layer.mlir"

echo "== Report"
transfusion-translate --schedule-to-report "$out/layer.mlir"

transfusion-translate --schedule-to-json "$out/layer.mlir" -o "$out/schedule.json"
echo "== Schedule: $out/schedule.json ($(wc -c <"$out/schedule.json") bytes)"

# The same schedule, applied to one sample of the full 1024 x 768 layer, against
# NumPy in double precision.
echo "== Executing the emitted program on one sample"
transfusion-opt examples/bert_base_1024_b1.mlir \
  --load-schedule="$out/layer.mlir" -o "$out/sample.mlir"
/usr/bin/python3 -m transfusion.reference bert --layout in_out --length 1024 \
  --heads 12 --head-size 64 --hidden 3072 --out "$out/sample.npz"
/usr/bin/python3 -m transfusion.execute "$out/sample.mlir" \
  --npz "$out/sample.npz" --path scheduled --atol 0 --rtol 2e-6
