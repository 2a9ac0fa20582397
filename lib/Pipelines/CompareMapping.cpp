//===- CompareMapping.cpp - A row for a given mapping ---------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "CompareRun.h"

#include "mlir/Pass/PassManager.h"
#include "transfusion/Bridge/ArchFiles.h"
#include "transfusion/Bridge/Diagnostics.h"
#include "transfusion/Bridge/Unscheduled.h"
#include "transfusion/Core/Search/MapEinsums.h"
#include "transfusion/Dialect/Einsum/Transforms/Decompose.h"
#include "transfusion/Pipelines/Pipelines.h"
#include "transfusion/Transforms/Passes.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace transfusion;

namespace {
/// What a mapping is of.
struct MappedLayer {
  OwningOpRef<ModuleOp> module; ///< owns the rest
  ImportedCascade source;
  Location loc; ///< of the layer
  core::Arch arch = {};
  int64_t unscheduledOps = 0;
};
} // namespace

static FailureOr<MappedLayer> importLayer(ModuleOp module,
                                          const CompareOptions &options) {
  MappedLayer layer{module.clone(), {}, module.getLoc()};
  FailureOr<sched::ArchOp> arch = machineOf(*layer.module, options);
  if (failed(arch))
    return failure();
  layer.arch = importArch(*arch);
  if (failed(verifyArch(*arch, layer.arch)))
    return failure();
  auto functions = llvm::to_vector(
      llvm::make_filter_range(layer.module->getOps<func::FuncOp>(),
                              [](func::FuncOp f) { return !f.isExternal(); }));
  if (functions.size() != 1)
    return emitError(module.getLoc())
           << "the module has " << functions.size()
           << " functions, but a comparison is of one layer; keep one of them";
  // Not normalised, which would make attention a recurrence.
  PassManager raising(module.getContext());
  LinalgToEinsumPassOptions raise;
  raise.allowUnraised = true;
  buildTosaToEinsumPipeline(raising, raise);
  if (failed(raising.run(*layer.module)))
    return failure();
  einsum::DecomposeOptions decompose;
  decompose.attentionPasses = 3; // no recurrences
  if (failed(einsum::decomposeNamedOps(functions.front(), decompose)))
    return failure();
  FailureOr<ImportedCascade> source = importCascade(
      cast<FunctionOpInterface>(functions.front().getOperation()));
  if (failed(source))
    return failure();
  layer.source = std::move(*source);
  layer.loc = functions.front().getLoc();
  layer.unscheduledOps =
      static_cast<int64_t>(unscheduledOps(functions.front()).size());
  if (failed(emitViolations(core::checkCascade(layer.source.cascade),
                            layer.source, functions.front())))
    return failure();
  return layer;
}

static LogicalResult report(MLIRContext *context, StringRef file,
                            const core::MappingFault &fault) {
  InFlightDiagnostic diag =
      emitError(FileLineColLoc::get(context, file, fault.place.line,
                                    fault.place.column))
      << fault.what;
  diag.attachNote() << fault.fix;
  return diag;
}

static CompareEinsum einsumOf(const core::Cascade &c, const core::Arch &a,
                              const core::MappedEinsum &e) {
  CompareEinsum out;
  out.name = c.einsums[e.einsum].name;
  out.unit = a.units[e.unit].name;
  out.limitedBy = e.limitedBy;
  out.latencyS = e.latencyS;
  out.energyPj = e.energyPj;
  out.unitS = e.unitS;
  out.unitPj = e.unitPj;
  for (size_t m = 0; m < a.memories.size(); ++m)
    out.memories.push_back({a.memories[m].name, "", e.readBytes[m],
                            e.writeBytes[m], std::nullopt, e.memoryS[m],
                            e.memoryPj[m]});
  for (const core::MappedTraffic &t : e.traffic)
    out.tensors.push_back({a.memories[t.memory].name, c.tensors[t.tensor].name,
                           t.readBytes, t.writeBytes, t.heldBytes, std::nullopt,
                           std::nullopt});
  return out;
}

