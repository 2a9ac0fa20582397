//===- Domain.h - Which points of an Einsum exist ---------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Example: QK[m1,m0,p] has the constraint m1*16 + m0 <= p. SLN[m1,m0,p] reads
// it point by point and so has the same effective domain. LM[m1,p] reduces m0:
// its iteration space is cut likewise, its result exists everywhere.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_DIALECT_EINSUM_IR_DOMAIN_H
#define TRANSFUSION_DIALECT_EINSUM_IR_DOMAIN_H

#include "transfusion/Dialect/Einsum/IR/Einsum.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace transfusion::einsum {

/// Both ends are attained or are outer bounds (mod, floordiv).
struct Interval {
  int64_t min = 0, max = 0;
};
/// Values of `expr` where dimension i runs over [0, extents[i]).
Interval getRange(mlir::AffineExpr expr, llvm::ArrayRef<int64_t> extents);

/// True when no point of the box satisfies `domain` (which may be null) and
/// has `expr` in [atLeast, atMost]; a bound that is absent does not hold.
bool isOutside(mlir::AffineExpr expr, std::optional<int64_t> atLeast,
               std::optional<int64_t> atMost, llvm::ArrayRef<int64_t> extents,
               mlir::IntegerSet domain);

/// Rank i of `op` as a function of the result's coordinates; null where the
/// result lacks the rank. Holds for the points that the op defines.
llvm::SmallVector<mlir::AffineExpr> getInverseResultMap(MapReduceOp op);

/// The einsum that defines `value` within `cascade`; null for outside values.
MapReduceOp getProducer(mlir::Value value, CascadeOp cascade);

/// Slices by which a read lies behind the write, along dimension `dim` that
/// both index by the same rank (result offset minus read offset); nullopt when
/// they do not.
std::optional<int64_t> getAdvance(MapReduceOp producer, MapReduceOp consumer,
                                  mlir::AffineMap access, unsigned dim);

/// Effective domains of one cascade, computed once each.
class EffectiveDomains {
public:
  mlir::IntegerSet get(MapReduceOp op);
  mlir::IntegerSet getOfResult(MapReduceOp op);

private:
  struct Constraint {
    mlir::AffineExpr expr;
    bool isEquality;
  };
  llvm::ArrayRef<Constraint> compute(MapReduceOp op);
  static mlir::IntegerSet toSet(MapReduceOp op,
                                llvm::ArrayRef<Constraint> constraints);
  static bool involvesReducedRank(MapReduceOp op, const Constraint &c);

  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<Constraint>> known;
  llvm::DenseSet<mlir::Operation *> inProgress;
};

} // namespace transfusion::einsum

#endif // TRANSFUSION_DIALECT_EINSUM_IR_DOMAIN_H
