//===- Emit.cpp - From equations to a cascade -----------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "Bodies.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::raise;

namespace {
class Emitter {
public:
  Emitter(OpBuilder &b, RaiseGraph &graph, RankNames &names)
      : b(b), graph(graph), names(names), tensors(graph.roots.size()) {}
  CascadeOp run(Location loc);

private:
  MapReduceOp emit(Equation &eq);
  void moveBody(Body &body, unsigned numScalars, Region &region,
                ArrayRef<Attribute> rankNames);
  /// Coordinates of a root's tensor, from the index of each digit.
  SmallVector<AffineExpr> coordinates(const Root &root, ArrayRef<AffineExpr> at,
                                      unsigned numRanks);
  RankedTensorType typeOf(const Root &root);

  OpBuilder &b;
  RaiseGraph &graph;
  RankNames &names;
  SmallVector<Value> tensors; ///< per root
  SmallVector<RankAttr> declared;
};
} // namespace

RankedTensorType Emitter::typeOf(const Root &root) {
  SmallVector<int64_t> shape;
  for (const auto &dim : root.layout) {
    shape.push_back(1);
    for (unsigned digit : dim)
      shape.back() *= root.digits[digit].extent;
  }
  return RankedTensorType::get(shape, root.element);
}

SmallVector<AffineExpr> Emitter::coordinates(const Root &root,
                                             ArrayRef<AffineExpr> at,
                                             unsigned numRanks) {
  SmallVector<AffineExpr> result;
  for (const auto &dim : root.layout) {
    IndexParts parts;
    for (unsigned digit : dim)
      parts.push_back({at[digit], root.digits[digit].extent});
    result.push_back(simplify(merge(parts, b.getContext()), numRanks));
  }
  return result;
}

void Emitter::moveBody(Body &body, unsigned numScalars, Region &region,
                       ArrayRef<Attribute> rankNames) {
  Block &block = body.block();
  OpBuilder inner = body.atBegin();
  for (unsigned i = block.getNumArguments(); i-- > numScalars;) {
    BlockArgument index = block.getArgument(i);
    if (!index.use_empty())
      index.replaceAllUsesWith(
          IndexOp::create(inner, index.getLoc(),
                          cast<StringAttr>(rankNames[i - numScalars]))
              .getResult());
    block.eraseArgument(i);
  }
  region.takeBody(*body.region);
}

/// Passes its first argument on.
static bool isPassed(Body &body, unsigned numScalars) {
  return numScalars == 1 && body.block().getOperations().size() == 1 &&
         body.yielded() == body.scalar(0);
}

MapReduceOp Emitter::emit(Equation &eq) {
  const Root &root = graph.roots[eq.root];
  // Ranks in the order of the result's text, then the reduced ones.
  SmallVector<unsigned> order;
  for (const auto &dim : root.layout)
    for (unsigned digit : dim)
      if (eq.piece && eq.piece->digit == digit)
        llvm::append_range(order, eq.piece->ranks);
      else
        order.push_back(eq.result[digit]);
  for (unsigned rank = 0; rank < eq.ranks.size(); ++rank)
    if (eq.isReduced(rank))
      order.push_back(rank);
  unsigned numRanks = order.size();
  SmallVector<AffineExpr> local(numRanks);
  SmallVector<Attribute> byRank(numRanks), rankNames;
  for (auto [position, rank] : llvm::enumerate(order)) {
    local[rank] = b.getAffineDimExpr(position);
    std::string name = names.get(eq.ranks[rank], eq.occurrence[rank]);
    byRank[rank] = b.getStringAttr(name);
    rankNames.push_back(byRank[rank]);
    RankAttr attr = RankAttr::get(b.getContext(), b.getStringAttr(name),
                                  eq.ranks[rank].extent, false);
    if (!llvm::is_contained(declared, attr))
      declared.push_back(attr);
  }

  SmallVector<AffineMap> maps;
  SmallVector<Value> inputs, finishInputs;
  auto addOperands = [&](ArrayRef<Access> accesses,
                         SmallVector<Value> &values) {
    for (const Access &access : accesses) {
      Exprs at;
      for (AffineExpr expr : access.at)
        at.push_back(expr.replaceDims(local));
      values.push_back(tensors[access.root]);
      maps.push_back(AffineMap::get(
          numRanks, 0, coordinates(graph.roots[access.root], at, numRanks),
          b.getContext()));
    }
  };
  addOperands(eq.inputs, inputs);
  addOperands(eq.finishInputs, finishInputs);
  Exprs at;
  for (auto [digit, rank] : llvm::enumerate(eq.result)) {
    at.push_back(local[rank]);
    if (!eq.piece || eq.piece->digit != digit)
      continue;
    IndexParts parts;
    for (unsigned r : eq.piece->ranks)
      parts.push_back({local[r], eq.ranks[r].extent});
    at.back() = merge(parts, b.getContext()) + eq.piece->offset;
  }
  AffineMap resultMap = AffineMap::get(
      numRanks, 0, coordinates(root, at, numRanks), b.getContext());
  ReduceKindAttr reduce;
  if (eq.reduce)
    reduce = ReduceKindAttr::get(b.getContext(), *eq.reduce);

  Value base;
  if (eq.piece && eq.piece->base) {
    base = tensors[*eq.piece->base];
    auto dim = llvm::find_if(root.layout, [&](auto &digits) {
      return llvm::is_contained(digits, eq.piece->digit);
    });
    maps.push_back(
        MapReduceOp::getBaseMap(resultMap, dim - root.layout.begin()));
  }

  auto op = MapReduceOp::create(
      b, eq.loc, typeOf(root), b.getStringAttr(eq.name),
      b.getArrayAttr(rankNames), b.getAffineMapArrayAttr(maps),
      AffineMapAttr::get(resultMap), IntegerSetAttr(), reduce, TypedAttr(),
      inputs, finishInputs, base);
  if (!isPassed(eq.map, eq.inputs.size()))
    moveBody(eq.map, eq.inputs.size(), op.getMap(), byRank);
  if (eq.finish && !isPassed(eq.finish, 1 + eq.finishInputs.size()))
    moveBody(eq.finish, 1 + eq.finishInputs.size(), op.getFinish(), byRank);
  return op;
}

CascadeOp Emitter::run(Location loc) {
  SmallVector<Type> types;
  for (const Yield &yield : graph.yields)
    types.push_back(typeOf(graph.roots[yield.root]));
  for (auto [i, root] : llvm::enumerate(graph.roots))
    tensors[i] = root.external;
  auto cascade = CascadeOp::create(b, loc, types, b.getArrayAttr({}));
  OpBuilder::InsertionGuard guard(b);
  b.createBlock(&cascade.getBody());
  for (Equation &eq : graph.equations)
    if (!eq.erased)
      tensors[eq.root] = emit(eq).getResult();
  SmallVector<Value> yields;
  for (const Yield &yield : graph.yields)
    yields.push_back(tensors[yield.root]);
  transfusion::einsum::YieldOp::create(b, loc, yields);
  cascade.setRanksAttr(
      b.getArrayAttr(SmallVector<Attribute>(declared.begin(), declared.end())));
  return cascade;
}

CascadeOp transfusion::raise::emitCascade(OpBuilder &b, Location loc,
                                          RaiseGraph &graph, RankNames &names) {
  return Emitter(b, graph, names).run(loc);
}
