// One row a policy, from the plainest to the search's own.
// RUN: transfusion-compare %s --evaluations=24 | FileCheck %s
// CHECK: @layer on @toy   model default   seed 1   24 evaluations a policy
// CHECK-NEXT: policy {{.*}}latency s {{.*}}energy J {{.*}}2D % {{.*}}1D % {{.*}}DRAM GB {{.*}}peak MiB {{.*}}bound s {{.*}}gap % {{.*}}limited by
// CHECK-NEXT: unfused
// CHECK-NEXT: flat
// CHECK-NEXT: fusemax-modelled
// CHECK-NEXT: fusemax {{[0-9]}}
// CHECK-NEXT: fusemax-layerfuse
// CHECK-NEXT: transfusion-paper
// CHECK-NEXT: transfusion {{[0-9]}}
// CHECK: energy J dram buffer mac2d vec1d
// CHECK-NEXT: unfused

// What numbers say about each other, and that a second run says the same.
// RUN: transfusion-compare %s --evaluations=24 --format=json --suggest -o %t.json
// RUN: transfusion-compare %s --evaluations=24 --format=json --suggest -o %t.again.json
// RUN: cmp %t.json %t.again.json
// RUN: %python %S/Inputs/compare.py %t.json
// RUN: transfusion-compare %s --evaluations=24 --suggest --policies=transfusion | FileCheck %s --check-prefix=SUGGEST
// SUGGEST: what would help transfusion most:
// SUGGEST-COUNT-3: {{: .* s \(.*x\)$}}
// RUN: transfusion-compare %s --evaluations=24 --format=csv --policies=flat,unfused | FileCheck %s --check-prefix=CSV
// CSV: layer,arch,model,policy,latency_s,energy_pj,util_2d,util_1d,dram_bytes,peak_bytes,bound_s,gap,limited_by,infeasible
// CSV-NEXT: layer,toy,default,flat,
// CSV-NEXT: layer,toy,default,unfused,

// Named models, for the policies that they know.
// RUN: transfusion-compare %s --model=fusemax | FileCheck %s --check-prefix=FUSEMAX
// FUSEMAX: @layer on @toy   model fusemax
// FUSEMAX: {{^}} fusemax {{[0-9]}}
// RUN: transfusion-compare %s --model=transfusion-paper | FileCheck %s --check-prefix=PAPER
// PAPER: {{^}} fusemax-modelled
// PAPER-NEXT: fusemax-layerfuse
// PAPER-NEXT: transfusion-paper

// RUN: not transfusion-compare %s --policies=flat,fusermax 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error: unknown policy 'fusermax'
// UNKNOWN: note: policies are transfusion, transfusion-paper, fusemax-layerfuse, fusemax, fusemax-modelled, flat, unfused
// RUN: not transfusion-compare %s --model=fusemax --policies=flat 2>&1 | FileCheck %s --check-prefix=MODEL
// MODEL: error: model fusemax does not apply: it knows no policy flat
// MODEL: note: it knows fusemax
// RUN: not transfusion-compare %s --model=fusemax --suggest 2>&1 | FileCheck %s --check-prefix=NOSEARCH
// NOSEARCH: error: a named model has no search to suggest changes from
// RUN: not transfusion-compare %s --evaluations=0 2>&1 | FileCheck %s --check-prefix=BUDGET
// BUDGET: error: evaluations is 0, must be at least 1
// RUN: not transfusion-compare %s --arch=edge --evaluations=8 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: error
// RUN: not transfusion-compare %s.missing --arch=edge 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: No such file

sched.arch @toy clock_hz 1000000000 {
  sched.memory @dram bandwidth_bytes_per_s 32000000000 energy_pj_per_byte 31.2
  sched.memory @buffer in @dram capacity_bytes 32768 energy_pj_per_byte 1.0
  sched.unit @mac2d grid 4x4 on @buffer ops(mac cycles 1 pj 17.16, add cycles 1 pj 8.34, copy cycles 1, exp = 6 mac, rsqrt = 6 mac) whole_einsum
  sched.unit @vec1d lanes 8 on @buffer ops(mac cycles 1 pj 17.16, add cycles 1 pj 8.34, max cycles 1, div cycles 1 pj 36.25, copy cycles 1, exp = 6 mac, rsqrt = 6 mac) whole_einsum
}

func.func @layer(%x: tensor<2x24x16xbf16>, %wq: tensor<16x16xbf16>, %wk: tensor<16x16xbf16>, %wv: tensor<16x16xbf16>, %wo: tensor<16x16xbf16>, %g: tensor<16xbf16>, %o: tensor<16xbf16>, %w1: tensor<16x32xbf16>, %w2: tensor<32x16xbf16>) -> tensor<2x24x16xbf16> {
  %q, %k, %v = einsum.qkv %x, %wq, %wk, %wv heads 2
      : (tensor<2x24x16xbf16>, tensor<16x16xbf16>, tensor<16x16xbf16>, tensor<16x16xbf16>) -> (tensor<2x2x24x8xbf16>, tensor<2x2x24x8xbf16>, tensor<2x2x24x8xbf16>)
  %a = einsum.mha %q, %k, %v scale 0.5 : (tensor<2x2x24x8xbf16>, tensor<2x2x24x8xbf16>, tensor<2x2x24x8xbf16>) -> tensor<2x24x16xbf16>
  %p = einsum.linear %a, %wo : (tensor<2x24x16xbf16>, tensor<16x16xbf16>) -> tensor<2x24x16xbf16>
  %r = einsum.add %x, %p : tensor<2x24x16xbf16>
  %n = einsum.layer_norm %r, %g, %o eps 1.0e-5 : (tensor<2x24x16xbf16>, tensor<16xbf16>, tensor<16xbf16>) -> tensor<2x24x16xbf16>
  %f = einsum.ffn %n, %w1, %w2 activation relu : (tensor<2x24x16xbf16>, tensor<16x32xbf16>, tensor<32x16xbf16>) -> tensor<2x24x16xbf16>
  return %f : tensor<2x24x16xbf16>
}
