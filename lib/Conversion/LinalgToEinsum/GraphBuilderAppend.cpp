//===- GraphBuilderAppend.cpp - Values that grow piece by piece -----------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A concat of pieces that do not line up is one equation per piece: the first
// makes (copies) its piece, each other extends what is there. So a point is
// read and written once, by the equation that it belongs to. Where the function
// says that its caller passes a buffer with room behind the first piece
// (einsum.append), that piece is extended as it is, and nothing is copied.
//
//===----------------------------------------------------------------------===//

#include "Bodies.h"
#include "GraphBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace transfusion::raise;
using transfusion::einsum::YieldOp;

/// `piece` is an argument whose buffer has room for the result behind it.
static bool hasRoom(Value piece, Value result, unsigned at) {
  auto argument = dyn_cast<BlockArgument>(piece);
  auto function =
      argument
          ? dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp())
          : FunctionOpInterface();
  if (!function || !argument.getOwner()->isEntryBlock())
    return false;
  auto append = function.getArgAttrOfType<transfusion::einsum::AppendAttr>(
      argument.getArgNumber(), transfusion::einsum::AppendAttr::kArgument);
  Operation *ret = argument.getOwner()->getTerminator();
  return append && append.getDim() == static_cast<int64_t>(at) &&
         append.getResult() < static_cast<int64_t>(ret->getNumOperands()) &&
         ret->getOperand(append.getResult()) == result;
}

void GraphBuilder::raiseAppend(Operation *op, Value result,
                               ArrayRef<Value> inputs, unsigned at) {
  Location loc = op->getLoc();
  Type element = storageType(getElementTypeOrSelf(result.getType()));
  SmallVector<Digits> digits = ranks.digitsOf(result);
  unsigned digit = 0; // of the root, along which it grows
  for (unsigned dim = 0; dim < at; ++dim)
    digit += digits[dim].size();

  std::optional<unsigned> base;
  int64_t offset = 0;
  for (Value input : inputs) {
    int64_t extent = cast<RankedTensorType>(input.getType()).getDimSize(at);
    const View view = viewOf(input);
    if (!base && hasRoom(input, result, at)) {
      base = view.root;
      offset = extent;
      continue;
    }
    // The piece's own ranks, of which there is one along dimension `at`.
    SmallVector<Digits> wanted(digits);
    wanted[at] = ranks.digitsOf(input)[at];
    if (wanted[at].empty())
      wanted[at].push_back(ranks.fresh(1));
    SmallVector<IndexParts> index;
    Equation eq = start(loc, wanted, index);
    unsigned numRanks = eq.ranks.size();
    Piece piece{base, digit, offset, {}};
    for (unsigned i = 0; i < wanted[at].size(); ++i)
      piece.ranks.push_back(eq.result[digit + i]);
    eq.result.erase(eq.result.begin() + digit + 1,
                    eq.result.begin() + digit + piece.ranks.size());
    eq.piece = piece;
    if (extent == 1)
      index[at].clear();

    eq.name = "concat";
    eq.isCopy = true;
    // What makes the piece stays an equation of its own: a rotation of keys is
    // recognised, and the row that is moved costs next to nothing.
    if (view.kind == View::Root)
      eq.inputs.push_back(read(input, index, numRanks, op));
    SmallVector<Type> scalars;
    for (const Access &access : eq.inputs)
      scalars.push_back(graph.roots[access.root].element);
    eq.map = Body(scalars, numRanks, loc);
    OpBuilder b = eq.map.atEnd();
    Value value;
    if (!eq.inputs.empty()) {
      value = eq.map.scalar(0);
    } else {
      value = arith::ConstantOp::create(
          b, loc,
          view.kind == View::Splat ? storageValue(view.splat)
                                   : cast<TypedAttr>(b.getZeroAttr(element)));
    }
    YieldOp::create(b, loc, castFloat(b, loc, value, element));

    // The root is stored as the value is: all pieces share its storage.
    offset += extent;
    Root root;
    root.equation = graph.equations.size();
    root.element = element;
    root.piece = true;
    for (auto [dim, of] : llvm::enumerate(digits)) {
      root.layout.emplace_back();
      Digits stored = dim == at ? Digits{{~0u, offset}} : of;
      for (const Digit &one : stored) {
        root.layout.back().push_back(root.digits.size());
        root.digits.push_back(one);
      }
    }
    graph.roots.push_back(std::move(root));
    base = eq.root = graph.roots.size() - 1;
    made[op].push_back(graph.equations.size());
    graph.equations.push_back(std::move(eq));
  }

  View view;
  view.kind = View::Root;
  view.root = *base;
  unsigned next = 0;
  for (auto [dim, of] : llvm::enumerate(digits)) {
    IndexParts parts;
    for (const Digit &one : of)
      parts.push_back({getAffineDimExpr(next++, context), one.extent});
    if (dim == at)
      view.at.push_back(merge(parts, context));
    else
      for (const IndexPart &part : parts)
        view.at.push_back(part.index);
  }
  setView(result, view, Fate::Equation);
}
