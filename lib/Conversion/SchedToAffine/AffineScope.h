//===- AffineScope.h - Affine code over the values in scope -----*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The emission computes with affine expressions whose dimension i stands for
// the i-th value in scope (outer tile, step, loop counters). What is constant
// disappears: a loop of one trip, a condition that always holds, a bound.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CONVERSION_SCHEDTOAFFINE_AFFINESCOPE_H
#define TRANSFUSION_LIB_CONVERSION_SCHEDTOAFFINE_AFFINESCOPE_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Builders.h"

#include <optional>

namespace transfusion::schedtoaffine {

/// The least of these expressions.
using Bound = llvm::SmallVector<mlir::AffineExpr, 2>;

/// expr >= 0, or expr == 0.
struct Condition {
  mlir::AffineExpr expr;
  bool isEquality = false;
};

class AffineScope {
public:
  explicit AffineScope(mlir::OpBuilder &b) : b(b) {}

  mlir::OpBuilder &builder() { return b; }
  mlir::AffineExpr constant(int64_t value) const;

  /// Simplified over all values in scope.
  mlir::AffineExpr simplify(mlir::AffineExpr e) const;
  /// The same expression behind a name of its own: an `affine.apply`, so that
  /// the maps of inner loops stay short. Lives as long as the scope around it.
  mlir::AffineExpr bind(mlir::Location loc, mlir::AffineExpr e);
  /// As a value of type index.
  mlir::Value value(mlir::Location loc, mlir::AffineExpr e);

  mlir::Value load(mlir::Location loc, mlir::Value memref,
                   llvm::ArrayRef<mlir::AffineExpr> indices);
  void store(mlir::Location loc, mlir::Value scalar, mlir::Value memref,
             llvm::ArrayRef<mlir::AffineExpr> indices);

  /// body(i) for i = 0 .. upper - 1.
  void loop(mlir::Location loc, const Bound &upper,
            llvm::function_ref<void(mlir::AffineExpr)> body);
  /// body(i) from the greatest of `lowers` to below the least of `uppers`.
  void loopBetween(mlir::Location loc, const Bound &lowers, const Bound &uppers,
                   llvm::function_ref<void(mlir::AffineExpr)> body);
  /// The same with a value that is carried from trip to trip.
  mlir::Value
  reduce(mlir::Location loc, const Bound &upper, mlir::Value init,
         llvm::function_ref<mlir::Value(mlir::AffineExpr, mlir::Value)> body);
  /// One loop per bound, the first one outermost.
  void nest(mlir::Location loc, llvm::ArrayRef<Bound> uppers,
            llvm::function_ref<void(llvm::ArrayRef<mlir::AffineExpr>)> body);

  void when(mlir::Location loc, llvm::ArrayRef<Condition> conditions,
            llvm::function_ref<void()> body);
  /// body() where some condition does not hold.
  void unless(mlir::Location loc, llvm::ArrayRef<Condition> conditions,
              llvm::function_ref<void()> body);
  mlir::Value choose(mlir::Location loc, mlir::Type type,
                     llvm::ArrayRef<Condition> conditions,
                     llvm::function_ref<mlir::Value()> then,
                     llvm::function_ref<mlir::Value()> otherwise);

private:
  /// Expressions over what of the scope they use.
  std::pair<mlir::AffineMap, llvm::SmallVector<mlir::Value>>
  map(llvm::ArrayRef<mlir::AffineExpr> exprs) const;
  Bound simplify(const Bound &bound) const;
  /// Drops what always holds; nullopt when something never does.
  std::optional<llvm::SmallVector<Condition>>
  undecided(llvm::ArrayRef<Condition> conditions) const;

  mlir::OpBuilder &b;
  llvm::SmallVector<mlir::Value> values;
};

} // namespace transfusion::schedtoaffine

#endif // TRANSFUSION_LIB_CONVERSION_SCHEDTOAFFINE_AFFINESCOPE_H
