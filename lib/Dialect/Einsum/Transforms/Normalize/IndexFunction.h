//===- IndexFunction.h - What a program computes from one index -*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exporters write `i // 8` as a quotient that is corrected where signs differ
// and the remainder is not 0, as a shift, or as a constant that lists it. A
// function of one index is what its values are, however they are computed: it
// is evaluated at every index, and the values are fitted.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_INDEXFUNCTION_H
#define TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_INDEXFUNCTION_H

#include "NormalForm.h"

namespace transfusion::einsum::normal {

/// An integer that depends on one dim of the frame alone, as k * d + c or
/// k * ((d + o) floordiv s) + c; null where it is neither, or has more values
/// than are looked at.
mlir::AffineExpr indexFunction(const Graph &graph, const Frame &frame,
                               const Ref &ref);

} // namespace transfusion::einsum::normal

#endif // TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_INDEXFUNCTION_H
