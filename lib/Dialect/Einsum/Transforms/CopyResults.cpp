//===- CopyResults.cpp - Results that no Einsum makes ---------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program returns its results in buffers of the caller. An argument or a
// constant that is returned, and what is returned twice, is therefore copied:
// here by an Einsum, so that the copy is scheduled and counted.
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"
#include "transfusion/Dialect/Einsum/IR/Einsum.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace transfusion::einsum;

/// What a value is, looked at through cascades that hand it on.
static Value sourceOf(Value value) {
  while (auto cascade = value.getDefiningOp<CascadeOp>())
    value =
        cascade.getYield().getOperand(cast<OpResult>(value).getResultNumber());
  return value;
}

/// Holds no Einsum.
static bool handsOn(CascadeOp cascade) {
  return cascade.getBody().getOps<MapReduceOp>().empty();
}

static bool isEmpty(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return !tensor || (tensor.hasStaticShape() && tensor.getNumElements() == 0);
}

/// What an Einsum can make.
static bool canBeMade(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  Type element = tensor.getElementType();
  bool isInteger =
      llvm::any_of(ArrayRef<unsigned>{1, 8, 32, 64},
                   [&](unsigned n) { return element.isSignlessInteger(n); });
  return tensor.hasStaticShape() && !tensor.getEncoding() &&
         (isInteger || isa<Float16Type, BFloat16Type, Float32Type>(element));
}

static SmallVector<OpOperand *> passedOn(func::FuncOp function) {
  SmallVector<OpOperand *> found;
  if (!function.getBody().hasOneBlock())
    return found;
  Operation *terminator = function.getBody().front().getTerminator();
  // What is put behind an argument lies there, and not in a copy.
  llvm::SmallDenseSet<int64_t> appended; // asked, never walked
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (auto append =
            function.getArgAttrOfType<AppendAttr>(i, AppendAttr::kArgument))
      appended.insert(append.getResult());
  llvm::SmallDenseSet<Value> seen; // asked, never walked
  for (OpOperand &operand : terminator->getOpOperands())
    if (appended.contains(operand.getOperandNumber()))
      seen.insert(sourceOf(operand.get()));
  for (OpOperand &operand : terminator->getOpOperands()) {
    if (appended.contains(operand.getOperandNumber()))
      continue;
    Value source = sourceOf(operand.get());
    bool isMade = source.getDefiningOp() &&
                  !source.getDefiningOp()->hasTrait<OpTrait::ConstantLike>();
    bool isFirst = seen.insert(source).second;
    if (!isEmpty(operand.get().getType()) && !(isMade && isFirst))
      found.push_back(&operand);
  }
  return found;
}

bool transfusion::einsum::onlyPassesOn(func::FuncOp function) {
  SmallVector<OpOperand *> results = passedOn(function);
  return !results.empty() &&
         llvm::all_of(results,
                      [](OpOperand *result) {
                        return canBeMade(result->get().getType());
                      }) &&
         llvm::all_of(function.getBody().front().without_terminator(),
                      [](Operation &op) {
                        auto cascade = dyn_cast<CascadeOp>(op);
                        return op.hasTrait<OpTrait::ConstantLike>() ||
                               (cascade && handsOn(cascade));
                      });
}

/// The same, unless it is inside of a cascade.
static Value readable(Value value) {
  Value source = sourceOf(value);
  bool isInside = isa_and_nonnull<MapReduceOp>(source.getDefiningOp());
  return isInside ? value : source;
}

/// A cascade of one Einsum, before the function returns.
static Value copy(OpBuilder &b, Location loc, Value value, StringRef name) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<Attribute> ranks, rankNames;
  for (auto [dim, extent] : llvm::enumerate(type.getShape())) {
    rankNames.push_back(b.getStringAttr("d" + Twine(dim)));
    ranks.push_back(RankAttr::get(b.getContext(),
                                  cast<StringAttr>(rankNames.back()), extent,
                                  /*iterative=*/false));
  }
  AffineMap map = b.getMultiDimIdentityMap(type.getRank());
  auto cascade = CascadeOp::create(b, loc, type, b.getArrayAttr(ranks));
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&cascade.getBody());
  auto op = MapReduceOp::create(
      b, loc, type, b.getStringAttr(name), b.getArrayAttr(rankNames),
      b.getAffineMapArrayAttr(map), AffineMapAttr::get(map), IntegerSetAttr(),
      ReduceKindAttr(), TypedAttr(), value, ValueRange(), Value());
  YieldOp::create(b, loc, op.getResult());
  return cascade.getResult(0);
}

LogicalResult transfusion::einsum::copyPassedResults(func::FuncOp function) {
  SmallVector<OpOperand *> operands = passedOn(function);
  if (operands.empty())
    return success();
  for (OpOperand *operand : operands)
    if (Type type = operand->get().getType(); !canBeMade(type)) {
      InFlightDiagnostic diag =
          emitError(operand->getOwner()->getLoc())
          << "'" << operand->getOwner()->getName() << "' op returns a " << type
          << " as result #" << operand->getOperandNumber()
          << " that the function does not make, and no Einsum can copy it";
      diag.attachNote()
          << "leave it out of the results, or return it as a "
             "static tensor of f16, bf16, f32, i1, i8, i32 or i64";
      return diag;
    }
  llvm::StringSet<> names; // asked, never walked
  function.walk([&](MapReduceOp op) { names.insert(op.getEinsumName()); });
  unsigned number = 0;
  for (OpOperand *operand : operands) {
    std::string name;
    do
      name = "result" + std::to_string(++number);
    while (!names.insert(name).second);
    OpBuilder b(operand->getOwner());
    operand->set(
        copy(b, operand->getOwner()->getLoc(), readable(operand->get()), name));
  }
  for (auto cascade : llvm::make_early_inc_range(
           function.getBody().front().getOps<CascadeOp>()))
    if (handsOn(cascade) && cascade->use_empty())
      cascade->erase();
  mergeCascades(function);
  return success();
}
