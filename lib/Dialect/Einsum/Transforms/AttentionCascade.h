//===- AttentionCascade.h - From scores to attention's result ---*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The equations of attention, whatever its scores are and whoever wrote it: an
// `einsum.mha`, or a softmax that was recognised. Scores are given as a tensor
// QK[heads, m1, m0, rows] whose domain holds what is known not to be seen.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_ATTENTIONCASCADE_H
#define TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_ATTENTIONCASCADE_H

#include "CascadeBuilder.h"

namespace transfusion::einsum {

/// The ranks by which keys are walked.
struct KeyRanks {
  mlir::AffineExpr m1, m0;
};

/// Those of all attentions of a cascade. Over equally many keys they are
/// shared; others are mb1 and mb0, mc1 and mc0, ..., so that a machine's tile
/// width divides each by itself: --einsum-partition takes `mb` for such a pair.
class KeyRankList {
public:
  KeyRanks get(CascadeBuilder &cascade, int64_t keys, int64_t tile,
               bool iterative);

private:
  llvm::SmallVector<std::pair<int64_t, KeyRanks>> known; ///< by number of keys
};

/// What one attention is computed over.
struct AttentionSpace {
  Exprs heads, rows;       ///< of the scores, besides the keys
  Exprs features;          ///< of the values
  mlir::AffineExpr m1, m0; ///< tiles of keys, keys of a tile
  int64_t tiles = 1;
  mlir::Type compute, storage; ///< of what is summed; of what is contracted
  /// After some tile a row may have seen nothing but -inf. Its maximum is -inf
  /// then, and exp(-inf - -inf) is NaN though softmax is finite.
  bool guardMaximum = false;
  /// A row all of whose scores are -inf gives 0. Without it, NaN.
  bool zeroEmptyRows = false;
};

class AttentionCascade {
public:
  AttentionCascade(CascadeBuilder &cascade, AttentionSpace space,
                   EmitEinsum emit)
      : cascade(cascade), space(std::move(space)), emit(std::move(emit)) {}

  /// Of the keys seen so far: the greatest score, the sum of the exponentials,
  /// and that of the values weighted by them.
  struct Running {
    Read maximum, denominator, numerator;
  };
  /// Over all tiles; the end of each recurrence.
  Running onePass(const Read &qk, const Read &values);
  /// With the keys behind a cache as one more tile, of ranks `n`.
  Running mergeNew(const Running &cached, const Read &qk, const Read &values,
                   llvm::ArrayRef<mlir::AffineExpr> n);
  /// AV, for the caller to place.
  Equation quotient(const Running &running);

  /// The forms that walk the keys two and three times; likewise AV.
  Equation twoPasses(const Read &qk, const Read &values);
  Equation threePasses(const Read &qk, const Read &values);

  /// Ranks: heads, then those given, then rows.
  Exprs at(llvm::ArrayRef<mlir::AffineExpr> middle) const;
  Exprs withFeatures(llvm::ArrayRef<mlir::AffineExpr> middle) const;

private:
  Read map(llvm::StringRef name, llvm::ArrayRef<Read> reads,
           const Exprs &result, Body body, mlir::Type element = {});
  Read reduce(llvm::StringRef name, ReduceKind kind, llvm::ArrayRef<Read> reads,
              const Exprs &result, llvm::ArrayRef<mlir::AffineExpr> over,
              Body body = {});
  mlir::Value recur(llvm::StringRef name, llvm::ArrayRef<Read> reads,
                    const Exprs &result, Body body, double init);
  Read guardedDenominator(llvm::StringRef name, const Read &maximum,
                          const Read &denominator);

  CascadeBuilder &cascade;
  AttentionSpace space;
  EmitEinsum emit;
};

} // namespace transfusion::einsum

#endif // TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_ATTENTIONCASCADE_H
