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
#include "transfusion/Core/Cost/AccelForgeModel.h"
#include "transfusion/Dialect/Einsum/Transforms/Decompose.h"
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
  core::Arch arch;
};
} // namespace

static FailureOr<MappedLayer> importLayer(ModuleOp module,
                                          const CompareOptions &options) {
  MappedLayer layer;
  layer.module = module.clone();
  if (!options.arch.empty()) {
    PassManager load(module.getContext());
    LoadArchPassOptions loadOptions;
    loadOptions.arch = options.arch;
    load.addPass(createLoadArchPass(loadOptions));
    if (failed(load.run(*layer.module)))
      return failure();
  }
  FailureOr<sched::ArchOp> arch = findArch(*layer.module);
  if (failed(arch))
    return failure();
  layer.arch = importArch(*arch);
  if (failed(verifyArch(*arch, layer.arch)))
    return failure();
  auto functions = llvm::to_vector(layer.module->getOps<func::FuncOp>());
  if (functions.size() != 1)
    return emitError(module.getLoc())
           << "the module has " << functions.size()
           << " functions, but a comparison is of one layer";
  einsum::DecomposeOptions decompose;
  decompose.attentionPasses = 3; // no recurrences
  if (failed(einsum::decomposeNamedOps(functions.front(), decompose)))
    return failure();
  FailureOr<ImportedCascade> source = importCascade(
      cast<FunctionOpInterface>(functions.front().getOperation()));
  if (failed(source))
    return failure();
  layer.source = std::move(*source);
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

LogicalResult transfusion::compareByMapping(ModuleOp module,
                                            const CompareOptions &options,
                                            Comparison &result) {
  result.model = "accelforge";
  if (options.mapping.empty() || !options.policies.empty()) {
    InFlightDiagnostic diag =
        emitError(module.getLoc())
        << "model accelforge is of a mapping"
        << (options.mapping.empty() ? ", none is given" : ", not of policies");
    diag.attachNote() << "--mapping=FILE gives one; docs/Rationale/"
                         "PublishedModels.md has its form";
    return diag;
  }
  FailureOr<MappedLayer> layer = importLayer(module, options);
  if (failed(layer))
    return failure();
  auto file = llvm::MemoryBuffer::getFile(options.mapping, /*IsText=*/true);
  if (!file)
    return emitError(
               FileLineColLoc::get(module.getContext(), options.mapping, 1, 1))
           << "cannot read the mapping: " << file.getError().message();
  const core::Cascade &c = layer->source.cascade;
  core::Mapping mapping;
  core::MappingFault fault;
  if (!core::parseMapping((*file)->getBuffer().str(), c, layer->arch, mapping,
                          fault))
    return report(module.getContext(), options.mapping, fault);
  core::AccelForgeOptions model;
  model.skipFirstReadOfEachCopy = options.skipFirstReads;
  const core::MappedCost cost =
      core::accelForgeCost(c, layer->arch, mapping, model);
  for (const core::MappingFault &f : cost.faults)
    (void)report(module.getContext(), options.mapping, f);
  if (!cost.faults.empty())
    return failure();

  result.layer = c.name;
  result.arch = layer->arch.name;
  CompareRow row;
  row.policy = llvm::sys::path::stem(options.mapping).str();
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
