//===- EinsumLoopNest.h - One loop nest of an Einsum ------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CONVERSION_EINSUMLOOPNEST_H
#define TRANSFUSION_LIB_CONVERSION_EINSUMLOOPNEST_H

#include "EinsumToLinalg.h"

namespace transfusion {

/// One loop nest over some of an Einsum's ranks, as a linalg.generic.
///
/// An operand is an `ins` of the generic when its coordinates are distinct loop
/// dimensions of its full size. All others are read by tensor.extract, which
/// also keeps them from being read at points that do not exist.
class EinsumLoopNest {
public:
  EinsumLoopNest(mlir::OpBuilder &builder, einsum::MapReduceOp op,
                 std::optional<Slice> slice, llvm::ArrayRef<unsigned> loops);

  /// An operand of the body. `map` is over the Einsum's ranks.
  void addOperand(mlir::Value tensor, mlir::AffineMap map);
  /// An operand over the loops themselves.
  void addLoopOperand(mlir::Value tensor, mlir::AffineMap map);

  using BodyFn = llvm::function_ref<mlir::Value(
      mlir::OpBuilder &, mlir::ValueRange scalars, mlir::Value out)>;

  /// Emits the nest. Where `domain` does not hold, the output keeps its value
  /// (`keep`), or becomes zero.
  mlir::Value emit(mlir::Value output, mlir::AffineMap outputMap,
                   unsigned numParallel, mlir::IntegerSet domain, bool keep,
                   BodyFn body);

  /// Copies a body of the Einsum on the given scalars.
  mlir::Value cloneBody(mlir::Region &region, mlir::ValueRange scalars);

private:
  struct Operand {
    mlir::Value tensor;
    mlir::AffineMap map;
    int input = -1; ///< position among the generic's inputs
  };

  mlir::AffineMap overLoops(mlir::AffineMap map);
  bool isDirect(const Operand &operand);
  void addShapeOperands(mlir::AffineMap outputMap);
  /// Value of an expression over the loops at the current point.
  mlir::Value getIndex(mlir::AffineExpr expr);
  llvm::SmallVector<mlir::Value> readScalars(mlir::ValueRange arguments);
  mlir::Value emitCondition(mlir::IntegerSet domain);

  mlir::OpBuilder &b;
  einsum::MapReduceOp op;
  mlir::Location loc;
  std::optional<Slice> slice;
  llvm::SmallVector<unsigned> loops;
  llvm::SmallVector<int64_t> extents;
  llvm::SmallVector<mlir::AffineExpr> rankExprs;
  llvm::SmallVector<Operand> operands;
  llvm::SmallVector<mlir::Value> inputs;
  llvm::SmallVector<mlir::AffineMap> inputMaps;
  llvm::SmallVector<mlir::Value> indices; ///< of the loops, in the body
};

} // namespace transfusion

#endif // TRANSFUSION_LIB_CONVERSION_EINSUMLOOPNEST_H
