//===- Import.h - From a cascade to the normal form -------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every Einsum becomes nodes: its map, its reduction, its finish. What reads it
// reads those, so that how the program was cut into Einsums is gone. *Kept* are
// Einsums whose meaning is more than their value at a point: those on a cycle,
// of an iterative rank, with a domain, pieces of a concat, or with a body that
// is not understood.
// They are inputs of the graph, and written back as they were.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_IMPORT_H
#define TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_IMPORT_H

#include "Jumps.h"
#include "Recognize.h"
#include "llvm/ADT/MapVector.h"

#include <map>

namespace transfusion::einsum::normal {

/// A tensor of the cascade: at `layout` (over the frame) it holds `ref`.
struct Tensor {
  Frame frame;
  Ref ref;
  Exprs layout;
  mlir::RankedTensorType type;
  std::string name; ///< of the Einsum that made it
  /// `ref` again, over the tensor's own coordinates.
  Frame coordinates;
  Ref byCoordinate;
};

/// An Einsum that stays as it is.
struct Kept {
  MapReduceOp op;
  NodeId node; ///< its value: an Input
  /// What it reads in the cascade, by operand number; arguments are left out.
  std::map<unsigned, Tensor> operands;
};

/// What extends a tensor, or is extended: pieces of a concat share storage.
bool isConcatPiece(MapReduceOp op);

struct Imported {
  Graph graph;
  std::vector<Tensor> results;             ///< what the cascade yields
  llvm::MapVector<mlir::Value, Kept> kept; ///< by result
  /// What Einsums called their values.
  struct Name {
    std::string text;
    mlir::Location loc;
    Frame frame;
    Ref ref;
  };
  std::vector<Name> names;
  unsigned numEinsums = 0;

  explicit Imported(mlir::MLIRContext *context) : graph(context) {}
  /// All refs that must survive a rewrite.
  llvm::SmallVector<Root> roots();
};

Imported importCascade(CascadeOp cascade, const JumpFronts &fronts);

/// The scalar that a body yields, or that `operands` pass on where the region
/// is empty. Null where the body has an op that is not understood. The region's
/// index ops name ranks of the frame by `ranks`. Arithmetic in front of a jump
/// is what it is.
std::optional<Ref> importBody(Graph &graph, const Frame &frame,
                              mlir::Region &body, llvm::ArrayRef<Ref> operands,
                              mlir::ArrayAttr ranks, const JumpFronts &fronts);

} // namespace transfusion::einsum::normal

#endif // TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_IMPORT_H
