//===- Compare.cpp - One layer, one machine, several policies -------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transfusion/Pipelines/Compare.h"

#include "CompareRun.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "transfusion/Bridge/ArchFiles.h"
#include "transfusion/Bridge/Unscheduled.h"
#include "transfusion/Core/Cost/Evaluate.h"
#include "transfusion/Core/Cost/LowerBound.h"
#include "transfusion/Pipelines/Pipelines.h"
#include "transfusion/Transforms/Passes.h"

using namespace mlir;
using namespace transfusion;

static std::string knownPolicies() {
  std::string names;
  for (int i = 0; i < core::kNumPolicies; ++i)
    names += std::string(i ? ", " : "") +
             core::policyName(static_cast<core::Policy>(i));
  return names;
}

FailureOr<std::vector<core::Policy>>
transfusion::parsePolicies(Location loc, StringRef names) {
  std::vector<core::Policy> policies;
  SmallVector<StringRef> words;
  names.split(words, ',', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
  for (StringRef word : words) {
    std::optional<core::Policy> policy =
        core::policyFromName(word.trim().str());
    if (!policy) {
      InFlightDiagnostic diag = emitError(loc)
                                << "unknown policy '" << word.trim() << "'";
      diag.attachNote() << "policies are " << knownPolicies();
      return diag;
    }
    policies.push_back(*policy);
  }
  return policies;
}

FailureOr<sched::ArchOp> transfusion::machineOf(ModuleOp module,
                                                const CompareOptions &options) {
  if (!options.arch.empty()) {
    PassManager load(module.getContext());
    LoadArchPassOptions loadOptions;
    loadOptions.arch = options.arch;
    load.addPass(createLoadArchPass(loadOptions));
    if (failed(load.run(module)))
      return failure();
  }
  return findArch(module);
}

FailureOr<ScheduledLayer>
transfusion::scheduleCopy(ModuleOp module, const CompareOptions &options,
                          core::Policy policy, int64_t evaluations,
                          const ArchChange &change) {
  ScheduledLayer layer;
  layer.module = module.clone();
  for (auto old :
       llvm::make_early_inc_range(layer.module->getOps<sched::ScheduleOp>()))
    old.erase();
  FailureOr<sched::ArchOp> arch = machineOf(*layer.module, options);
  if (failed(arch) || (change && !change(*arch)))
    return failure();
  PassManager search(module.getContext());
  // What cannot be raised is no error here: every output says how much it is.
  LinalgToEinsumPassOptions raise;
  raise.allowUnraised = true;
  buildToCascadePipeline(search, raise,
                         static_cast<sched::Policy>(static_cast<int>(policy)));
  DPipePassOptions dpipe;
  dpipe.policy = static_cast<sched::Policy>(static_cast<int>(policy));
  search.addPass(createDPipePass(dpipe));
  if (evaluations > 0) {
    TileSeekPassOptions tiles;
    tiles.seed = options.seed;
    tiles.evaluations = evaluations;
    search.addPass(createTileSeekPass(tiles));
  }
  if (failed(search.run(*layer.module)))
    return failure();
  auto schedules = llvm::to_vector(layer.module->getOps<sched::ScheduleOp>());
  if (schedules.size() != 1)
    return emitError(module.getLoc())
           << "the module holds " << schedules.size()
           << " layers, but a comparison is of one; keep one of them";
  FailureOr<ImportedSchedule> imported = importSchedule(schedules.front());
  if (failed(imported))
    return failure();
  layer.imported = std::move(*imported);
  return layer;
}

CompareRow transfusion::rowOf(const ScheduledLayer &layer,
                              core::Policy policy) {
  const ImportedSchedule &s = layer.imported;
  CompareRow row;
  row.policy = core::policyName(policy);
  core::CostDetail detail;
  const core::CostReport cost =
      core::Evaluator(s.cascade(), s.arch)
          .evaluate(s.schedule, makePlan(s.cascade(), s.arch, s.schedule),
                    detail);
  if (!cost.faults.empty()) {
    row.infeasible = cost.faults.front();
    return row;
  }
  row.latencyS = cost.latencyS;
  row.energyPj = cost.energyPj;
  const core::EnergyAccount account = accountEnergy(s.arch, cost, detail);
  if (!account.faults.empty()) {
    row.infeasible = account.faults.front();
    return row;
  }
  row.energy = nameEnergy(account, s.cascade(), s.arch);
  // Of several units of a kind, the mean by lanes.
  for (bool grid : {true, false}) {
    double work = 0, lanes = 0;
    for (size_t u = 0; u < s.arch.units.size(); ++u)
      if (s.arch.units[u].isGrid == grid) {
        const double n = double(s.arch.units[u].allLanes());
        work += cost.unitLanes[u] * n;
        lanes += n;
      }
    if (lanes > 0)
      (grid ? row.lanes2d : row.lanes1d) = work / lanes;
  }
  row.dramBytes = double(cost.readBytes[0]) + double(cost.writeBytes[0]);
  row.peakBytes = cost.peakBytes[s.arch.units.front().memory];
  const core::LowerBound bound = lowerBound(s.cascade(), s.arch);
  row.boundS = bound.cycles / s.arch.clockHz;
  row.boundBy = bound.limitedBy;
  row.limitedBy = cost.bottleneck;
  return row;
}

/// An error is the row's, not the comparison's, unless it is everybody's.
static FailureOr<CompareRow> runPolicy(ModuleOp module,
                                       const CompareOptions &options,
                                       core::Policy policy, Comparison &all) {
  CompareRow row;
  row.policy = core::policyName(policy);
  std::vector<std::string> errors;
  std::optional<ScheduledLayer> layer;
  {
    ScopedDiagnosticHandler handler(module.getContext(), [&](Diagnostic &d) {
      if (d.getSeverity() == DiagnosticSeverity::Error)
        errors.push_back(d.str());
      return success();
    });
    FailureOr<ScheduledLayer> found =
        scheduleCopy(module, options, policy, options.evaluations);
    if (succeeded(found))
      layer.emplace(std::move(*found));
  }
  if (!layer) {
    row.infeasible = errors.empty() ? "no schedule" : errors.front();
    return row;
  }
  all.layer = layer->imported.cascade().name;
  all.arch = layer->imported.arch.name;
  all.unscheduledOps =
      static_cast<int64_t>(unscheduledOps(layer->imported.function).size());
  return rowOf(*layer, policy);
}

static void warnOfUncosted(ModuleOp module, const Comparison &result) {
  if (result.unscheduledOps > 0)
    emitWarning(module.getLoc()) << result.unscheduledOps
                                 << " ops are neither scheduled nor costed: "
                                    "they are no part of a cascade";
}

FailureOr<Comparison> transfusion::compareLayer(ModuleOp module,
                                                const CompareOptions &options) {
  Comparison result;
  result.seed = options.seed;
  result.evaluations = options.evaluations;
  if (options.model != CompareModel::Default) {
    if (options.suggest) {
      InFlightDiagnostic diag =
          emitError(module.getLoc())
          << "a named model has no search to suggest changes from";
      diag.attachNote() << "suggest under the default model";
      return diag;
    }
    const bool mapped = options.model == CompareModel::AccelForge;
    if (failed(mapped ? compareByMapping(module, options, result)
                      : compareByModel(module, options, result)))
      return failure();
    warnOfUncosted(module, result);
    return result;
  }
  result.model = "default";
  std::vector<core::Policy> policies = options.policies;
  if (policies.empty()) // from the plainest on
    for (int i = core::kNumPolicies; i-- > 0;)
      policies.push_back(static_cast<core::Policy>(i));
  bool any = false;
  for (core::Policy policy : policies) {
    FailureOr<CompareRow> row = runPolicy(module, options, policy, result);
    if (failed(row))
      return failure();
    any |= row->infeasible.empty();
    result.rows.push_back(std::move(*row));
  }
  warnOfUncosted(module, result);
  if (!any) { // say it as the passes would
    (void)scheduleCopy(module, options, policies.back(), options.evaluations);
    return failure();
  }
  if (options.suggest && failed(suggestChanges(module, options, result)))
    return failure();
  return result;
}
