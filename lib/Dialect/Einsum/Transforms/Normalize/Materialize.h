//===- Materialize.h - From the normal form to a cascade --------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which nodes become tensors follows from the graph alone, by one rule:
//  - results, reductions, pieces, and what a piece wants as a tensor;
//  - the factors of a contraction, what another reduction reduces, and the
//    terms of a residual sum (two terms with all of its dims), and that sum;
//  - what several of those use.
// A tensor that reads one reduction at its own dims, is the only one to read
// it, and else only arguments with fewer dims (a bias, a mask, a scale), is
// that reduction's finish. Everything else is inlined in the body that uses it.
//
// Terms. The *place* of a node in an emitter's frame: per dim of the frame, an
// expression over ranks of the CascadeBuilder.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_MATERIALIZE_H
#define TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_MATERIALIZE_H

#include "../CascadeBuilder.h"
#include "NormalForm.h"

#include <map>

namespace transfusion::einsum::normal {

/// A scalar expression as a body over tensors that exist.
struct Scalar {
  llvm::SmallVector<Read> reads;
  /// Computes it from the scalars of `reads`, in their own types, with every
  /// cast that the program has. Null: passes the only read on.
  std::function<mlir::Value(mlir::OpBuilder &, mlir::Location,
                            mlir::ValueRange)>
      body;
  mlir::Type type;
};

/// The position of the read in a list that has each once.
unsigned addRead(llvm::SmallVectorImpl<Read> &reads, const Read &read);

class Materializer;

/// How one kind of piece becomes Einsums.
struct PieceKind {
  /// Whether operand i of the piece is a tensor of its own; other operands are
  /// inlined where `scalar` asks for them.
  std::function<bool(const Graph &, const Node &, unsigned)> isTensor;
  /// Emits the Einsums and calls `define`. Operands are materialised before.
  std::function<void(Materializer &, NodeId)> emit;
  /// What several of a kind in a function are numbered by: "ln" -> ln1., ln2.
  std::string prefix;
  /// The dims of operand i's node in the order in which its tensor has them, if
  /// the piece wants another than theirs: over the node's dims.
  std::function<Exprs(const Graph &, const Node &, unsigned)> layout;
  /// The role of operand i, if it is a projection: its Einsum's name ("Q").
  std::function<std::string(const Graph &, const Node &, unsigned)> operandName;
};
/// By the name of the piece.
using PieceKinds = std::map<std::string, PieceKind>;

struct Imported;
struct Kept;
struct Plan;
struct Tensor;
class EinsumRoles;
class RankRoles;

class Materializer {
public:
  const Graph &graph;
  CascadeBuilder &cascade;

  Materializer(const Imported &imported, const Plan &plan,
               const PieceKinds &kinds, EinsumRoles &roles,
               const RankRoles &rankRoles, CascadeBuilder &cascade);
  /// Emits everything. The tensors that the cascade yields.
  llvm::SmallVector<mlir::Value> run();

  /// A rank of the builder per dim of the node (then per bound dim, if asked),
  /// distinct from each other.
  Exprs ranksOf(NodeId node, bool withBound = false);

  /// Reads the tensor of `ref`, which must be one or a widened one, at a place
  /// of its frame.
  Read read(const Ref &ref, llvm::ArrayRef<mlir::AffineExpr> place);
  /// Any ref as a body.
  Scalar scalar(const Ref &ref, llvm::ArrayRef<mlir::AffineExpr> place);
  /// `accumulator`: the node whose value the body gets first, before what it
  /// reads.
  Scalar scalar(const Ref &ref, llvm::ArrayRef<mlir::AffineExpr> place,
                std::optional<NodeId> accumulator);

  /// The tensor of a node and how it is laid out: per dimension of the tensor,
  /// an expression over the node's dims.
  void define(NodeId node, mlir::Value tensor,
              llvm::ArrayRef<mlir::AffineExpr> layout);
  /// What readers want the layout of a node's tensor to be, over its dims.
  Exprs layoutOf(NodeId node) const;
  /// Whether there is such a reader.
  bool hasLayout(NodeId node) const { return layouts.count(node) != 0; }

  /// Emits an Einsum. In `equation`, `result` are ranks of the builder.
  mlir::Value emit(const Equation &equation, mlir::Type compute);

  /// The name of an Einsum of this piece: `ln1.SAV`.
  std::string nameFor(NodeId piece, llvm::StringRef name);

private:
  void addBoundRanks(NodeId node, Exprs &ranks);
  class ScalarBuilder;
  void chooseLayouts();
  void emitKept(NodeId node);
  void renamePiece(MapReduceOp piece, llvm::ArrayRef<int64_t> extents,
                   llvm::ArrayRef<std::string> names);
  void emitNode(NodeId node);
  void linkKept();
  /// The tensor itself where it is laid out so; else a copy.
  mlir::Value emitResult(const Tensor &tensor);

  struct Made {
    mlir::Value tensor;
    Exprs layout;
  };
  const Imported &imported;
  const Plan &plan;
  const PieceKinds &kinds;
  EinsumRoles &roles;
  const RankRoles &rankRoles;
  mlir::Location loc; ///< of what is being emitted
  llvm::DenseMap<NodeId, mlir::Location> locations; // looked up only
  llvm::DenseMap<NodeId, Exprs> layouts;            // looked up only
  llvm::DenseMap<NodeId, Made> made;                // looked up only
  /// Operands of kept Einsums that are linked when all tensors exist.
  llvm::SmallVector<std::pair<MapReduceOp, const Kept *>> clones;
};

} // namespace transfusion::einsum::normal

#endif // TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_MATERIALIZE_H
