//===- NormalForm.h - What a cascade computes, as a graph -------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Terms. A *node* is a scalar function of its *dims*, which have no names, only
// extents: x[d0,d1] * x[d0,d1] is the same node whether an Einsum walks it by
// [p,d] or by [m,d]. A *ref* is a node at a point: one affine expression per
// dim of the node, over the dims of a *frame* (affine dimension i is dim i of
// the frame). So reading a tensor elsewhere composes expressions and rebuilds
// nothing, equal computations are one node whatever their ranks are called, and
// how often a node is used is how often its tensor would be.
//
//   NR     d0,d1,d2 = Product(x[d0,d1,d2], SR[d0,d1], gamma[d2])
//   Q      d0,d1,d2 = Reduce add over d3 of Product(NR[d0,d1,d3], W[d2,d3])
//
// Nodes are hash-consed and lightly normalised when they are made: subtraction,
// negation and division are sums with coefficients and products with negative
// powers; constants are folded in f64; a constant factor moves out of products
// and out of reductions by add; operands of commutative nodes have one order.
// Sums and products are nested as in the program: flattening them would lose
// what is shared, and 64 layers of residuals would be quadratic. Who wants them
// flat asks for `terms` and `factors`.
//
// Casts are nodes, whatever they cast; every operand of a sum or product has
// the node's type. Reduce and Piece *bind* further dims: the frame of their
// operands is dims, then bound.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_NORMALFORM_H
#define TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_NORMALFORM_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "transfusion/Dialect/Einsum/IR/Einsum.h"
#include "llvm/ADT/DenseMap.h"

#include <deque>
#include <optional>
#include <string>
#include <unordered_map>

namespace transfusion::einsum::normal {

using NodeId = unsigned;
using Exprs = llvm::SmallVector<mlir::AffineExpr>;

/// A node at a point of a frame.
struct Ref {
  NodeId node = ~0u;
  Exprs at; ///< per dim of the node
  bool operator==(const Ref &other) const {
    return node == other.node && at == other.at;
  }
  bool operator!=(const Ref &other) const { return !(*this == other); }
};

struct Dim {
  int64_t extent = 0; ///< 0: unbounded (of Index nodes)
  std::string hint;   ///< a rank that walked it; no part of the node's identity
};

/// Dims by position, with extents: what refs of one equation range over.
struct Frame {
  llvm::SmallVector<Dim> dims;
  mlir::MLIRContext *context;

  explicit Frame(mlir::MLIRContext *context, llvm::ArrayRef<Dim> dims = {})
      : dims(dims), context(context) {}
  mlir::AffineExpr add(const Dim &dim) {
    dims.push_back(dim);
    return mlir::getAffineDimExpr(dims.size() - 1, context);
  }
  /// All its dims, in order.
  Exprs all() const;
  llvm::SmallVector<int64_t> extents() const;
};

enum class Kind {
  Input,    ///< a value from outside the cascade, or an Einsum that is kept
  Constant, ///< of any type
  Index,    ///< the integer `at[0]`: of type index, i32 or i64
  Sum,      ///< constant + sum of coefficients[i] * operands[i]; floats only
  Product,  ///< constant * product of operands[i] ^ powers[i]; floats only
  Op,       ///< any other pure op of arith or math, casts among them
  Reduce,   ///< operands[0] reduced over the bound dims
  Piece     ///< something recognised: a norm, an attention. See Recognize.h
};

struct Node {
  Kind kind;
  mlir::Type type; ///< of the scalar
  llvm::SmallVector<Dim> dims;
  llvm::SmallVector<Dim> bound;           ///< Reduce and Piece
  llvm::SmallVector<Ref> operands;        ///< over dims, then bound
  double constant = 0;                    ///< Sum, Product, float Constant
  llvm::SmallVector<double> coefficients; ///< Sum
  llvm::SmallVector<int> powers;          ///< Product; not 0
  /// Op: the op's name; Piece: what it is. Attributes of either; a Constant
  /// that is no float: its attribute.
  std::string name;
  mlir::Attribute attributes;
  ReduceKind reduce = ReduceKind::Add;
  mlir::Value value;    ///< Input: the tensor, in the original cascade's terms
  unsigned ordinal = 0; ///< Input: arguments by number, then in order of use

  /// Longest way to an Input, counted in Reduce and Piece nodes. With the
  /// hash, what commutative operands are ordered by: same in every spelling.
  unsigned level = 0;
  unsigned first = ~0u; ///< the least ordinal of an Input under it
  /// The Inputs and operators under it, wherever they are read.
  uint64_t content = 0;
  uint64_t hash = 0;

  bool isOp(llvm::StringRef opName) const {
    return kind == Kind::Op && name == opName;
  }
  bool isPiece(llvm::StringRef pieceName) const {
    return kind == Kind::Piece && name == pieceName;
  }
};

struct Term {
  double coefficient;
  Ref ref;
};
/// constant + the terms.
struct Terms {
  double constant = 0;
  llvm::SmallVector<Term> list;
};
struct Factor {
  Ref ref;
  int power;
};
/// constant * the factors.
struct Factors {
  double constant = 1;
  llvm::SmallVector<Factor> list;
};

class Graph {
public:
  explicit Graph(mlir::MLIRContext *context) : context(context) {}
  mlir::MLIRContext *getContext() const { return context; }

