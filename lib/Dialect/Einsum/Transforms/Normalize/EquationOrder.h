//===- EquationOrder.h - The order of a cascade's text ----------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_EQUATIONORDER_H
#define TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_EQUATIONORDER_H

#include "transfusion/Dialect/Einsum/IR/Einsum.h"

namespace transfusion::einsum::normal {

/// Each Einsum after what it reads, as far as recurrences allow, and ranks in
/// the order of their first use: equal cascades, however they came about, are
/// listed alike in every report.
void orderEquations(CascadeOp cascade);

} // namespace transfusion::einsum::normal

#endif // TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_EQUATIONORDER_H
