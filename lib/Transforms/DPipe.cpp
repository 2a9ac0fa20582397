//===- DPipe.cpp - Schedule each layer ------------------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transfusion/Core/Search/DPipe.h"
#include "LayerToSchedule.h"
#include "transfusion/Bridge/ArchFiles.h"
#include "transfusion/Bridge/Diagnostics.h"
#include "transfusion/Bridge/Unscheduled.h"
#include "transfusion/Transforms/Passes.h"

namespace transfusion {
#define GEN_PASS_DEF_DPIPEPASS
#include "transfusion/Transforms/Passes.h.inc"
} // namespace transfusion

using namespace mlir;
using namespace transfusion;

namespace {
struct DPipePass : transfusion::impl::DPipePassBase<DPipePass> {
  using DPipePassBase::DPipePassBase;
  void runOnOperation() override {
    if (failed(run(getOperation())))
      signalPassFailure();
  }

private:
  LogicalResult run(ModuleOp module);
};
} // namespace

static_assert(static_cast<int>(sched::Policy::Unfused) ==
                  static_cast<int>(core::Policy::Unfused) &&
              static_cast<int>(sched::Policy::Unfused) + 1 ==
                  core::kNumPolicies);

static LogicalResult solve(LayerToSchedule &layer, const core::Arch &arch,
                           core::Policy policy) {
  if (failed(prepareLayer(layer, arch, core::attentionPasses(policy))))
    return failure();
  core::DPipeResult result = core::dpipe(layer.source.cascade, arch, policy);
  if (failed(emitViolations(result.infeasible, layer.source, *layer.prepared)))
    return failure();
  layer.schedule = std::move(result.schedule);
  return verifySolution(layer.source, arch, layer.schedule, *layer.prepared);
}

LogicalResult DPipePass::run(ModuleOp module) {
  FailureOr<std::vector<LayerToSchedule>> layers =
      layersToSchedule(module, getArgument());
  if (failed(layers))
    return failure();
  FailureOr<sched::ArchOp> archOp = findArch(module);
  if (failed(archOp))
    return failure();
  core::Arch arch = importArch(*archOp);
  if (failed(verifySchedulable(*archOp, arch)))
    return failure();
  for (LayerToSchedule &layer : *layers)
    if (failed(solve(
            layer, arch,
            static_cast<core::Policy>(static_cast<int>(policy.getValue())))))
      return failure();
  auto search = sched::SearchAttr::get(&getContext(), policy, strategy,
                                       sched::TileSearchAttr());
  for (LayerToSchedule &layer : *layers) {
    warnOfUnscheduled(
        cast<FunctionOpInterface>(layer.prepared->getOperation()));
    materializeLayer(module, layer, *archOp, search);
  }
  return success();
}
