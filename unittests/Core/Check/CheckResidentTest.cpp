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

void residentsBreak(const char *rule, const char *text,
                    const std::function<void(ResidentCase &)> &mutate) {
  ResidentCase t;
  ASSERT_EQ(describe(t.check()), "");
  mutate(t);
  expectRule(t.check(), rule, text);
}

void planBreaks(const char *text, const std::function<void(Plan &)> &mutate) {
  ResidentCase t;
  t.reside("BV");
  Plan p = makePlan(t.c, t.a, t.s);
  ASSERT_EQ(describe(checkPlan(t.c, t.a, t.s, p)), "");
  mutate(p);
  expectRule(checkPlan(t.c, t.a, t.s, p), "P13", text);
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

} // namespace
