//===- DropMemorySpaces.cpp - On-chip memories become plain memory --------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For execution on the host: memory space m, the index of a memory of the
// machine, is no address space of an LLVM target.
//
//===----------------------------------------------------------------------===//
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "transfusion/Conversion/Passes.h"

namespace transfusion {
#define GEN_PASS_DEF_DROPMEMORYSPACESPASS
#include "transfusion/Conversion/Passes.h.inc"
} // namespace transfusion

using namespace mlir;

static void dropSpace(Value v) {
  auto type = dyn_cast<MemRefType>(v.getType());
  if (type && type.getMemorySpace())
    v.setType(MemRefType::get(type.getShape(), type.getElementType(),
                              type.getLayout()));
}

namespace {
struct DropMemorySpacesPass
    : transfusion::impl::DropMemorySpacesPassBase<DropMemorySpacesPass> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      for (Value result : op->getResults())
        dropSpace(result);
      for (Region &region : op->getRegions())
        for (Block &block : region)
          for (BlockArgument arg : block.getArguments())
            dropSpace(arg);
    });
  }
};
} // namespace
