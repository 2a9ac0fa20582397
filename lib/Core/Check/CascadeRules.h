//===- CascadeRules.h - Rules about a whole cascade -------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_CHECK_CASCADERULES_H
#define TRANSFUSION_LIB_CORE_CHECK_CASCADERULES_H

#include "Reads.h"
#include "Sink.h"

namespace transfusion::core::check {

/// An interval that holds every value of `x` at the points of `e` that exist:
/// exact for a box, and for a domain whose constraint bounds `x` itself.
Interval rangeInDomain(const Cascade &c, const Einsum &e, const LinearExpr &x);

/// True when different points of the ranks give different coordinates.
bool oneToOne(const Cascade &c, const Access &access);

void checkPointCounts(const Cascade &c, Sink &sink); ///< C12
void checkRecurrences(const Cascade &c, Sink &sink); ///< C13, C14
void checkDefined(const Cascade &c, Sink &sink);     ///< C15
void checkBases(const Cascade &c, Sink &sink);       ///< C16

} // namespace transfusion::core::check

#endif // TRANSFUSION_LIB_CORE_CHECK_CASCADERULES_H
