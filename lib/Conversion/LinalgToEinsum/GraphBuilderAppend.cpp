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

#include "AppendRoom.h"
#include "Bodies.h"
#include "GraphBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace transfusion::raise;
using transfusion::einsum::YieldOp;

void GraphBuilder::addPiece(Growth &growth, Equation eq, unsigned numDigits,
                            int64_t extent, Type element, Operation *owner) {
  Piece piece{growth.base, growth.digit, growth.offset, {}};
  auto first = eq.result.begin() + growth.digit;
  piece.ranks.assign(first, first + numDigits);
  eq.result.erase(first + 1, first + numDigits);
  eq.piece = piece;
  eq.isCopy = true;

  // The root is stored as the value is: all pieces share its storage.
  growth.offset += extent;
  Root root;
  root.equation = graph.equations.size();
  root.element = element;
  root.piece = true;
  for (auto [dim, of] : llvm::enumerate(growth.stored)) {
    root.layout.emplace_back();
    for (const Digit &one :
         dim == growth.at ? Digits{{~0u, growth.offset}} : of) {
      root.layout.back().push_back(root.digits.size());
      root.digits.push_back(one);
    }
  }
  graph.roots.push_back(std::move(root));
  growth.base = eq.root = graph.roots.size() - 1;
  made[owner].push_back(graph.equations.size());
  graph.equations.push_back(std::move(eq));
}

View GraphBuilder::grownView(const Growth &growth, ArrayRef<Digits> digits,
                             unsigned at) {
  View view;
  view.kind = View::Root;
  view.root = *growth.base;
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
  return view;
}

void GraphBuilder::raiseAppend(Operation *op, Value result,
                               ArrayRef<Value> inputs, unsigned at) {
  Location loc = op->getLoc();
  Type element = storageType(getElementTypeOrSelf(result.getType()));
  SmallVector<Digits> digits = ranks.digitsOf(result);
  // Whoever returns it may see it in another shape: then it is stored so.
  std::optional<Room> room = roomFilledBy(result);
  Growth growth(room ? ranks.digitsOf(room->returned) : digits,
                room ? room->dim : at);
  for (Value input : flatPieces(inputs, at)) {
    int64_t extent = cast<RankedTensorType>(input.getType()).getDimSize(at);
    const View view = viewOf(input);
    if (!growth.base && room) {
      growth.base = view.root;
      growth.offset = extent;
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
    if (extent == 1)
      index[at].clear();

    eq.name = "concat";
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
    addPiece(growth, std::move(eq), wanted[at].size(), extent, element, op);
  }
  setView(result, grownView(growth, digits, at), Fate::Equation);
}
