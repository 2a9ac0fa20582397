// What is no machine is an error at its line and column, with what would fix it.

// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/Inputs/break_machine.py %t

// RUN: not transfusion-opt --load-arch=%t/feeds-nothing.yaml %s 2>&1 | FileCheck %s --check-prefix=NOTHING
// NOTHING: feeds-nothing.yaml:[[#]]:5: error: 'sched.memory' op memory 'scratch' feeds no unit (A10 use)
// NOTHING: note: put a unit on it, or leave it out
// RUN: not transfusion-opt --load-arch=%t/no-memory.yaml %s 2>&1 | FileCheck %s --check-prefix=UNIT
// UNIT: no-memory.yaml:[[#]]:5: error: a unit lacks the key 'memory'
// RUN: not transfusion-opt --load-arch=%t/on-dram.yaml %s 2>&1 | FileCheck %s --check-prefix=DRAM
// DRAM: on-dram.yaml:[[#]]:5: error: 'sched.unit' op unit 'vec1d' is on the outermost memory 'dram' (A09 feed)
// DRAM: note: put it on the buffer
// RUN: not transfusion-opt --load-arch=%t/cycle.yaml %s 2>&1 | FileCheck %s --check-prefix=CYCLE
// CYCLE: cycle.yaml:[[#]]:5: error: 'sched.memory' op is in itself (@dram in @buffer in @dram): the hierarchy has a cycle
// CYCLE: note: list memories from outer to inner, each in one before it
// RUN: not transfusion-opt --load-arch=%t/bandwidth-zero.yaml %s 2>&1 | FileCheck %s --check-prefix=BANDWIDTH
// BANDWIDTH: bandwidth-zero.yaml:[[#]]:28: error: 'bandwidth_bytes_per_s' of a memory must be a whole number above 0, is '0'
// BANDWIDTH: note: leave it out for no limit
// RUN: not transfusion-opt --load-arch=%t/capacity.yaml %s 2>&1 | FileCheck %s --check-prefix=CAPACITY
// CAPACITY: capacity.yaml:[[#]]:21: error: 'capacity_bytes' of a memory must be a whole number above 0 and below 2^63, is '9223372036854775808'
// RUN: not transfusion-opt --load-arch=%t/instances.yaml %s 2>&1 | FileCheck %s --check-prefix=INSTANCES
// INSTANCES: instances.yaml:[[#]]:5: error: 'sched.unit' op there are 1 of unit 'mac2d', on the 3 of memory 'buffer' (A14 instances)
// INSTANCES: note: give a multiple of 3, or a memory for every lane (256)
// RUN: not transfusion-opt --load-arch=%t/keeps.yaml %s 2>&1 | FileCheck %s --check-prefix=KEEPS
// KEEPS: keeps.yaml:[[#]]:20: error: 'keeps' must be one of input, weight, output, is 'weights' (did you mean 'weight'?)
// RUN: not transfusion-opt --load-arch=%t/keeps-not-all.yaml %s 2>&1 | FileCheck %s --check-prefix=ALL
// ALL: keeps-not-all.yaml:[[#]]:5: error: 'sched.memory' op memory 'dram' keeps not everything, and is the outermost one (A15 keeps)
// RUN: not transfusion-opt --load-arch=%t/share.yaml %s 2>&1 | FileCheck %s --check-prefix=SHARE
// SHARE: share.yaml:[[#]]:17: error: 'rows_share' must be one of nothing, inputs, outputs, both, is 'output' (did you mean 'outputs'?)
// RUN: not transfusion-opt --load-arch=%t/share-lanes.yaml %s 2>&1 | FileCheck %s --check-prefix=LANES
// LANES: share-lanes.yaml:[[#]]:5: error: 'sched.unit' op has lanes: only a grid shares along rows and columns
// RUN: not transfusion-opt --load-arch=%t/leakage.yaml %s 2>&1 | FileCheck %s --check-prefix=LEAKAGE
// LEAKAGE: leakage.yaml:[[#]]:16: error: 'leakage_w' of a memory must be a number that is not negative
// RUN: not transfusion-opt --load-arch=%t/keeps-word.yaml %s 2>&1 | FileCheck %s --check-prefix=WORD
// WORD: keeps-word.yaml:[[#]]:13: error: 'keeps' must be one of input, weight, output, is 'input|weight'
// RUN: not transfusion-opt --load-arch=%t/leaks.yaml %s 2>&1 | FileCheck %s --check-prefix=LEAKS
// LEAKS: leaks.yaml:[[#]]:5: error: 'sched.memory' op memory 'buffer' has a leakage of 1e+308 W (A16 leakage)
// LEAKS: note: give 0 to 1e+09 W
// RUN: not transfusion-opt --load-arch=%t/leaks-lanes.yaml %s 2>&1 | FileCheck %s --check-prefix=LEAKSLANES
// LEAKSLANES: leaks-lanes.yaml:[[#]]:5: error: 'sched.unit' op unit 'vec1d' has a leakage of 2e+09 W (A16 leakage)
// RUN: not transfusion-opt --load-arch=%t/infinite.yaml %s 2>&1 | FileCheck %s --check-prefix=INFINITE
// INFINITE: infinite.yaml:[[#]]:5: error: 'sched.memory' op memory 'dram' has a read energy of 1e+308 pJ per byte (A06 energy)
// INFINITE: note: give 0 to 1e+12 pJ per byte
// RUN: not transfusion-opt --load-arch=%t/infinite-op.yaml %s 2>&1 | FileCheck %s --check-prefix=INFINITEOP
// INFINITEOP: infinite-op.yaml:[[#]]:5: error: 'sched.unit' op op class 'mac' of unit 'mac2d' takes 1e+308 pJ (A11 op table)

// A warning, and the machine is loaded.
// RUN: transfusion-opt --load-arch=%t/milliwatt.yaml %s 2>&1 | FileCheck %s --check-prefix=MILLIWATT
// MILLIWATT: milliwatt.yaml:[[#]]:5: warning: 'sched.memory' op memory 'buffer' leaks 5000 W, expected 1e-08 to 1000 (A17 magnitude)
// MILLIWATT: note: is it in mW? give W
// MILLIWATT: sched.arch @edge
// RUN: transfusion-opt --load-arch=%t/femto.yaml %s 2>&1 | FileCheck %s --check-prefix=FEMTO
// FEMTO: femto.yaml:[[#]]:5: warning: 'sched.memory' op reading memory 'dram' takes 31200 pJ per byte, expected 0.5 to 3000 (A17 magnitude)
// FEMTO: note: is it in fJ, or of a whole word or row? give pJ per byte
// FEMTO: sched.arch @edge
// RUN: transfusion-opt --load-arch=%t/joule.yaml %s 2>&1 | FileCheck %s --check-prefix=JOULE
// JOULE: joule.yaml:[[#]]:5: warning: 'sched.unit' op a mac of unit 'mac2d' takes 1.716e-11 pJ, expected 0.001 to 400 (A17 magnitude)
// JOULE: note: is it in nJ or uJ? give pJ
