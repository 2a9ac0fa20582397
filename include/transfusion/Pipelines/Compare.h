//===- Compare.h - One layer, one machine, several policies -----*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What transfusion-compare prints. Under the default model a policy is searched
// (--dpipe, --tileseek) and costed like any schedule; under a named model the
// numbers are its authors', in closed form, for the policies that it knows, or
// for a given mapping.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_PIPELINES_COMPARE_H
#define TRANSFUSION_PIPELINES_COMPARE_H

#include "mlir/IR/BuiltinOps.h"
#include "transfusion/Core/Search/Policy.h"
#include "transfusion/Dialect/Sched/IR/Sched.h"
#include "transfusion/Target/EnergyReport.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace transfusion {

enum class CompareModel { Default, FuseMax, TransFusionPaper, AccelForge };
enum class CompareFormat { Text, Csv, Json };

struct CompareOptions {
  std::string arch; ///< as for --load-arch; empty: the module has one
  std::vector<core::Policy> policies; ///< empty: all that the model knows
  CompareModel model = CompareModel::Default;
  uint64_t seed = 1;
  int64_t evaluations = 2048;
  bool suggest = false;
  std::string mapping;         ///< file, for CompareModel::AccelForge
  bool skipFirstReads = false; ///< as its reference does
};

struct CompareRow {
  std::string policy;
  double latencyS = 0, energyPj = 0;
  std::optional<double> lanes2d, lanes1d; ///< work over lanes x latency
  double dramBytes = 0;
  std::optional<int64_t> peakBytes;
  std::optional<double> boundS;
  std::string boundBy, limitedBy;
  std::optional<EnergyByName> energy; ///< where the model has all of it
  std::string infeasible;             ///< why there are no numbers
};

/// Of a mapped Einsum, what its memories do.
struct CompareBytes {
  std::string memory, tensor; ///< no tensor: all of them
  double readBytes = 0, writeBytes = 0;
  std::optional<int64_t> heldBytes;
  std::optional<double> seconds, energyPj;
};
struct CompareEinsum {
  std::string name, unit, limitedBy;
  double latencyS = 0, energyPj = 0, unitS = 0, unitPj = 0;
  std::vector<CompareBytes> memories, tensors;
};

/// A changed machine, searched anew.
struct CompareChange {
  std::string what;
  double latencyS = 0, speedup = 1;
};

struct Comparison {
  std::string layer, arch, model;
  uint64_t seed = 0;
  int64_t evaluations = 0;
  int64_t unscheduledOps = 0; ///< of the layer, in no number here
  std::vector<CompareRow> rows;
  std::vector<CompareEinsum> einsums; ///< of a mapping
  std::string suggestedFor;           ///< policy; empty: not asked for
  std::vector<CompareChange> changes; ///< those that help most come first
};

/// "a,b,c"; an error at `loc` that lists the known names.
mlir::FailureOr<std::vector<core::Policy>> parsePolicies(mlir::Location loc,
                                                         llvm::StringRef names);

mlir::FailureOr<Comparison> compareLayer(mlir::ModuleOp module,
                                         const CompareOptions &options);

void printComparison(const Comparison &c, CompareFormat format,
                     llvm::raw_ostream &os);

} // namespace transfusion

#endif // TRANSFUSION_PIPELINES_COMPARE_H
