//===- MappedNest.h - The loops above one Einsum of a mapping ---*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mapping is a tree; costs are counted along the path from its root to one
// Einsum. A *nest* is that path, with the sizes that follow from it.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_COST_MAPPEDNEST_H
#define TRANSFUSION_LIB_CORE_COST_MAPPEDNEST_H

#include "transfusion/Core/Model/Mapping.h"

namespace transfusion::core {

struct NestStep {
  const MapStep *step = nullptr;
  const MapScope *scope = nullptr; ///< that it is written in
  int64_t trips = 1;               ///< of a loop
  std::vector<int64_t> tile;       ///< by rank, below the step
};

struct Nest {
  EinsumId einsum = -1;
  UnitId unit = -1;
  TextPlace place;
  std::vector<NestStep> steps;
  std::vector<const MapScope *> scopes; ///< outermost first
  /// Instances in use, by memory; of a unit, its lanes too.
  std::vector<int64_t> usedMemories;
  int64_t usedUnits = 1, usedLanes = 1;
};

/// Ranks that `t` depends on in `e`.
std::vector<RankId> ranksOf(const Einsum &e, TensorId t);
/// Values of `t` in a tile.
int64_t valuesIn(const std::vector<RankId> &ranks,
                 const std::vector<int64_t> &tile);

/// The nests of all Einsums, in order. Faults: what a mapping must not do.
std::vector<Nest> nestsOf(const Cascade &c, const Arch &a, const Mapping &m,
                          std::vector<MappingFault> &faults);

/// Whether the tensor that `step` keeps is alive while the Einsum of `nest`
/// runs: from the first of its users in that scope to the last.
bool isAlive(const Cascade &c, const Nest &nest, const NestStep &step,
             TensorId t);

} // namespace transfusion::core

#endif // TRANSFUSION_LIB_CORE_COST_MAPPEDNEST_H
