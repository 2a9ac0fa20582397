//===- TransFusion.cpp - From a layer to its schedule ---------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "transfusion/Core/Search/Policy.h"
#include "transfusion/Dialect/Einsum/Transforms/Passes.h"
#include "transfusion/Pipelines/Pipelines.h"

using namespace mlir;
using namespace transfusion;

using llvm::cl::desc;
using llvm::cl::init;

/// Defaults come from the passes, so that they are stated once.
TransFusionOptions::TransFusionOptions()
    : arch(*this, "arch",
           desc("machine: a name, or the path of a YAML file (--load-arch); "
                "not needed where the module has a sched.arch")),
      allowUnraised(*this, "allow-unraised",
                    desc("leave what cannot be raised, with a warning"),
                    init(LinalgToEinsumPassOptions().allowUnraised)),
      raiseReport(*this, "raise-report", desc("what became of each op"),
                  init(LinalgToEinsumPassOptions().raiseReport),
                  raiseReportChoices()),
      normalize(*this, "normalize",
                desc("recognise attention, norms and activations "
                     "(--einsum-decompose --einsum-normalize)"),
                init(true)),
      policy(*this, "policy", desc("what may be fused with what"),
             init(DPipePassOptions().policy), policyChoices()),
      strategy(*this, "strategy", desc("how phases are pipelined"),
               init(DPipePassOptions().strategy), strategyChoices()),
      objective(*this, "objective", desc("what is minimised"),
                init(TileSeekPassOptions().objective), objectiveChoices()),
      mode(*this, "mode", desc("how the tiles are searched"),
           init(TileSeekPassOptions().mode), searchModeChoices()),
      seed(*this, "seed", desc("of the random numbers"),
           init(TileSeekPassOptions().seed)),
      evaluations(*this, "evaluations",
                  desc("budget: how many schedules may be evaluated"),
                  init(TileSeekPassOptions().evaluations)),
      regroup(*this, "regroup",
              desc("part groups where that costs less; try those of a smaller "
                   "buffer"),
              init(TileSeekPassOptions().regroup)) {}

void transfusion::buildToCascadePipeline(OpPassManager &pm,
                                         const LinalgToEinsumPassOptions &raise,
                                         sched::Policy policy) {
  buildTosaToEinsumPipeline(pm, raise);
  einsum::EinsumDecomposePassOptions decompose;
  decompose.attentionPasses =
      core::attentionPasses(static_cast<core::Policy>(policy));
  einsum::EinsumNormalizePassOptions normalize;
  normalize.onePass = decompose.attentionPasses == 1;
  auto addDecompose = [&] {
    pm.addNestedPass<func::FuncOp>(
        einsum::createEinsumDecomposePass(decompose));
  };
  // Named ops as well: a layer is the same whoever wrote it. But the normal
  // form of a softmax that keeps its passes computes the scale of scores twice,
  // which a baseline should not.
  if (normalize.onePass)
    addDecompose();
  pm.addNestedPass<func::FuncOp>(einsum::createEinsumNormalizePass(normalize));
  if (!normalize.onePass)
    addDecompose();
}

void transfusion::buildTransFusionPipeline(OpPassManager &pm,
                                           const TransFusionOptions &options) {
  LinalgToEinsumPassOptions raise;
  raise.allowUnraised = options.allowUnraised;
  raise.raiseReport = options.raiseReport;
  if (options.normalize)
    buildToCascadePipeline(pm, raise, options.policy);
  else
    buildTosaToEinsumPipeline(pm, raise);
  // Not before: the machine is no part of what is raised and reported.
  if (!options.arch.empty())
    pm.addPass(createLoadArchPass({options.arch}));
  DPipePassOptions dpipe;
  dpipe.policy = options.policy;
  dpipe.strategy = options.strategy;
  pm.addPass(createDPipePass(dpipe));
  TileSeekPassOptions tileseek;
  tileseek.seed = options.seed;
  tileseek.evaluations = options.evaluations;
  tileseek.regroup = options.regroup;
  tileseek.objective = options.objective;
  tileseek.mode = options.mode;
  pm.addPass(createTileSeekPass(tileseek));
  pm.addPass(createSchedVerifyPass());
}

void transfusion::registerTransFusionPipeline() {
  PassPipelineRegistration<TransFusionOptions>(
      "transfusion",
      "from a layer (linalg, TOSA or einsum) to its schedule: raise or "
      "decompose, normalize, load the machine, --dpipe, --tileseek, "
      "--sched-verify",
      buildTransFusionPipeline);
}
