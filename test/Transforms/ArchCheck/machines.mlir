// Every machine that comes along breaks no rule, at no warning, and schedules a
// layer, but for the one with four memories, which a remark explains.
// RUN: transfusion-opt %s --load-arch=cloud --arch-check 2>&1 | FileCheck %s --check-prefix=GOOD
// RUN: transfusion-opt %s --load-arch=cloud-max2d --arch-check 2>&1 | FileCheck %s --check-prefix=GOOD
// RUN: transfusion-opt %s --load-arch=edge --arch-check 2>&1 | FileCheck %s --check-prefix=GOOD
// RUN: transfusion-opt %s --load-arch=edge-max2d --arch-check 2>&1 | FileCheck %s --check-prefix=GOOD
// RUN: transfusion-opt %s --load-arch=edge-32 --arch-check 2>&1 | FileCheck %s --check-prefix=GOOD
// RUN: transfusion-opt %s --load-arch=edge-32-max2d --arch-check 2>&1 | FileCheck %s --check-prefix=GOOD
// RUN: transfusion-opt %s --load-arch=edge-64 --arch-check 2>&1 | FileCheck %s --check-prefix=GOOD
// RUN: transfusion-opt %s --load-arch=edge-64-max2d --arch-check 2>&1 | FileCheck %s --check-prefix=GOOD
// RUN: transfusion-opt %s --load-arch=fusemax --arch-check 2>&1 | FileCheck %s --check-prefix=GOOD
// RUN: transfusion-opt %s --load-arch=embedded --arch-check 2>&1 | FileCheck %s --check-prefix=GOOD
// RUN: transfusion-opt %s --load-arch=tiny-l2 --arch-check 2>&1 | FileCheck %s --check-prefix=GOOD
// RUN: transfusion-opt %s --load-arch=tpu-v4i-core --arch-check 2>&1 | FileCheck %s --check-prefix=GOOD
// RUN: transfusion-opt %s --load-arch=tpu-v4i-mxus --arch-check 2>&1 | FileCheck %s --check-prefix=GOOD
// RUN: transfusion-opt %s --load-arch=tiny --arch-check 2>&1 | FileCheck %s --check-prefix=GOOD
// GOOD-NOT: {{warning|error|remark}}
// GOOD: sched.arch @
// GOOD-NOT: {{warning|error|remark}}

// RUN: transfusion-opt %s --load-arch=tpu-v4i --arch-check 2>&1 | FileCheck %s --check-prefix=TPU
// TPU: tpu-v4i.yaml:{{[0-9]+}}:5: remark: 'sched.memory' op there are 4 of memory 'lbuf'; schedules use one (A02
// TPU: remark: 'sched.memory' op there are 65536 of memory 'reg'
// TPU: remark: 'sched.unit' op lanes of unit 'mac2d' share along one dimension
// TPU: sched.arch @"tpu-v4i" clock_hz 1050000000 {
// TPU-NEXT: sched.memory @dram bandwidth_bytes_per_s 614000000000 energy_pj_per_byte 56.24
// TPU-NEXT: sched.memory @gbuf in @dram capacity_bytes 134217728 read_bandwidth_bytes_per_s 2048000000000 write_bandwidth_bytes_per_s 1024000000000 read_energy_pj_per_byte 15.04 write_energy_pj_per_byte 18.88
// TPU-NEXT: sched.memory @lbuf in @gbuf instances 4 capacity_bytes 4194304 keeps input|output read_energy_pj_per_byte 1.992 write_energy_pj_per_byte 2.344
// TPU-NEXT: sched.memory @reg in @lbuf instances 65536 capacity_bytes 2 keeps weight
// TPU-NEXT: sched.unit @mac2d instances 4 grid 128x128 rows_share outputs cols_share inputs on @reg ops(mac cycles 1 pj 0.084)
// TPU-NEXT: sched.unit @vec1d instances 4 lanes 128 on @lbuf ops(

// None is left out of this file or of the page.
// RUN: %python %S/Inputs/all_machines.py %s

// Without a machine there is nothing to check.
// RUN: not transfusion-opt %s --arch-check 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error: the module describes no machine (sched.arch)
// NONE: note: --load-arch=NAME puts one into it
