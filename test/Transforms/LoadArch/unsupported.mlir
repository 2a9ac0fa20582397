// Every bad machine file is an error at its line and column; nothing is written.

// RUN: rm -rf %t && mkdir %t

// A misspelt key.
// RUN: %python %S/Inputs/mutate.py capacity_bytes capcity_bytes > %t/a.yaml
// RUN: not transfusion-opt --load-arch=%t/a.yaml %s -o %t/out 2>&1 | FileCheck %s --check-prefix=KEY
// KEY: a.yaml:48:5: error: unknown key 'capcity_bytes' of a memory (did you mean 'capacity_bytes'?)

// A negative capacity, a missing one, and a zero clock.
// RUN: %python %S/Inputs/mutate.py 5242880 -5242880 > %t/b.yaml
// RUN: not transfusion-opt --load-arch=%t/b.yaml %s -o %t/out 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: b.yaml:48:21: error: 'capacity_bytes' of a memory must be a whole number above 0, is '-5242880'
// RUN: %python %S/Inputs/mutate.py "    capacity_bytes: 5242880" "" > %t/c.yaml
// RUN: not transfusion-opt --load-arch=%t/c.yaml %s -o %t/out 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: c.yaml:47:5: error: a memory lacks the key 'capacity_bytes'
// RUN: %python %S/Inputs/mutate.py "clock_hz: 940000000" "clock_hz: 0" > %t/d.yaml
// RUN: not transfusion-opt --load-arch=%t/d.yaml %s -o %t/out 2>&1 | FileCheck %s --check-prefix=CLOCK
// CLOCK: d.yaml:6:11: error: 'clock_hz' of a machine must be a whole number above 0, is '0'

// Values and shapes.
// RUN: %python %S/Inputs/mutate.py "[16, 16]" "[16]" > %t/e.yaml
// RUN: not transfusion-opt --load-arch=%t/e.yaml %s -o %t/out 2>&1 | FileCheck %s --check-prefix=GRID
// GRID: e.yaml:9:12: error: 'grid' of a unit must be [rows, columns]
// RUN: %python %S/Inputs/mutate.py "      mac: {cycles: 1" "      mack: {cycles: 1" > %t/f.yaml
// RUN: not transfusion-opt --load-arch=%t/f.yaml %s -o %t/out 2>&1 | FileCheck %s --check-prefix=CLASS
// CLASS: f.yaml:{{[0-9]+}}:7: error: unknown op class 'mack' (did you mean 'mac'?)
// RUN: %python %S/Inputs/mutate.py "memory: buffer" "memory: bufer" > %t/g.yaml
// RUN: not transfusion-opt --load-arch=%t/g.yaml %s -o %t/out 2>&1 | FileCheck %s --check-prefix=MEMORY
// MEMORY: g.yaml:{{[0-9]+}}:5: error: 'sched.unit' op is on @bufer, which is no memory of @edge
// RUN: %python %S/Inputs/mutate.py "17.16" "-1" > %t/h.yaml
// RUN: not transfusion-opt --load-arch=%t/h.yaml %s -o %t/out 2>&1 | FileCheck %s --check-prefix=ENERGY
// ENERGY: h.yaml:{{[0-9]+}}:{{[0-9]+}}: error: 'energy_pj' of an op class must be a number that is not negative
// RUN: %python %S/Inputs/mutate.py "exp: {mac: 6}" "exp: {div: 6}" > %t/i.yaml
// RUN: not transfusion-opt --load-arch=%t/i.yaml %s -o %t/out 2>&1 | FileCheck %s --check-prefix=EXPANSION
// EXPANSION: i.yaml:{{[0-9]+}}:{{[0-9]+}}: error: 'sched.unit' op expands 'exp' into 'div', which it does not support
// RUN: %python %S/Inputs/mutate.py "name: edge" "name: edge\nname: edge" > %t/j.yaml
// RUN: not transfusion-opt --load-arch=%t/j.yaml %s -o %t/out 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: j.yaml:6:1: error: key 'name' is given twice

// Half a file: it ends in the middle of a line, or of the description.
// RUN: %python -c "t = open(r'%src/arch/edge.yaml').read(); print(t[:len(t) // 2], end='')" > %t/k.yaml
// RUN: not transfusion-opt --load-arch=%t/k.yaml %s -o %t/out 2>&1 | FileCheck %s --check-prefix=HALF
// HALF: k.yaml:{{[0-9]+}}:{{[0-9]+}}: error: the file does not end with a new line: it seems to be cut off
// RUN: %python -c "t = open(r'%src/arch/edge.yaml').read(); print(t[:t.index('memories:')], end='')" > %t/l.yaml
// RUN: not transfusion-opt --load-arch=%t/l.yaml %s -o %t/out 2>&1 | FileCheck %s --check-prefix=NOMEMORY
// NOMEMORY: l.yaml:5:1: error: a machine lacks the key 'memories'

// No text, no YAML, nothing, no file, no permission to read (a folder).
// RUN: %python -c "import sys; sys.stdout.buffer.write(bytes(range(256)) * 4)" > %t/m.yaml
// RUN: not transfusion-opt --load-arch=%t/m.yaml %s -o %t/out 2>&1 | FileCheck %s --check-prefix=BINARY
// BINARY: m.yaml:1:1: error: not a text file: byte 0 here
// RUN: %python -c "print('name: [edge')" > %t/n.yaml
// RUN: not transfusion-opt --load-arch=%t/n.yaml %s -o %t/out 2>&1 | FileCheck %s --check-prefix=NOYAML
// NOYAML: n.yaml:{{[0-9]+}}:{{[0-9]+}}: error: not YAML:
// RUN: touch %t/o.yaml
// RUN: not transfusion-opt --load-arch=%t/o.yaml %s -o %t/out 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: o.yaml:1:1: error: the file is empty
// RUN: not transfusion-opt --load-arch=%t/none.yaml %s -o %t/out 2>&1 | FileCheck %s --check-prefix=NOFILE
// NOFILE: none.yaml:1:1: error: cannot read the machine: No such file or directory
// RUN: not transfusion-opt --load-arch=%t/ %s -o %t/out 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: error: cannot read the machine: Is a directory

// An unknown name; a second machine; a name that is taken.
// RUN: not transfusion-opt --load-arch=egde %s -o %t/out 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: unsupported.mlir:{{[0-9]+}}:{{[0-9]+}}: error: no machine is called 'egde' (did you mean 'edge'?)
// NAME: note: known machines: cloud, cloud-max2d, edge, edge-32, edge-32-max2d, edge-64, edge-64-max2d, edge-max2d, embedded, fusemax, tiny, tiny-l2, tpu-v4i, tpu-v4i-core, tpu-v4i-mxus; a file is given by its path, PATH.yaml
// RUN: not transfusion-opt --load-arch=edge --load-arch=tiny %s -o %t/out 2>&1 | FileCheck %s --check-prefix=SECOND
// SECOND: edge.yaml:{{[0-9]+}}:1: error: 'sched.arch' op is in the module already; --load-arch would add a second one
// RUN: not transfusion-opt --load-arch=cloud %s -o %t/out 2>&1 | FileCheck %s --check-prefix=TAKEN
// TAKEN: unsupported.mlir:[[#@LINE+4]]:{{[0-9]+}}: error: 'func.func' op has the name of the machine, @cloud

// RUN: not ls %t/out

func.func private @cloud()
