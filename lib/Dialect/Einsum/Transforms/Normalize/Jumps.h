//===- Jumps.h - What stands in front of a jump -----------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Terms. A *jump* is an op that a rounding of its operand can change by more
// than a rounding: floor, a conversion to integers, a comparison. What a jump
// depends on is *in front* of it, through other Einsums and other cascades.
// 41 * (1/41) is less than 1, and its floor is 0, where 41 / 41 is 1.
//
// A value is *generic* where it has been through a function that no exact
// number comes out of (exp, rsqrt, erf): where it lies on a jump is chance, and
// nothing that is normalised changes that. Where values in front of a jump are
// not generic, arithmetic is exact: what the program computes is computed, op
// by op. In front of a jump and generic, a quotient by a constant is still no
// product.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_JUMPS_H
#define TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_JUMPS_H

#include "NormalForm.h"
#include "llvm/ADT/DenseSet.h"

namespace transfusion::einsum::normal {

struct Imported;

/// Of the cascades of a function, which read each other in order.
class JumpFronts {
public:
  explicit JumpFronts(llvm::ArrayRef<CascadeOp> cascades);

  /// Whether a scalar op of a body, or an Einsum's reduction, is exact.
  bool isExact(mlir::Operation *op) const { return exact.contains(op); }
  /// Whether a jump depends on the tensor.
  bool isInFront(mlir::Value tensor) const { return fronts.contains(tensor); }

private:
  void findGeneric(CascadeOp cascade);
  void findFronts(llvm::ArrayRef<CascadeOp> cascades, bool throughGeneric);

  llvm::DenseSet<mlir::Value> generic;     // asked, never walked
  llvm::DenseSet<mlir::Value> fronts;      // asked, never walked
  llvm::DenseSet<mlir::Operation *> exact; // asked, never walked
};

/// The nodes in front of a jump, or of a result of the cascade that is.
llvm::DenseSet<NodeId> nodesInFront(const Imported &imported, CascadeOp cascade,
                                    const JumpFronts &fronts);

} // namespace transfusion::einsum::normal

#endif // TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_JUMPS_H
