//===- IndexFunction.h - Indices as functions of the loops ------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a body computes of its loops alone, as an affine expression: op by op
// where each is affine (4 - i); else, of one loop, from its values at all
// points of the loop, where these lie on a line or are one of them repeated or
// taken in turn (the rows that a resize to twice the size reads: max(0, (2*i -
// 1) / 4 rounded) is i / 2).
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_INDEXFUNCTION_H
#define TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_INDEXFUNCTION_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <optional>
#include <string>

namespace transfusion::raise {

struct IndexRange {
  int64_t low, high;
};

class IndexFunction {
public:
  /// Of the loops of a linalg op, or of the indices of a tensor.generate, both
  /// of static shape.
  explicit IndexFunction(mlir::Operation *op);

  /// Null: whyNot() says why.
  std::optional<mlir::AffineExpr> of(mlir::Value value);

  /// Least and greatest value over all loops; null beyond 2^62.
  std::optional<IndexRange> rangeOf(mlir::AffineExpr expr) const;

  unsigned numLoops() const { return extents.size(); }

  /// "at an index that is data, ..."
  std::string whyNot() const { return reason; }

private:
  std::optional<unsigned> loopOf(mlir::Value value) const;
  std::optional<mlir::AffineExpr> opByOp(mlir::Operation *def);
  std::optional<mlir::AffineExpr> pointByPoint(mlir::Value value);
  bool fits(mlir::AffineExpr expr, mlir::Type type) const;

  mlir::Operation *op;
  llvm::SmallVector<int64_t> extents;
  std::string reason;
};

} // namespace transfusion::raise

#endif // TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_INDEXFUNCTION_H
