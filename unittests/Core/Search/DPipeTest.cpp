//===- DPipeTest.cpp - Groups, phases and pipelines -----------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Core/Search/DPipe.h"
#include "../TestCascades.h"
#include "Permute.h"
#include "transfusion/Core/Cost/Evaluate.h"

#include <gtest/gtest.h>
#include <set>

using namespace transfusion::core;
using namespace transfusion::core::test;

namespace {

using Names = std::vector<std::set<std::string>>;

/// Phases of a group by the names of their slots.
Names phaseNames(const Cascade &c, const GroupMembers &g) {
  Names names;
  for (const PhaseMembers &p : g.phases) {
    names.emplace_back();
    for (EinsumId e : p.einsums)
      names.back().insert(c.einsums[e].name);
    for (EinsumId e : p.finishes)
      names.back().insert(c.einsums[e].name + ".finish");
  }
  return names;
}

std::set<std::string> norm(const std::string &prefix) {
  std::set<std::string> names;
  for (const char *n :
       {"IAV", "SAV", "MAV", "DAV", "QAV", "SQAV", "MQAV", "SR", "NR"})
    names.insert(prefix + n);
  return names;
}

std::set<std::string> with(std::set<std::string> names,
                           const std::set<std::string> &more) {
  names.insert(more.begin(), more.end());
  return names;
}

BertShape bertFor(const Arch &a) {
  BertShape s;
  s.m0 = a.units[0].cols;
  return s;
}

int stagesOf(const Phase &p) {
  int stages = 1;
  for (const auto &run : p.runs)
    for (const Slot &slot : run.slots)
      stages = std::max(stages, slot.stage + 1);
  return stages;
}

/// Cycles of a four-head epoch of attention.
int64_t attentionIi(const std::string &machineName, int64_t width) {
  Arch a = machine(machineName);
  AttentionShape s;
  s.e = s.f = width;
  s.m0 = a.units[0].cols;
  Cascade c = attention(s);
  CostReport r = evaluate(c, a, dpipe(c, a).schedule);
  return r.groups.empty() ? -1 : r.groups[0].phases[0].iiCycles;
}

void expectLegal(const Cascade &c, const Arch &a) {
  DPipeResult r = dpipe(c, a);
  ASSERT_TRUE(r.infeasible.empty()) << r.infeasible[0].what;
  for (const Violation &v : checkSchedule(c, a, r.schedule))
    ADD_FAILURE() << c.name << " on " << a.name << ": " << v.rule << " "
                  << v.what;
  EXPECT_TRUE(evaluate(c, a, r.schedule).faults.empty());
}

} // namespace

TEST(DPipeOracleTest, PublishedCyclesPerInnerTile) {
  struct Row {
    const char *machine;
    int64_t width;
    double cycles;
  };
  for (const Row &row :
       std::initializer_list<Row>{{"cloud", 64, 320},
                                  {"cloud", 128, 384},
                                  {"edge", 64, 87},
                                  {"edge", 128, 167},
                                  {"edge-32", 64, 139.25},
                                  {"edge-32", 128, 267.25},
                                  {"edge-64", 64, 144},
                                  {"edge-64", 128, 279.25},
                                  {"cloud-max2d", 64, 137.25},
                                  {"cloud-max2d", 128, 265.25},
                                  {"edge-max2d", 64, 87},
                                  {"edge-max2d", 128, 167},
                                  {"edge-32-max2d", 64, 136.25},
                                  {"edge-32-max2d", 128, 264.25},
                                  {"edge-64-max2d", 64, 136.25},
                                  {"edge-64-max2d", 128, 264.25}})
    EXPECT_EQ(attentionIi(row.machine, row.width), row.cycles * 4)
        << row.machine << " " << row.width;
}

TEST(FormGroupsTest, BertLayer) {
  for (const char *name : {"edge", "edge-32", "edge-64", "cloud"}) {
    Arch a = machine(name);
    for (int32_t bits : {16, 32}) {
      BertShape s = bertFor(a);
      s.storageBits = bits;
      Cascade c = bertLayer(s);
      std::vector<GroupMembers> groups = formGroups(c, a);
      ASSERT_EQ(groups.size(), 2u) << name;
      EXPECT_EQ(phaseNames(c, groups[0]), (Names{{"BK", "BV"}})) << name;
      EXPECT_EQ(phaseNames(c, groups[1]),
                (Names{{"Q"},
                       {"QK", "LM", "RM", "SLN", "SLD", "SLNV", "PRM", "SPD",
                        "RD", "SPNV", "RNV"},
                       with(norm(""), {"AV", "O"}),
                       {"FFN1", "AR", "FFN2"},
                       with(norm("ln2."), {"FFN2.finish"})}))
          << name;
    }
  }
}

TEST(FormGroupsTest, AttentionOnly) {
  AttentionShape s;
  Cascade c = attention(s);
  std::vector<GroupMembers> groups = formGroups(c, machine("cloud"));
  ASSERT_EQ(groups.size(), 1u);
  ASSERT_EQ(groups[0].phases.size(), 2u);
  EXPECT_EQ(groups[0].phases[0].einsums.size(), 11u);
  EXPECT_EQ(phaseNames(c, groups[0])[1], std::set<std::string>{"AV"});
}

