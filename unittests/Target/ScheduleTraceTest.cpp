//===- ScheduleTraceTest.cpp - A window of a schedule ---------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Target/ScheduleTrace.h"
#include "TargetCase.h"

#include <map>

using namespace transfusion;
using namespace transfusion::test;

namespace {

std::string trace(const TargetCase &t, const TraceWindow &w) {
  std::string text;
  llvm::raw_string_ostream os(text);
  writeScheduleTrace(t.view(), w, os);
  return text;
}

/// All steps of a phase last as long as its cost says, and tracks are serial.
TEST(ScheduleTrace, CoversThePhase) {
  TargetCase t;
  // One outer tile, so that the window can hold all of it.
  for (core::Group &g : t.s.groups) {
    g.tileOrder.clear();
    g.tile.assign(t.c.ranks.size(), 0);
  }
  t.plan();
  ASSERT_TRUE(t.cost.faults.empty());
  for (int32_t p = 0; p < 5; ++p) {
    llvm::json::Object o = parsed(trace(t, {1, p, 0, 100000}));
    std::map<int64_t, double> free;
    double last = 0;
    size_t events = 0;
    for (const llvm::json::Value &e : *o.getArray("traceEvents")) {
      const llvm::json::Object &x = *e.getAsObject();
      if (x.getString("ph") != "X")
        continue;
      ++events;
      double start = *x.getNumber("ts"), &end = free[*x.getInteger("tid")];
      EXPECT_GE(start, end - 1e-9);
      end = start + *x.getNumber("dur");
      if (*x.getInteger("tid") < 2)
        last = std::max(last, end);
    }
    const core::PhaseCost &cost = t.cost.groups[1].phases[p];
    EXPECT_NEAR(last, cost.computeCycles / t.a.clockHz * 1e6, 1e-6 * last);
    EXPECT_GE(events, static_cast<size_t>(cost.epochs));
  }
}

TEST(ScheduleTrace, WindowIsBounded) {
  TargetCase t;
  auto count = [&](const TraceWindow &w) {
    return parsed(trace(t, w)).getArray("traceEvents")->size();
  };
  // Four tracks' names at most, then one event per slot and step.
  EXPECT_EQ(count({1, 2, 0, 2}), 3 + 2 * t.p.groups[1].phases[2].slots.size());
  EXPECT_EQ(count({1, 2, 1 << 20, 5}), 3u);
  EXPECT_EQ(count({1, 2, INT64_MAX, INT64_MAX}), 3u);
}

} // namespace
