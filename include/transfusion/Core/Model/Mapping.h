//===- Mapping.h - Loop nests over a hierarchy of memories ------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mapping says for every Einsum of a cascade in which loops it runs, which of
// them are spread over instances of a memory or lanes of a grid, and at which
// depth which tensor is kept in which memory. Einsums in one `fuse` share the
// loops around it. This is what mapping-driven cost models (Timeloop,
// AccelForge) take; our own schedules (Schedule.h) know one buffer, but also
// pipelines, which mappings do not.
//
// Toy example, C[i,k] = sum_j A[i,j] * B[j,k] on two buffers:
//
//   keep dram: A, B, C
//   einsum C on vec1d {
//     split i by 2 over buffer   # each has its own rows
//     keep buffer: A, C
//     for j by 1                 # A stays, B passes by
//   }
//
// Tile sizes divide what they cut. Below the last line every rank runs point
// by point, in any order.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_CORE_MODEL_MAPPING_H
#define TRANSFUSION_CORE_MODEL_MAPPING_H

#include "transfusion/Core/Model/Arch.h"

#include <optional>

namespace transfusion::core {

/// Where something stands in the text of a mapping; from 1.
struct TextPlace {
  int32_t line = 0, column = 0;
};

struct MapStep {
  enum Kind : uint8_t { Keep, For, SplitMemory, SplitRows, SplitColumns };
  Kind kind = For;
  TextPlace place;
  std::vector<TensorId> tensors; ///< of Keep
  MemoryId memory = -1;          ///< of Keep and SplitMemory
  UnitId unit = -1;              ///< of SplitRows and SplitColumns
  RankId rank = -1;              ///< of loops
  int64_t tile = 1;              ///< points of the rank in one iteration
};

/// Steps, outermost first; then one Einsum, or scopes one after the other.
struct MapScope {
  TextPlace place;
  std::vector<MapStep> steps;
  EinsumId einsum = -1;
  UnitId unit = -1;
  std::vector<MapScope> scopes;
};

struct Mapping {
  MapScope root;
};

/// Whether every lane of the grid has an instance of its memory.
bool isPerLane(const Arch &a, const Unit &u);

/// The role of `t` in `e`.
OperandRole roleOf(const Einsum &e, TensorId t);
/// Result first, then operands; each once.
std::vector<TensorId> tensorsOf(const Einsum &e);
/// "inputs", "weights", "outputs".
const char *roleName(OperandRole r);
/// The first role of `t` that `m` does not keep, because of which it cannot lie
/// there; of a piece, which is copied there, only what it is to its readers.
std::optional<OperandRole> passesBy(const Cascade &c, const Memory &m,
                                    TensorId t, bool isPiece = false);

struct MappingFault {
  TextPlace place;
  std::string what, fix; ///< sentences, lower case, no period
  EinsumId einsum = -1;  ///< of a mapping that has no text
};

/// Reads the form above; `fault` is set, and false returned, where it does not
/// follow it or names what is not there.
bool parseMapping(const std::string &text, const Cascade &c, const Arch &a,
                  Mapping &mapping, MappingFault &fault);

} // namespace transfusion::core

#endif // TRANSFUSION_CORE_MODEL_MAPPING_H
