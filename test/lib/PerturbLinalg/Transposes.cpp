//===- Transposes.cpp - Operands and loops in another order ---------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Builders.h"
#include "Perturb.h"

#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace transfusion::test;

static SmallVector<int64_t> randomPermutation(unsigned rank, Dice &dice) {
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, rank));
  dice.shuffle(order);
  return order;
}

/// `value`, transposed and transposed back.
static Value transposedTwice(OpBuilder &b, Location loc, Value value,
                             Dice &dice) {
  SmallVector<int64_t> there =
      randomPermutation(tensorType(value).getRank(), dice);
  return transpose(b, loc, transpose(b, loc, value, there),
                   invertPermutationVector(there));
}

static unsigned transposeArguments(func::FuncOp function, Dice &dice) {
  OpBuilder b = OpBuilder::atBlockBegin(&function.getBody().front());
  unsigned sites = 0;
  for (BlockArgument arg : function.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(arg.getType());
    if (!type || type.getRank() < 2 || !type.hasStaticShape() || !dice.once(3))
      continue;
    SmallVector<OpOperand *> uses;
    for (OpOperand &use : arg.getUses())
      uses.push_back(&use);
    Value twice = transposedTwice(b, function.getLoc(), arg, dice);
    for (OpOperand *use : uses)
      use->set(twice);
    ++sites;
  }
  return sites;
}

/// C = (B' A')' in place of A B.
static bool transposeResult(linalg::MatmulOp op) {
  if (op.hasUserDefinedMaps() || !isZeroFill(op.getOutputs()[0]))
    return false;
  OpBuilder b(op);
  Location loc = op.getLoc();
  RankedTensorType type = tensorType(op->getResult(0));
  Value left = transpose(b, loc, op.getInputs()[1], {1, 0});
  Value right = transpose(b, loc, op.getInputs()[0], {1, 0});
  Value init = zeros(b, loc, {type.getDimSize(1), type.getDimSize(0)},
                     type.getElementType());
  Value product = linalg::MatmulOp::create(b, loc, init.getType(),
                                           ValueRange{left, right}, init)
                      .getResult(0);
  op->getResult(0).replaceAllUsesWith(transpose(b, loc, product, {1, 0}));
  op->erase();
  return true;
}

/// The named op whose right operand is stored transposed; the weight's own
/// transpose goes, or one is put in.
static bool transposeRight(linalg::MatmulOp op) {
  if (op.hasUserDefinedMaps())
    return false;
  OpBuilder b(op);
  Value right = op.getInputs()[1];
  auto before = right.getDefiningOp<linalg::TransposeOp>();
  if (before && before.getPermutation() != ArrayRef<int64_t>{1, 0})
    before = {};
  Value stored =
      before ? before.getInput() : transpose(b, op.getLoc(), right, {1, 0});
  Value product = linalg::MatmulTransposeBOp::create(
                      b, op.getLoc(), op->getResultTypes(),
                      ValueRange{op.getInputs()[0], stored}, op.getOutputs())
                      ->getResult(0);
  op->getResult(0).replaceAllUsesWith(product);
  op->erase();
  return true;
}

/// An input stored in another order, and the map that reads it so.
static bool transposeInput(linalg::GenericOp op, Dice &dice) {
  if (op.getNumDpsInputs() == 0)
    return false;
  unsigned i = dice.below(op.getNumDpsInputs());
  Value input = op.getInputs()[i];
  if (!isa<RankedTensorType>(input.getType()) ||
      tensorType(input).getRank() < 2)
    return false;
  OpBuilder b(op);
  SmallVector<int64_t> order =
      randomPermutation(tensorType(input).getRank(), dice);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<AffineExpr> results;
  for (int64_t from : order)
    results.push_back(maps[i].getResult(from));
  maps[i] = AffineMap::get(maps[i].getNumDims(), 0, results, op.getContext());
  op.getInputsMutable()[i].assign(transpose(b, op.getLoc(), input, order));
  op.setIndexingMapsAttr(b.getAffineMapArrayAttr(maps));
  return true;
}

/// linalg.transpose as a copy.
static void transposeByGeneric(linalg::TransposeOp op) {
  OpBuilder b(op);
  SmallVector<AffineExpr> read(op.getPermutation().size());
  for (auto [to, from] : llvm::enumerate(op.getPermutation()))
    read[from] = b.getAffineDimExpr(to);
  Value input = op.getInput();
  Value copy = broadcast(b, op.getLoc(), input,
                         AffineMap::get(read.size(), 0, read, op.getContext()),
                         tensorType(op->getResult(0)).getShape());
  op->getResult(0).replaceAllUsesWith(copy);
  op->erase();
}

unsigned transfusion::test::transposeOperands(func::FuncOp function,
                                              Dice &dice) {
  IRRewriter rewriter(function.getContext());
  unsigned sites = transposeArguments(function, dice);
  SmallVector<linalg::LinalgOp> ops(function.getOps<linalg::LinalgOp>());
  for (linalg::LinalgOp op : ops) {
    rewriter.setInsertionPoint(op);
    unsigned what = dice.below(8);
    if (auto matmul = dyn_cast<linalg::MatmulOp>(op.getOperation());
        matmul && what < 4) {
      sites += what < 2 ? transposeResult(matmul) : transposeRight(matmul);
    } else if (isa<linalg::MatmulOp, linalg::BatchMatmulOp>(op)) {
      FailureOr<linalg::GenericOp> generic =
          linalg::generalizeNamedOp(rewriter, op);
      if (succeeded(generic) && what < 6)
        sites += transposeInput(*generic, dice);
    } else if (auto move = dyn_cast<linalg::TransposeOp>(op.getOperation())) {
      if (what < 3) {
        transposeByGeneric(move);
        ++sites;
      }
    } else if (auto generic = dyn_cast<linalg::GenericOp>(op.getOperation())) {
      if (what < 2) {
        sites += transposeInput(generic, dice);
      } else if (what < 4 && generic.getNumLoops() > 1) {
        auto order = llvm::to_vector(llvm::seq(0u, generic.getNumLoops()));
        dice.shuffle(order);
        sites +=
            succeeded(linalg::interchangeGenericOp(rewriter, generic, order));
      }
    }
  }
  return sites;
}
