//===- DecomposeAttention.h - One attention into equations ------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_DECOMPOSEATTENTION_H
#define TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_DECOMPOSEATTENTION_H

#include "AttentionCascade.h"
#include "Decompose.h"

namespace transfusion::einsum {

/// One `einsum.mha` on its way into equations: its ranks, scores and values. A
/// tensor's access is its ranks, in the order [b, h, (f,) m1, m0, p] of the
/// papers. What follows from the scores is AttentionCascade.
class Attention {
public:
  Attention(Run &run, MhaOp op);
  mlir::LogicalResult decompose();

private:
  void groupHeads();
  /// A stretch of the keys: all of them, or the cache, or those behind it.
  struct Piece {
    View k, v;
    DimIndex key;  ///< counted from its first key
    Exprs ranks;   ///< that walk it: m1 and m0, or the new keys' own
    int64_t first; ///< how many keys are before it
  };
  mlir::LogicalResult checkPasses();
  mlir::FailureOr<Read> score(llvm::StringRef name, const Piece &piece);
  mlir::FailureOr<Equation> result(AttentionCascade &cascade, const Read &qk);
  void chooseFeatures();
  mlir::FailureOr<Read> values(const Piece &piece);
  void defineResult(Equation eq);
  void note(mlir::Value tensor) {
    einsums.push_back(tensor.getDefiningOp<MapReduceOp>());
  }

  Run &run;
  MhaOp op;
  AttentionSpace space;
  View q;
  Piece tiled;              ///< walked tile by tile
  std::optional<Piece> now; ///< keys behind a cache
  int64_t total;            ///< keys
  int64_t keys, tile;
  DimIndex queryHeads, keyHeads; ///< [kv, g] and [kv] where grouped
  DimIndex width;                ///< e
  DimIndex valueWidth;           ///< f
  llvm::SmallVector<MapReduceOp> einsums;
};

} // namespace transfusion::einsum

#endif // TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_DECOMPOSEATTENTION_H
