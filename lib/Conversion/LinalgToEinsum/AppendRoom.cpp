//===- AppendRoom.cpp - Which concat einsum.append speaks of --------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AppendRoom.h"
#include "BlockPlan.h"
#include "ExpandOps.h"
#include "transfusion/Dialect/Einsum/IR/Einsum.h"
#include "llvm/Support/ScopedPrinter.h"

using namespace mlir;
using namespace transfusion::raise;
using transfusion::einsum::AppendAttr;

static ArrayRef<int64_t> shapeOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape();
}

/// Through reshapes, to what is reshaped.
static Value reshapedFrom(Value value) {
  while (Operation *def = value.getDefiningOp()) {
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::ReshapeOp,
             tensor::CastOp>(def))
      break;
    value = def->getOperand(0);
  }
  return value;
}

/// The pieces of a concat, however it is written.
static SmallVector<Value> piecesOf(Value value, unsigned &at) {
  if (auto concat = value.getDefiningOp<tensor::ConcatOp>()) {
    at = concat.getDim();
    return llvm::to_vector(concat.getInputs());
  }
  if (auto insert = value.getDefiningOp<tensor::InsertSliceOp>())
    return piecesOfChain(insert, at);
  return {};
}

SmallVector<Value> transfusion::raise::flatPieces(ArrayRef<Value> pieces,
                                                  unsigned at) {
  SmallVector<Value> result;
  for (Value piece : pieces) {
    unsigned inner;
    SmallVector<Value> parts;
    if (piece.hasOneUse())
      parts = piecesOf(piece, inner);
    if (!parts.empty() && inner == at)
      llvm::append_range(result, flatPieces(parts, at));
    else
      result.push_back(piece);
  }
  return result;
}

/// Elements of one index of dimension `dim`, behind and before it.
static std::pair<int64_t, int64_t> sizesAround(ArrayRef<int64_t> shape,
                                               unsigned dim) {
  return {ShapedType::getNumElements(shape.take_front(dim)),
          ShapedType::getNumElements(shape.drop_front(dim + 1))};
}

FoundRoom transfusion::raise::findRoom(FunctionOpInterface function,
                                       unsigned argument) {
  FoundRoom found;
  auto append =
      function.getArgAttrOfType<AppendAttr>(argument, AppendAttr::kArgument);
  if (!append || function.isExternal())
    return found;
  found.where = function;
  Region &body = function.getFunctionBody();
  if (!body.hasOneBlock()) {
    found.whyNot = "it has several blocks, and what one of them returns need "
                   "not extend anything";
    return found;
  }
  Value returned = body.front().getTerminator()->getOperand(append.getResult());
  Value concat = reshapedFrom(returned);
  Operation *def = concat.getDefiningOp();
  if (def && !isRaisableKind(def))
    return found; // whoever lowers that op knows
  unsigned at = 0;
  SmallVector<Value> pieces = piecesOf(concat, at);
  if (def)
    found.where = def;
  if (pieces.empty()) {
    found.whyNot = def ? "that result is made by '" +
                             def->getName().getStringRef().str() +
                             "', which puts nothing behind it"
                       : "that result is an argument";
    return found;
  }
  unsigned dim = append.getDim();
  if (shapeOf(concat)[at] != shapeOf(returned)[dim] ||
      sizesAround(shapeOf(concat), at) != sizesAround(shapeOf(returned), dim)) {
    found.whyNot = "the concat that makes that result is along dimension " +
                   std::to_string(at) + " of another shape (" +
                   llvm::to_string(concat.getType()) +
                   "), which is not dimension " + std::to_string(dim) +
                   " of the result";
    return found;
  }
  Value first = flatPieces(pieces, at).front();
  if (reshapedFrom(first) != body.getArgument(argument)) {
    found.whyNot =
        "the first piece of the concat that makes that result is another value";
    return found;
  }
  found.room = {body.getArgument(argument), concat, returned, dim};
  return found;
}

std::optional<Room> transfusion::raise::roomFilledBy(Value concat) {
  auto function = dyn_cast_or_null<FunctionOpInterface>(
      concat.getDefiningOp()->getParentOp());
  if (!function)
    return std::nullopt;
  for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
    if (FoundRoom found = findRoom(function, i);
        found.room && found.room->concat == concat)
      return found.room;
  return std::nullopt;
}
