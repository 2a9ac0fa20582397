// The example in the description of the pass.
// RUN: transfusion-opt --load-arch=edge %s | FileCheck %s

// CHECK:      sched.arch @edge clock_hz 940000000 {
// CHECK-NEXT:   sched.memory @dram bandwidth_bytes_per_s 32212254720 energy_pj_per_byte 31.2
module {
}
