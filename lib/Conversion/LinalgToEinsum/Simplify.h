//===- Simplify.h - Cleaning a graph of equations ---------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_SIMPLIFY_H
#define TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_SIMPLIFY_H

#include "RaiseGraph.h"

namespace transfusion::raise {

/// A tensor that repeats along a rank is made without it: grouped queries read
/// the K of their group.
void dropRepeatedRanks(RaiseGraph &graph);

/// Casts move into the bodies that make or read a value.
void foldCasts(RaiseGraph &graph);

/// sum + bias: the addition of what depends on fewer ranks becomes the finish
/// of the sum.
void foldBias(RaiseGraph &graph);

/// Equations that nobody reads.
void eraseUnread(RaiseGraph &graph);

} // namespace transfusion::raise

#endif // TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_SIMPLIFY_H
