//===- Partition.h - How wide a tile of an iterative rank is ----*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sequence of K points (keys) is split into the ranks (m1, m0): point
// m1*W + m0, m1 iterative. The width W belongs to a machine, so a cascade is
// repartitioned for each:
//
//   ranks(m1 = 1 iterative, m0 = 29)   %k[b,h,m1*29+m0,e]
//   -> width 8:
//   ranks(m1 = 4 iterative, m0 = 8)    %k[b,h,m1*8+m0,e]  where m1*8 + m0 < 29
//
// What this needs of the cascade is that its recurrences are folds over tiles:
// that a tile's contribution may be that of two tiles one after the other, as
// in one-pass attention. Marking a rank iterative and splitting it states that.
// A tile that is masked altogether must be harmless to the fold; decomposition
// guards the running maximum whenever there is a mask, for every width, so that
// partitioning never has to add an Einsum.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_DIALECT_EINSUM_TRANSFORMS_PARTITION_H
#define TRANSFUSION_DIALECT_EINSUM_TRANSFORMS_PARTITION_H

#include "transfusion/Dialect/Einsum/IR/Einsum.h"

namespace transfusion::einsum {

/// Repartitions (outer, inner) to tiles of `width` points, or of as many as
/// there are. Accesses outer*W + inner follow, as do the shapes of results that
/// have a dimension per tile or within a tile, and reads of the last slice. A
/// ragged last tile becomes a constraint where no operand implies it. On
/// failure an error has been emitted and nothing has changed.
mlir::LogicalResult partitionIterativeRank(CascadeOp cascade,
                                           llvm::StringRef outer,
                                           llvm::StringRef inner,
                                           int64_t width);

} // namespace transfusion::einsum

#endif // TRANSFUSION_DIALECT_EINSUM_TRANSFORMS_PARTITION_H
