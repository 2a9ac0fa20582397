//===- RecognizeAttention.h - Attention in the normal form ------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The piece "attention":
//
//   dims       heads, features and rows, in the order of the contraction
//   bound      the key, then what queries and keys are contracted over
//   operands   the score, in which "attention.dot" stands for that contraction;
//              the values; its two factors, queries and keys, or none where the
//              score is no contraction
//   attributes #AttentionTraits below, as a dictionary
//
// The score is any expression: scale, bias and masks are part of it, but for
// masks that became constraints.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_RECOGNIZEATTENTION_H
#define TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_RECOGNIZEATTENTION_H

#include "Import.h"

namespace transfusion::einsum::normal {

/// block * size + within - offset, of `extent` values.
struct WalkedBlocks {
  unsigned block = 0, within = 0; ///< dims of a node
  int64_t size = 0, offset = 0, extent = 0;
  mlir::AffineExpr index(mlir::MLIRContext *context) const {
    return mlir::getAffineDimExpr(block, context) * size +
           mlir::getAffineDimExpr(within, context) - offset;
  }
  /// The dim that is walked where the two are at these; -1: none.
  int dimOf(mlir::AffineExpr atBlock, mlir::AffineExpr atWithin) const;
  /// Whether the first or the last block is a part of one.
  bool isCutOff(const Node &node) const {
    return offset != 0 || node.dims[block].extent * size != extent;
  }
};

struct AttentionTraits {
  static constexpr llvm::StringLiteral kPiece = "attention";
  static constexpr llvm::StringLiteral kDot = "attention.dot";

  mlir::IntegerSet domain; ///< over dims, then the key; null: all
  bool isGuarded = false;  ///< a row of nothing but -inf gives 0
  mlir::Type weight;       ///< of the weights that meet the values
  std::string computed;    ///< why a mask of indices is computed, or empty
  /// Per dim: the score has it (else it is a feature of the values).
  llvm::SmallVector<bool> ofScore;
  /// Two of the dims walk one dim of queries (QueryBlocks.h).
  std::optional<WalkedBlocks> blocks;

  llvm::ArrayRef<mlir::AffineExpr> constraints() const {
    mlir::IntegerSet set = domain;
    return set ? set.getConstraints() : llvm::ArrayRef<mlir::AffineExpr>();
  }
  mlir::Attribute pack(mlir::MLIRContext *context) const;
  static AttentionTraits unpack(mlir::Attribute attributes);
};

/// Replaces attention in what a cascade computes. A softmax that something else
/// reads as well (its weights are a result) is left alone: it would be computed
/// twice. Says of each attention that could be better why it is not.
std::vector<std::string> recognizeAttention(Imported &imported);

} // namespace transfusion::einsum::normal

#endif // TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_RECOGNIZEATTENTION_H
