//===- CascadeBuilder.h - Writes equations into a cascade -------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Terms. Inside a builder a rank is an affine dimension whose position is the
// rank's number in the cascade; `emit` renumbers per Einsum. A *digit* is a
// rank expression and its extent; the index of one dimension of a layer's
// tensor is a mixed-radix number of digits, outermost first: 'h*e' is [h, e]. A
// *view* says which tensor of the cascade holds a value of the layer, and
// where: merged heads, split heads and transposes are views, never copies.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_CASCADEBUILDER_H
#define TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_CASCADEBUILDER_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Builders.h"
#include "transfusion/Dialect/Einsum/IR/Einsum.h"

#include <functional>

namespace transfusion::einsum {

struct Digit {
  mlir::AffineExpr index;
  int64_t extent;
};
using DimIndex = llvm::SmallVector<Digit, 2>;
using Index = llvm::SmallVector<DimIndex, 4>;
using Exprs = llvm::SmallVector<mlir::AffineExpr>;
/// A digit of a value's index: dimension, place in that dimension.
using DigitRef = std::pair<unsigned, unsigned>;

/// The number that the digits make.
mlir::AffineExpr merge(llvm::ArrayRef<Digit> digits);
/// Product of their extents.
int64_t extentOf(llvm::ArrayRef<Digit> digits);
/// The expressions of all digits, in order.
Exprs flatten(llvm::ArrayRef<Digit> digits);

struct View {
  mlir::Value tensor;
  /// Per dimension of the value, the ranks that walk it by default.
  Index digits;
  /// Per dimension of `tensor`, the digits that it holds, outermost first.
  llvm::SmallVector<llvm::SmallVector<DigitRef, 2>> layout;
};

/// A tensor and where an Einsum reads it.
struct Read {
  mlir::Value tensor;
  Exprs access;
};

/// Arithmetic in one type, the one that the Einsum computes in.
class BodyBuilder {
public:
  BodyBuilder(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type)
      : b(b), loc(loc), type(type) {}
  mlir::Value cast(mlir::Value v, mlir::Type to);
  mlir::Value constant(double value);
  mlir::Value add(mlir::Value l, mlir::Value r);
  mlir::Value sub(mlir::Value l, mlir::Value r);
  mlir::Value mul(mlir::Value l, mlir::Value r);
  mlir::Value div(mlir::Value l, mlir::Value r);
  mlir::Value max(mlir::Value l, mlir::Value r);
  mlir::Value exp(mlir::Value v);
  mlir::Value erf(mlir::Value v);
  mlir::Value rsqrt(mlir::Value v);
  mlir::Value tanh(mlir::Value v);
  mlir::Value negate(mlir::Value v);
  /// Where the Einsum is on the rank of this name, as a number.
  mlir::Value index(llvm::StringRef rank);
  mlir::Value select(mlir::Value condition, mlir::Value then,
                     mlir::Value otherwise);
  mlir::Value isMinusInf(mlir::Value v);
  /// v, or 0 where v is -inf.
  mlir::Value zeroIfMinusInf(mlir::Value v);

  mlir::OpBuilder &getBuilder() { return b; }
  mlir::Location getLoc() const { return loc; }

private:
  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Type type;
};
using Body = std::function<mlir::Value(BodyBuilder &, mlir::ValueRange)>;

struct Equation {
  std::string name;
  llvm::SmallVector<Read> inputs;
  Body map; ///< null: passes its only input on
  Exprs result;
  /// Of the result; empty: as far as the ranks reach.
  llvm::SmallVector<int64_t> shape;
  mlir::Type element; ///< of the result
  Exprs reduced;      ///< ranks that the result lacks, in order
  std::optional<ReduceKind> reduce;
  llvm::SmallVector<Read> finishInputs;
  Body finish;  ///< null: the reduced value
  Exprs domain; ///< each is at least 0
  std::optional<double> init;
  /// Scalars reach the bodies in the types that they have, and bodies make the
  /// type that is wanted: `accumulator` where there is a reduction. Otherwise
  /// everything is computed in the type that `emit` is given.
  bool exact = false;
  mlir::Type accumulator; ///< of an exact equation
};

/// Emits one Einsum under its published name: sets the name, the result and the
/// element type of the equation.
using EmitEinsum = std::function<mlir::Value(
    llvm::StringRef, Equation, llvm::ArrayRef<mlir::AffineExpr>, mlir::Type)>;

class CascadeBuilder {
public:
  CascadeBuilder(mlir::OpBuilder &builder, mlir::Location loc,
                 mlir::TypeRange resultTypes);

  /// The rank of this name and extent; `name_2`, ... where a rank of this name
  /// has another extent or is in `taken`.
  mlir::AffineExpr rank(llvm::StringRef name, int64_t extent,
                        bool iterative = false,
                        llvm::ArrayRef<mlir::AffineExpr> taken = {});
  llvm::StringRef rankName(mlir::AffineExpr rank);
  int64_t rankExtent(mlir::AffineExpr rank);
  /// All ranks so far, and their extents.
  Exprs allRanks();
  llvm::SmallVector<int64_t> rankExtents() const;

  /// The view of a value; one that no equation made so far gets ranks of these
  /// names.
  View viewOf(mlir::Value value, llvm::ArrayRef<llvm::StringRef> names);
  bool isKnown(mlir::Value value) const { return views.contains(value); }
  void setView(mlir::Value value, View view) { views[value] = view; }

  /// How an Einsum reads a view at an index. Fails where the two split a
  /// dimension differently, with an error at `op`.
  mlir::FailureOr<Read> read(mlir::Operation *op, const View &view,
                             const Index &at);

  /// Adds an Einsum that computes in `compute`.
  MapReduceOp emit(const Equation &equation, mlir::Type compute,
                   mlir::Location loc);

  /// Stands for a tensor of a recurrence until its equation exists.
  mlir::Value placeholder(llvm::ArrayRef<mlir::AffineExpr> result,
                          mlir::Type element);
  void resolve(mlir::Value placeholder, mlir::Value tensor);

  /// Declares the ranks and yields.
  CascadeOp finish(mlir::ValueRange yields);
  CascadeOp getCascade() { return cascade; }
  /// Writes into the cascade.
  mlir::OpBuilder &getBuilder() { return b; }

private:
  struct Rank {
    std::string name;
    int64_t extent;
    bool iterative;
  };
  /// Extent of a tensor dimension that is written at this index.
  int64_t dimExtent(mlir::AffineExpr index);
  mlir::RankedTensorType typeFor(llvm::ArrayRef<mlir::AffineExpr> result,
                                 mlir::Type element);

  CascadeOp cascade;
  mlir::OpBuilder b;
  llvm::SmallVector<Rank> ranks;
  llvm::DenseMap<mlir::Value, View> views; // looked up, never walked
};

} // namespace transfusion::einsum

#endif // TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_CASCADEBUILDER_H
