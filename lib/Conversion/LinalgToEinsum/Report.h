//===- Report.h - What became of every op -----------------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every op of the file has one entry, or stands in the body of one that has:
// the counts add up to the number of ops in the file.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_REPORT_H
#define TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_REPORT_H

#include "mlir/IR/Operation.h"

#include <map>
#include <string>

namespace transfusion::raise {

struct ReportEntry {
  std::string op, place;
  /// einsum, copy, folded, view, constant, init, dead, kept, left
  std::string fate;
  llvm::SmallVector<std::string, 1> einsums;
  std::string note;
};

struct FunctionReport {
  std::string name;
  llvm::SmallVector<ReportEntry> entries;
  std::map<std::string, int64_t> counts; ///< by fate, and `body`
  int64_t total = 0;

  void add(ReportEntry entry);
  void addBody(int64_t ops);
};

ReportEntry makeEntry(mlir::Operation *op, llvm::StringRef fate);

void printText(llvm::raw_ostream &os, llvm::ArrayRef<FunctionReport> functions);
void printJson(llvm::raw_ostream &os, llvm::ArrayRef<FunctionReport> functions);

} // namespace transfusion::raise

#endif // TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_REPORT_H
