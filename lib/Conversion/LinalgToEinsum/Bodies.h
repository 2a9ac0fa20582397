//===- Bodies.h - Scalar bodies of linalg ops -------------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_BODIES_H
#define TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_BODIES_H

#include "RaiseGraph.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace transfusion::raise {

/// f64 is not a type of any accelerator: values of it are f32 in a cascade.
/// Constants are folded in f64 before.
mlir::Type storageType(mlir::Type element);
mlir::TypedAttr storageValue(mlir::TypedAttr value);

/// Ops and arguments of a body that a value depends on, constants from outside
/// included.
llvm::SmallDenseSet<mlir::Value> slice(mlir::Value of);

/// Block arguments (inputs, then outputs) that a result of `op` depends on.
llvm::SmallVector<bool> usedArguments(mlir::linalg::LinalgOp op,
                                      unsigned result);

/// Loops that a result of `op` depends on: where it is written, what is read
/// for it, indices; all of them where it accumulates. The others write one
/// value again and again.
llvm::SmallVector<bool> usedLoops(mlir::linalg::LinalgOp op, unsigned result);

/// Why the body cannot be a body of an Einsum; empty when it can.
std::string whyNotScalar(mlir::linalg::LinalgOp op, unsigned result);

/// Why the body of a tensor.generate cannot be one; empty when it can.
std::string whyNotIndexBody(mlir::Block &block);

/// The body of one result, simplified; a block argument per input and output of
/// the op, those in `constants` (null: none) replaced. `loops` gives, per loop,
/// the ranks and extents that walk it.
Body cloneBody(
    mlir::linalg::LinalgOp op, unsigned result,
    llvm::ArrayRef<mlir::TypedAttr> constants,
    llvm::ArrayRef<llvm::SmallVector<std::pair<unsigned, int64_t>>> loops,
    unsigned numRanks);

/// Scalar ops that have a form in arith: of index, and affine.apply.
bool hasArithForm(mlir::Operation *op);
mlir::Value arithForm(mlir::OpBuilder &builder, mlir::Operation *op,
                      mlir::ValueRange operands);

/// How an op combines two operands that may change places and are signed.
std::optional<einsum::ReduceKind> plainReduceKind(mlir::Operation *op);

/// Accumulations that the body writes as a select, as what they are.
void writeAsAccumulation(Body &body, mlir::BlockArgument accumulator);

/// Erases what nobody reads.
void eraseDead(mlir::Block &block);

/// Removes scalar arguments that nobody reads; says which stay.
llvm::SmallVector<unsigned> pruneScalars(Body &body, unsigned numScalars);

/// Copies the ops of `body` to the builder, with these arguments (indices
/// included); returns what it yields.
mlir::Value inlineBody(mlir::OpBuilder &builder, Body &body,
                       mlir::ValueRange arguments);

/// Value of an expression over the ranks, in a body of so many scalars.
mlir::Value indexValue(mlir::OpBuilder &builder, mlir::Location loc, Body &body,
                       unsigned numScalars, mlir::AffineExpr expr);

/// How a body that reads argument `accumulator` combines it with the rest.
struct Reduction {
  einsum::ReduceKind kind;
  /// Casts around: the combination is done in this type.
  mlir::Type type;
  /// Of maxnumf: x is made to say nothing where it is NaN, and so must be what
  /// else is combined.
  bool ignoresNaN = false;
  /// Of maxui: x has its sign bit flipped, and so must be what else is combined
  /// and what comes out.
  bool isUnsigned = false;
};

/// Rewrites a body that yields combine(accumulator, x) so that it yields x.
/// Null, and the body unchanged, when it is not of that form.
std::optional<Reduction> extractReduction(Body &body,
                                          mlir::BlockArgument accumulator);

/// Rewrites a body that yields maxnumf or minnumf of the accumulator and x so
/// that it yields whether x is a number. False, and the body unchanged, when it
/// is not of that form.
bool extractIsNumber(Body &body, mlir::BlockArgument accumulator);

/// Whether the value leaves every other one unchanged (of floats, either zero).
bool isIdentity(mlir::TypedAttr value, const Reduction &reduction);

/// Integers in the order of unsigned ones, as those of signed ones.
mlir::Value flipSign(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value x);

/// False where x is NaN.
mlir::Value isNumber(mlir::OpBuilder &builder, mlir::Location loc,
                     mlir::Value x);

/// x, or what says nothing where x is NaN.
mlir::Value withoutNaN(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value x, einsum::ReduceKind kind);

/// Floats of different widths.
mlir::Value castFloat(mlir::OpBuilder &builder, mlir::Location loc,
                      mlir::Value value, mlir::Type type);

} // namespace transfusion::raise

#endif // TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_BODIES_H
