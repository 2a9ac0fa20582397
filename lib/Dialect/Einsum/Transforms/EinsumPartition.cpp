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
    std::string known; // what could be asked for
    bool hasCascade = false;
    getOperation().walk([&](CascadeOp cascade) {
      hasCascade = true;
      if (cascade.lookupRank(outer) && cascade.lookupRank(inner))
        cascades.push_back(cascade);
      for (auto each : cascade.getRanks().getAsRange<RankAttr>()) {
        StringRef name = each.getName();
        if (each.getIterative() && name.consume_back("1") &&
            cascade.lookupRank((name + "0").str()))
          known += (known.empty() ? "" : ", ") + name.str();
      }
    });
    if (hasCascade && cascades.empty()) {
      InFlightDiagnostic error = emitError(getOperation().getLoc())
                                 << "no cascade here declares ranks '" << outer
                                 << "' and '" << inner << "'";
      error.attachNote() << (known.empty() ? "none has tiles of an iterative "
                                             "rank"
                                           : "rank is one of: " + known);
      return signalPassFailure();
    }
    for (CascadeOp cascade : cascades)
      if (failed(partitionIterativeRank(cascade, outer, inner, width)))
        return signalPassFailure();
  }
};
} // namespace
