//===- RaiseGraph.h - Equations before they are Einsums ---------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Terms. A *digit* is a factor of extent > 1 of a dimension; a tensor value has
// the digits of its dimensions, in order, so that a reshape leaves them as they
// are. A *root* is a tensor that exists: a value from outside the cascade (one
// digit per dimension, whole) or the result of an equation. A *view* says where
// a value is found: a root, and per digit of the root an expression over the
// digits of the value; or one constant; or nothing yet (tensor.empty).
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_RAISEGRAPH_H
#define TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_RAISEGRAPH_H

#include "Factoring.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Region.h"
#include "transfusion/Dialect/Einsum/IR/Einsum.h"

#include <memory>
#include <optional>
#include <string>

namespace transfusion::raise {

struct Digit {
  Factoring::Node leaf;
  int64_t extent;
};
using Digits = llvm::SmallVector<Digit, 6>;
using Exprs = llvm::SmallVector<mlir::AffineExpr, 6>;

/// An index of some extent. A list of them is a mixed-radix number, outermost
/// first.
struct IndexPart {
  mlir::AffineExpr index;
  int64_t extent;
};
using IndexParts = llvm::SmallVector<IndexPart, 4>;

struct View {
  enum Kind { Root, Splat, Undefined } kind = Undefined;
  mlir::TypedAttr splat;
  unsigned root = 0;
  Exprs at;

  static View constant(mlir::TypedAttr value) {
    View view;
    view.kind = Splat;
    view.splat = value;
    return view;
  }
};

/// Where an equation reads a root: per digit of it, over the equation's ranks.
struct Access {
  unsigned root;
  Exprs at;

  bool operator==(const Access &other) const {
    return root == other.root && at == other.at;
  }
};

/// A scalar body: a block whose arguments are what it reads, then the value of
/// each rank; it ends in einsum.yield. It belongs to no op yet.
struct Body {
  std::unique_ptr<mlir::Region> region;
  mlir::MLIRContext *context = nullptr;

  Body() = default;
  /// An empty block with these arguments and an index per rank.
  Body(mlir::TypeRange scalars, unsigned numRanks, mlir::Location loc);
  explicit operator bool() const { return region != nullptr; }
  mlir::Block &block() { return region->front(); }
  /// The region has no op that would tell a builder its context.
  mlir::OpBuilder atBegin();
  mlir::OpBuilder atEnd();
  mlir::Value yielded();
  mlir::BlockArgument scalar(unsigned i) { return block().getArgument(i); }
};

/// A piece of a concat: the result is the root `base` and behind it, along
/// `digit`, the points of the equation, which counts them by `ranks`, outermost
/// first. The first piece has no base.
struct Piece {
  std::optional<unsigned> base;
  unsigned digit;
  int64_t offset; ///< size of the base
  llvm::SmallVector<unsigned, 2> ranks;
};

struct Equation {
  explicit Equation(mlir::Location loc) : loc(loc) {}

  mlir::Location loc;
  std::string name;
  Digits ranks;
  /// Which of the ranks that share a leaf: score[p, m] has two of one length.
  llvm::SmallVector<unsigned, 6> occurrence;
  llvm::SmallVector<unsigned, 6> result; ///< per digit of the root, its rank
  llvm::SmallVector<Access, 4> inputs, finishInputs;
  Body map, finish; ///< finish reads the reduced value first
  std::optional<einsum::ReduceKind> reduce;
  std::optional<Piece> piece;
  unsigned root = 0;
  bool erased = false;
  bool isCopy = false; ///< moves numbers, computes none
  int into = -1;       ///< erased: the equation that does its work now

  bool isReduced(unsigned rank) const {
    return !llvm::is_contained(result, rank) &&
           !(piece && llvm::is_contained(piece->ranks, rank));
  }
};

struct Root {
  mlir::Value external; ///< null: made by `equation`
  std::optional<unsigned> equation;
  mlir::Type element;
  Digits digits;
  /// Per dimension of the tensor its digits, outermost first.
  llvm::SmallVector<llvm::SmallVector<unsigned, 2>> layout;
  bool yielded = false; ///< stored as a value of the function needs it
  bool piece = false;   ///< shares its storage with what extends it
  bool isPinned() const { return yielded || piece; }
};

struct Yield {
  mlir::Value value;
  unsigned root;
};

/// One cascade to be.
struct RaiseGraph {
  llvm::SmallVector<Root, 0> roots;
  llvm::SmallVector<Equation, 0> equations;
  llvm::SmallVector<Yield> yields;
};

//===----------------------------------------------------------------------===//
// Index arithmetic (Indices.cpp)
//===----------------------------------------------------------------------===//

/// The number that the parts make.
mlir::AffineExpr merge(llvm::ArrayRef<IndexPart> parts,
                       mlir::MLIRContext *context);

/// `parts` regrouped into numbers of these extents; uses floordiv and mod where
/// the two do not line up.
Exprs regroup(llvm::ArrayRef<IndexPart> parts, llvm::ArrayRef<int64_t> extents,
              mlir::MLIRContext *context);

/// No floordiv and no mod.
bool isLinear(llvm::ArrayRef<mlir::AffineExpr> exprs);

/// Sums in order. Expressions with mod are left alone: MLIR's simplification
/// writes x mod n as x - (x floordiv n)*n, whose bounds are harder to see.
mlir::AffineExpr simplify(mlir::AffineExpr expr, unsigned numRanks);

/// Coefficients of the dimensions and the constant; null when not linear.
struct Linear {
  llvm::SmallVector<int64_t> coefficients;
  int64_t constant = 0;
};
std::optional<Linear> getLinear(mlir::AffineExpr expr, unsigned numDims);

/// Expressions over the digits of a value, whose dimensions have `digits` each,
/// evaluated where dimension i has the index `index[i]`.
Exprs substitute(llvm::ArrayRef<mlir::AffineExpr> exprs,
                 llvm::ArrayRef<Digits> digits,
                 llvm::ArrayRef<IndexParts> index, unsigned numRanks,
                 mlir::MLIRContext *context);

} // namespace transfusion::raise

#endif // TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_RAISEGRAPH_H
