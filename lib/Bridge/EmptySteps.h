//===- EmptySteps.h - Steps of a recurrence that change nothing -*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to lib/Bridge. In a step in which no Einsum with a domain has a
// point, sums are 0 and maxima -inf. The bodies of the other Einsums are
// evaluated on that, by what is certain of numbers (max(x, -inf) = x,
// exp(x - x) = 1, 0 + x * 1 = x), twice: where the state before is finite, and
// where it is the initial one. A recurrence that comes out as it went in is
// neutral. One that does so in every step but the first (attention without a
// guard: exp(-inf - -inf) is NaN, and stays NaN) is neutral after that.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_BRIDGE_EMPTYSTEPS_H
#define TRANSFUSION_LIB_BRIDGE_EMPTYSTEPS_H

#include "transfusion/Core/Model/Cascade.h"
#include "transfusion/Dialect/Einsum/IR/Einsum.h"

namespace transfusion {

/// Says of every recurrence of `c` what empty steps do; `ops` by EinsumId.
void findEmptySteps(core::Cascade &c, llvm::ArrayRef<einsum::MapReduceOp> ops);

} // namespace transfusion

#endif // TRANSFUSION_LIB_BRIDGE_EMPTYSTEPS_H
