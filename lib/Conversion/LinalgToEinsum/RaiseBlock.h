//===- RaiseBlock.h - Raising the ops of one block --------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_RAISEBLOCK_H
#define TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_RAISEBLOCK_H

#include "BlockPlan.h"
#include "ExpandOps.h"
#include "RaiseGraph.h"
#include "Report.h"
#include "llvm/ADT/StringMap.h"

namespace transfusion::raise {

/// Names of Einsums, unique in a function.
class EinsumNames {
public:
  /// Those that exist are taken.
  explicit EinsumNames(mlir::Operation *function);
  std::string get(llvm::StringRef base);

private:
  llvm::StringMap<unsigned> used; // looked up only
};

/// Replaces the raised ops of the block by cascades, and reports on all.
void raiseBlock(mlir::Block &block, const BlockPlan &plan,
                const ExpandedOps &expanded, EinsumNames &names,
                FunctionReport &report);

} // namespace transfusion::raise

#endif // TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_RAISEBLOCK_H
