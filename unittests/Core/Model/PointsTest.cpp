//===- PointsTest.cpp - Counting points against enumeration ---------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Core/Model/Points.h"

#include "../TestCascades.h"
#include "transfusion/Core/Search/Rng.h"

#include <gtest/gtest.h>

#include <functional>

using namespace transfusion::core;
using namespace transfusion::core::test;

/// Walks every point of the box.
static int64_t enumerate(const std::vector<RankId> &ranks,
                         const std::vector<Span> &spans,
                         const std::vector<Constraint> &constraints) {
  std::vector<int64_t> value(16, 0);
  std::function<int64_t(size_t)> walk = [&](size_t i) -> int64_t {
    if (i == ranks.size()) {
      for (const Constraint &k : constraints) {
        int64_t v = k.expr.constant;
        for (const auto &t : k.expr.terms)
          v += t.second * value[t.first];
        if (v < 0)
          return 0;
      }
      return 1;
    }
    int64_t n = 0;
    for (int64_t v = 0; v < spans[i].extent; ++v) {
      value[ranks[i]] = spans[i].begin + v;
      n += walk(i + 1);
    }
    return n;
  };
  return walk(0);
}

TEST(PointsPropertyTest, RandomDomainsMatchEnumeration) {
  Rng rng(7);
  for (int n = 0; n < 4000; ++n) {
    std::vector<RankId> ranks;
    std::vector<Span> spans;
    const int count = 1 + static_cast<int>(rng.below(4));
    for (int i = 0; i < count; ++i) {
      ranks.push_back(i);
      spans.push_back({static_cast<int64_t>(rng.below(5)) - 2,
                       static_cast<int64_t>(rng.below(7))});
    }
    std::vector<Constraint> constraints(rng.below(4));
    for (Constraint &k : constraints) {
      k.expr.constant = static_cast<int64_t>(rng.below(21)) - 8;
      for (int i = 0; i < count; ++i)
        if (int64_t a = static_cast<int64_t>(rng.below(7)) - 3)
          k.expr.terms.push_back({i, rng.below(3) ? (a > 0 ? 1 : -1) : a});
    }
    ASSERT_EQ(countPoints(ranks, spans, constraints),
              enumerate(ranks, spans, constraints))
        << "case " << n;
  }
}

TEST(PointsPropertyTest, CausalAndRaggedMatchEnumeration) {
  Rng rng(11);
  for (int n = 0; n < 500; ++n) {
    AttentionShape s;
    s.h = 2, s.e = 3, s.f = 2;
    s.p = 1 + rng.below(20);
    s.m = 1 + rng.below(20);
    s.m0 = 1 + rng.below(8);
    s.causal = rng.below(2);
    Cascade c = attention(s);
    for (EinsumId e = 0; e < static_cast<EinsumId>(c.einsums.size()); ++e) {
      std::vector<Span> spans;
      for (RankId r : c.einsums[e].ranks)
        spans.push_back({0, c.ranks[r].extent});
      ASSERT_EQ(pointCount(c, e),
                enumerate(c.einsums[e].ranks, spans, c.einsums[e].domain))
          << c.einsums[e].name << " p " << s.p << " m " << s.m << " m0 " << s.m0
          << " causal " << s.causal;
    }
  }
}

TEST(PointsTest, LongCausalSequenceInClosedForm) {
  AttentionShape s;
  s.h = 1, s.e = 1, s.f = 1;
  s.p = s.m = 1 << 20;
  s.causal = true;
  Cascade c = attention(s);
  const int64_t n = 1 << 20;
  EXPECT_EQ(pointCount(c, einsumId(c, "QK")), n * (n + 1) / 2);
  // Every row has a maximum, also of key tiles that lie above the diagonal.
  EXPECT_EQ(resultCount(c, einsumId(c, "LM")), n * (n / 256));
}

TEST(PointsTest, TooManyIsNotANumber) {
  const int64_t big = int64_t(1) << 32;
  EXPECT_EQ(countPoints({0, 1}, {{0, big}, {0, big}}, {}), -1);
  EXPECT_EQ(countPoints({0, 1}, {{0, big}, {0, big / 4}}, {}), big * (big / 4));
  Constraint diagonal;
  diagonal.expr.terms = {{0, 1}, {1, -1}};
  EXPECT_EQ(countPoints({0, 1}, {{0, 2 * big}, {0, 2 * big}}, {diagonal}), -1);
}

TEST(PointsTest, EmptyAxisHasNoPoints) {
  EXPECT_EQ(countPoints({0, 1}, {{0, 0}, {0, 5}}, {}), 0);
  EXPECT_EQ(countPoints({}, {}, {}), 1);
}
