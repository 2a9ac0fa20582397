//===- Ranks.h - Digits of every dimension of a block -----------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_RANKS_H
#define TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_RANKS_H

#include "RaiseGraph.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace transfusion::raise {

/// The finest common factorisation over all ops that will be raised.
class Ranks {
public:
  /// `ops` in program order.
  explicit Ranks(llvm::ArrayRef<mlir::Operation *> ops);

  /// Per dimension.
  llvm::SmallVector<Digits> digitsOf(mlir::Value value);
  Digits flatDigitsOf(mlir::Value value);
  /// Per loop.
  llvm::SmallVector<Digits> loopDigitsOf(mlir::linalg::LinalgOp op);
  /// A digit that nothing else shares.
  Digit fresh(int64_t extent) { return {factoring.create(extent), extent}; }
  /// A dimension taken whole: no digit when its extent is 1.
  Digits whole(int64_t extent) {
    return extent == 1 ? Digits{} : Digits{fresh(extent)};
  }

private:
  using Nodes = llvm::SmallVector<Factoring::Node, 4>;
  Nodes &dimsOf(mlir::Value value);
  Digits digitsOf(Factoring::Node node);
  void equateLinalg(mlir::linalg::LinalgOp op);
  void equateDivided(const Nodes &loops, Factoring::Node own,
                     mlir::AffineExpr expr);
  void equateTensorOp(mlir::Operation *op);
  void equateSlice(mlir::Value big, mlir::Value small,
                   llvm::ArrayRef<int64_t> offsets,
                   llvm::ArrayRef<int64_t> sizes,
                   llvm::ArrayRef<int64_t> strides,
                   const llvm::SmallBitVector &dropped);
  bool refineSlice(mlir::Operation *op);

  Factoring factoring;
  llvm::DenseMap<mlir::Value, Nodes> dims;        // looked up only
  llvm::DenseMap<mlir::Operation *, Nodes> loops; // looked up only
};

} // namespace transfusion::raise

#endif // TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_RANKS_H
