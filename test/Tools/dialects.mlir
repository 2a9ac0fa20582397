// The drivers know exactly the dialects that we use.
// RUN: transfusion-opt --show-dialects | FileCheck %s
// RUN: transfusion-translate --help | FileCheck %s --check-prefix=TRANSLATE

// CHECK: Available Dialects:
// CHECK-SAME: affine,arith,bufferization,builtin,cf,einsum,func,index,linalg,llvm,math,memref,ml_program,scf,sched,tensor
// TRANSLATE: TransFusion translation driver
