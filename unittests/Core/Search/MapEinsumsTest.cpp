//===- MapEinsumsTest.cpp - Found mappings against a foreign search -------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Core/Search/MapEinsums.h"

#include "../ExpectedErrors.h"
#include "../Gpt3.h"

#include <gtest/gtest.h>

using namespace transfusion::core;
using namespace transfusion::core::test;

namespace {

/// The reference's search says to have found the least energy x delay of its
/// space, which is of perfect factors, too: nothing is better, and ours is
/// within `factor`.
void expectAsGood(const std::string &name, int64_t evaluations, double factor) {
  Cascade c = gpt3(name == "decode");
  const Arch a = tpuV4i();
  if (name == "prefill") // to AV: the rest takes as long and says the same
    c.einsums.resize(7);
  MapOptions options;
  options.evaluations = evaluations;
  options.model.skipFirstReadOfEachCopy = true;
  std::vector<MappingFault> faults;
  const Mapping m = mapEachEinsum(c, a, options, faults);
  ASSERT_TRUE(faults.empty()) << faults[0].what;
  const MappedCost cost = accelForgeCost(c, a, m, options.model);
  ASSERT_TRUE(cost.faults.empty()) << cost.faults[0].what;
  const auto rows = oracleRows("accelforge/gpt3-" + name + "-unfused.csv");
  ASSERT_EQ(rows.size(), 12u);
  for (const MappedEinsum &e : cost.einsums)
    for (const auto &row : rows) {
      if (row[0] != c.einsums[e.einsum].name)
        continue;
      const double theirs = std::stod(row[1]) * std::stod(row[3]);
      const double ours = e.latencyS * e.energyPj / 1e12;
      EXPECT_LE(ours, factor * theirs) << name << " " << row[0];
      EXPECT_GE(ours, (1 - 1e-6) * theirs) << name << " " << row[0];
    }
  EXPECT_EQ(cost.einsums.size(), c.einsums.size());
}

} // namespace

TEST(MapEinsumsOracleTest, DecodeIsAsGoodAsTheReferenceFound) {
  expectAsGood("decode", 4096, 1.01);
}

TEST(MapEinsumsOracleTest, PrefillIsNearWhatTheReferenceFound) {
  expectAsGood("prefill", 65536, 1.05);
}

TEST(MapEinsumsTest, TheSameForTheSameSeed) {
  const Cascade c = gpt3(/*decode=*/true);
  const Arch a = tpuV4i();
  MapOptions options;
  options.evaluations = 256;
  std::vector<MappingFault> faults;
  const MappedCost one =
      accelForgeCost(c, a, mapEachEinsum(c, a, options, faults));
  const MappedCost two =
      accelForgeCost(c, a, mapEachEinsum(c, a, options, faults));
  EXPECT_TRUE(faults.empty());
  EXPECT_EQ(one.energyPj, two.energyPj);
  EXPECT_EQ(one.latencyS, two.latencyS);
}

TEST(MapEinsumsTest, WhatHasNoMapping) {
  Cascade c = gpt3(/*decode=*/true);
  Arch a = tpuV4i();
  MapOptions options;
  options.evaluations = 16;
  a.units[1].ops[int(OpClass::Exp)].supported = false;
  std::vector<MappingFault> faults;
  mapEachEinsum(c, a, options, faults);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_EQ(faults[0].einsum, einsumId(c, "QK_softmax"));
  EXPECT_NE(faults[0].what.find("no mapping of 'QK_softmax' to 'tpu-v4i'"),
            std::string::npos);
  faults.clear();
  c.tensors[c.einsums[0].inputs[0].tensor].producer = 3; // reads what reads it
  mapEachEinsum(c, a, options, faults);
  ASSERT_FALSE(faults.empty());
  EXPECT_NE(faults.back().what.find("read each other"), std::string::npos);
}
