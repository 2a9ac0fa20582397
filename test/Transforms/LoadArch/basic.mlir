// RUN: transfusion-opt --load-arch=edge %s | FileCheck %s --check-prefix=EDGE
// RUN: transfusion-opt --load-arch=arch=edge %s | FileCheck %s --check-prefix=EDGE
// RUN: transfusion-opt --load-arch=%src/arch/edge.yaml %s | FileCheck %s --check-prefix=EDGE
// RUN: transfusion-opt --load-arch=cloud %s | FileCheck %s --check-prefix=CLOUD
// RUN: transfusion-opt --load-arch=cloud-max2d %s | FileCheck %s --check-prefix=MAX2D
// RUN: transfusion-opt --load-arch=edge-32 %s | FileCheck %s --check-prefix=EDGE32
// RUN: transfusion-opt --load-arch=edge-64 %s | FileCheck %s --check-prefix=EDGE64
// RUN: transfusion-opt --load-arch=tiny %s | FileCheck %s --check-prefix=TINY
// RUN: transfusion-opt --load-arch=%S/Inputs/ports.yaml %s | FileCheck %s --check-prefix=PORTS

// 30 * 2^30 bytes/s shared; pJ per 64-bit access and per row of 4,096 bits,
// divided by 8 and 512.
// EDGE:      sched.arch @edge clock_hz 940000000 {
// EDGE-NEXT:   sched.memory @dram bandwidth_bytes_per_s 32212254720 energy_pj_per_byte 31.2
// EDGE-NEXT:   sched.memory @buffer in @dram capacity_bytes 5242880 read_energy_pj_per_byte 24.4390625 write_energy_pj_per_byte 30.7646484375
// EDGE-NEXT:   sched.unit @mac2d grid 16x16 on @buffer ops(mac cycles 1 pj 17.16, add cycles 1 pj 8.34, copy cycles 1, exp = 6 mac, rsqrt = 6 mac, sqrt = 6 mac, log = 6 mac, sin = 6 mac, cos = 6 mac) whole_einsum
// EDGE-NEXT:   sched.unit @vec1d lanes 256 on @buffer ops(mac cycles 1 pj 17.16, add cycles 1 pj 8.34, max cycles 1 pj 0.028, div cycles 1 pj 36.25, copy cycles 1, exp = 6 mac, rsqrt = 6 mac, sqrt = 6 mac, log = 6 mac, sin = 6 mac, cos = 6 mac, sigmoid = 6 mac + 1 add + 1 div, tanh = 7 mac + 2 add + 1 div, erf = 12 mac + 1 div + 1 max) whole_einsum

// CLOUD:     sched.memory @dram bandwidth_bytes_per_s 429496729600
// CLOUD:     sched.memory @buffer in @dram capacity_bytes 16777216 read_energy_pj_per_byte 11.4451171875 write_energy_pj_per_byte 15.3939453125
// CLOUD-NOT: mac2d{{.*}}max
// CLOUD:     sched.unit @mac2d grid 256x256
// CLOUD:     sched.unit @vec1d lanes 256

// MAX2D:     sched.arch @"cloud-max2d"
// MAX2D:     sched.unit @mac2d grid 256x256 on @buffer ops(mac cycles 1 pj 17.16, add cycles 1 pj 8.34, max cycles 1 pj 0.028,

// EDGE32:    capacity_bytes 5242880
// EDGE32:    grid 32x32
// EDGE64:    capacity_bytes 8388608
// EDGE64:    grid 64x64

// TINY:      sched.arch @tiny
// TINY:      sched.unit @mac2d grid 4x4
// TINY:      sched.unit @vec1d lanes 8

// PORTS:      sched.arch @ports clock_hz 940000000 {
// PORTS-NEXT:   sched.memory @dram capacity_bytes 1000000 read_bandwidth_bytes_per_s 1000 write_bandwidth_bytes_per_s 500
// PORTS-NEXT:   sched.memory @buffer in @dram capacity_bytes 64
// PORTS-NEXT:   sched.unit @vec1d lanes 8 on @buffer ops(mac cycles 3)
// PORTS-NOT:    whole_einsum
module {
}
