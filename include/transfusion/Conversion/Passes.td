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

#endif // TRANSFUSION_CONVERSION_PASSES
