//===- RandomCases.h - Small cascades with schedules, by seed ---*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_UNITTESTS_CORE_RANDOMCASES_H
#define TRANSFUSION_UNITTESTS_CORE_RANDOMCASES_H

#include "TestCascades.h"

#include "transfusion/Core/Search/Rng.h"

namespace transfusion::core::test {

struct RandomCase {
  std::string family; ///< "dag", "attention", "bert"
  Cascade c;
  Arch a;
  Schedule s;
};

/// A case of a few hundred points at most: a random DAG, published attention or
/// a whole layer, cut into random groups, phases, tiles, blocks and stages. It
/// need not be legal: its plan or its timing may be at fault.
RandomCase randomCase(Rng &rng);

} // namespace transfusion::core::test

#endif // TRANSFUSION_UNITTESTS_CORE_RANDOMCASES_H