  const Node &operator[](NodeId id) const { return nodes[id]; }
  const Node &operator[](const Ref &ref) const { return nodes[ref.node]; }
  size_t size() const { return nodes.size(); }
  /// The node's own dims.
  Frame frameOf(NodeId id) const { return Frame(context, nodes[id].dims); }

  //===--- Making nodes: refs in, a ref out, all over one frame ----------===//

  /// `level`: how far it is from arguments (0 for them).
  Ref input(const Frame &frame, mlir::Value tensor,
            llvm::ArrayRef<mlir::AffineExpr> at, unsigned level = 0);
  Ref constant(double value, mlir::Type type);
  Ref constant(mlir::TypedAttr value);
  Ref index(const Frame &frame, mlir::AffineExpr value, mlir::Type type);
  Ref sum(const Frame &frame, const Terms &terms, mlir::Type type);
  Ref product(const Frame &frame, const Factors &factors, mlir::Type type);
  Ref op(const Frame &frame, llvm::StringRef name, mlir::Attribute attributes,
         llvm::ArrayRef<Ref> operands, mlir::Type type);
  /// The condition that holds where this one does not.
  Ref negate(const Frame &frame, const Ref &condition);
  /// `reduced`: dims of the frame. Those are bound, and no part of the result.
  Ref reduce(const Frame &frame, ReduceKind kind, const Ref &body,
             llvm::ArrayRef<mlir::AffineExpr> reduced);
  /// `dims` and `bound` list the dims of the frame that operands use: the
  /// order of `dims` is the order of the piece's dims.
  Ref piece(const Frame &frame, llvm::StringRef name,
            mlir::Attribute attributes, llvm::ArrayRef<Ref> operands,
            llvm::ArrayRef<mlir::AffineExpr> dims,
            llvm::ArrayRef<mlir::AffineExpr> bound, mlir::Type type);

  /// Like `from`, which is no leaf, over other operands.
  Ref rebuild(const Frame &frame, const Node &from,
              llvm::ArrayRef<Ref> operands);
  /// `ref` made anew for where it is: where a dim is at a constant or in a part
  /// of its range, the node lacks it or is narrower.
  Ref instantiate(const Ref &ref, const Frame &frame);

  //===--- Reading nodes ------------------------------------------------===//

  /// Operand i where `ref` is. Of a node that binds dims: where those are at
  /// `bound` (add them to the frame first).
  Ref operand(const Ref &ref, unsigned i,
              llvm::ArrayRef<mlir::AffineExpr> bound = {}) const;
  /// Adds the dims that the node binds to a frame.
  Exprs bind(Frame &frame, const Ref &ref) const;
  /// `ref`, which is over some frame, with that frame's dims at `at`.
  Ref compose(const Ref &ref, llvm::ArrayRef<mlir::AffineExpr> at,
              const Frame &frame) const;

  /// As a sum, nested sums opened up to `most` terms; a ref that is no sum is
  /// one term.
  Terms terms(const Ref &ref, unsigned most = 8) const;
  /// As a product, nested products opened likewise.
  Factors factors(const Ref &ref, unsigned most = 8) const;
  /// As a product of the node's own operands.
  Factors ownFactors(const Ref &ref) const;
  /// The value of a constant float.
  std::optional<double> constantOf(const Ref &ref) const;
  /// x, where the condition is not x, and x no comparison: those are inverted.
  std::optional<Ref> underNot(const Ref &condition) const;
  /// Dims of the frame that the ref depends on, ascending.
  llvm::SmallVector<unsigned> dimsOf(const Ref &ref) const;
  /// Whether the ref depends on this dim of the frame.
  bool dependsOn(const Ref &ref, mlir::AffineExpr dim) const;
  /// The source of casts between floats, one after another.
  Ref throughCasts(Ref ref) const;

  /// For -debug and tests: `add over d3 (x[d0,d3] * W[d1,d3])`.
  void print(const Ref &ref, llvm::raw_ostream &os, unsigned depth = 4) const;

private:
  /// The node over the frame's dims, renumbered to its own.
  Ref make(const Frame &frame, Node node, llvm::ArrayRef<mlir::AffineExpr> dims,
           llvm::ArrayRef<mlir::AffineExpr> bound);
  /// Dims of the frame in the order in which operands have them.
  Exprs usedDims(const Frame &frame, llvm::ArrayRef<Ref> operands) const;
  NodeId intern(Node node);

  mlir::MLIRContext *context;
  std::deque<Node> nodes;                          ///< references stay valid
  std::unordered_multimap<uint64_t, NodeId> known; ///< looked up only
  llvm::DenseMap<mlir::Value, unsigned> ordinals; ///< of inputs; looked up only
};

/// a and b are the same number up to `ulps` units in the last place of `type`.
bool isClose(double a, double b, mlir::Type type, unsigned ulps = 2);

} // namespace transfusion::einsum::normal

#endif // TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_NORMALFORM_H
