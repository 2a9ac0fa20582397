//===- DomainTest.cpp - Which points of an Einsum exist -------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Dialect/Einsum/IR/Domain.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "transfusion/Dialect/Einsum/IR/EquationGraph.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace transfusion::einsum;

namespace {
/// QK causal over 7 keys in tiles of 4; who reads it how.
const char *const kText = R"(
func.func @f(%q: tensor<5x3xf32>, %k: tensor<7x3xf32>) -> tensor<5xf32> {
  %r = einsum.cascade ranks(p = 5, e = 3, m1 = 2 iterative, m0 = 4) {
    %QK = einsum.map_reduce "QK" [m1,m0,p] from %q[p,e], %k[m1*4+m0,e] map arith.mulf reduce add over [e] where m1*4 + m0 < 7 and m1*4 + m0 <= p + 2 : (tensor<5x3xf32>, tensor<7x3xf32>) -> tensor<2x4x5xf32>
    %LM = einsum.map_reduce "LM" [m1,p] from %QK[m1,m0,p] reduce max over [m0] : (tensor<2x4x5xf32>) -> tensor<2x5xf32>
    %RM = einsum.map_reduce "RM" [m1+1,p] from %RM[m1,p], %LM[m1,p] map arith.maximumf init -inf : (tensor<3x5xf32>, tensor<2x5xf32>) -> tensor<3x5xf32>
    %SLN = einsum.map_reduce "SLN" [p,m1,m0] from %RM[m1+1,p], %QK[m1,m0,p] map arith.subf : (tensor<3x5xf32>, tensor<2x4x5xf32>) -> tensor<5x2x4xf32>
    %FLAT = einsum.map_reduce "FLAT" [m1*4+m0,p] from %SLN[p,m1,m0] : (tensor<5x2x4xf32>) -> tensor<7x5xf32>
    %S = einsum.map_reduce "S" [p] from %FLAT[m1*4+m0,p] reduce add over [m1,m0] where m1*4 + m0 < 7 : (tensor<7x5xf32>) -> tensor<5xf32>
    %R = einsum.map_reduce "R" [p] from %S[p], %RM[2,p] map arith.addf : (tensor<5xf32>, tensor<3x5xf32>) -> tensor<5xf32>
    einsum.yield %R : tensor<5xf32>
  } -> tensor<5xf32>
  return %r : tensor<5xf32>
}
)";

class DomainTest : public ::testing::Test {
protected:
  void SetUp() override {
    DialectRegistry registry;
    registry.insert<EinsumDialect, func::FuncDialect>();
    context.appendDialectRegistry(registry);
    module = parseSourceString<ModuleOp>(kText, &context);
    ASSERT_TRUE(module);
    module->walk([&](CascadeOp op) { cascade = op; });
  }
  MapReduceOp get(StringRef name) {
    for (auto op : cascade.getBody().front().getOps<MapReduceOp>())
      if (op.getEinsumName() == name)
        return op;
    return {};
  }
  /// Number of points of the box that the set holds (all, if it is null).
  static int64_t count(IntegerSet set, ArrayRef<int64_t> extents) {
    int64_t total = 1, holds = 0;
    for (int64_t extent : extents)
      total *= extent;
    for (int64_t n = 0; n < total; ++n) {
      SmallVector<AffineExpr> point;
      int64_t rest = n;
      bool inside = true;
      if (set) {
        for (int64_t extent : extents) {
          point.push_back(
              getAffineConstantExpr(rest % extent, set.getContext()));
          rest /= extent;
        }
        for (unsigned i = 0; i < set.getNumConstraints(); ++i) {
          auto value =
              cast<AffineConstantExpr>(set.getConstraint(i).replaceDims(point));
          inside &= set.isEq(i) ? value.getValue() == 0 : value.getValue() >= 0;
        }
      }
      holds += inside;
    }
    return holds;
  }
  static bool isCut(IntegerSet set) { return static_cast<bool>(set); }
  int64_t points(StringRef name) {
    MapReduceOp op = get(name);
    return count(op.getEffectiveDomain(), op.getExtents());
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  CascadeOp cascade;
};
} // namespace

// Rows see 3, 4, 5, 6, 7 of 7 keys: 25 points.
TEST_F(DomainTest, FollowsReaders) {
  EXPECT_EQ(points("QK"), 25 * 3);
  EXPECT_EQ(points("LM"), 25);
  EXPECT_EQ(points("SLN"), 25);
  // Through a dimension that merges two ranks, written and read.
  EXPECT_EQ(points("FLAT"), 25);
  EXPECT_EQ(points("S"), 25);
}

TEST_F(DomainTest, ReductionsExistEverywhere) {
  EXPECT_FALSE(isCut(get("LM").getResultDomain()));
  EXPECT_FALSE(isCut(get("RM").getEffectiveDomain()));
  EXPECT_FALSE(isCut(get("S").getResultDomain()));
  EXPECT_FALSE(isCut(get("R").getEffectiveDomain()));
  EXPECT_TRUE(isCut(get("SLN").getResultDomain()));
}

TEST_F(DomainTest, OutsideIsExact) {
  MapReduceOp op = get("S");
  AffineExpr key = op.getInputMap(0).getResult(0);
  SmallVector<int64_t> extents = op.getExtents();
  EXPECT_FALSE(isOutside(key, 7, std::nullopt, extents, {}));
  EXPECT_TRUE(isOutside(key, 7, std::nullopt, extents, *op.getDomain()));
  EXPECT_FALSE(isOutside(key, 6, std::nullopt, extents, *op.getDomain()));
}

TEST_F(DomainTest, RangesOfDivisions) {
  AffineExpr d = getAffineDimExpr(0, &context);
  auto expect = [&](AffineExpr expr, int64_t min, int64_t max) {
    Interval range = getRange(expr, {10});
    EXPECT_EQ(range.min, min);
    EXPECT_EQ(range.max, max);
  };
  expect(d.floorDiv(4), 0, 2);
  expect(d % 4, 0, 3);
  expect((d + 20) % 40, 20, 29);
  expect(3 - d, -6, 3);
  expect((d - 5).floorDiv(4), -2, 1);
}

TEST_F(DomainTest, GraphFindsTheRecurrence) {
  EquationGraph graph(cascade);
  ASSERT_EQ(graph.components().size(), 7u);
  unsigned cyclic = 0;
  for (unsigned c = 0; c < graph.components().size(); ++c) {
    for (const EquationGraph::Edge &edge : graph.edges())
      if (graph.componentOf(edge.to) == c)
        EXPECT_LE(graph.componentOf(edge.from), c);
    if (!graph.isCyclic(c))
      continue;
    ++cyclic;
    EXPECT_EQ(graph.einsum(graph.components()[c].front()).getEinsumName(),
              "RM");
    EXPECT_EQ(graph.getIterativeRank(c).getName().getValue(), "m1");
  }
  EXPECT_EQ(cyclic, 1u);
}
