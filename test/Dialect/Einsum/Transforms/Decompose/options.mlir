// RUN: transfusion-opt %s --split-input-file --einsum-decompose=key-tile=4 | FileCheck %s --check-prefix=TILE
// RUN: transfusion-opt %s --split-input-file --einsum-decompose=key-tile=64 | FileCheck %s --check-prefix=WIDE
// RUN: transfusion-opt %s --split-input-file --einsum-decompose="attention-passes=2 key-tile=4" | FileCheck %s --check-prefix=TWO
// RUN: transfusion-opt %s --split-input-file --einsum-decompose="attention-passes=3 key-tile=4" | FileCheck %s --check-prefix=THREE
// RUN: transfusion-opt %s --split-input-file --einsum-decompose="report-passes=true key-tile=4" 2>&1 >/dev/null | FileCheck %s --check-prefix=PASS1
// RUN: transfusion-opt %s --split-input-file --einsum-decompose="report-passes=true attention-passes=2 key-tile=4" 2>&1 >/dev/null | FileCheck %s --check-prefix=PASS2
// RUN: transfusion-opt %s --split-input-file --einsum-decompose="report-passes=true attention-passes=3" 2>&1 >/dev/null | FileCheck %s --check-prefix=PASS3

// A ragged last tile is a domain of QK alone: the rest inherits it.
// TILE-LABEL: @attention
// TILE: m1 = 3 iterative, m0 = 4
// TILE: "QK" {{.*}} %arg1[b,h,m1*4+m0,e] {{.*}} where m1*4 + m0 < 11
// TILE-NOT: where
// TILE: "SLNV" {{.*}} %arg2[b,h,m1*4+m0,f]
// TILE: "AV" {{.*}} %RNV[b,h,f,3,p], %RD[b,h,3,p]

// A tile wider than the keys is all keys.
// WIDE-LABEL: @attention
// WIDE: m1 = 1 iterative, m0 = 11
// WIDE-NOT: where
// WIDE-LABEL: @masked

// TWO-LABEL: @attention
// TWO: m1 = 3, m0 = 4
// TWO: "QK"
// TWO: "LM" [b,h,m1,p]
// TWO: "SLN" [b,h,m1,m0,p]
// TWO: "SLD" [b,h,m1,p]
// TWO: "GM" [b,h,p] from %LM[b,h,m1,p] reduce max over [m1]
// TWO: "PRM" [b,h,m1,p] from %LM[b,h,m1,p], %GM[b,h,p]
// TWO: "SPD"
// TWO: "SD" [b,h,p] from %SPD[b,h,m1,p] reduce add over [m1]
// TWO: "SN"
// TWO: "A" [b,h,m1,m0,p] from %SN[b,h,m1,m0,p], %SD[b,h,p] map arith.divf
// TWO: "AV" {{.*}} reduce add over [m1,m0]
// A mask may hide a tile, or all of them.
// TWO-LABEL: @masked
// TWO: "LMG"
// TWO: "GMG"

// THREE-LABEL: @attention
// THREE: "GM" [b,h,p] from %QK[b,h,m1,m0,p] reduce max over [m1,m0]
// THREE: "SN" [b,h,m1,m0,p] from %QK[b,h,m1,m0,p], %GM[b,h,p]
// THREE: "SD" [b,h,p] from %SN[b,h,m1,m0,p] reduce add over [m1,m0]
// THREE: "A" [b,h,m1,m0,p]
// THREE: "AV" {{.*}} reduce add over [m1,m0]

// TWO-LABEL: @guarded
// TWO: "SDG" [b,h,p] from %GM[b,h,p], %SD[b,h,p]
// TWO: "A" {{.*}} %SDG[b,h,p]
// THREE-LABEL: @guarded
// THREE: "SN" {{.*}} %GMG[b,h,p]
// THREE: "A" {{.*}} %SDG[b,h,p]

// PASS1: remark: attention walks its 11 keys in 1 pass, 3 tiles of 4
// PASS2: remark: attention walks its 11 keys in 2 passes, 3 tiles of 4
// PASS3: remark: attention walks its 11 keys in 3 passes, 1 tile of 11

func.func @attention(%q: tensor<2x3x8x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x7xf32>) -> tensor<2x3x8x7xf32> {
  %a = einsum.mha %q, %k, %v : (tensor<2x3x8x5xf32>, tensor<2x3x11x5xf32>, tensor<2x3x11x7xf32>) -> tensor<2x3x8x7xf32>
  return %a : tensor<2x3x8x7xf32>
}

func.func @masked(%q: tensor<2x3x8x5xf32>, %k: tensor<2x3x11x5xf32>, %v: tensor<2x3x11x7xf32>, %m: tensor<11xf32>) -> tensor<2x3x8x7xf32> {
  %a = einsum.mha %q, %k, %v mask %m : (tensor<2x3x8x5xf32>, tensor<2x3x11x5xf32>, tensor<2x3x11x7xf32>, tensor<11xf32>) -> tensor<2x3x8x7xf32>
  return %a : tensor<2x3x8x7xf32>
}

// Queries without a key are no error where they give 0.
func.func @guarded(%q: tensor<2x3x11x5xf32>, %k: tensor<2x3x8x5xf32>, %v: tensor<2x3x8x7xf32>) -> tensor<2x3x11x7xf32> {
  %a = einsum.mha %q, %k, %v causal guarded : (tensor<2x3x11x5xf32>, tensor<2x3x8x5xf32>, tensor<2x3x8x7xf32>) -> tensor<2x3x11x7xf32>
  return %a : tensor<2x3x11x7xf32>
}
