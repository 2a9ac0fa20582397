//===- Projection.h - What linear constraints say of fewer ranks -*- C++ -*-==//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fourier and Motzkin's elimination over the few constraints of a domain. The
// result holds wherever the other ranks have values that satisfy all; for
// differences of indices the converse is true, elsewhere for rational values.
//
// Toy example: m <= p, 3 <= m, p < 8 without m says 3 <= p, without p says
// 3 <= m, m < 8.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_CORE_MODEL_PROJECTION_H
#define TRANSFUSION_CORE_MODEL_PROJECTION_H

#include "transfusion/Core/Model/Cascade.h"

namespace transfusion::core {

int64_t coefficientOf(const LinearExpr &x, RankId r);

bool sameConstraint(const Constraint &x, const Constraint &y);
bool contains(const std::vector<Constraint> &set, const Constraint &k);

/// Holds for all values that ranks can have.
bool holdsEverywhere(const Cascade &c, const LinearExpr &x);

/// What follows from two constraints of opposite slopes along `r` without it;
/// false when a number leaves 2^60.
bool eliminate(const LinearExpr &rising, const LinearExpr &falling, RankId r,
               LinearExpr &implied);

/// Constraints on `kept` ranks alone; what always holds is left out.
std::vector<Constraint> project(const Cascade &c,
                                const std::vector<Constraint> &constraints,
                                const std::vector<RankId> &kept);

} // namespace transfusion::core

#endif // TRANSFUSION_CORE_MODEL_PROJECTION_H
