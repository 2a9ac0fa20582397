//===- CascadeTest.cpp - Questions about the graph ------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Core/Model/Arch.h"

#include "../TestCascades.h"

#include <gtest/gtest.h>

using namespace transfusion::core;
using namespace transfusion::core::test;

TEST(CascadeTest, OpClassNamesRoundTrip) {
  for (int i = 0; i < kNumOpClasses; ++i)
    EXPECT_EQ(opClassFromName(opClassName(static_cast<OpClass>(i))), i);
  EXPECT_EQ(opClassFromName("fma"), -1);
}

static std::string show(const Cascade &c, const Dependence &d) {
  return c.einsums[d.from].name + "->" + c.einsums[d.to].name +
         (d.distance ? " " + std::to_string(d.distance) : "") +
         (d.atEnd ? " end" : "") + (d.inFinish ? " finish" : "");
}

TEST(CascadeTest, AttentionDependences) {
  Cascade c = attention({});
  std::vector<std::string> shown;
  for (const Dependence &d : dependences(c))
    shown.push_back(show(c, d));
  const std::vector<std::string> expected = {
      "QK->LM",    "RM->RM 1",  "LM->RM",      "QK->SLN",     "RM->SLN",
      "SLN->SLD",  "SLN->SLNV", "RM->PRM 1",   "RM->PRM",     "RD->SPD 1",
      "PRM->SPD",  "SLD->RD",   "SPD->RD",     "RNV->SPNV 1", "PRM->SPNV",
      "SLNV->RNV", "SPNV->RNV", "RNV->AV end", "RD->AV end"};
  EXPECT_EQ(shown, expected);
}

TEST(CascadeTest, ReducedRanksAndReaders) {
  Cascade c = bertLayer({});
  EinsumId o = einsumId(c, "O");
  EXPECT_EQ(reducedRanks(c, o),
            (std::vector<RankId>{rankId(c, "h"), rankId(c, "f")}));
  EXPECT_TRUE(isReducedRank(c, o, rankId(c, "f")));
  EXPECT_FALSE(isReducedRank(c, o, rankId(c, "p")));
  EXPECT_FALSE(isReducedRank(c, o, rankId(c, "m0")));
  std::vector<std::string> names;
  const std::vector<std::vector<EinsumId>> byTensor = readers(c);
  for (EinsumId e : byTensor[tensorId(c, "X")])
    names.push_back(c.einsums[e].name);
  EXPECT_EQ(names, (std::vector<std::string>{"Q", "BK", "BV", "IAV"}));
}

TEST(ArchTest, ExpansionsAndUnsupported) {
  Arch edge = machine("edge");
  OpHistogram gelu;
  gelu[OpClass::Mac] = 3;
  gelu[OpClass::Add] = 1;
  gelu[OpClass::Erf] = 1;
  EXPECT_EQ(cyclesPerPoint(edge.units[0], gelu), -1);
  EXPECT_EQ(unsupportedClass(edge.units[0], gelu),
            static_cast<int>(OpClass::Erf));
  EXPECT_EQ(cyclesPerPoint(edge.units[1], gelu), 15 + 1 + 1 + 1);
  EXPECT_DOUBLE_EQ(energyPerPoint(edge.units[1], gelu),
                   15 * 17.16 + 8.34 + 36.25 + .028);
  OpHistogram max;
  max[OpClass::Max] = 1;
  EXPECT_EQ(cyclesPerPoint(machine("edge").units[0], max), -1);
  EXPECT_EQ(cyclesPerPoint(machine("edge-max2d").units[0], max), 1);
}

TEST(ArchTest, CopyCostsAnAddsCycleAndNoEnergy) {
  Arch edge = machine("edge");
  OpHistogram copy;
  copy[OpClass::Copy] = 2;
  EXPECT_EQ(cyclesPerPoint(edge.units[0], copy), 2);
  EXPECT_EQ(energyPerPoint(edge.units[0], copy), 0);
}

TEST(ArchTest, ExpansionIntoItselfIsUnsupported) {
  Unit u;
  u.ops[static_cast<int>(OpClass::Exp)] = {true, 0, 0, {{OpClass::Log, 1}}};
  u.ops[static_cast<int>(OpClass::Log)] = {true, 0, 0, {{OpClass::Exp, 1}}};
  OpHistogram h;
  h[OpClass::Exp] = 1;
  EXPECT_EQ(cyclesPerPoint(u, h), -1);
}
