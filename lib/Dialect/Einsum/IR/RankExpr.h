//===- RankExpr.h - Affine expressions written with rank names --*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accesses and constraints are stored as affine maps and integer sets over the
// positions of an Einsum's ranks, and written with the ranks' names. Printing
// is exact: what is parsed again is the same expression, not an equal one.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_DIALECT_EINSUM_IR_RANKEXPR_H
#define TRANSFUSION_LIB_DIALECT_EINSUM_IR_RANKEXPR_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/IntegerSet.h"
#include "mlir/IR/OpImplementation.h"
#include "transfusion/Dialect/Einsum/IR/LinearForm.h"

namespace transfusion::einsum::detail {

/// `m1*16+m0`, or `m1*16 + m0` when `spaced`.
void printRankExpr(llvm::raw_ostream &os, mlir::AffineExpr expr,
                   llvm::ArrayRef<llvm::StringRef> names, bool spaced);

/// `m1*16 + m0 <= p and m0 < 3`.
void printConstraints(llvm::raw_ostream &os, mlir::IntegerSet set,
                      llvm::ArrayRef<llvm::StringRef> names);

/// A rank's name where it was written.
struct RankUse {
  std::string name;
  llvm::SMLoc loc;
};

/// What stands in the text, before the order of the ranks is known: dimension i
/// is the rank `names[i]`, in order of first appearance.
struct RankScope {
  llvm::SmallVector<std::string> names;
  llvm::SmallVector<RankUse> uses;

  mlir::AffineExpr lookup(mlir::AsmParser &parser, llvm::StringRef name,
                          llvm::SMLoc loc);
};

mlir::ParseResult parseRankExpr(mlir::AsmParser &parser, RankScope &scope,
                                mlir::AffineExpr &expr);

struct ParsedConstraint {
  mlir::AffineExpr expr; ///< >= 0, or == 0
  bool isEquality = false;
  bool isExact = false; ///< written as `expr >= 0`: keep the expression's form
};
mlir::ParseResult
parseConstraints(mlir::AsmParser &parser, RankScope &scope,
                 llvm::SmallVectorImpl<ParsedConstraint> &constraints);

/// ", did you mean 'm1'?" when a candidate is close, else a list of them all.
std::string suggestName(llvm::StringRef name,
                        llvm::ArrayRef<llvm::StringRef> candidates);

} // namespace transfusion::einsum::detail

#endif // TRANSFUSION_LIB_DIALECT_EINSUM_IR_RANKEXPR_H
