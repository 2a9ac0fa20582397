//===- MicroCascadeTest.cpp - Rules that published cascades do not test ---===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each Einsum of a micro-cascade is one point of an op class of its own, so
// that its cycles on every unit can be set.
//
//===----------------------------------------------------------------------===//

#include "../TestCascades.h"
#include "transfusion/Core/Search/DPipe.h"

#include <gtest/gtest.h>

using namespace transfusion::core;
using namespace transfusion::core::test;

namespace {

OpClass classOf(int node) { return static_cast<OpClass>(node); }

/// cycles[unit][node], -1: the unit cannot.
Arch unitsWith(const std::vector<std::vector<int64_t>> &cycles) {
  Arch a = machine("tiny");
  a.units.clear();
  for (size_t u = 0; u < cycles.size(); ++u) {
    Unit unit;
    unit.name = "unit" + std::to_string(u);
    unit.memory = 1;
    for (size_t node = 0; node < cycles[u].size(); ++node)
      if (cycles[u][node] >= 0)
        unit.ops[node] = {true, cycles[u][node], 0, {}};
    a.units.push_back(unit);
  }
  return a;
}

PhasePipeline solveAll(const Cascade &c, const Arch &a) {
  PhaseMembers m;
  for (size_t e = 0; e < c.einsums.size(); ++e)
    m.einsums.push_back(static_cast<EinsumId>(e));
  std::vector<bool> accumulating(c.einsums.size(), false);
  return solveBipartition(c, a, m, accumulating, Extents(c.ranks.size(), 1));
}

/// X -> Y, and Y of the epoch before -> X when `recurs`.
Cascade loop(bool recurs) {
  CascadeBuilder b("loop");
  b.rank("p", 8);
  b.rank("m", 16, /*iterative=*/true);
  b.input("A", {8, 17});
  b.einsum("X[m,p]", {recurs ? "Y[p,m]" : "A[p,m]"}, ReduceKind::None,
           {{classOf(0), 1}});
  b.einsum("Y[p,m+1]", {"X[m,p]"}, ReduceKind::None, {{classOf(1), 1}});
  return b.take();
}

} // namespace

TEST(MicroCascadeTest, RecurrenceBoundsTheInterval) {
  Arch a = unitsWith({{10, 10}, {10, 10}});
  EXPECT_EQ(solveAll(loop(false), a).ii, 10);
  PhasePipeline p = solveAll(loop(true), a);
  EXPECT_EQ(p.ii, 20); // Y(i-1) -> X(i) orders the step of the cut
}

TEST(MicroCascadeTest, DisconnectedPartsAreNoCut) {
  // A -> C <- B, a unit for each: {A, B | C} would take 10 cycles.
  CascadeBuilder b("vee");
  b.rank("p", 8);
  b.input("I", {8});
  b.input("J", {8});
  b.einsum("A[p]", {"I[p]"}, ReduceKind::None, {{classOf(0), 1}});
  b.einsum("B[p]", {"J[p]"}, ReduceKind::None, {{classOf(1), 1}});
  b.einsum("C[p]", {"A[p]", "B[p]"}, ReduceKind::None, {{classOf(2), 1}});
  Cascade c = b.take();
  Arch a = unitsWith({{10, -1, -1}, {-1, 10, -1}, {-1, -1, 10}});
  EXPECT_EQ(solveAll(c, a).ii, 20);
  // Connected through what both read, the same work may be cut.
  CascadeBuilder d("diamond");
  d.rank("p", 8);
  d.input("I", {8});
  d.einsum("Z[p]", {"I[p]"}, ReduceKind::None, {{classOf(3), 1}});
  d.einsum("A[p]", {"Z[p]"}, ReduceKind::None, {{classOf(0), 1}});
  d.einsum("B[p]", {"Z[p]"}, ReduceKind::None, {{classOf(1), 1}});
  d.einsum("C[p]", {"A[p]", "B[p]"}, ReduceKind::None, {{classOf(2), 1}});
  Arch withZ = unitsWith(
      {{10, -1, -1, -1}, {-1, 10, -1, -1}, {-1, -1, 10, -1}, {-1, -1, -1, 0}});
  EXPECT_EQ(solveAll(d.take(), withZ).ii, 10);
}

TEST(MicroCascadeTest, ATieGoesToTheFirstUnit) {
  // V takes 3 cycles on both units. From the first one, W follows on the
  // second: 7. From the second one, everything takes 8.
  CascadeBuilder b("tie");
  b.rank("p", 8);
  b.input("I", {8});
  b.einsum("U[p]", {"I[p]"}, ReduceKind::None, {{classOf(0), 1}});
  b.einsum("V[p]", {"I[p]"}, ReduceKind::None, {{classOf(1), 1}});
  b.einsum("W[p]", {"V[p]"}, ReduceKind::None, {{classOf(2), 1}});
  Cascade c = b.take();
  EXPECT_EQ(solveAll(c, unitsWith({{5, 3, 4}, {6, 3, 5}})).ii, 7);
  EXPECT_EQ(solveAll(c, unitsWith({{6, 3, 5}, {5, 3, 4}})).ii, 8);
}
