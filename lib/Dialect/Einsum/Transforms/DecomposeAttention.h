//===- DecomposeAttention.h - One attention into equations ------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_DECOMPOSEATTENTION_H
#define TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_DECOMPOSEATTENTION_H

#include "Decompose.h"

namespace transfusion::einsum {

/// One attention on its way into equations. A tensor's access is its ranks, in
/// the order [b, h, (f,) m1, m0, p] of the papers.
class Attention {
public:
  Attention(Run &run, MhaOp op);
  mlir::LogicalResult decompose();

private:
  void groupHeads();
  std::pair<mlir::AffineExpr, mlir::AffineExpr> keyRanks();
  /// A stretch of the keys: all of them, or the cache, or those behind it.
  struct Piece {
    View k, v;
    DimIndex key;  ///< counted from its first key
    Exprs ranks;   ///< that walk it: m1 and m0, or the new keys' own
    int64_t first; ///< how many keys are before it
  };
  mlir::FailureOr<Read> score(llvm::StringRef name, const Piece &piece);
  mlir::LogicalResult onePass();
  mlir::LogicalResult mergeNew(const Read &rm, const Read &rd, const Read &rnv);
  mlir::LogicalResult twoPasses();
  mlir::LogicalResult threePasses();

  /// Ranks: heads (b, h), then those given, then rows.
  Exprs at(llvm::ArrayRef<mlir::AffineExpr> middle) const {
    Exprs result = heads;
    llvm::append_range(result, middle);
    llvm::append_range(result, rows);
    return result;
  }
  Exprs withFeatures(llvm::ArrayRef<mlir::AffineExpr> middle) const {
    Exprs result = features;
    llvm::append_range(result, middle);
    return at(result);
  }
  Read map(llvm::StringRef name, llvm::ArrayRef<Read> reads,
           const Exprs &result, Body body, mlir::Type element = {});
  Read reduce(llvm::StringRef name, ReduceKind kind, llvm::ArrayRef<Read> reads,
              const Exprs &result, llvm::ArrayRef<mlir::AffineExpr> over,
              Body body = {});
  void chooseFeatures();
  mlir::FailureOr<Read> values(const Piece &piece);
  void defineResult(Equation eq);
  void note(mlir::Value tensor) {
    einsums.push_back(tensor.getDefiningOp<MapReduceOp>());
  }

  Run &run;
  MhaOp op;
  View q;
  Piece tiled;              ///< walked tile by tile
  std::optional<Piece> now; ///< keys behind a cache
  int64_t total;            ///< keys
  int64_t keys, tile, tiles;
  mlir::AffineExpr m1, m0;
  Exprs heads, rows, features;
  DimIndex queryHeads, keyHeads; ///< [kv, g] and [kv] where grouped
  DimIndex width;                ///< e
  DimIndex valueWidth;           ///< f
  mlir::Type compute, storage;
  bool needsGuard;
  Read qk;
  llvm::SmallVector<MapReduceOp> einsums;
};

} // namespace transfusion::einsum

#endif // TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_DECOMPOSEATTENTION_H
