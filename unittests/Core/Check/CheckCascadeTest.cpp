//===- CheckCascadeTest.cpp - One broken cascade per rule -----------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckTest.h"

#include <functional>

using namespace transfusion::core;
using namespace transfusion::core::test;

namespace {

using Mutation = std::function<void(Cascade &)>;

void breaksIn(Cascade c, const char *rule, const char *text,
              const Mutation &mutate) {
  auto before = checkCascade(c);
  ASSERT_TRUE(before.empty()) << describe(before);
  mutate(c);
  expectRule(checkCascade(c), rule, text);
}

/// A ragged causal attention: domains, recurrences and two-rank accesses.
Cascade ragged() {
  AttentionShape s;
  s.p = 29;
  s.m = 31;
  s.m0 = 8;
  s.causal = true;
  return attention(s);
}

void breaks(const char *rule, const char *text, const Mutation &mutate) {
  breaksIn(ragged(), rule, text, mutate);
}

Einsum &einsum(Cascade &c, const char *name) {
  return c.einsums[einsumId(c, name)];
}
Tensor &tensor(Cascade &c, const char *name) {
  return c.tensors[tensorId(c, name)];
}

TEST(CheckCascade, C01Ids) {
  breaks("C01", "iterates rank 99",
         [](Cascade &c) { einsum(c, "QK").ranks.push_back(99); });
  breaks("C01", "has a map operand that does not exist",
         [](Cascade &c) { einsum(c, "QK").inputs[0].tensor = -1; });
  breaks("C01", "of 4 dimensions, but 3 expressions",
         [](Cascade &c) { einsum(c, "QK").inputs[0].access.pop_back(); });
  breaks("C01", "not sorted by rank", [](Cascade &c) {
    auto &terms = einsum(c, "QK").inputs[1].access[2].terms;
    std::swap(terms[0], terms[1]);
  });
  breaks("C01", "has no Einsum", [](Cascade &c) { c.einsums.clear(); });
  breaks("C01", "'RM' has an iterative dimension that does not exist",
         [](Cascade &c) { tensor(c, "RM").iterativeDim = 9; });
  breaks("C01", "'RM' has a producer that does not exist",
         [](Cascade &c) { tensor(c, "RM").producer = 99; });
}

TEST(CheckCascade, C02Names) {
  breaks("C02", "Einsum 'LM' is used twice",
         [](Cascade &c) { einsum(c, "QK").name = "LM"; });
  breaks("C02", "a rank has no name", [](Cascade &c) { c.ranks[0].name = ""; });
}

TEST(CheckCascade, C03Extents) {
  breaks("C03", "rank 'p' has extent 0",
         [](Cascade &c) { c.ranks[rankId(c, "p")].extent = 0; });
}

TEST(CheckCascade, C04Shapes) {
  breaks("C04", "'Q' has a dimension of -1",
         [](Cascade &c) { tensor(c, "Q").shape[0] = -1; });
  breaks("C04", "'Q' has values of 65 bits, at most 64 are supported",
         [](Cascade &c) { tensor(c, "Q").bitsPerValue = 65; });
  breaks("C04", "'Q' has values of 0 bits",
         [](Cascade &c) { tensor(c, "Q").bitsPerValue = 0; });
  breaks("C04", "'RM' has 4 slices along 'm1' of extent 4", [](Cascade &c) {
    Tensor &t = tensor(c, "RM");
    --t.shape[t.iterativeDim];
  });
  breaks("C04", "along 'm1', which is not iterative",
         [](Cascade &c) { c.ranks[rankId(c, "m1")].iterative = false; });
}

TEST(CheckCascade, C05Producers) {
  breaks("C05", "'LM' makes 'QK', which another Einsum makes too",
         [](Cascade &c) { einsum(c, "LM").result = einsum(c, "QK").result; });
  breaks("C05", "nobody makes tensor 'Q'",
         [](Cascade &c) { tensor(c, "Q").isInput = false; });
  breaks("C05", "'QK' makes 'QK', which is an input",
         [](Cascade &c) { tensor(c, "QK").isInput = true; });
}

TEST(CheckCascade, C06Ranks) {
  breaks("C06", "'QK' iterates rank 'p' twice",
         [](Cascade &c) { einsum(c, "QK").ranks.push_back(rankId(c, "p")); });
  breaks("C06", "'QK' iterates a reduced rank before a rank of its result",
         [](Cascade &c) {
           auto &ranks = einsum(c, "QK").ranks;
           std::rotate(ranks.begin(), ranks.end() - 1, ranks.end());
         });
}

TEST(CheckCascade, C07AccessRanks) {
  breaks("C07", "'LM' accesses its map operand 'QK' by rank 'e'",
         [](Cascade &c) {
           einsum(c, "LM").inputs[0].access[3].terms[0].first = rankId(c, "e");
           // 64 values of e would leave m0's eight.
           c.ranks[rankId(c, "e")].extent = 4;
           tensor(c, "Q").shape[3] = tensor(c, "BK").shape[3] = 4;
         });
  // A finish sees a point of the result: no reduced rank.
  breaksIn(bertLayer({}), "C07", "finish operand 'bq' by rank 'd'",
           [](Cascade &c) {
             Operand &bias = einsum(c, "Q").finishInputs[0];
             bias.access[0].terms[0].first = rankId(c, "d");
             tensor(c, "bq").shape[0] = 768;
             einsum(c, "Q").finishInputs = {bias};
           });
}

TEST(CheckCascade, C08Bounds) {
  // Without the constraint m1*8 + m0 <= 30 the last key tile leaves BK.
  breaks("C08", "dimension 2 of its map operand 'BK' from 0 to 31",
         [](Cascade &c) { einsum(c, "QK").domain.clear(); });
  breaks("C08", "'Q' from -1 to 27",
         [](Cascade &c) { einsum(c, "QK").inputs[0].access[2].constant = -1; });
}

TEST(CheckCascade, C09SingleAssignment) {
  breaksIn(chain(4, 8, 5), "C09", "'T1' writes a point of 'T1' more than once",
           [](Cascade &c) {
             // T1[i + k] for both dimensions: i and k cannot be told apart.
             auto &access = einsum(c, "T1").result.access;
             access[0].terms =
                 access[1].terms = {{rankId(c, "i"), 1}, {rankId(c, "k"), 1}};
             tensor(c, "T1").shape = {8, 8};
           });
}

TEST(CheckCascade, C10Reduction) {
  breaks("C10", "'QK' has no reduction, but its result lacks rank 'e'",
         [](Cascade &c) { einsum(c, "QK").reduce = ReduceKind::None; });
}

TEST(CheckCascade, C11Operations) {
  breaks("C11", "'RM' has no operations",
         [](Cascade &c) { einsum(c, "RM").pointOps = {}; });
  breaks("C11", "'RM' has a negative number of operations of class 'max'",
         [](Cascade &c) { einsum(c, "RM").pointOps[OpClass::Max] = -1; });
  breaks("C11", "a finish that it lacks",
         [](Cascade &c) { einsum(c, "RM").finishOps[OpClass::Max] = 1; });
}

TEST(CheckCascade, C12Counts) {
  Cascade c = chain(4, 8, 5);
  for (Rank &r : c.ranks)
    r.extent = int64_t{1} << 22;
  for (Tensor &t : c.tensors)
    for (int64_t &d : t.shape)
      d = int64_t{1} << 22;
  EXPECT_EQ(brokenRules(checkCascade(c)), "C12");
  for (Tensor &t : c.tensors)
    for (int64_t &d : t.shape)
      d = int64_t{1} << 40;
  EXPECT_EQ(brokenRules(checkCascade(c)), "C12");
  breaks("C12", "'QK' has a domain without any point",
         [](Cascade &c) { einsum(c, "QK").domain.push_back({{{}, -1}}); });
  breaks("C12", "coefficient beyond 2^60", [](Cascade &c) {
    einsum(c, "QK").inputs[0].access[0].constant = INT64_MIN;
  });
}

TEST(CheckCascade, C13Slices) {
  breaks("C13", "'AV' reads a slice of 'RD' that is not kept", [](Cascade &c) {
    for (LinearExpr &e : einsum(c, "AV").inputs[1].access)
      if (e.terms.empty())
        --e.constant;
  });
  breaks("C13", "'RM' does not define slice 'm1' + 1 of 'RM'", [](Cascade &c) {
    for (LinearExpr &e : einsum(c, "RM").result.access)
      e.constant = 0;
  });
}

TEST(CheckCascade, C14Cycles) {
  breaks("C14", "depends on its own result of the same slice", [](Cascade &c) {
    for (LinearExpr &e : einsum(c, "RM").inputs[0].access)
      if (e.uses(rankId(c, "m1")))
        e.constant = 1;
  });
  // A longer way round: SPD reads the slice that RD makes of SPD.
  breaks("C14", "depends on its own result", [](Cascade &c) {
    for (LinearExpr &e : einsum(c, "SPD").inputs[0].access)
      if (e.uses(rankId(c, "m1")))
        e.constant = 1;
  });
}

TEST(CheckCascade, C15Defined) {
  breaksIn(chain(4, 8, 5), "C15", "'T2' reads 'T1' from 0 to 4 in dimension 1",
           [](Cascade &c) {
             // T1 makes columns k <= 3 only.
             einsum(c, "T1").domain.push_back({{{{rankId(c, "k"), -1}}, 3}});
           });
}

} // namespace
