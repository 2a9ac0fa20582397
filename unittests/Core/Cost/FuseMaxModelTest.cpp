//===- FuseMaxModelTest.cpp - The artifact of FuseMax, row by row ---------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// test/Oracle/Inputs/fusemax.csv is the output of the public artifact (batch
// 64, cloud machine): latency, DRAM bytes, energy, utilisation.
//
//===----------------------------------------------------------------------===//

#include "transfusion/Core/Cost/FuseMaxModel.h"

#include "../ExpectedErrors.h"
#include "../TestCascades.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace transfusion::core;
using namespace transfusion::core::test;

namespace {
struct Model {
  int64_t d, h, e, s;
};
Model modelOf(const std::string &name) {
  if (name == "BERT")
    return {768, 12, 64, 3072};
  return {2048, 16, 128, 8192}; // XLM
}

int64_t tokens(const std::string &text) {
  const int64_t n = std::stoll(text.substr(0, text.size() - 1));
  return n * (text.back() == 'M' ? 1 << 20 : 1 << 10);
}

LayerShape layerOf(const Model &m, int64_t sequence) {
  const int64_t batch = 64, rows = batch * sequence;
  LayerShape l;
  for (const char *name : {"Q", "K", "V", "Z"})
    l.linear.push_back({name, rows, m.d, m.d});
  l.linear.push_back({"FFN1", rows, m.d, m.s});
  l.linear.push_back({"FFN2", rows, m.s, m.d});
  l.attention.push_back(
      {"QK", batch, batch * m.h, m.e, m.e, sequence, sequence});
  return l;
}
} // namespace

TEST(FuseMaxModelOracleTest, LatencyTrafficUtilisationEnergy) {
  const auto rows = oracleRows("fusemax.csv");
  ASSERT_EQ(rows.size(), 49u);
  ExpectedErrors energy("fusemax-energy-errors.csv");
  const FuseMaxMachine machine;
  int checked = 0;
  for (size_t i = 1; i < rows.size(); ++i) {
    const std::vector<std::string> &row = rows[i];
    const bool attention = row[0] == "attention-fusemax";
    if (!attention && row[0] != "linear-fusemax")
      continue;
    const std::string name = row[0] + " " + row[1] + " " + row[2];
    LayerShape layer = layerOf(modelOf(row[1]), tokens(row[2]));
    if (attention)
      layer.linear.clear();
    else
      layer.attention.clear();
    const FuseMaxCost cost = fuseMaxLayer(machine, layer);
    const double traffic = std::stod(row[3]), latency = std::stod(row[4]);
    EXPECT_NEAR(cost.latencyS / latency, 1, 1e-6) << name;
    if (attention) {
      EXPECT_NEAR(cost.util2d / std::stod(row[6]), 1, 1e-6) << name;
      const double n = double(tokens(row[2])) / 256;
      const double f = double(modelOf(row[1]).e);
      EXPECT_NEAR(cost.util2d,
                  (2 * f + 9) * n * n / ((2 * f + 10) * n * n + f * n), 1e-9)
          << name;
    }
    if (attention || row[1] == "BERT")
      EXPECT_NEAR(cost.dramBytes / traffic, 1, 1e-6) << name;
    else // its weights exceed the buffer and are fetched again and again
      EXPECT_NEAR(traffic / cost.dramBytes, 2.1, .03) << name;
    energy.check(name, cost.energyPj(), std::stod(row[5]));
    EXPECT_NEAR(cost.energyPj() / std::stod(row[5]), 1, .03) << name;
    ++checked;
  }
  EXPECT_EQ(checked, 24);
}

TEST(FuseMaxModelOracleTest, XlmNeedNotFetchTwice) {
  // 33.5 MB of weights; 4096 rows of 2048 words fill the buffer: 16 passes at
  // 1K tokens, 1.37 times the bytes of this layer and 1.20 of all six.
  const FuseMaxMachine machine;
  const LinearShape ffn1{"FFN1", 64 * 1024, 2048, 8192};
  const double once = fuseMaxLinear(machine, ffn1).dramBytes;
  const double weights = 2. * 2048 * 8192;
  EXPECT_DOUBLE_EQ(linearTrafficTiled(machine, ffn1), once + 15 * weights);
  const LinearShape q{"Q", 64 * 1024, 2048, 2048};
  EXPECT_DOUBLE_EQ(linearTrafficTiled(machine, q),
                   fuseMaxLinear(machine, q).dramBytes);
}

TEST(FuseMaxModelTest, ShapesAreReadOffACascade) {
  const LayerShape layer = layerShape(bertLayer({}));
  ASSERT_EQ(layer.attention.size(), 1u);
  const AttentionShapeOf &a = layer.attention[0];
  EXPECT_EQ(a.batch, 64);
  EXPECT_EQ(a.heads, 64 * 12);
  EXPECT_EQ(a.e, 64);
  EXPECT_EQ(a.f, 64);
  EXPECT_EQ(a.queries, 1024);
  EXPECT_EQ(a.keys, 1024);
  ASSERT_EQ(layer.linear.size(), 6u);
  int64_t macs = 0;
  for (const LinearShape &l : layer.linear) {
    EXPECT_EQ(l.rows, 64 * 1024) << l.name;
    macs += l.in * l.out;
  }
  EXPECT_EQ(macs, 4 * 768 * 768 + 2 * 768 * 3072);
}

TEST(FuseMaxModelTest, MachineOfADescription) {
  FuseMaxMachine m;
  std::string why;
  Arch a = machine("cloud-max2d");
  ASSERT_TRUE(fuseMaxMachine(a, m, why)) << why;
  EXPECT_EQ(m.side, 256);
  EXPECT_EQ(m.expMacs, 6);
  EXPECT_DOUBLE_EQ(m.dramPjPerByte, 31.2);
  EXPECT_EQ(m.bufferBytes, 16 << 20);
  a.units[0].cols = 128;
  EXPECT_FALSE(fuseMaxMachine(a, m, why));
  EXPECT_NE(why.find("square"), std::string::npos);
}
