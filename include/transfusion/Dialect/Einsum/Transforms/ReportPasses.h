//===- ReportPasses.h - How often a cascade walks its ranks -----*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Terms. A *pass* over a rank is a walk over all of its points that has to end
// before the next begins: between them stands a value that reduces the rank. A
// softmax that takes the maximum first walks its keys three times, layer norm
// its features three times (mean, variance, result). Ranks m1 and m0, tiles of
// one sequence, are walked together, as in FuseMax: a recurrence along m1
// passes on what it has so far, so that one pass is enough.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_DIALECT_EINSUM_TRANSFORMS_REPORTPASSES_H
#define TRANSFUSION_DIALECT_EINSUM_TRANSFORMS_REPORTPASSES_H

#include "transfusion/Dialect/Einsum/IR/Einsum.h"

#include <string>
#include <vector>

namespace transfusion::einsum {

struct RankPasses {
  std::string rank; ///< "d"; "m1,m0" for tiles of a sequence
  unsigned passes = 1;
  /// What ends each pass but the last: an Einsum that completes a reduction,
  /// and the first one that walks the rank again and needs it.
  struct Boundary {
    std::string completes, needs;
  };
  std::vector<Boundary> boundaries;
};

/// Per rank that some Einsum reduces, in the order in which they are declared.
std::vector<RankPasses> countPasses(CascadeOp cascade);

/// A remark at the cascade, with a note per pass that cannot be saved.
void remarkPasses(CascadeOp cascade);

} // namespace transfusion::einsum

#endif // TRANSFUSION_DIALECT_EINSUM_TRANSFORMS_REPORTPASSES_H
