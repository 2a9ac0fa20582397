//===- CompareModels.cpp - Rows as other people's models have them --------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CompareRun.h"

#include "transfusion/Bridge/Unscheduled.h"
#include "transfusion/Core/Cost/Evaluate.h"
#include "transfusion/Core/Cost/TransFusionPaperModel.h"

using namespace mlir;
using namespace transfusion;

static LogicalResult refuse(ModuleOp module, const Twine &model,
                            const Twine &why, const Twine &fix) {
  InFlightDiagnostic diag = emitError(module.getLoc())
                            << "model " << model << " does not apply: " << why;
  diag.attachNote() << fix;
  return diag;
}

/// The policies asked for, or all that the model knows.
static FailureOr<std::vector<core::Policy>>
choose(ModuleOp module, const CompareOptions &options, StringRef model,
       ArrayRef<core::Policy> known) {
  if (options.policies.empty())
    return std::vector<core::Policy>(known.begin(), known.end());
  for (core::Policy p : options.policies)
    if (!llvm::is_contained(known, p)) {
      std::string names;
      for (core::Policy k : known)
        names += std::string(names.empty() ? "" : ", ") + core::policyName(k);
      return refuse(module, model,
                    Twine("it knows no policy ") + core::policyName(p),
                    "it knows " + names);
    }
  return options.policies;
}

static CompareRow fuseMaxRow(const core::FuseMaxCost &cost) {
  CompareRow row;
  row.policy = core::policyName(core::Policy::FuseMax);
  row.latencyS = cost.latencyS;
  row.energyPj = cost.energyPj();
  row.lanes2d = cost.util2d;
  row.dramBytes = cost.dramBytes;
  row.limitedBy = cost.memoryS > cost.computeS ? "dram" : "2D array";
  return row;
}

/// Sizes as the paper writes them; a causal layer is a decoder.
static core::PaperLayer paperLayer(const core::Cascade &c,
                                   const core::LayerShape &shape) {
  const core::AttentionShapeOf &a = shape.attention.front();
  core::PaperLayer layer;
  layer.batch = a.batch;
  layer.sequence = a.queries;
  layer.heads = a.heads / a.batch;
  layer.e = a.e;
  layer.d = layer.heads * a.e;
  layer.s = 0;
  for (const core::LinearShape &l : shape.linear)
    layer.s = std::max({layer.s, l.in, l.out});
  layer.activationCycles = shape.activationOps <= 1 ? 1 : 9;
  for (const core::Einsum &e : c.einsums)
    if (e.name == a.name && !e.domain.empty())
      return asDecoder(layer);
  return layer;
}

/// Cycles of an inner tile of one head in the phase that DPipe found.
static double dpipeTile(const ImportedSchedule &s) {
  const core::CostReport cost = evaluate(s.cascade(), s.arch, s.schedule);
  for (size_t g = 0; g < cost.groups.size(); ++g)
    for (size_t p = 0; p < cost.groups[g].phases.size(); ++p) {
      const core::Phase &phase = s.schedule.groups[g].phases[p];
      if (phase.order.empty() ||
          !s.cascade().ranks[phase.order.back()].iterative)
        continue;
      const core::RankId head = s.source.rankId("h");
      const int64_t heads =
          head >= 0 ? std::max<int64_t>(1, phase.inner[head]) : 1;
      return double(cost.groups[g].phases[p].iiCycles) / double(heads);
    }
  return 0;
}

LogicalResult transfusion::compareByModel(ModuleOp module,
                                          const CompareOptions &options,
                                          Comparison &result) {
  const bool isFuseMax = options.model == CompareModel::FuseMax;
  result.model = isFuseMax ? "fusemax" : "transfusion-paper";
  using core::Policy;
  FailureOr<std::vector<Policy>> policies =
      isFuseMax ? choose(module, options, result.model, {Policy::FuseMax})
                : choose(module, options, result.model,
                         {Policy::FuseMaxModelled, Policy::FuseMaxLayerFuse,
                          Policy::TransFusionPaper});
  if (failed(policies))
    return failure();
  FailureOr<ScheduledLayer> layer = scheduleCopy(
      module, options, Policy::TransFusionPaper, /*evaluations=*/0);
  if (failed(layer))
    return failure();
  const ImportedSchedule &s = layer->imported;
  result.layer = s.cascade().name;
  result.arch = s.arch.name;
  result.unscheduledOps =
      static_cast<int64_t>(unscheduledOps(s.function).size());
  core::PaperMachine machine;
  std::string why;
  if (!paperMachine(s.arch, machine, why))
    return refuse(module, result.model, why, "choose a published machine");
  const core::LayerShape shape = layerShape(s.cascade());
  if (isFuseMax) {
    if (shape.attention.empty() && shape.linear.empty())
      return refuse(module, result.model,
                    "the layer has no attention and no linear layer",
                    "give it a Transformer layer");
    result.rows.push_back(fuseMaxRow(fuseMaxLayer(machine.m, shape)));
    return success();
  }
  if (shape.attention.size() != 1)
    return refuse(module, result.model,
                  "the layer has " + Twine(shape.attention.size()) +
                      " attentions, it is for one (and doubles that of a "
                      "decoder itself)",
                  "give it a layer of self-attention");
  const core::PaperLayer paper = paperLayer(s.cascade(), shape);
  const double tile = dpipeTile(s);
  for (Policy p : *policies) {
    const core::PaperCost cost =
        paperCost(machine, paper,
                  p == Policy::TransFusionPaper ? core::PaperPolicy::TransFusion
                  : p == Policy::FuseMaxLayerFuse ? core::PaperPolicy::LayerFuse
                                                  : core::PaperPolicy::FuseMax,
                  tile);
    CompareRow row;
    row.policy = core::policyName(p);
    row.latencyS = cost.cycles() / s.arch.clockHz;
    row.energyPj = cost.arithmeticPj + cost.dramPj;
    row.dramBytes = cost.dramBytes;
    const std::pair<double, const char *> parts[] = {
        {cost.projections, "projections"},
        {cost.attention, "attention"},
        {cost.ffn + cost.activation, "FFN"},
        {cost.norms, "norms"}};
    row.limitedBy =
        std::max_element(std::begin(parts), std::end(parts),
                         [](auto &x, auto &y) { return x.first < y.first; })
            ->second;
    result.rows.push_back(std::move(row));
  }
  return success();
}
