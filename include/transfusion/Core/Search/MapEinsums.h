//===- MapEinsums.h - Mappings for a hierarchy of memories ------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The model accelforge is of a mapping. Whoever has none gets one here: each
// Einsum alone, what lies between two of them in the outermost memory, searched
// for the least energy x delay under that model.
//
// A mapping of an Einsum is a way to hand the prime factors of its ranks to the
// *stages* of a nest, and a place for every tensor in every memory on the way
// to the unit. From outer to inner, for every memory but the outermost:
//
//   loops | split over its instances | keep | loops | keep
//
// and last the rows and columns of a grid, and what its lanes keep. A move
// takes a factor (or all of them) from a stage to another, or a tensor to
// another place; simulated annealing with restarts, deterministic for a seed.
//
// Toy example, C[i,k] = sum_j A[i,j] B[j,k] for i = 4 on two buffers: the move
// of one factor 2 of i to the split makes each buffer hold its own rows.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_CORE_SEARCH_MAPEINSUMS_H
#define TRANSFUSION_CORE_SEARCH_MAPEINSUMS_H

#include "transfusion/Core/Cost/AccelForgeModel.h"

namespace transfusion::core {

struct MapOptions {
  uint64_t seed = 1;
  int64_t evaluations = 65536; ///< of an Einsum on a unit
  AccelForgeOptions model;
};

/// `faults` say why an Einsum has no mapping.
Mapping mapEachEinsum(const Cascade &c, const Arch &a,
                      const MapOptions &options,
                      std::vector<MappingFault> &faults);

} // namespace transfusion::core

#endif // TRANSFUSION_CORE_SEARCH_MAPEINSUMS_H
