//===- TargetCase.h - A scheduled layer to write down -----------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_UNITTESTS_TARGET_TARGETCASE_H
#define TRANSFUSION_UNITTESTS_TARGET_TARGETCASE_H

#include "../Core/TestCascades.h"
#include "transfusion/Core/Check/Rules.h"
#include "transfusion/Target/ScheduleJson.h"
#include "transfusion/Target/ScheduleReport.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <gtest/gtest.h>

namespace transfusion::test {

/// A small BERT layer on edge: ragged tiles in each of b, p, s and keys, blocks
/// of keys and of s, two stages in attention and FFN.
struct TargetCase {
  core::Cascade c;
  core::Arch a = core::test::machine("edge");
  core::Schedule s;
  core::Plan p;
  core::CostReport cost;
  core::CostDetail detail;
  core::LowerBound bound;

  TargetCase() {
    core::test::BertShape shape;
    shape.b = 2;
    shape.h = 3;
    shape.e = 8;
    shape.p = 23;
    shape.s = 40;
    shape.m0 = 4;
    c = core::test::bertLayer(shape);
    core::test::BertTiles tiles;
    tiles.p = tiles.kvM = 10;
    tiles.innerP = tiles.innerM = 4;
    tiles.innerS = 12;
    tiles.headsPerEpoch = 2;
    tiles.blockKeys = 2;
    tiles.blockS = 24;
    s = core::test::bertSchedule(c, a, tiles);
    for (core::Group &g : s.groups)
      for (core::Phase &phase : g.phases)
        for (auto &run : phase.runs)
          for (core::Slot &slot : run.slots)
            for (const char *late : {"SLNV", "SPNV", "RNV", "FFN2"})
              if (!slot.finishOnly && c.einsums[slot.einsum].name == late)
                slot.stage = 1;
    plan();
  }
  void plan() {
    p = makePlan(c, a, s);
    cost = core::Evaluator(c, a).evaluate(s, p, detail);
    bound.cycles = cost.latencyCycles / 1.25;
    bound.limitedBy = "work";
  }
  ScheduleView view() const {
    return {"layer", c, a,
            s,       p, {"transfusion", "bipartition", "latency", 7, 1234}};
  }
  ReportNumbers numbers() const {
    return {cost,
            bound,
            groupBounds(c, a, s),
            static_cast<int64_t>(core::checkRules().size()),
            detail,
            accountEnergy(a, cost, detail),
            limitsOf(c, a, s, p, cost, detail)};
  }
  std::string schedule() const {
    std::string text;
    llvm::raw_string_ostream os(text);
    writeScheduleJson(view(), cost, os);
    return text;
  }
  std::string reportJson() const {
    std::string text;
    llvm::raw_string_ostream os(text);
    writeReportJson(view(), numbers(), os);
    return text;
  }
  std::string reportText() const {
    std::string text;
    llvm::raw_string_ostream os(text);
    writeReportText(view(), numbers(), os);
    return text;
  }
};

inline llvm::json::Object parsed(const std::string &text) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (!value) {
    ADD_FAILURE() << llvm::toString(value.takeError());
    return {};
  }
  return *value->getAsObject();
}

} // namespace transfusion::test

#endif // TRANSFUSION_UNITTESTS_TARGET_TARGETCASE_H
