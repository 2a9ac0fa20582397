//===- Classify.cpp - Which ops can be raised -----------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockPlan.h"
#include "Bodies.h"
#include "BodyReads.h"
#include "ExpandOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace transfusion::raise;

static bool isTensor(Type type) { return isa<TensorType>(type); }

static bool isSplatConstant(Operation *op) {
  auto constant = dyn_cast<arith::ConstantOp>(op);
  auto value = constant ? dyn_cast<SplatElementsAttr>(constant.getValue())
                        : SplatElementsAttr();
  return value && isa<RankedTensorType>(value.getType());
}

bool transfusion::raise::isRaisableKind(Operation *op) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return linalgOp.hasPureTensorSemantics();
  return isSplatConstant(op) || isExpandable(op) ||
         isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ReshapeOp,
             tensor::CastOp, tensor::ExtractSliceOp, tensor::ConcatOp,
             tensor::EmptyOp, tensor::SplatOp>(op);
}

/// The shape of a tensor.reshape, which its type says as well.
static bool isShape(OpOperand &use) {
  return isa<tensor::ReshapeOp>(use.getOwner()) && use.getOperandNumber() == 1;
}

/// Nobody reads it, or only raisable ops that nobody reads.
static bool isUnused(Value value, int depth = 8) {
  return llvm::all_of(value.getUses(), [&](OpOperand &use) {
    return isShape(use) ||
           (depth > 0 && isRaisableKind(use.getOwner()) &&
            llvm::all_of(use.getOwner()->getResults(),
                         [&](Value v) { return isUnused(v, depth - 1); }));
  });
}

static std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

std::string transfusion::raise::whyNotType(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return "has an unranked tensor; its shape must be static (tensor.cast to "
           "it, or export with example inputs)";
  if (!tensor.hasStaticShape())
    return "has a dynamic dimension (" + textOf(type) +
           "); its shape must be static: export with example inputs, or run "
           "--canonicalize, which takes a known shape through tensor.cast";
  if (llvm::is_contained(tensor.getShape(), 0))
    return "has a dimension of size 0 (" + textOf(type) +
           "), of which there is nothing to compute; leave it out of the "
           "program";
  if (tensor.getEncoding())
    return "has a tensor with an encoding (" + textOf(type) +
           "), which a cascade does not keep; drop it before";
  Type element = tensor.getElementType();
  if (element.isF64() || isa<Float16Type, BFloat16Type, Float32Type>(element))
    return "";
  for (unsigned width : {1, 8, 32, 64})
    if (element.isSignlessInteger(width))
      return "";
  return "has elements of type " + textOf(element) +
         "; f16, bf16, f32, i1, i8, i32 and i64 can be raised: convert it "
         "to one of them before";
}

//===----------------------------------------------------------------------===//
// linalg
//===----------------------------------------------------------------------===//

/// Results must be written at every point once: loops, each in one dimension.
static std::string whyNotResultMap(AffineMap map, ArrayRef<int64_t> shape) {
  llvm::SmallDenseSet<unsigned> seen;
  for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (loop && seen.insert(loop.getPosition()).second)
      continue;
    if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      if (constant.getValue() == 0 && shape[dim] == 1)
        continue;
    return "writes dimension " + std::to_string(dim) +
           " of its result at an index that is not a loop of its own; give "
           "each dimension one loop, and put the result where it belongs by "
           "tensor.insert_slice or linalg.transpose";
  }
  return "";
}

static std::string whyNotAccumulation(linalg::LinalgOp op, unsigned result,
                                      bool reduces) {
  OpOperand *init = op.getDpsInitOperand(result);
  unsigned numInputs = op.getNumDpsInputs();
  SmallVector<bool> used = usedArguments(op, result);
  for (int64_t i = 0; i < op.getNumDpsInits(); ++i)
    if (i != result && used[numInputs + i])
      return "its result #" + std::to_string(result) +
             " depends on the running value of result #" + std::to_string(i) +
             ", such as the index of a maximum, and each Einsum accumulates "
             "by itself; compute it outside of the function, from result #" +
             std::to_string(i) + " and the inputs";
  if (!used[numInputs + result]) {
    if (reduces)
      return "its result keeps only the last value of a loop; read that "
             "value by tensor.extract_slice instead";
    return "";
  }
  if (init->get().getDefiningOp<tensor::EmptyOp>())
    return "it accumulates into 'tensor.empty', whose values are undefined; "
           "start from linalg.fill";
  if (!reduces)
    return "";
  SmallVector<TypedAttr> constants(op.getBlock()->getNumArguments());
  SmallVector<SmallVector<std::pair<unsigned, int64_t>>> loops(
      op.getNumLoops());
  for (auto [i, extent] : llvm::enumerate(op.getStaticLoopRanges()))
    loops[i].push_back({i, extent});
  Body body = cloneBody(op, result, constants, loops, op.getNumLoops());
  if (!extractReduction(body, body.scalar(numInputs + result)))
    return "its body does not accumulate by a sum, product, maximum, minimum, "
           "and, or; write it as one of them, of values computed before";
  return "";
}