static FailureOr<core::Mapping>
readMapping(MLIRContext *context, StringRef path, const MappedLayer &layer) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!file)
    return emitError(FileLineColLoc::get(context, path, 1, 1))
           << "cannot read the mapping: " << file.getError().message();
  core::Mapping mapping;
  core::MappingFault fault;
  if (!core::parseMapping((*file)->getBuffer().str(), layer.source.cascade,
                          layer.arch, mapping, fault))
    return report(context, path, fault);
  return mapping;
}

/// A mapping takes microseconds to cost where a schedule takes a hundred times
/// as long.
static constexpr int64_t kMappingsPerEvaluation = 32;

static FailureOr<core::Mapping>
searchMapping(ModuleOp module, const CompareOptions &options,
              const core::AccelForgeOptions &model, const MappedLayer &layer) {
  core::MapOptions map;
  map.seed = options.seed;
  map.evaluations =
      std::min(options.evaluations,
               std::numeric_limits<int64_t>::max() / kMappingsPerEvaluation) *
      kMappingsPerEvaluation;
  map.model = model;
  std::vector<core::MappingFault> faults;
  core::Mapping mapping =
      core::mapEachEinsum(layer.source.cascade, layer.arch, map, faults);
  for (const core::MappingFault &fault : faults) {
    InFlightDiagnostic diag =
        emitError(fault.einsum < 0
                      ? layer.loc
                      : layer.source.einsums[fault.einsum]->getLoc())
        << fault.what;
    diag.attachNote() << fault.fix;
  }
  if (!faults.empty())
    return failure();
  return mapping;
}

LogicalResult transfusion::compareByMapping(ModuleOp module,
                                            const CompareOptions &options,
                                            Comparison &result) {
  result.model = "accelforge";
  const bool given = !options.mapping.empty();
  for (core::Policy policy : options.policies)
    if (given || policy != core::Policy::Unfused) {
      InFlightDiagnostic diag =
          emitError(module.getLoc())
          << (given ? "a mapping is of no policy"
                    : "model accelforge maps each Einsum alone");
      diag.attachNote() << (given ? "leave out --policies"
                                  : "choose --policies=unfused, or give a "
                                    "--mapping=FILE of your own");
      return diag;
    }
  FailureOr<MappedLayer> layer = importLayer(module, options);
  if (failed(layer))
    return failure();
  const core::Cascade &c = layer->source.cascade;
  core::AccelForgeOptions model;
  model.skipFirstReadOfEachCopy = options.skipFirstReads;
  FailureOr<core::Mapping> mapping =
      given ? readMapping(module.getContext(), options.mapping, *layer)
            : searchMapping(module, options, model, *layer);
  if (failed(mapping))
    return failure();
  const core::MappedCost cost =
      core::accelForgeCost(c, layer->arch, *mapping, model);
  for (const core::MappingFault &f : cost.faults)
    (void)report(module.getContext(), options.mapping, f);
  if (!cost.faults.empty())
    return failure();

  result.layer = c.name;
  result.arch = layer->arch.name;
  result.unscheduledOps = layer->unscheduledOps;
  CompareRow row;
  row.policy = given ? llvm::sys::path::stem(options.mapping).str()
                     : core::policyName(core::Policy::Unfused);
  row.latencyS = cost.latencyS;
  row.energyPj = cost.energyPj;
  row.dramBytes = cost.readBytes[0] + cost.writeBytes[0];
  row.peakBytes = cost.peakBytes.size() > 1 ? cost.peakBytes[1] : 0;
  // What limits is what limits longest.
  std::map<std::string, double> limits;
  for (const core::MappedEinsum &e : cost.einsums)
    limits[e.limitedBy] += e.latencyS;
  double longest = -1;
  for (const auto &[name, seconds] : limits)
    if (seconds > longest) {
      longest = seconds;
      row.limitedBy = name;
    }
  result.rows.push_back(std::move(row));
  for (const core::MappedEinsum &e : cost.einsums)
    result.einsums.push_back(einsumOf(c, layer->arch, e));
  return success();
}
