//===- EinsumPartition.cpp - The pass over a function's cascades ----------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Dialect/Einsum/Transforms/Partition.h"
#include "transfusion/Dialect/Einsum/Transforms/Passes.h"

namespace transfusion::einsum {
#define GEN_PASS_DEF_EINSUMPARTITIONPASS
#include "transfusion/Dialect/Einsum/Transforms/Passes.h.inc"
} // namespace transfusion::einsum

using namespace mlir;
using namespace transfusion::einsum;

namespace {
struct EinsumPartition
    : public transfusion::einsum::impl::EinsumPartitionPassBase<
          EinsumPartition> {
  using EinsumPartitionPassBase::EinsumPartitionPassBase;

  void runOnOperation() override {
    std::string outer = rank + "1", inner = rank + "0";
    SmallVector<CascadeOp> cascades;
    bool hasCascade = false;
    getOperation().walk([&](CascadeOp cascade) {
      hasCascade = true;
      if (cascade.lookupRank(outer) && cascade.lookupRank(inner))
        cascades.push_back(cascade);
    });
    if (hasCascade && cascades.empty()) {
      getOperation().emitError() << "no cascade here declares ranks '" << outer
                                 << "' and '" << inner << "'";
      return signalPassFailure();
    }
    for (CascadeOp cascade : cascades)
      if (failed(partitionIterativeRank(cascade, outer, inner, width)))
        return signalPassFailure();
  }
};
} // namespace
