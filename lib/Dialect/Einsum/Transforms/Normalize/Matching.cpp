//===- Matching.cpp - What recognisers ask of the graph -------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Matching.h"
#include "Indices.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::einsum::normal;

namespace {
/// Dims that have been given a place, by position in `free`.
struct Assignment {
  ArrayRef<AffineExpr> free;
  Exprs places;

  bool match(AffineExpr pattern, AffineExpr target) {
    for (auto [i, dim] : llvm::enumerate(free)) {
      if (pattern != dim)
        continue;
      if (places[i])
        return places[i] == target;
      if (plainDim(target) < 0 || llvm::is_contained(places, target))
        return false;
      places[i] = target;
      return true;
    }
    auto l = dyn_cast<AffineBinaryOpExpr>(pattern);
    auto r = dyn_cast<AffineBinaryOpExpr>(target);
    if (!l || !r || l.getKind() != r.getKind())
      return pattern == target;
    return match(l.getLHS(), r.getLHS()) && match(l.getRHS(), r.getRHS());
  }
};
} // namespace

std::optional<normal::Exprs> normal::unify(const Ref &pattern,
                                           const Ref &target,
                                           ArrayRef<AffineExpr> free,
                                           const Frame &frame) {
  if (pattern.node != target.node)
    return std::nullopt;
  Assignment assignment{free, Exprs(free.size())};
  for (auto [p, t] : llvm::zip(pattern.at, target.at))
    if (!assignment.match(p, t))
      return std::nullopt;
  for (auto [dim, place] : llvm::zip(free, assignment.places))
    if (!place ||
        frame.dims[plainDim(dim)].extent != frame.dims[plainDim(place)].extent)
      return std::nullopt;
  return assignment.places;
}

SmallVector<unsigned> normal::dimsInOrder(const Graph &graph, const Ref &ref) {
  SmallVector<unsigned> result;
  for (AffineExpr expr : ref.at)
    expr.walk([&](AffineExpr e) {
      if (int dim = plainDim(e); dim >= 0 && !llvm::is_contained(result, dim))
        result.push_back(dim);
    });
  return result;
}

bool normal::areNewDims(ArrayRef<AffineExpr> dims, const Frame &frame,
                        const Ref &rows) {
  return llvm::all_of(dims, [&](AffineExpr dim) {
    unsigned position = plainDim(dim);
    return position < frame.dims.size() &&
           llvm::none_of(
               rows.at,
               [&](AffineExpr expr) { return expr.isFunctionOfDim(position); });
  });
}

std::optional<unsigned> normal::matchRelu(const Graph &graph, const Ref &ref) {
  const Node &node = graph[ref];
  auto only = [](bool isRelu, unsigned x) {
    return isRelu ? std::optional<unsigned>(x) : std::nullopt;
  };
  if (node.isPiece("activation"))
    return only(node.operands.size() == 1 &&
                    ActivationAttributes::of(node).function ==
                        Activation::Relu &&
                    graph[node.operands[0]].type == node.type,
                0);
  auto isZero = [&](unsigned i) {
    return graph.constantOf(node.operands[i]) == 0.0;
  };
  if (node.isOp("arith.maximumf"))
    return only(isZero(1) && !isZero(0), 0);
  // x < 0, which a NaN is not, ? 0 : x
  if (!node.isOp("arith.select"))
    return std::nullopt;
  Ref condition = graph.operand(ref, 0);
  const Node &compare = graph[condition];
  auto attributes = dyn_cast_or_null<DictionaryAttr>(compare.attributes);
  if (!compare.isOp("arith.cmpf") || !attributes)
    return std::nullopt;
  auto predicate = attributes.getAs<arith::CmpFPredicateAttr>("predicate");
  if (!predicate || (predicate.getValue() != arith::CmpFPredicate::OLT &&
                     predicate.getValue() != arith::CmpFPredicate::OLE))
    return std::nullopt;
  return only(isZero(1) &&
                  graph.operand(condition, 0) == graph.operand(ref, 2) &&
                  graph.constantOf(graph.operand(condition, 1)) == 0.0,
              2);
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

DictionaryAttr NormAttributes::get(MLIRContext *context) const {
  Builder b(context);
  return b.getDictionaryAttr(
      {b.getNamedAttr("accumulator", TypeAttr::get(accumulator)),
       b.getNamedAttr("affine", TypeAttr::get(affine)),
       b.getNamedAttr("beta", b.getBoolAttr(hasBeta)),
       b.getNamedAttr("columns", b.getI64IntegerAttr(columns)),
       b.getNamedAttr("compute", TypeAttr::get(compute)),
       b.getNamedAttr("eps", b.getF64FloatAttr(eps)),
       b.getNamedAttr("gamma", b.getBoolAttr(hasGamma))});
}

NormAttributes NormAttributes::of(const Node &node) {
  auto attributes = cast<DictionaryAttr>(node.attributes);
  NormAttributes result;
  result.accumulator = attributes.getAs<TypeAttr>("accumulator").getValue();
  result.affine = attributes.getAs<TypeAttr>("affine").getValue();
  result.compute = attributes.getAs<TypeAttr>("compute").getValue();
  result.columns = attributes.getAs<IntegerAttr>("columns").getInt();
  result.eps = attributes.getAs<FloatAttr>("eps").getValueAsDouble();
  result.hasGamma = attributes.getAs<BoolAttr>("gamma").getValue();
  result.hasBeta = attributes.getAs<BoolAttr>("beta").getValue();
  return result;
}

DictionaryAttr ActivationAttributes::get(MLIRContext *context) const {
  Builder b(context);
  return b.getDictionaryAttr(
      {b.getNamedAttr("compute", TypeAttr::get(compute)),
       b.getNamedAttr("function",
                      b.getI64IntegerAttr(static_cast<int64_t>(function))),
       b.getNamedAttr("gated", TypeAttr::get(gated))});
}

ActivationAttributes ActivationAttributes::of(const Node &node) {
  auto attributes = cast<DictionaryAttr>(node.attributes);
  ActivationAttributes result;
  result.function = static_cast<Activation>(
      attributes.getAs<IntegerAttr>("function").getInt());
  result.compute = attributes.getAs<TypeAttr>("compute").getValue();
  result.gated = attributes.getAs<TypeAttr>("gated").getValue();
  return result;
}

DictionaryAttr RopeAttributes::get(MLIRContext *context) const {
  Builder b(context);
  return b.getDictionaryAttr(
      {b.getNamedAttr("compute", TypeAttr::get(compute)),
       b.getNamedAttr("half", b.getI64IntegerAttr(half))});
}

RopeAttributes RopeAttributes::of(const Node &node) {
  auto attributes = cast<DictionaryAttr>(node.attributes);
  return {attributes.getAs<IntegerAttr>("half").getInt(),
          attributes.getAs<TypeAttr>("compute").getValue()};
}
