//===- ScheduleJsonTest.cpp - The schedule file executes by itself --------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TargetCase.h"
#include "transfusion/Core/Search/DPipe.h"
#include "transfusion/Core/Search/TileSeek.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"

#include <functional>

using namespace transfusion;
using namespace transfusion::test;

namespace {

/// Runs scripts/check-schedule.py, which reads the file and nothing else.
struct Checker {
  llvm::SmallString<128> schedule, report;
  Checker() {
    llvm::sys::fs::createTemporaryFile("schedule", "json", schedule);
    llvm::sys::fs::createTemporaryFile("report", "json", report);
  }
  ~Checker() {
    llvm::sys::fs::remove(schedule);
    llvm::sys::fs::remove(report);
  }
  static void write(llvm::StringRef path, const std::string &text) {
    std::error_code error;
    llvm::raw_fd_ostream(path, error) << text;
    ASSERT_FALSE(error);
  }
  int run(const std::string &scheduleText, const std::string &reportText) {
    write(schedule, scheduleText);
    write(report, reportText);
    // A failure is expected half of the time: do not print it.
    std::optional<llvm::StringRef> quiet[] = {
        {}, llvm::StringRef(""), llvm::StringRef("")};
    return llvm::sys::ExecuteAndWait(
        "/usr/bin/python3",
        {"python3", TRANSFUSION_SOURCE_DIR "/scripts/check-schedule.py",
         schedule, "--report", report},
        std::nullopt, quiet);
  }
};

TEST(ScheduleJson, WalkAgreesWithEvaluate) {
  TargetCase t;
  ASSERT_TRUE(t.cost.faults.empty());
  EXPECT_EQ(Checker().run(t.schedule(), t.reportJson()), 0);
}

TEST(ScheduleJson, WalkAgreesWithRetention) {
  TargetCase t;
  for (const char *name : {"WQ", "BK"})
    t.s.groups[1].retain.push_back(
        {core::test::tensorId(t.c, name),
         *name == 'W' ? core::RetainLevel::Group : core::RetainLevel::Tile});
  std::sort(t.s.groups[1].retain.begin(), t.s.groups[1].retain.end(),
            [](auto &x, auto &y) { return x.tensor < y.tensor; });
  t.plan();
  ASSERT_TRUE(t.cost.faults.empty());
  EXPECT_EQ(Checker().run(t.schedule(), t.reportJson()), 0);
}

TEST(ScheduleJson, WalkAgreesForSearchedSchedules) {
  TargetCase t;
  core::test::BertShape shape;
  shape.b = 2;
  shape.h = 3;
  shape.e = 5;
  shape.p = 19;
  shape.s = 29;
  shape.m0 = 4;
  t.c = core::test::bertLayer(shape);
  t.a = core::test::machine("tiny");
  core::DPipeResult piped = core::dpipe(t.c, t.a);
  ASSERT_TRUE(piped.infeasible.empty());
  core::TileSeekOptions options;
  options.evaluations = 50;
  t.s = core::tileseek(t.c, t.a, piped.schedule, options).schedule;
  t.plan();
  ASSERT_TRUE(t.cost.faults.empty());
  EXPECT_EQ(Checker().run(t.schedule(), t.reportJson()), 0);
  t.s = piped.schedule;
  t.plan();
  EXPECT_EQ(Checker().run(t.schedule(), t.reportJson()), 0);
}

TEST(ScheduleJson, WrongFilesAreRefused) {
  using Mutation = std::function<void(llvm::json::Object &)>;
  auto buffer = [](llvm::json::Object &o, llvm::StringRef suffix) {
    for (llvm::json::Value &b : *o.getArray("buffers"))
      if (b.getAsObject()->getString("name")->ends_with(suffix))
        return b.getAsObject();
    return static_cast<llvm::json::Object *>(nullptr);
  };
  auto phase = [](llvm::json::Object &o, size_t g, size_t p) {
    return (*(*o.getArray("groups"))[g].getAsObject()->getArray("phases"))[p]
        .getAsObject();
  };
  auto slot = [&](llvm::json::Object &o, size_t g, size_t p, size_t i) {
    return (*phase(o, g, p)->getArray("slots"))[i].getAsObject();
  };
  const std::pair<const char *, Mutation> mutations[] = {
      {"unknown key", [](auto &o) { o["surprise"] = 1; }},
      {"another version", [](auto &o) { o["version"] = 2; }},
      {"window too short", [&](auto &o) { (*buffer(o, ".SLN"))["slots"] = 1; }},
      {"block of keys not loaded ahead",
       [&](auto &o) { (*buffer(o, "g2.p2.BV"))["slots"] = 1; }},
      {"live buffers overlap",
       [&](auto &o) {
         (*buffer(o, "g2.p2.BV"))["address"] =
             *buffer(o, "g2.p2.BK")->getInteger("address");
       }},
      {"stage shifted", [&](auto &o) { (*slot(o, 1, 3, 0))["stage"] = 1; }},
      {"outer tile dropped",
       [&](auto &o) {
         llvm::json::Object *loop =
             (*(*o.getArray("groups"))[0].getAsObject()->getArray(
                 "outer_loops"))[1]
                 .getAsObject();
         (*loop)["trips"] = *loop->getInteger("trips") - 1;
       }},
      {"Einsum dropped",
       [&](auto &o) {
         llvm::json::Array *slots = phase(o, 1, 3)->getArray("slots");
         slots->erase(slots->begin());
       }},
  };
  TargetCase t;
  std::string schedule = t.schedule(), report = t.reportJson();
  for (const auto &[what, mutate] : mutations) {
    llvm::json::Object o = parsed(schedule);
    mutate(o);
    std::string text;
    llvm::raw_string_ostream(text) << llvm::json::Value(std::move(o));
    EXPECT_EQ(Checker().run(text, report), 1) << what;
  }
}

TEST(ScheduleJson, SteadyBodyIsTheTiming) {
  TargetCase t;
  llvm::json::Object o = parsed(t.schedule());
  const llvm::json::Array &groups = *o.getArray("groups");
  int bodies = 0;
  for (size_t g = 0; g < groups.size(); ++g) {
    const llvm::json::Array &phases =
        *groups[g].getAsObject()->getArray("phases");
    for (size_t p = 0; p < phases.size(); ++p, ++bodies) {
      const llvm::json::Object &phase = *phases[p].getAsObject();
      const core::PhaseCost &cost = t.cost.groups[g].phases[p];
      EXPECT_EQ(phase.getInteger("ii_cycles"), cost.iiCycles);
      EXPECT_EQ(phase.getInteger("stages"), cost.stages);
      EXPECT_EQ(phase.getArray("prologue")->size(), size_t(cost.stages - 1));
      EXPECT_EQ(phase.getArray("epilogue")->size(), size_t(cost.stages - 1));
      // Every slot once, none beyond the II, none beside another on its unit.
      size_t seen = 0;
      for (const auto &unit : *phase.getObject("steady")->getObject("units")) {
        int64_t free = 0;
        for (const llvm::json::Value &entry : *unit.second.getAsArray()) {
          ++seen;
          EXPECT_GE(*entry.getAsObject()->getInteger("start"), free);
          free = *entry.getAsObject()->getInteger("end");
          EXPECT_LE(free, cost.iiCycles);
        }
      }
      EXPECT_EQ(seen, phase.getArray("slots")->size());
    }
  }
  EXPECT_EQ(bodies, 6);
}

TEST(ScheduleJson, SameBytesTwice) {
  EXPECT_EQ(TargetCase().schedule(), TargetCase().schedule());
}

} // namespace
