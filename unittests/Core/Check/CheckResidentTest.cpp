//===- CheckResidentTest.cpp - Broken residents ---------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CheckTest.h"

using namespace transfusion::core;
using namespace transfusion::core::test;

namespace {

/// BertCase with 64 MiB between DRAM and the buffer, where BK resides.
struct ResidentCase : BertCase {
  ResidentCase() {
    Memory l2 = a.memories[0];
    l2.name = "l2";
    l2.capacityBytes = 64 << 20;
    a.memories.insert(a.memories.begin() + 1, l2);
    for (Unit &u : a.units)
      u.memory = 2;
    reside("BK");
  }
  void reside(const std::string &tensor, MemoryId m = 1) {
    s.residents.push_back({tensorId(c, tensor), m});
  }
};

template <typename Case>
void scheduleBreaks(const char *rule, const char *text,
                    const std::function<void(Case &)> &mutate) {
  Case t;
  ASSERT_EQ(describe(t.check()), "");
  mutate(t);
  expectRule(t.check(), rule, text);
}
constexpr auto *residentsBreak = scheduleBreaks<ResidentCase>;

void planBreaks(const BertCase &t, const char *rule, const char *text,
                const std::function<void(Plan &)> &mutate) {
  Plan p = makePlan(t.c, t.a, t.s);
  ASSERT_EQ(describe(checkPlan(t.c, t.a, t.s, p)), "");
  mutate(p);
  expectRule(checkPlan(t.c, t.a, t.s, p), rule, text);
}

void planBreaks(const char *text, const std::function<void(Plan &)> &mutate) {
  ResidentCase t;
  t.reside("BV");
  planBreaks(t, "P13", text, mutate);
}

TEST(CheckResidents, S01Ids) {
  residentsBreak("S01", "names tensor 1000",
                 [](ResidentCase &t) { t.s.residents.push_back({1000, 1}); });
  residentsBreak("S01", "names memory 3",
                 [](ResidentCase &t) { t.s.residents[0].memory = 3; });
}

TEST(CheckResidents, S38Residents) {
  residentsBreak("S38", "is listed twice",
                 [](ResidentCase &t) { t.reside("BK"); });
  residentsBreak("S38", "is out of order", [](ResidentCase &t) {
    t.reside("BV");
    std::swap(t.s.residents[0], t.s.residents[1]);
  });
  residentsBreak("S38", "'BK' is in 'buffer', which is not between 'dram' and",
                 [](ResidentCase &t) { t.s.residents[0].memory = 2; });
  residentsBreak("S38", "'BK' is in 'dram'",
                 [](ResidentCase &t) { t.s.residents[0].memory = 0; });
  residentsBreak("S38", "'Q' does not leave its group", [](ResidentCase &t) {
    t.s.residents[0].tensor = tensorId(t.c, "Q");
  });
  for (auto [role, text] : {std::pair(OperandRole::Output, "outputs pass by"),
                            std::pair(OperandRole::Weight, "weights pass by")})
    residentsBreak("S38", text, [role = role](ResidentCase &t) {
      t.a.memories[1].keeps[static_cast<int>(role)] = false;
    });
  ResidentCase others; // BK is made, and the second operand of scores
  others.a.memories[1].keeps[static_cast<int>(OperandRole::Input)] = false;
  EXPECT_EQ(describe(others.check()), "");
  const ResidentCase legal;
  for (size_t i = 0; i < legal.c.tensors.size(); ++i) {
    const Tensor &tensor = legal.c.tensors[i];
    const auto t = static_cast<TensorId>(i);
    if (tensor.isOutput)
      residentsBreak("S38", "is an output",
                     [&](ResidentCase &x) { x.s.residents[0].tensor = t; });
    else if (tensor.iterativeDim >= 0)
      residentsBreak("S38", "is a recurrence",
                     [&](ResidentCase &x) { x.s.residents[0].tensor = t; });
  }
}

TEST(CheckResidents, S39Capacity) {
  ResidentCase t;
  const Tensor &bk = t.c.tensors[tensorId(t.c, "BK")];
  int64_t bytes = bk.bitsPerValue / 8;
  for (int64_t n : bk.shape)
    bytes *= n;
  const int64_t needed = (bytes + 63) / 64 * 64;
  residentsBreak(
      "S39", (std::to_string(needed) + " bytes) in 'l2'").c_str(),
      [&](ResidentCase &x) { x.a.memories[1].capacityBytes = needed - 1; });
  t.a.memories[1].capacityBytes = needed;
  EXPECT_EQ(describe(t.check()), "");
}

TEST(CheckResidents, S40Wait) {
  residentsBreak("S40", "defers 'BK', which is a resident",
                 [](ResidentCase &t) {
                   t.keys().defer.push_back({tensorId(t.c, "BK"), 1});
                 });
}

TEST(CheckResidents, P13) {
  planBreaks("another number of residents",
             [](Plan &p) { p.residents.pop_back(); });
  planBreaks("is another one in the plan",
             [](Plan &p) { p.residents[0].memory = 0; });
  planBreaks("has 64 bytes of", [](Plan &p) { p.residents[0].bytes = 64; });
  planBreaks("is at address 1", [](Plan &p) { p.residents[0].address += 1; });
  planBreaks("lives from group 2 to 2, but is used from 1 to 2",
             [](Plan &p) { p.residents[0].firstGroup = 1; });
  planBreaks("is copied, but is no input",
             [](Plan &p) { p.residents[0].isCopied = true; });
  planBreaks("share bytes",
             [](Plan &p) { p.residents[1].address = p.residents[0].address; });
  planBreaks("where its tensor is not", [](Plan &p) {
    for (Buffer &b : p.buffers)
      if (b.outer == 1) {
        b.outer = 0;
        break;
      }
  });
}

/// The second group, with outer tiles of batches and queries, reads pieces of
/// BK.
struct PieceCase : ResidentCase {
  PieceCase() {
    s.residents.clear();
    layIn("BK");
  }
  void layIn(const std::string &tensor, MemoryId m = 1) {
    s.groups[1].residents.push_back({tensorId(c, tensor), m});
  }
};

constexpr auto *piecesBreak = scheduleBreaks<PieceCase>;

void piecePlanBreaks(const char *rule, const char *text,
                     const std::function<void(Plan &)> &mutate) {
  PieceCase t;
  t.layIn("BV");
  planBreaks(t, rule, text, mutate);
}

TEST(CheckPieces, S41) {
  piecesBreak("S01", "names tensor 1000",
              [](PieceCase &t) { t.s.groups[1].residents[0].tensor = 1000; });
  piecesBreak("S41", "is listed twice", [](PieceCase &t) { t.layIn("BK"); });
  piecesBreak("S41", "is out of order", [](PieceCase &t) {
    t.layIn("BV");
    std::swap(t.s.groups[1].residents[0], t.s.groups[1].residents[1]);
  });
  piecesBreak("S41", "of group 2 is in 'buffer', which is not between",
              [](PieceCase &t) { t.s.groups[1].residents[0].memory = 2; });
  piecesBreak("S41", "of group 2 is in 'dram'",
              [](PieceCase &t) { t.s.groups[1].residents[0].memory = 0; });
  piecesBreak("S41", "'Q' of group 2 is made in the group", [](PieceCase &t) {
    t.s.groups[1].residents[0].tensor = tensorId(t.c, "Q");
  });
  piecesBreak("S41", "'BK' of group 1 is made in the group", [](PieceCase &t) {
    std::swap(t.s.groups[0].residents, t.s.groups[1].residents);
  });
  piecesBreak("S41", "is a resident as a whole",
              [](PieceCase &t) { t.reside("BK"); });
  piecesBreak("S41", "is in 'l2', which weights pass by", [](PieceCase &t) {
    t.a.memories[1].keeps[static_cast<int>(OperandRole::Weight)] = false;
  });
  PieceCase weights; // copied there, not made
  for (OperandRole r : {OperandRole::Input, OperandRole::Output})
    weights.a.memories[1].keeps[static_cast<int>(r)] = false;
  EXPECT_EQ(describe(weights.check()), "");
  piecesBreak("S41", "is retained at group", [](PieceCase &t) {
    std::vector<Retain> &retain = t.s.groups[1].retain;
    retain = {{tensorId(t.c, "BK"), RetainLevel::Group}};
  });
}

/// Of one batch: 3 heads, 23 keys, 8 values of 4 bytes, aligned. The plan has
/// room for 24 keys, which are 6 steps of 4.
TEST(CheckPieces, S39Capacity) {
  const int64_t needed = (3 * 23 * 8 * 4 + 63) / 64 * 64;
  piecesBreak("S39", "group 2 has residents of", [&](PieceCase &x) {
    x.a.memories[1].capacityBytes = needed - 1;
  });
  PieceCase t;
  t.a.memories[1].capacityBytes = needed;
  EXPECT_EQ(describe(t.check()), "");
  const Plan p = makePlan(t.c, t.a, t.s);
  EXPECT_EQ(p.residents.front().bytes, 3 * 24 * 8 * 4);
  expectRule(checkPlan(t.c, t.a, t.s, p), "P09", "resident 'BK' ends at");
}

TEST(CheckPieces, P14) {
  piecePlanBreaks("P13", "another number of residents",
                  [](Plan &p) { p.residents.pop_back(); });
  piecePlanBreaks("P14", "is another one in the plan",
                  [](Plan &p) { p.residents[0].group = 0; });
  piecePlanBreaks("P14", "has 64 bytes of",
                  [](Plan &p) { p.residents[0].bytes = 64; });
  piecePlanBreaks("P14", " of ",
                  [](Plan &p) { p.residents[0].dims[0].extent = 0; });
  piecePlanBreaks("P14", "is at address 1",
                  [](Plan &p) { p.residents[0].address += 1; });
  piecePlanBreaks("P14", "is copied at loop",
                  [](Plan &p) { p.residents[0].copyPosition += 1; });
  piecePlanBreaks("P14", "is accessed otherwise",
                  [](Plan &p) { p.residents[0].access[0].constant += 1; });
  piecePlanBreaks("P13", "share bytes", [](Plan &p) {
    p.residents[1].address = p.residents[0].address;
  });
  piecePlanBreaks("P13", "where its tensor is not", [](Plan &p) {
    for (Buffer &b : p.buffers)
      if (b.outer == 1) {
        b.outer = 0;
        break;
      }
  });
}

} // namespace
