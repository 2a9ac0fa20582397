//===- QueryBlocks.h - Attention within blocks of queries -------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A mask may compare blocks: queries see the keys of their own document of 8
// tokens, or of all blocks up to their own. Such a condition is not linear in
// the indices, but it is once queries are walked as 8*b + p. Where a block of
// queries sees one block of keys, those are walked as 8*b + m: b is a batch
// like any other, the condition is gone, and what is hidden does not exist.
//
// A last block that is cut off by the end of the sequence, or a first one by
// its beginning, is a constraint as elsewhere.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_QUERYBLOCKS_H
#define TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_QUERYBLOCKS_H

#include "VisibleKeys.h"

namespace transfusion::einsum::normal {

struct QueryBlocks {
  Blocks queries;          ///< dim = block * size + within - offset
  mlir::AffineExpr block;  ///< dims of the frame, in the place of the query
  mlir::AffineExpr within; ///< and
  mlir::AffineExpr key;    ///< of the key; the one that was there, if it stays
  int64_t keys = 0;        ///< in the block of keys; 0: all of them
  VisibleKeys visible;     ///< over the new dims
  Exprs at;                ///< where the dims are that were there

  /// An expression over the new dims where the old ones are.
  mlir::AffineExpr back(mlir::AffineExpr expr) const;
  /// For the report.
  std::string describe(const Frame &frame) const;
};

/// Adds dims to the frame; nullopt where that would make no condition linear.
/// `score` is the one that `visible` has left.
std::optional<QueryBlocks> splitQueries(Graph &graph, Frame &frame,
                                        const Ref &score, mlir::AffineExpr key,
                                        const VisibleKeys &visible);

} // namespace transfusion::einsum::normal

#endif // TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_QUERYBLOCKS_H
