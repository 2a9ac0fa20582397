//===- Matching.h - What recognisers ask of the graph -----------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_MATCHING_H
#define TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_MATCHING_H

#include "NormalForm.h"

namespace transfusion::einsum::normal {

/// Where the dims `free` have to be for `pattern` to be `target`: plain dims of
/// the frame, of the same extents, no two the same. Nullopt where nothing does.
std::optional<Exprs> unify(const Ref &pattern, const Ref &target,
                           llvm::ArrayRef<mlir::AffineExpr> free,
                           const Frame &frame);

/// Dims of the frame in the order in which the ref has them.
llvm::SmallVector<unsigned> dimsInOrder(const Graph &graph, const Ref &ref);

/// Whether all dims are of the frame and `rows` depends on none of them.
bool areNewDims(llvm::ArrayRef<mlir::AffineExpr> dims, const Frame &frame,
                const Ref &rows);

/// Which operand is x, where ref is max(x, 0), with NaN for NaN.
std::optional<unsigned> matchRelu(const Graph &graph, const Ref &ref);

//===----------------------------------------------------------------------===//
// Attributes of pieces
//===----------------------------------------------------------------------===//

/// Types: x is widened to `compute`, normalised, rounded to `affine`,
/// multiplied by gamma and added to beta, rounded to the piece's type.
struct NormAttributes {
  double eps = 0;
  int64_t columns = 0; ///< how many of the piece's dims, the last ones
  bool hasGamma = false, hasBeta = false;
  mlir::Type compute, affine;
  mlir::Type accumulator; ///< of the sums, which are rounded to `compute`

  mlir::DictionaryAttr get(mlir::MLIRContext *context) const;
  static NormAttributes of(const Node &node);
};

/// Types: x is widened to `compute`, the function applied, rounded to `gated`,
/// multiplied by the gate's factor, rounded to the piece's type.
struct ActivationAttributes {
  Activation function = Activation::Relu;
  mlir::Type compute, gated;

  mlir::DictionaryAttr get(mlir::MLIRContext *context) const;
  static ActivationAttributes of(const Node &node);
};

/// x, cos and sin are widened to `compute`, the sum is rounded to the piece's
/// type.
struct RopeAttributes {
  int64_t half = 0; ///< the dim that says which of a pair
  mlir::Type compute;

  mlir::DictionaryAttr get(mlir::MLIRContext *context) const;
  static RopeAttributes of(const Node &node);
};

//===----------------------------------------------------------------------===//
// Norms grow: gamma, beta, casts
//===----------------------------------------------------------------------===//

/// The product, with factors that depend on columns alone taken into the norm,
/// which is the first factor.
Ref addGamma(Graph &graph, const Frame &frame, const Factors &factors,
             mlir::Type type);
/// Likewise the sum, whose first term is the norm.
Ref addBeta(Graph &graph, const Frame &frame, const Terms &terms,
            mlir::Type type);
std::optional<Ref> extendByGamma(Graph &graph, const Frame &frame,
                                 const Ref &ref, llvm::StringRef name);
std::optional<Ref> extendByBeta(Graph &graph, const Frame &frame,
                                const Ref &ref);
/// `ref` rounds a norm.
std::optional<Ref> addRounding(Graph &graph, const Frame &frame, const Ref &ref,
                               llvm::StringRef name);

} // namespace transfusion::einsum::normal

#endif // TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_MATCHING_H
