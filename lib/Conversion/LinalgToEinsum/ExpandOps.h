//===- ExpandPieces.h - Padding and insertion as concats --------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tensor around which, or into which, something is put is a concat in each
// dimension where it is not the whole: of what is before, itself, and what is
// behind. So every piece is read at its own points, by an access that is
// linear.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_EXPANDPIECES_H
#define TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_EXPANDPIECES_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseMap.h"

namespace transfusion::raise {

/// What stands for an op of the program.
struct ExpandedOp {
  std::string name;                           ///< of the op
  int64_t inner = 0;                          ///< ops in its regions
  llvm::SmallVector<mlir::Operation *> parts; ///< but for the last
};

struct ExpandedOps {
  /// By the op that gives the result.
  llvm::DenseMap<mlir::Operation *, ExpandedOp> whole; // looked up only
  llvm::DenseMap<mlir::Operation *, mlir::Operation *> wholeOf; // of a part
};

/// Rewrites every tensor.pad and tensor.insert_slice of the block that can be
/// raised. Insertions with strides, and those that fill a tensor one behind the
/// other, stay.
ExpandedOps expandPieces(mlir::Block &block);

/// A chain of insertions that fills a tensor piece by piece along one
/// dimension: the pieces, in order.
llvm::SmallVector<mlir::Value> piecesOfChain(mlir::tensor::InsertSliceOp last,
                                             unsigned &at);

} // namespace transfusion::raise

#endif // TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_EXPANDPIECES_H
