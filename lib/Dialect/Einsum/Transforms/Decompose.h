//===- Decompose.h - From ops of a layer to equations -----------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Terms. A *run* is a set of named ops of one block that becomes one cascade. A
// value *escapes* when an op outside the run reads it: its tensor then has the
// value's type and layout, and the cascade yields it.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_DECOMPOSE_H
#define TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_DECOMPOSE_H

#include "AttentionCascade.h"
#include "transfusion/Dialect/Einsum/Transforms/Decompose.h"
#include "transfusion/Dialect/Einsum/Transforms/Passes.h"

#include <string>

namespace transfusion::einsum {

/// The ops that decompose.
bool isNamedOp(mlir::Operation *op);
/// What a reshape or transpose of a layer's tensor looks at; null for others.
mlir::Value getViewSource(mlir::Operation *op);
/// The value behind all reshapes and transposes.
mlir::Value lookThroughViews(mlir::Value value);

/// Names of Einsums, unique in a function. Ops of a kind that occurs more than
/// once get the kind and a number as prefix: `ln1.SAV`, `ln2.SAV`.
class EinsumNames {
public:
  explicit EinsumNames(mlir::Operation *function);
  std::string get(mlir::Operation *op, llvm::StringRef name);

private:
  llvm::DenseMap<mlir::Operation *, std::string> prefixes; // looked up only
  llvm::StringMap<char> taken;                             // looked up only
};

/// What the decompositions of all ops of a run share.
struct Run {
  const DecomposeOptions &options;
  EinsumNames &names;
  CascadeBuilder &cascade;
  llvm::DenseSet<mlir::Operation *> ops;             ///< asked, never walked
  llvm::DenseMap<mlir::Value, mlir::Value> escaping; ///< looked up only
  KeyRankList keyRanks; ///< of the attentions so far

  bool escapes(mlir::Value value) const;
  /// Whether a contraction of the run reads it.
  bool feedsContraction(mlir::Value value) const;
  /// The rotation of the run that reads it, if there is one: what makes the
  /// value then splits its features into pairs.
  RopeOp fedRope(mlir::Value value) const;
  mlir::Type storageType(mlir::Value value) const;
  /// What an op with results of this type computes and reduces in.
  mlir::Type computeType(mlir::Value value) const;

  View view(mlir::Value value);
  View view(mlir::Value value, llvm::ArrayRef<llvm::StringRef> names) {
    return cascade.viewOf(value, names);
  }

  /// Emits the equation that computes `value`, a result of `op`, at `index`:
  /// sets its result, element and name. `order` is how a tensor that stays
  /// inside is laid out; empty: as the value.
  MapReduceOp define(mlir::Operation *op, mlir::Value value,
                     llvm::StringRef name, Equation equation,
                     const Index &index, llvm::ArrayRef<DigitRef> order = {});

  /// Emits an equation of an inner tensor: result ranks, element type.
  mlir::Value inner(mlir::Operation *op, llvm::StringRef name,
                    Equation equation, llvm::ArrayRef<mlir::AffineExpr> result,
                    mlir::Type element);
};

mlir::LogicalResult decompose(Run &run, QkvOp op);
mlir::LogicalResult decompose(Run &run, MhaOp op);
mlir::LogicalResult decompose(Run &run, SoftmaxOp op);
mlir::LogicalResult decompose(Run &run, RopeOp op);
mlir::LogicalResult decompose(Run &run, LayerNormOp op);
mlir::LogicalResult decompose(Run &run, RmsNormOp op);
mlir::LogicalResult decompose(Run &run, LinearOp op);
mlir::LogicalResult decompose(Run &run, FfnOp op);
mlir::LogicalResult decompose(Run &run, AddOp op);
/// The features of a head as pairs, E of them: [half, pair] with names made
/// from `name` ("e1", "e0"), or [pair, half] where they are interleaved.
DimIndex pairDigits(Run &run, llvm::StringRef name, int64_t features,
                    bool interleaved, llvm::ArrayRef<mlir::AffineExpr> taken);
mlir::LogicalResult decomposeView(Run &run, mlir::Operation *op);

// MergeCascades.cpp
/// Cascades become one where no other op stands between: one that reads the
/// first and is read by the second, or has effects. Those that stay apart have
/// one rank of a name.
void mergeCascades(mlir::func::FuncOp function);

/// The function of one scalar.
Body activationBody(Activation kind);
/// x cos + x' sin, x' the other of the pair, negated for the first: `half` is
/// the rank that says which of the two x is.
mlir::Value rotate(BodyBuilder &b, llvm::StringRef half, mlir::Value x,
                   mlir::Value partner, mlir::Value cos, mlir::Value sin);

/// How often Einsums of one attention walk all keys, one walk having to end
/// before the next begins. `einsums` in an order in which only recurrences read
/// what comes later.
int countPasses(llvm::ArrayRef<MapReduceOp> einsums, llvm::StringRef m1,
                llvm::StringRef m0);

} // namespace transfusion::einsum

#endif // TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_DECOMPOSE_H
