//===- NamedOpChecks.h - What verifiers of named ops share ------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_DIALECT_EINSUM_IR_NAMEDOPCHECKS_H
#define TRANSFUSION_LIB_DIALECT_EINSUM_IR_NAMEDOPCHECKS_H

#include "transfusion/Dialect/Einsum/IR/Einsum.h"

namespace transfusion::einsum {

inline mlir::RankedTensorType typeOf(mlir::Value v) {
  return mlir::cast<mlir::RankedTensorType>(v.getType());
}

mlir::LogicalResult checkExtents(mlir::Operation *op);
mlir::LogicalResult checkRank(mlir::Operation *op, mlir::Value v,
                              const llvm::Twine &what, int64_t rank);
/// All operands but `except` have the element type of the first one.
mlir::LogicalResult checkElementTypes(mlir::Operation *op,
                                      mlir::Value except = {});
/// A weight of `in` rows, in either layout, and its bias if there is one.
mlir::LogicalResult checkWeight(mlir::Operation *op, mlir::Value weight,
                                mlir::Value bias, bool outIn,
                                const llvm::Twine &what, int64_t in);

/// The op's results are what its operands imply. Call it last.
template <typename OpTy> mlir::LogicalResult checkResultTypes(OpTy op) {
  llvm::SmallVector<mlir::Type> expected;
  if (failed(OpTy::inferReturnTypes(op.getContext(), op.getLoc(),
                                    typename OpTy::Adaptor(op), expected)))
    return mlir::failure();
  for (auto [i, actual, wanted] :
       llvm::enumerate(op->getResultTypes(), expected))
    if (actual != wanted)
      return op.emitOpError() << "result " << i << " is " << actual
                              << ", but must be " << wanted;
  return mlir::success();
}

} // namespace transfusion::einsum

#endif // TRANSFUSION_LIB_DIALECT_EINSUM_IR_NAMEDOPCHECKS_H
