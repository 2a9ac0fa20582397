//===- StrictCasts.cpp - Casts of floats without fast-math flags ----------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Pass/Pass.h"
#include "transfusion/Conversion/Passes.h"

namespace transfusion {
#define GEN_PASS_DEF_STRICTCASTSPASS
#include "transfusion/Conversion/Passes.h.inc"
} // namespace transfusion

using namespace mlir;

namespace {
struct StrictCasts
    : public transfusion::impl::StrictCastsPassBase<StrictCasts> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      if (auto extend = dyn_cast<arith::ExtFOp>(op))
        extend.setFastmathAttr({});
      else if (auto truncate = dyn_cast<arith::TruncFOp>(op))
        truncate.setFastmathAttr({});
    });
  }
};
} // namespace