/// Of tensors that the body reads, which are operands in the end.
static std::string whyNotReadTypes(Block &body) {
  for (auto read : body.getOps<tensor::ExtractOp>()) {
    Type type = read.getTensor().getType();
    if (std::string reason = whyNotType(type); !reason.empty())
      return reason;
    if (getElementTypeOrSelf(type).isF64())
      return "has f64 in a tensor that its body reads, and Einsums have no "
             "f64; convert it to f32 in the program";
  }
  return "";
}

static std::string whyNotLinalg(linalg::LinalgOp op) {
  if (!op.hasPureTensorSemantics())
    return "works on memrefs; run it before bufferisation";
  for (auto [i, map] : llvm::enumerate(op.getIndexingMapsArray()))
    if (map.getNumSymbols() != 0 ||
        llvm::any_of(map.getResults(),
                     [](AffineExpr e) { return !e.isPureAffine(); }))
      return "indexes operand #" + std::to_string(i) +
             " by a map that is not affine; write it as a sum of loops times "
             "constants";
  for (OpOperand *input : op.getDpsInputOperands())
    if (!isTensor(input->get().getType()) &&
        op.payloadUsesValueFromOperand(input) &&
        !matchPattern(input->get(), m_Constant()) &&
        !isScalarRead(input->get()))
      return "reads a scalar operand that is not a constant; pass it as a "
             "tensor of no dimensions (tensor.extract takes the scalar)";
  for (OpResult result : op->getResults()) {
    if (isUnused(result))
      continue;
    unsigned number = result.getResultNumber();
    AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(number));
    std::string reason = whyNotResultMap(
        map, cast<RankedTensorType>(result.getType()).getShape());
    if (!reason.empty())
      return reason;
    reason = whyNotScalar(op, number);
    if (!reason.empty())
      return reason;
    bool reduces = false;
    SmallVector<bool> used = usedLoops(op, number);
    for (auto [loop, extent] : llvm::enumerate(op.getStaticLoopRanges()))
      reduces |= extent > 1 && used[loop] && !map.isFunctionOfDim(loop);
    reason = whyNotAccumulation(op, number, reduces);
    if (!reason.empty())
      return reason;
  }
  return "";
}

//===----------------------------------------------------------------------===//
// tensor
//===----------------------------------------------------------------------===//

static std::string whyNotStatic(OffsetSizeAndStrideOpInterface op) {
  auto isDynamic = [](ArrayRef<int64_t> values) {
    return llvm::any_of(values, ShapedType::isDynamic);
  };
  if (isDynamic(op.getStaticOffsets()) || isDynamic(op.getStaticSizes()) ||
      isDynamic(op.getStaticStrides()))
    return "has an offset, size or stride that is not constant "
           "(--canonicalize puts in those that are)";
  return "";
}

std::string transfusion::raise::whyNotRaised(Operation *op) {
  bool touchesTensor = llvm::any_of(op->getOperandTypes(), isTensor) ||
                       llvm::any_of(op->getResultTypes(), isTensor);
  bool isLinalg = op->getName().getDialectNamespace() == "linalg";
  if (!isRaisableKind(op) && !isa<linalg::LinalgOp>(op))
    return touchesTensor || isLinalg ? whyNotForeign(op) : "";
  for (OpOperand &operand : op->getOpOperands())
    if (isTensor(operand.get().getType()) && !isShape(operand))
      if (std::string reason = whyNotType(operand.get().getType());
          !reason.empty())
        return reason;
  for (Value value : op->getResults())
    if (isTensor(value.getType()) && !isUnused(value))
      if (std::string reason = whyNotType(value.getType()); !reason.empty())
        return reason;
  return llvm::TypeSwitch<Operation *, std::string>(op)
      .Case([](linalg::LinalgOp linalgOp) {
        std::string reason = whyNotReadTypes(*linalgOp.getBlock());
        return reason.empty() ? whyNotLinalg(linalgOp) : reason;
      })
      .Case<tensor::ExtractSliceOp, tensor::InsertSliceOp>([](auto slice) {
        return whyNotStatic(
            cast<OffsetSizeAndStrideOpInterface>(slice.getOperation()));
      })
      .Case([](tensor::SplatOp splat) -> std::string {
        if (!matchPattern(splat.getInput(), m_Constant()))
          return "repeats a scalar that is not a constant; pass it as a tensor "
                 "of no dimensions, and use linalg.broadcast";
        return "";
      })
      .Case([](tensor::GenerateOp generate) {
        std::string reason = whyNotReadTypes(generate.getBody().front());
        return reason.empty() ? whyNotExpanded(generate) : reason;
      })
      .Default([](Operation *other) {
        return isExpandable(other) ? whyNotExpanded(other) : std::string();
      });
}
