//===- UnitRanks.h - Ranks of extent 1 are none -----------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_UNITRANKS_H
#define TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_UNITRANKS_H

#include "transfusion/Dialect/Einsum/IR/Einsum.h"

namespace transfusion::einsum::normal {

/// Index 0 instead of a rank of extent 1 that a result has, and no dimension
/// for it in tensors of the cascade that it does not yield: a batch of one,
/// whether a named op has it or an exporter has added it, is the same layer.
/// Iterative and reduced ranks stay.
void dropUnitRanks(CascadeOp cascade);

} // namespace transfusion::einsum::normal

#endif // TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_UNITRANKS_H
