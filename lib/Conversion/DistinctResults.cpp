//===- DistinctResults.cpp - A buffer that is returned twice is copied ----===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "transfusion/Conversion/Passes.h"
#include "llvm/ADT/DenseSet.h"

namespace transfusion {
#define GEN_PASS_DEF_DISTINCTRESULTSPASS
#include "transfusion/Conversion/Passes.h.inc"
} // namespace transfusion

using namespace mlir;

namespace {
struct DistinctResults
    : public transfusion::impl::DistinctResultsPassBase<DistinctResults> {
  void runOnOperation() override {
    getOperation().walk([](func::ReturnOp op) {
      llvm::SmallDenseSet<Value> seen;
      for (OpOperand &returned : op->getOpOperands()) {
        auto type = dyn_cast<MemRefType>(returned.get().getType());
        if (!type || !type.hasStaticShape() ||
            seen.insert(returned.get()).second)
          continue;
        OpBuilder b(op);
        auto plain = MemRefType::get(type.getShape(), type.getElementType());
        Value copy = memref::AllocOp::create(b, op.getLoc(), plain);
        memref::CopyOp::create(b, op.getLoc(), returned.get(), copy);
        if (copy.getType() != type)
          copy = memref::CastOp::create(b, op.getLoc(), type, copy);
        returned.set(copy);
      }
    });
  }
};
} // namespace
