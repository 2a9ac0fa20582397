//===- RankRoles.h - What the ranks of a layer are called -------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two Einsums share a rank where both call it the same, so the names decide
// what is tiled together. Around what is recognised they follow from what a dim
// is for, as --einsum-decompose names them: h heads (kv and g where queries
// share keys), p queries, m keys, e what is contracted, f features of values, s
// the hidden features of an FFN. Elsewhere the program's own names stay.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_RANKROLES_H
#define TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_RANKROLES_H

#include "Plan.h"

namespace transfusion::einsum::normal {

class RankRoles {
public:
  RankRoles(const Imported &imported, const Plan &plan);
  /// Of dim i of the node; its bound dims follow its dims.
  std::string nameOf(NodeId node, unsigned i) const;

  using Names = llvm::SmallVector<std::string>; ///< empty: nobody has said
  /// Of the ranks of a piece of a concat, if attention reads it; else empty.
  Names namesOf(mlir::Value piece) const { return pieces.lookup(piece); }

private:
  Names &at(NodeId node);
  void nameAttention(NodeId id);
  void nameHidden(NodeId id);
  void pushDown(const Ref &ref, llvm::ArrayRef<std::string> frame);
  void pushIntoPiece(const Ref &ref, llvm::ArrayRef<std::string> frame);
  void pullUp(NodeId id);
  void pullFrom(const Ref &ref, Names &frame);

  const Imported &imported;
  const Graph &graph;
  const Plan &plan;
  std::map<NodeId, Names> names;
  llvm::DenseMap<mlir::Value, Names> pieces; // looked up only
};

} // namespace transfusion::einsum::normal

#endif // TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_RANKROLES_H
