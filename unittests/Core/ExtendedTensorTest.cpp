//===- ExtendedTensorTest.cpp - A cache and its new rows ------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Check/CheckTest.h"
#include "transfusion/Core/Cost/Evaluate.h"
#include "transfusion/Core/Cost/LowerBound.h"
#include "transfusion/Core/Search/DPipe.h"

#include <algorithm>

using namespace transfusion::core;
using namespace transfusion::core::test;

namespace {

constexpr int64_t H = 3, Old = 37, New = 2, E = 8;
constexpr int64_t RowBytes = H * E * 4;

/// K = C followed by exp(X), S[h,q,m] = sum_e Q[h,q,e] * K[h,m,e]. With `copy`
/// the old rows are copied first, else the caller's buffer has room.
Cascade append(bool copy) {
  CascadeBuilder b("append");
  b.rank("h", H);
  b.rank("o", Old);
  b.rank("n", New);
  b.rank("m", Old + New);
  b.rank("q", 5);
  b.rank("e", E);
  TensorId base = b.input("C", {H, Old, E});
  b.input("X", {H, New, E});
  b.input("Q", {H, 5, E});
  if (copy) {
    b.einsum("K0[h,o,e]", {"C[h,o,e]"}, ReduceKind::None, {{OpClass::Copy, 1}});
    base = b.tensorId("K0");
  }
  EinsumId k = b.einsum("K[h,n+" + std::to_string(Old) + ",e]", {"X[h,n,e]"},
                        ReduceKind::None, {{OpClass::Exp, 1}});
  b.einsum("S[h,q,m]", {"Q[h,q,e]", "K[h,m,e]"}, ReduceKind::Add,
           {{OpClass::Mac, 1}});
  b.output("K");
  b.output("S");
  Cascade c = b.take();
  c.einsums[k].base = base;
  return c;
}

TEST(ExtendedTensor, DependsOnAllPieces) {
  Cascade c = append(true);
  EXPECT_EQ(describe(checkCascade(c)), "");
  EXPECT_EQ(piecesOf(c, tensorId(c, "K")),
            (std::vector<TensorId>{tensorId(c, "K"), tensorId(c, "K0")}));
  EXPECT_EQ(extenderOf(c, tensorId(c, "K0")), einsumId(c, "K"));
  std::vector<EinsumId> makers;
  for (const Dependence &d : dependences(c))
    if (d.to == einsumId(c, "S"))
      makers.push_back(d.from);
  EXPECT_EQ(makers,
            (std::vector<EinsumId>{einsumId(c, "K"), einsumId(c, "K0")}));
}

/// Bytes of each piece once; of the base nothing where it is extended in place.
TEST(ExtendedTensor, CountsThePointsThatExist) {
  for (bool copy : {false, true}) {
    Cascade c = append(copy);
    Arch a = machine("edge");
    DPipeResult found = dpipe(c, a);
    ASSERT_EQ(describe(found.infeasible), "");
    ASSERT_EQ(describe(checkSchedule(c, a, found.schedule)), "");
    // S is in a later group: it reads K where its pieces lie side by side.
    EXPECT_EQ(found.schedule.groups.size(), copy ? 3u : 2u);
    Plan plan = makePlan(c, a, found.schedule);
    EXPECT_EQ(describe(checkPlan(c, a, found.schedule, plan)), "");
    std::vector<TensorTraffic> byTensor;
    CostReport cost = Evaluator(c, a).evaluate(found.schedule, plan, byTensor);
    const int64_t outputs = 5 * (Old + New) * H * 4;
    EXPECT_EQ(cost.writeBytes[0],
              outputs + (New + (copy ? Old : 0)) * RowBytes);
    auto traffic = [&](const char *name) {
      return byTensor[tensorId(c, name)];
    };
    EXPECT_EQ(traffic("K").writeBytes[0], New * RowBytes);
    EXPECT_EQ(traffic("K").readBytes[0], (Old + New) * RowBytes);
    EXPECT_EQ(traffic("X").readBytes[0], New * RowBytes);
    EXPECT_EQ(traffic("C").readBytes[0], copy ? Old * RowBytes : 0);
    if (copy) {
      EXPECT_EQ(traffic("K0").writeBytes[0], Old * RowBytes);
    }
    for (TensorId t = 0; t < static_cast<TensorId>(c.tensors.size()); ++t)
      EXPECT_TRUE(livesInOuterMemory(c, found.schedule, t));
    LowerBound bound = lowerBound(c, a);
    EXPECT_EQ(bound.compulsoryWriteBytes,
              outputs + (New + (copy ? Old : 0)) * RowBytes);
    EXPECT_EQ(bound.compulsoryReadBytes, (5 + New + Old) * RowBytes);
    EXPECT_LE(bound.cycles, cost.latencyCycles);
  }
}

/// The chain of pieces is read from one storage, whoever makes them.
TEST(ExtendedTensor, S36WholeWhenRead) {
  for (const char *piece : {"K", "K0"}) {
    Cascade c = append(true);
    Arch a = machine("edge");
    Schedule s = dpipe(c, a).schedule;
    // The piece's slot moves into the reader's group, the last.
    Slot moved;
    for (Group &group : s.groups)
      for (Phase &phase : group.phases)
        for (auto &run : phase.runs)
          for (size_t i = 0; i < run.slots.size(); ++i)
            if (run.slots[i].einsum == einsumId(c, piece)) {
              moved = run.slots[i];
              run.slots.erase(run.slots.begin() + i);
              break;
            }
    ASSERT_EQ(moved.einsum, einsumId(c, piece));
    Phase phase;
    phase.runs.push_back({1, {moved}});
    s.groups.back().phases.insert(s.groups.back().phases.begin(), phase);
    for (Group &group : s.groups)
      for (size_t p = group.phases.size(); p-- > 0;) {
        auto &runs = group.phases[p].runs;
        for (size_t r = runs.size(); r-- > 0;)
          if (runs[r].slots.empty())
            runs.erase(runs.begin() + r);
        if (runs.empty())
          group.phases.erase(group.phases.begin() + p);
      }
    s.groups.erase(std::remove_if(s.groups.begin(), s.groups.end(),
                                  [](Group &g) { return g.phases.empty(); }),
                   s.groups.end());
    std::vector<Violation> violations = checkSchedule(c, a, s);
    EXPECT_NE(brokenRules(violations).find("S36"), std::string::npos)
        << describe(violations);
  }
}

TEST(ExtendedTensor, C16Bases) {
  auto breaks = [](const char *text, void (*mutate)(Cascade &)) {
    Cascade c = append(true);
    mutate(c);
    expectRule(checkCascade(c), "C16", text);
  };
  breaks("is not made right behind it", [](Cascade &c) {
    Einsum &e = c.einsums[einsumId(c, "K")];
    ++e.result.access[1].constant;
    ++c.tensors[e.result.tensor].shape[1];
  });
  breaks("is not made right behind it",
         [](Cascade &c) { c.tensors[tensorId(c, "K")].bitsPerValue = 16; });
  breaks("some of its points do not exist", [](Cascade &c) {
    c.einsums[einsumId(c, "K")].domain.push_back({{{{rankId(c, "n"), -1}}, 0}});
  });
  breaks("as does 'K'", [](Cascade &c) {
    Einsum copy = c.einsums[einsumId(c, "K")];
    Tensor t = c.tensors[copy.result.tensor];
    copy.name = t.name = "L";
    t.producer = static_cast<EinsumId>(c.einsums.size());
    copy.result.tensor = static_cast<TensorId>(c.tensors.size());
    c.tensors.push_back(t);
    c.einsums.push_back(copy);
  });
}

TEST(ExtendedTensor, IsNotMadeOfItself) {
  Cascade c = append(true);
  c.einsums[einsumId(c, "K0")].inputs[0].tensor = tensorId(c, "K");
  expectRule(checkCascade(c), "C14", "depends on its own result");
}

} // namespace
