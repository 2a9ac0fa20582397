//===- Structure.h - What an Einsum's ranks are for -------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Terms. A *contraction* reduces a product of several operands; the operand
// that streams through it is its *activation*. The *row rank* of an Einsum is
// the rank of the activation that the other operands lack: rows are
// independent of each other, so layers are tiled by rows. A rank that every
// operand of some contraction has is *batch-like* (b, h in attention).
//
// Nothing here looks at names or at the order in which things are listed.
//
// Toy example, C[i,k] = sum_j A[i,j] * B[j,k]: activation A, row rank i.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_CORE_SEARCH_STRUCTURE_H
#define TRANSFUSION_CORE_SEARCH_STRUCTURE_H

#include "transfusion/Core/Model/Cascade.h"

namespace transfusion::core {

struct Structure {
  std::vector<EinsumId> order;   ///< canonical and topological
  std::vector<int32_t> position; ///< inverse of `order`
  std::vector<RankId> row;       ///< by EinsumId; -1: none
  std::vector<bool> batchLike;   ///< by RankId
  std::vector<bool> contraction; ///< by EinsumId
  /// By EinsumId: the operand that streams through a contraction, else -1.
  std::vector<int32_t> activation;
  std::vector<Dependence> dependences;
};

Structure analyse(const Cascade &c);

/// A topological order (of edges of distance 0) that depends on what the
/// Einsums compute and not on how they are listed or named.
std::vector<EinsumId> canonicalOrder(const Cascade &c);

/// Dimension of the result in which `r` stands alone, -1 when there is none.
int32_t resultDim(const Einsum &e, RankId r);
/// True when every read of `t` by `reader` at the dimension where `producer`
/// writes `r` is at `r` too: slice for slice.
bool readsSliceBySlice(const Cascade &c, EinsumId producer, EinsumId reader,
                       RankId r);

} // namespace transfusion::core

#endif // TRANSFUSION_CORE_SEARCH_STRUCTURE_H
