//===- Perturb.h - Rewrites that keep what a function means -----*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exporters write one layer in many ways. Each function here rewrites a
// function of linalg on tensors into another text of the same layer, at sites
// that a seeded generator picks, and returns how many sites it changed.
// Signature and values stay (up to rounding where said).
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_TEST_LIB_PERTURBLINALG_PERTURB_H
#define TRANSFUSION_TEST_LIB_PERTURBLINALG_PERTURB_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "transfusion/Core/Search/Rng.h"

namespace transfusion::test {

/// Draws of one perturbation.
class Dice {
public:
  explicit Dice(uint64_t seed) : rng(seed) {}
  /// In [0, n).
  unsigned below(unsigned n) { return rng.below(n); }
  /// True once in n times.
  bool once(unsigned n) { return rng.below(n) == 0; }
  bool coin() { return once(2); }
  template <typename T> void shuffle(llvm::SmallVectorImpl<T> &list) {
    for (size_t i = list.size(); i > 1; --i)
      std::swap(list[i - 1], list[rng.below(i)]);
  }

private:
  core::Rng rng;
};

/// Another topological order.
unsigned reorderOps(mlir::func::FuncOp function, Dice &dice);
/// Operands of commutative scalar ops, of comparisons (with the predicate) and
/// of linalg ops (with their maps).
unsigned swapOperands(mlir::func::FuncOp function, Dice &dice);
/// One generic per scalar op; broadcasts and the product of a contraction as
/// generics of their own.
unsigned splitGenerics(mlir::func::FuncOp function, Dice &dice);
/// Elementwise producers fused into their readers, also with several results.
unsigned mergeGenerics(mlir::func::FuncOp function, Dice &dice);
/// Weights read through pairs of transposes, contractions with transposed
/// operands or of transposed results, other loop orders.
unsigned transposeOperands(mlir::func::FuncOp function, Dice &dice);
/// Pairs of reshapes, unit dimensions, elementwise ops on collapsed tensors.
unsigned insertReshapes(mlir::func::FuncOp function, Dice &dice);
/// The constant factor of scores between queries, keys and scores, as product
/// or quotient. Values move by rounding.
unsigned moveScales(mlir::func::FuncOp function, Dice &dice);
/// The mask of scores: in another layout, materialised, subtracted, as the
/// contraction's initial value, as a select. Values move by rounding.
unsigned moveMasks(mlir::func::FuncOp function, Dice &dice);

} // namespace transfusion::test

#endif // TRANSFUSION_TEST_LIB_PERTURBLINALG_PERTURB_H
