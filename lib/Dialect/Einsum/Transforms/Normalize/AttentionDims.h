//===- AttentionDims.h - What the dims of an attention are ------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_ATTENTIONDIMS_H
#define TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_ATTENTIONDIMS_H

#include "NormalForm.h"

namespace transfusion::einsum::normal {

/// Dims of the piece by position. Heads are dims that keys or values have as
/// well (`shared`), or that only repeat them (`groups`); rows are those along
/// which queries differ: what constraints speak of, or is called so.
struct AttentionDims {
  llvm::SmallVector<unsigned> shared, groups, rows, features;
};
AttentionDims classifyDims(const Graph &graph, const Node &attention);

/// Operands of the piece.
namespace attention {
enum Operand { Score, Values, Queries, Keys };
} // namespace attention

} // namespace transfusion::einsum::normal

#endif // TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_ATTENTIONDIMS_H
