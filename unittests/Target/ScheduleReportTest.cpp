//===- ScheduleReportTest.cpp - What people and programs are told ---------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TargetCase.h"
#include "transfusion/Core/Check/Rules.h"

using namespace transfusion;
using namespace transfusion::test;

namespace {

TEST(ScheduleReport, JsonHasTheNumbers) {
  TargetCase t;
  llvm::json::Object o = parsed(t.reportJson());
  EXPECT_EQ(o.getNumber("latency_cycles"), t.cost.latencyCycles);
  EXPECT_EQ(o.getNumber("latency_s"), t.cost.latencyCycles / 940e6);
  EXPECT_EQ(o.getNumber("lower_bound_cycles"), t.bound.cycles);
  EXPECT_NEAR(*o.getNumber("gap"), 0.25, 1e-12);
  EXPECT_EQ(o.getNumber("energy_pj"), t.cost.energyPj);
  EXPECT_EQ(o.getString("bottleneck"), t.cost.bottleneck);
  const llvm::json::Object &search = *o.getObject("search");
  EXPECT_EQ(search.getString("policy"), "transfusion");
  EXPECT_EQ(search.getString("strategy"), "bipartition");
  EXPECT_EQ(search.getInteger("seed"), 7);
  EXPECT_EQ(search.getInteger("evaluations"), 1234);
  for (const char *unit : {"mac2d", "vec1d"}) {
    const llvm::json::Object &use =
        *o.getObject("utilization")->getObject(unit);
    EXPECT_GT(*use.getNumber("busy"), 0);
    EXPECT_LE(*use.getNumber("lanes"), *use.getNumber("busy"));
  }
  EXPECT_EQ(o.getObject("traffic_bytes")->getObject("dram")->getInteger("read"),
            t.cost.readBytes[0]);
  ASSERT_EQ(o.getArray("einsums")->size(), t.c.einsums.size());
  const llvm::json::Object &qk =
      *(*o.getArray("einsums"))[core::test::einsumId(t.c, "QK")].getAsObject();
  EXPECT_EQ(qk.getString("name"), "QK");
  EXPECT_EQ(qk.getString("unit"), "mac2d");
  EXPECT_EQ(qk.getInteger("stage"), 0);
  // A 4 x 4 tile over e = 8 and two heads, then the scale.
  EXPECT_EQ(qk.getInteger("cycles"), 2 * 8 + 2);
}

TEST(ScheduleReport, PhasesAddUp) {
  TargetCase t;
  llvm::json::Object o = parsed(t.reportJson());
  double total = 0;
  int64_t index = 0;
  for (const llvm::json::Value &g : *o.getArray("groups")) {
    const llvm::json::Object &group = *g.getAsObject();
    double sum = 0;
    for (const llvm::json::Value &p : *group.getArray("phases")) {
      const llvm::json::Object &phase = *p.getAsObject();
      EXPECT_EQ(phase.getInteger("index"), index++);
      for (const char *key :
           {"epochs", "ii_cycles", "stages", "fill_cycles", "drain_cycles"})
        EXPECT_TRUE(phase.getInteger(key)) << key;
      EXPECT_TRUE(phase.getString("bottleneck"));
      sum += *phase.getNumber("latency_cycles");
    }
    EXPECT_NEAR(sum, *group.getNumber("latency_cycles"), 1e-6 * sum);
    total += *group.getNumber("latency_cycles");
  }
  EXPECT_NEAR(total, *o.getNumber("latency_cycles"), 1e-6 * total);
}

/// Peak = greatest end of a live buffer, by a sweep over the file.
TEST(ScheduleReport, PeakIsWhereTheLastBufferEnds) {
  TargetCase t;
  llvm::json::Object o = parsed(t.reportJson());
  int64_t peak = 0;
  for (int64_t phase = 0; phase < 6; ++phase)
    for (const llvm::json::Value &b : *o.getArray("buffers")) {
      const llvm::json::Object &x = *b.getAsObject();
      if (*x.getInteger("first_use") <= phase &&
          phase <= *x.getInteger("last_use"))
        peak =
            std::max(peak, *x.getInteger("address") + *x.getInteger("bytes"));
    }
  EXPECT_EQ(o.getObject("peak_bytes")->getInteger("buffer"), peak);
  EXPECT_EQ(o.getObject("allocation_bytes")->getInteger("buffer"), peak);
  EXPECT_LE(peak, t.a.memories[1].capacityBytes);
  // The outermost memory holds tensors, not buffers.
  EXPECT_FALSE(o.getObject("peak_bytes")->get("dram"));
}

TEST(ScheduleReport, TextSaysWhatMatters) {
  TargetCase t;
  std::string text = t.reportText();
  auto says = [&](const char *what) {
    EXPECT_NE(text.find(what), std::string::npos) << what << "\n" << text;
  };
  says("@bert on @edge   policy transfusion (bipartition)   objective latency  "
       " seed 7   1,234 evaluations\n");
  says("lower bound ");
  says("gap 25.0 %");
  says("limited by ");
  says("g2.p4  FFN1 AR FFN2");
  says("g2.p5  FFN2.finish ... ln2.NR");
  says("buffer: no bandwidth given, so it is not a limit\n");
  says(("checked: legal (" + std::to_string(core::checkRules().size()) +
        " rules)\n")
           .c_str());
  // Columns stand under their titles: every row ends its II where the title
  // does.
  size_t title = text.find("  phase  "), column = text.find("II", title) + 2;
  column -= title;
  size_t row = text.find("\n", title) + 1;
  for (int i = 0; i < 6; ++i) {
    EXPECT_TRUE(isdigit(text[row + column - 1])) << text;
    EXPECT_EQ(text[row + column], ' ') << text;
    row = text.find("\n", row) + 1;
  }
  // A bandwidth that is given is not excused.
  t.a.memories[1].readBytesPerS = 1e12;
  t.plan();
  EXPECT_EQ(t.reportText().find("no bandwidth given"), std::string::npos);
}

} // namespace
