//===- RoundTripTest.cpp - IR to Core and back, to the letter -------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "BridgeTest.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace transfusion;
using namespace transfusion::test;

namespace {

using RoundTrip = BridgeTest;

std::string text(mlir::Operation *op) {
  std::string text;
  llvm::raw_string_ostream(text) << *op;
  return text;
}

/// Imports each schedule and exports it beside the original.
void expectExact(mlir::ModuleOp module) {
  int schedules = 0;
  for (auto op :
       llvm::make_early_inc_range(module.getOps<sched::ScheduleOp>())) {
    auto imported = importSchedule(op);
    ASSERT_TRUE(succeeded(imported));
    mlir::OpBuilder builder(op);
    sched::ScheduleOp copy =
        exportSchedule(builder, op.getLoc(), op.getSymName(), imported->source,
                       imported->function, imported->archOp, imported->schedule,
                       imported->search);
    EXPECT_EQ(text(op), text(copy));
    copy.erase();
    ++schedules;
  }
  EXPECT_GT(schedules, 0);
}

TEST_F(RoundTrip, OfWhatDPipeWrites) {
  for (const char *machine : {"edge", "tiny"}) {
    auto module = example("bert_tiny",
                          "load-arch{arch=" + std::string(machine) + "},dpipe");
    ASSERT_TRUE(module);
    expectExact(*module);
  }
}

TEST_F(RoundTrip, OfWhatTileSeekWrites) {
  auto module = example(
      "bert_tiny", "load-arch{arch=tiny},dpipe,tileseek{evaluations=16 seed=3 "
                   "objective=energy mode=random}");
  ASSERT_TRUE(module);
  expectExact(*module);
}

TEST_F(RoundTrip, OfEverythingASchedulePermits) {
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(
      TRANSFUSION_SOURCE_DIR "/test/Dialect/Sched/ops.mlir", &context);
  ASSERT_TRUE(module);
  expectExact(*module);
}

} // namespace
