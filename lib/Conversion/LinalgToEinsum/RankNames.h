//===- RankNames.h - Ranks and their names ----------------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_RANKNAMES_H
#define TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_RANKNAMES_H

#include "Ranks.h"
#include "llvm/ADT/StringSet.h"

#include <map>

namespace transfusion::raise {

/// Tells ranks that share a leaf apart. Readers decide: K is projected by the
/// rank that attention reads it by, so that keys and queries of one sequence
/// have two names throughout.
void assignOccurrences(RaiseGraph &graph);

/// Names of ranks in one function: b, p, d for the dimensions of a layer's
/// input, h and e for split features, m for keys; letters for the rest.
class RankNames {
public:
  /// `values`: tensors of the function in program order.
  RankNames(llvm::ArrayRef<mlir::Value> values, Ranks &ranks);
  std::string get(const Digit &digit, unsigned occurrence);

private:
  void nameGroup(const Digits &digits, llvm::ArrayRef<llvm::StringRef> names);
  std::string unique(llvm::StringRef name);

  std::map<Factoring::Node, std::string> bases;
  std::map<std::pair<Factoring::Node, unsigned>, std::string> names;
  llvm::StringSet<> taken;
  unsigned nextLetter = 0;
};

} // namespace transfusion::raise

#endif // TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_RANKNAMES_H
