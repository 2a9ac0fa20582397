#ifndef TRANSFUSION_CONVERSION_PASSES
#define TRANSFUSION_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

def EinsumToLinalgPass : Pass<"einsum-to-linalg", "::mlir::func::FuncOp"> {
  let summary = "lower cascades to linalg on tensors: what they mean";
  let description = [{
    Each Einsum becomes `linalg.generic`: map and reduce, then finish. Einsums
    that depend on each other become one `scf.for` over their iterative rank,
    which carries one slice, or the whole tensor where more than the last slice
    is read. A point that does not exist is not reduced; where a result point
    does not exist, the tensor holds zero.

    This is the reference semantics: nothing is fused, and intermediates such as
    the scores exist as whole tensors.

    *Requires*: named ops are decomposed (`--einsum-decompose`).
    *Ensures*: no op of the einsum dialect is left.
    *Fails when*: a named op is left; a recurrence reads a later slice of one of
    its own members.
    *Complexity*: linear in the Einsums.
  }];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::linalg::LinalgDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def CopyToLinalgPass : Pass<"memref-copy-to-linalg", "::mlir::func::FuncOp"> {
  let summary = "turn memref.copy into linalg.copy";
  let description = [{
    A copy between strided buffers would otherwise become a call into MLIR's
    runner library, which an emitted program should not need.

    *Requires*: nothing. *Ensures*: no memref.copy is left. *Fails when*: never.
    *Complexity*: linear in the ops.
  }];
  let dependentDialects = ["::mlir::linalg::LinalgDialect"];
}

def DistinctResultsPass
    : Pass<"memref-distinct-results", "::mlir::func::FuncOp"> {
  let summary = "copy a buffer that a function returns a second time";
  let description = [{
    Results that become the caller's buffers must be buffers of their own.

    *Requires*: bufferised functions. *Ensures*: no memref of static shape is
    returned twice by one func.return. *Fails when*: never. *Complexity*: linear
    in the ops.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def StrictCastsPass : Pass<"arith-strict-casts", "::mlir::ModuleOp"> {
  let summary = "drop the fast-math flags of casts between floats";
  let description = [{
    `math-extend-to-supported-types` puts flags on the casts that it makes. The
    LLVM dialect's casts have none, so the flags would be attributes that its
    translation does not know.

    *Requires*: nothing. *Ensures*: no arith.extf or arith.truncf has flags.
    *Fails when*: never. *Complexity*: linear in the ops.
  }];
}

def Bf16AsBitsPass : Pass<"llvm-bf16-as-bits", "::mlir::ModuleOp"> {
  let summary = "hold bf16 values as their 16 bits";
  let description = [{
    Where bf16 is only loaded, stored, selected and taken apart by integer
    operations, LLVM may still make a select of bf16 values, and on a target
    without them a call to `__truncsfbf2`, which libgcc 12 lacks. i16 values
    need no conversion.

    *Requires*: the LLVM dialect, no arithmetic on bf16
    (`arith-emulate-unsupported-floats`, `arith-expand=include-bf16`).
    *Ensures*: no bf16 is left. *Fails when*: an op computes in bf16; the
    verifier then names it. *Complexity*: linear in the ops.
  }];
}

def ConvertSchedToAffinePass
    : Pass<"convert-sched-to-affine", "::mlir::ModuleOp"> {
  let summary = "emit the program that a schedule describes";
  let description = [{
    Every function that has a `sched.schedule` becomes affine loops over
    memrefs: outer tiles, and per phase a software pipeline (prologue, steady
    state, epilogue) whose Einsums stand in the order of their start cycles.
    Memory space m is memory m of the machine, DRAM the default space. Each
    on-chip memory is one i8 allocation, its buffers are views at constant
    offsets. Results become memref arguments behind the inputs; functions that
    call one stay on tensors, with buffers around the call (finish them with
    `--one-shot-bufferize`). Nothing is decided here: the program is the Plan
    that follows from the schedule.

    A result that is appended to an argument (`einsum.append`) lies in that
    argument, which has the result's size.

    *Requires*: a schedule per function, which holds cascades and constants.
    *Ensures*: no schedule and no machine is left, nor an op of the einsum
    dialect in these functions.
    *Fails when*: the module has no schedule; the checker finds one illegal
    (`verify=false` turns it off: tests show by the numbers that it is needed);
    a function has several; an op that is not scheduled stands beside its
    cascades; something else than a `func.call` refers to the function.
    *Complexity*: linear in Einsums times classes of outer tiles (full or
    ragged, per tiled rank).
  }];
  let options = [
    Option<"poison", "poison", "bool", "false",
           "fill buffers with NaN when they are allocated and when their "
           "lifetime begins">,
    Option<"verify", "verify", "bool", "true",
           "refuse schedules that the checker finds illegal">
  ];
  let dependentDialects = [
    "::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect",
    "::mlir::bufferization::BufferizationDialect", "::mlir::func::FuncDialect",
    "::mlir::memref::MemRefDialect"];
}

def DropMemorySpacesPass : Pass<"transfusion-drop-memory-spaces"> {
  let summary = "move every memref to the default memory space";
  let description = [{
    A host has one memory: the memory spaces of the machine's memories would
    become address spaces of the LLVM target. For execution only.

    *Requires*: nothing. *Ensures*: no memref has a memory space. *Fails when*:
    never. *Complexity*: linear in the ops.
  }];
}

def LinalgToEinsumPass
    : Pass<"convert-linalg-to-einsum", "::mlir::ModuleOp"> {
  let summary = "raise linalg on tensors to cascades of Einsums";
  let description = [{
    Every linalg op (named or generic, affine maps, any body of arith and math)
    becomes an Einsum; reshapes, transposes, slices and broadcasts become
    accesses of their readers; fills, constants and what only gives a shape
    disappear into bodies. One `einsum.cascade` per function, several only where
    a foreign op stands between. Structural: no softmax or attention is
    recognised here.

    Dimensions get the finest common factorisation over all reshapes: 768 that
    is read as 12 x 64 somewhere has two ranks everywhere, so that reshapes
    vanish. Where there is none (6 as 2 x 3 and as 3 x 2) an Einsum copies, which
    costs like any other. A concat of equal pieces of one tensor is one access:
    RoPE's rotated halves are x[1-e1, e0], one of them negated. Other pieces (37
    rows and a new one) are an Einsum each, which extends the one before; where
    `einsum.append` says that the caller passes a buffer with room behind the
    first, only the new ones are made.

    Bodies are simplified: constants rounded through casts, small powers as
    products. Sums of 16-bit floats accumulate in f32 and are rounded once.
    f64 that is no argument or result becomes f32. A result that nobody reads
    (the index beside a maximum) is removed. `tensor.extract` at affine places (a
    reversed dimension, one element) is an operand; a select that accumulates
    (x > acc ? x : acc) is the maximum or the masked sum that it means; ops of
    index and `affine.apply` are written in arith.

    `raise-report` says what became of each op, as text or JSON on stderr; the
    counts add up to the ops of the file.

    *Requires*: tensors, not memrefs; TOSA goes through
    `--convert-tosa-to-einsum`. *Ensures*: no op that moves or computes tensors
    is left, but named ops of einsum. *Fails when*: an op cannot be raised
    (dynamic or empty dimension, gather, call, control flow, an index of a
    maximum that is read, a scalar argument, an element type that no machine
    has): an error names it, why, and what would fix it; `allow-unraised` leaves it between cascades and warns. Nothing is changed
    when it fails. *Complexity*: linear in the number of ops.

    ```mlir
    %t = linalg.transpose ins(%w : tensor<5x4xf32>) outs(%e : tensor<4x5xf32>)
        permutation = [1, 0]
    %y = linalg.matmul ins(%x, %t : ...) outs(%zero : ...) -> tensor<3x5xf32>
    // becomes
    %y = einsum.cascade ranks(s = 3, c = 5, n = 4) {
      %dot1 = einsum.map_reduce "dot1" [s,c] from %x[s,n], %w[c,n]
          map arith.mulf reduce add over [n] : ...
    ```
  }];
  let dependentDialects = ["::transfusion::einsum::EinsumDialect"];
  let options = [
    Option<"allowUnraised", "allow-unraised", "bool", /*default=*/"false",
           "leave what cannot be raised, with a warning">,
    Option<"raiseReport", "raise-report", "::transfusion::RaiseReport",
           /*default=*/"::transfusion::RaiseReport::None",
           "what became of each op, on stderr",
           [{::transfusion::raiseReportChoices()}]>,
  ];
}

#endif // TRANSFUSION_CONVERSION_PASSES
