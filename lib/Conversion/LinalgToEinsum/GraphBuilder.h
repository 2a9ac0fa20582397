//===- GraphBuilder.h - From ops of one level to equations ------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_GRAPHBUILDER_H
#define TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_GRAPHBUILDER_H

#include "BlockPlan.h"
#include "Ranks.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace transfusion::raise {

/// What became of a result of a raised op.
enum class Fate { Equation, View, Constant, Undefined, Folded };

class GraphBuilder {
public:
  GraphBuilder(const BlockPlan &plan, Ranks &ranks, int level,
               mlir::MLIRContext *context)
      : plan(plan), ranks(ranks), level(level), context(context) {}

  /// Raises a live op of this level.
  void raise(mlir::Operation *op);
  /// The cascade yields this value of the level.
  void yield(mlir::Value value);

  RaiseGraph graph;
  /// Values of lower levels that equations read.
  llvm::SmallVector<mlir::Value> demanded;
  /// Equations made for a result; a copy that an operand or a yield needed
  /// belongs to the op that needed it.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<unsigned, 1>> made;
  llvm::DenseMap<mlir::Value, Fate> fates; // looked up only

private:
  const View &viewOf(mlir::Value value);
  void setView(mlir::Value value, View view, Fate fate);
  /// Views only: false when an equation would be needed.
  bool raiseView(mlir::Operation *op);

  // GraphBuilder.cpp
  unsigned addRoot(unsigned equation, mlir::Type element, Digits digits);
  unsigned addEquation(Equation equation, mlir::Type element,
                       mlir::Operation *owner);
  /// A copy of a value whose dimensions have these digits.
  View copy(const View &view, llvm::ArrayRef<Digits> digits,
            llvm::ArrayRef<Digits> wanted, mlir::Location loc,
            mlir::Operation *owner);
  Access read(mlir::Value value, llvm::ArrayRef<IndexParts> index,
              unsigned numRanks, mlir::Operation *owner);
  Equation start(mlir::Location loc, llvm::ArrayRef<Digits> digits,
                 llvm::SmallVectorImpl<IndexParts> &index);

  // GraphBuilderLinalg.cpp
  void raiseLinalg(mlir::linalg::LinalgOp op);
  bool raiseLinalgView(mlir::linalg::LinalgOp op);
  void raiseResult(mlir::linalg::LinalgOp op, unsigned result);
  using LoopRanks = llvm::SmallVector<std::pair<unsigned, int64_t>>;
  void readOperands(mlir::linalg::LinalgOp op, Equation &equation,
                    llvm::ArrayRef<LoopRanks> loops);
  Access anyNumber(mlir::linalg::LinalgOp op, unsigned result,
                   const Equation &maximum, llvm::ArrayRef<LoopRanks> loops);
  llvm::SmallVector<mlir::TypedAttr>
  constantsOf(mlir::linalg::LinalgOp op, unsigned result, bool withInit);

  // GraphBuilderTensor.cpp
  bool raiseReshape(mlir::Value source, mlir::Value result);
  void copyReshape(mlir::Value source, mlir::Value result,
                   llvm::ArrayRef<mlir::ReassociationIndices> groups,
                   mlir::Operation *op);

  // GraphBuilderSlice.cpp
  bool raiseSlice(mlir::tensor::ExtractSliceOp op);
  void copySlice(mlir::tensor::ExtractSliceOp op);
  /// [offset, offset + size) of a dimension that is not so between its digits:
  /// copied, and that dimension has one digit after.
  View cut(const View &view, llvm::SmallVectorImpl<Digits> &digits,
           unsigned dim, int64_t offset, int64_t size, mlir::Operation *op);

  // GraphBuilderPieces.cpp
  /// `result` is `pieces` side by side along dimension `at`.
  void raiseConcat(mlir::Operation *op, mlir::Value result,
                   llvm::ArrayRef<mlir::Value> pieces, unsigned at);

  // GraphBuilderAppend.cpp
  /// The same where the pieces do not line up: one equation each, that extends
  /// what the pieces before it make.
  void raiseAppend(mlir::Operation *op, mlir::Value result,
                   llvm::ArrayRef<mlir::Value> pieces, unsigned at);
  /// A tensor that grows along one dimension.
  struct Growth {
    Growth(llvm::ArrayRef<Digits> stored, unsigned at)
        : stored(stored), at(at) {
      for (unsigned dim = 0; dim < at; ++dim)
        digit += stored[dim].size();
    }
    llvm::SmallVector<Digits> stored; ///< per dimension, as it lies
    unsigned at;                      ///< the dimension, which is one digit
    unsigned digit = 0;               ///< and its place among those of the root
    std::optional<unsigned> base;     ///< what is there
    int64_t offset = 0;               ///< the size of that
  };
  /// An equation that has `numDigits` digits along the dimension: it defines
  /// `extent` points behind what is there.
  void addPiece(Growth &growth, Equation eq, unsigned numDigits, int64_t extent,
                mlir::Type element, mlir::Operation *owner);
  /// All of it, seen with these digits, along dimension `at` of them.
  View grownView(const Growth &growth, llvm::ArrayRef<Digits> digits,
                 unsigned at);

  // GraphBuilderInsert.cpp
  void raiseInsert(mlir::tensor::InsertSliceOp op);

  const BlockPlan &plan;
  Ranks &ranks;
  int level;
  mlir::MLIRContext *context;
  llvm::DenseMap<mlir::Value, View> views; // looked up only
};

} // namespace transfusion::raise

#endif // TRANSFUSION_LIB_CONVERSION_LINALGTOEINSUM_GRAPHBUILDER_H
