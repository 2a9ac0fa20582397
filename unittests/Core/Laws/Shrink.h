//===- Shrink.h - A failing case made small and printed ---------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_UNITTESTS_CORE_LAWS_SHRINK_H
#define TRANSFUSION_UNITTESTS_CORE_LAWS_SHRINK_H

#include "../RandomCases.h"

#include <functional>

namespace transfusion::core::test {

/// Takes away what it can - Einsums, loops, tiles, stages, transfers, points -
/// as long as `fails` says yes.
RandomCase shrink(RandomCase r,
                  const std::function<bool(const RandomCase &)> &fails);

/// Cascade and schedule, to read.
std::string print(const RandomCase &r);

} // namespace transfusion::core::test

#endif // TRANSFUSION_UNITTESTS_CORE_LAWS_SHRINK_H