TEST(FormGroupsTest, AWeightThatDoesNotFitIsStreamed) {
  // 4096 x 4096 x 2 bytes of WO exceed every buffer here.
  BertShape s;
  s.h = 32;
  s.e = 128;
  s.s = 14336;
  s.storageBits = 16;
  Cascade c = bertLayer(s);
  std::vector<GroupMembers> groups = formGroups(c, machine("edge"));
  ASSERT_EQ(groups.size(), 2u);
  Names names = phaseNames(c, groups[1]);
  ASSERT_EQ(names.size(), 6u);
  EXPECT_EQ(names[2], (std::set<std::string>{"AV", "O"}));
  EXPECT_EQ(names[3], with(norm(""), {"O.finish"}));
}

TEST(FormGroupsTest, EveryEinsumIsInOnePhase) {
  std::vector<Cascade> cascades = {chain(5, 6, 7), chain(1, 1, 1)};
  BertShape tiny;
  tiny.b = 2, tiny.h = 3, tiny.e = 5, tiny.p = 17, tiny.s = 29, tiny.m0 = 4;
  cascades.push_back(bertLayer(tiny));
  AttentionShape ragged;
  ragged.p = 17, ragged.m = 31, ragged.m0 = 4, ragged.causal = true;
  cascades.push_back(attention(ragged));
  for (const Cascade &c : cascades)
    for (const char *name : {"tiny", "edge", "cloud"}) {
      std::vector<int> times(c.einsums.size(), 0);
      for (const GroupMembers &g : formGroups(c, machine(name)))
        for (const PhaseMembers &p : g.phases)
          for (EinsumId e : p.einsums)
            ++times[e];
      EXPECT_EQ(times, std::vector<int>(c.einsums.size(), 1)) << c.name;
    }
}

TEST(DPipeTest, LegalOnEveryMachine) {
  for (const char *name :
       {"edge", "edge-32", "edge-64", "cloud", "cloud-max2d", "tiny"}) {
    Arch a = machine(name);
    BertShape s = bertFor(a);
    if (std::string(name) != "tiny") // a row of 768 and its weights: 21 KiB
      expectLegal(bertLayer(s), a);
    s.b = 3, s.h = 3, s.e = 5, s.p = 31, s.s = 29;
    expectLegal(bertLayer(s), a);
    s.b = 1, s.h = 1, s.e = 3, s.p = 2, s.s = 2;
    expectLegal(bertLayer(s), a);
    AttentionShape t;
    t.m0 = a.units[0].cols;
    t.p = 23, t.m = 29, t.causal = true, t.scale = true;
    expectLegal(attention(t), a);
    expectLegal(chain(17, 23, 29), a);
  }
}

/// Einsums of any shape: no phase is left without a schedule.
TEST(DPipeTest, LegalOnUnusualCascades) {
  using P = std::pair<OpClass, int>;
  const P mac{OpClass::Mac, 1}, add{OpClass::Add, 1};
  std::vector<Cascade> cascades;
  {
    CascadeBuilder b("dot"); // a scalar result
    b.rank("i", 50);
    b.input("A", {50});
    b.input("B", {50});
    b.einsum("S[]", {"A[i]", "B[i]"}, ReduceKind::Add, {mac});
    b.output("S");
    cascades.push_back(b.take());
  }
  {
    CascadeBuilder b("elementwise");
    b.rank("i", 50);
    b.rank("j", 70);
    b.input("A", {50, 70});
    b.einsum("T[i,j]", {"A[i,j]"}, ReduceKind::None, {add});
    b.einsum("U[i,j]", {"T[i,j]", "A[i,j]"}, ReduceKind::None, {add});
    b.output("U");
    cascades.push_back(b.take());
  }
  {
    CascadeBuilder b("scale by the sum"); // all of A before any of T
    b.rank("i", 50);
    b.rank("j", 70);
    b.input("A", {50, 70});
    b.einsum("S[]", {"A[i,j]"}, ReduceKind::Add, {add});
    b.einsum("T[i,j]", {"A[i,j]", "S[]"}, ReduceKind::None, {mac});
    b.output("T");
    cascades.push_back(b.take());
  }
  {
    CascadeBuilder b("transposed weights"); // weight first, then activation
    b.rank("p", 40);
    b.rank("d", 30);
    b.rank("k", 20);
    b.input("W", {20, 30});
    b.input("X", {40, 30});
    b.einsum("T[p,k]", {"W[k,d]", "X[p,d]"}, ReduceKind::Add, {mac});
    b.einsum("U[p,k]", {"T[p,k]", "X[p,k]"}, ReduceKind::None, {add});
    b.output("U");
    cascades.push_back(b.take());
  }
  {
    CascadeBuilder b("rotated"); // reads other places of a rank
    b.rank("p", 40);
    b.rank("e", 16);
    b.input("X", {40, 16});
    b.einsum("T[p,e]", {"X[p,e]"}, ReduceKind::None, {add});
    b.einsum("U[p,e]", {"T[p,15-e]", "T[p,e]"}, ReduceKind::None, {add});
    b.output("U");
    cascades.push_back(b.take());
  }
  {
    CascadeBuilder b("two heads"); // two chains that meet at the end
    b.rank("p", 40);
    b.rank("d", 30);
    b.rank("k", 20);
    b.rank("l", 25);
    b.input("X", {40, 30});
    b.input("W", {30, 20});
    b.input("V", {30, 25});
    b.einsum("T[p,k]", {"X[p,d]", "W[d,k]"}, ReduceKind::Add, {mac});
    b.einsum("U[p,l]", {"X[p,d]", "V[d,l]"}, ReduceKind::Add, {mac});
    b.einsum("S[p]", {"T[p,k]"}, ReduceKind::Add, {add});
    b.einsum("R[p,l]", {"U[p,l]", "S[p]"}, ReduceKind::None, {mac});
    b.output("R");
    cascades.push_back(b.take());
  }
  for (const Cascade &c : cascades)
    for (const char *name : {"tiny", "edge"}) {
      SCOPED_TRACE(c.name);
      expectLegal(c, machine(name));
    }
}

TEST(DPipeTest, TimePhaseAgreesWithTheSolver) {
  Arch a = machine("edge-64");
  Cascade c = bertLayer(bertFor(a));
  Schedule s = dpipe(c, a).schedule;
  for (const Group &g : s.groups)
    for (const Phase &p : g.phases) {
      PhaseMembers m;
      for (EinsumId e = 0; e < static_cast<EinsumId>(c.einsums.size()); ++e)
        for (const auto &run : p.runs)
          for (const Slot &slot : run.slots)
            if (slot.einsum == e)
              (slot.finishOnly ? m.finishes : m.einsums).push_back(e);
      std::vector<bool> accumulating;
      for (EinsumId e : m.einsums)
        accumulating.push_back(reductionSpansEpochs(c, g, p, e));
      Extents inner;
      for (size_t r = 0; r < c.ranks.size(); ++r)
        inner.push_back(p.inner[r] ? p.inner[r] : c.ranks[r].extent);
      PhasePipeline solved = solveBipartition(c, a, m, accumulating, inner);
      PhaseTiming t =
          timePhase(c, a, p, std::vector<Extents>(stagesOf(p), inner));
      EXPECT_TRUE(t.violations.empty());
      EXPECT_EQ(t.ii, solved.ii);
      if (solved.stages == 2) {
        EXPECT_EQ(t.fill, solved.fill);
        EXPECT_EQ(t.drain, solved.drain);
      }
    }
}

TEST(DPipePropertyTest, NamesAndOrderChangeNothing) {
  Rng rng(11);
  for (const char *name : {"tiny", "edge", "cloud"}) {
    Arch a = machine(name);
    BertShape s = bertFor(a);
    s.b = 2, s.p = 70, s.s = 300;
    Cascade c = bertLayer(s);
    CostReport before = evaluate(c, a, dpipe(c, a).schedule);
    for (int i = 0; i < 5; ++i) {
      Cascade d = shuffled(c, rng);
      CostReport after = evaluate(d, a, dpipe(d, a).schedule);
      EXPECT_EQ(before.latencyCycles, after.latencyCycles);
      EXPECT_EQ(before.peakBytes, after.peakBytes);
      EXPECT_EQ(before.readBytes, after.readBytes);
    }
  }
}

TEST(DPipeTest, InfeasibleSaysWhatIsMissing) {
  Arch a = machine("tiny");
  a.memories[1].capacityBytes = 1000;
  BertShape s = bertFor(a);
  s.h = 2, s.e = 8, s.p = 10, s.s = 14, s.b = 1;
  Cascade c = bertLayer(s);
  DPipeResult r = dpipe(c, a);
  ASSERT_EQ(r.infeasible.size(), 1u);
  const Violation &v = r.infeasible[0];
  EXPECT_EQ(v.bound, 1000);
  EXPECT_GT(v.demand, 1000);
  EXPECT_EQ(v.unit, "bytes");
  EXPECT_NE(v.what.find("'" + a.memories[1].name + "'"), std::string::npos);
  EXPECT_NE(v.what.find(std::to_string(v.demand - 1000) + " bytes short"),
            std::string::npos);
  // The knob works.
  a.memories[1].capacityBytes = v.demand;
  EXPECT_TRUE(dpipe(c, a).infeasible.empty());
}

TEST(DPipeTest, AnOperationThatNoUnitHasIsInfeasible) {
  Arch a = machine("edge");
  for (Unit &u : a.units)
    u.ops[static_cast<int>(OpClass::Div)].supported = false;
  AttentionShape s;
  Cascade c = attention(s);
  DPipeResult r = dpipe(c, a);
  ASSERT_EQ(r.infeasible.size(), 1u);
  EXPECT_EQ(r.infeasible[0].einsum, einsumId(c, "AV"));
}
