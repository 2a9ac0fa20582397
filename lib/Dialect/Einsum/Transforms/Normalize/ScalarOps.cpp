//===- ScalarOps.cpp - Comparisons, conditions and other scalar ops -------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A condition has one form: a comparison names its operands in the order that
// commutative ops have; a negation is in the comparisons, not around them; and
// a select has the one of a condition and its negation that is all of something
// rather than any, or whose predicate comes first.
//
//===----------------------------------------------------------------------===//

#include "NormalForm.h"
#include "OperandOrder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::einsum::normal;

static bool isCommutative(StringRef name) {
  return llvm::is_contained({"arith.addf", "arith.mulf", "arith.maximumf",
                             "arith.minimumf", "arith.maxnumf", "arith.minnumf",
                             "arith.addi", "arith.muli", "arith.andi",
                             "arith.ori", "arith.xori", "arith.maxsi",
                             "arith.minsi", "arith.maxui", "arith.minui"},
                            name);
}

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

/// The predicate of a b where a was the second operand.
static arith::CmpFPredicate exchanged(arith::CmpFPredicate predicate) {
  using P = arith::CmpFPredicate;
  switch (predicate) {
  case P::OGT:
    return P::OLT;
  case P::OGE:
    return P::OLE;
  case P::OLT:
    return P::OGT;
  case P::OLE:
    return P::OGE;
  case P::UGT:
    return P::ULT;
  case P::UGE:
    return P::ULE;
  case P::ULT:
    return P::UGT;
  case P::ULE:
    return P::UGE;
  default:
    return predicate;
  }
}

static arith::CmpIPredicate exchanged(arith::CmpIPredicate predicate) {
  using P = arith::CmpIPredicate;
  switch (predicate) {
  case P::slt:
    return P::sgt;
  case P::sle:
    return P::sge;
  case P::sgt:
    return P::slt;
  case P::sge:
    return P::sle;
  case P::ult:
    return P::ugt;
  case P::ule:
    return P::uge;
  case P::ugt:
    return P::ult;
  case P::uge:
    return P::ule;
  default:
    return predicate;
  }
}

/// Holds exactly where the predicate does not; NaN included.
static arith::CmpFPredicate inverted(arith::CmpFPredicate predicate) {
  using P = arith::CmpFPredicate;
  static constexpr std::pair<P, P> kPairs[] = {{P::AlwaysFalse, P::AlwaysTrue},
                                               {P::OEQ, P::UNE},
                                               {P::OGT, P::ULE},
                                               {P::OGE, P::ULT},
                                               {P::OLT, P::UGE},
                                               {P::OLE, P::UGT},
                                               {P::ONE, P::UEQ},
                                               {P::ORD, P::UNO}};
  for (auto [a, b] : kPairs) {
    if (a == predicate)
      return b;
    if (b == predicate)
      return a;
  }
  return predicate;
}

static arith::CmpIPredicate inverted(arith::CmpIPredicate predicate) {
  return arith::invertPredicate(predicate);
}

template <typename AttrT> static auto predicateOf(const Node &node) {
  return cast<DictionaryAttr>(node.attributes)
      .getAs<AttrT>("predicate")
      .getValue();
}

template <typename AttrT, typename PredicateT>
static Attribute withPredicate(Attribute attributes, PredicateT predicate) {
  MLIRContext *context = attributes.getContext();
  NamedAttrList list(cast<DictionaryAttr>(attributes));
  list.set("predicate", AttrT::get(context, predicate));
  return list.getDictionary(context);
}

template <typename AttrT>
static bool isExchanged(const Graph &graph, Attribute attributes,
                        ArrayRef<Ref> operands) {
  auto predicate =
      cast<DictionaryAttr>(attributes).getAs<AttrT>("predicate").getValue();
  // Of one tensor at two points: the predicate says which is first.
  if (operands[0].node == operands[1].node && exchanged(predicate) != predicate)
    return exchanged(predicate) < predicate;
  return orderOf(graph, operands, /*isProduct=*/false).front() != 0;
}

//===----------------------------------------------------------------------===//
// Negations
//===----------------------------------------------------------------------===//

static bool isTrue(const Node &node) {
  auto constant = dyn_cast_or_null<IntegerAttr>(node.attributes);
  return node.kind == Kind::Constant && constant &&
         !constant.getValue().isZero();
}

std::optional<Ref> Graph::underNot(const Ref &condition) const {
  const Node &node = nodes[condition.node];
  if (node.isOp("arith.xori") && node.type.isInteger(1))
    for (unsigned i : {0, 1})
      if (isTrue(nodes[node.operands[i].node]))
        return operand(condition, 1 - i);
  return std::nullopt;
}

Ref Graph::negate(const Frame &frame, const Ref &condition) {
  const Node &node = nodes[condition.node]; // stays valid
  if (std::optional<Ref> inner = underNot(condition))
    return *inner;
  auto operands = [&](ArrayRef<AffineExpr> bound = {}) {
    SmallVector<Ref> result;
    for (unsigned i = 0, e = node.operands.size(); i < e; ++i)
      result.push_back(operand(condition, i, bound));
    return result;
  };
  if (auto constant = dyn_cast_or_null<IntegerAttr>(node.attributes);
      node.kind == Kind::Constant && constant)
    return this->constant(TypedAttr(
        IntegerAttr::get(node.type, constant.getValue().isZero() ? 1 : 0)));
  if (node.isOp("arith.cmpf"))
    return op(frame, node.name,
              withPredicate<arith::CmpFPredicateAttr>(
                  node.attributes,
                  inverted(predicateOf<arith::CmpFPredicateAttr>(node))),
              operands(), node.type);
  if (node.isOp("arith.cmpi"))
    return op(frame, node.name,
              withPredicate<arith::CmpIPredicateAttr>(
                  node.attributes,
                  inverted(predicateOf<arith::CmpIPredicateAttr>(node))),
              operands(), node.type);
  if (node.isOp("arith.andi") || node.isOp("arith.ori")) {
    SmallVector<Ref> parts;
    for (const Ref &part : operands())
      parts.push_back(negate(frame, part));
    return op(frame, node.isOp("arith.andi") ? "arith.ori" : "arith.andi",
              node.attributes, parts, node.type);
  }
  if (node.kind == Kind::Reduce &&
      (node.reduce == ReduceKind::Or || node.reduce == ReduceKind::And)) {
    Frame inner = frame;
    Exprs bound = bind(inner, condition);
    Ref body = negate(inner, operand(condition, 0, bound));
    return reduce(
        inner, node.reduce == ReduceKind::Or ? ReduceKind::And : ReduceKind::Or,
        body, bound);
  }
  Node made;
  made.kind = Kind::Op;
  made.type = node.type;
  made.name = "arith.xori";
  made.operands = {condition,
                   this->constant(TypedAttr(IntegerAttr::get(node.type, 1)))};
  Exprs dims = usedDims(frame, made.operands);
  return make(frame, std::move(made), dims, {});
}

/// Whether a select has the negation of this condition.
static bool isNegative(const Graph &graph, const Ref &condition) {
  const Node &node = graph[condition];
  if (node.isOp("arith.cmpf")) {
    auto predicate = predicateOf<arith::CmpFPredicateAttr>(node);
    return inverted(predicate) < predicate;
  }
  if (node.isOp("arith.cmpi")) {
    auto predicate = predicateOf<arith::CmpIPredicateAttr>(node);
    return inverted(predicate) < predicate;
  }
  return graph.underNot(condition) || node.isOp("arith.ori") ||
         (node.kind == Kind::Reduce && node.reduce == ReduceKind::Or);
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

Ref Graph::op(const Frame &frame, StringRef name, Attribute attributes,
              ArrayRef<Ref> operands, Type type) {
  Node node;
  node.kind = Kind::Op;
  node.type = type;
  node.name = name.str();
  node.attributes = attributes;
  node.operands.assign(operands.begin(), operands.end());
  if (isCommutative(name)) {
    if (name == "arith.xori" && type.isInteger(1))
      for (unsigned i : {0, 1})
        if (isTrue(nodes[operands[i].node]))
          return negate(frame, operands[1 - i]);
    for (auto [i, from] :
         llvm::enumerate(orderOf(*this, operands, /*isProduct=*/false)))
      node.operands[i] = operands[from];
  } else if (name == "arith.cmpf") {
    if (isExchanged<arith::CmpFPredicateAttr>(*this, attributes, operands)) {
      std::swap(node.operands[0], node.operands[1]);
      node.attributes = withPredicate<arith::CmpFPredicateAttr>(
          attributes, exchanged(predicateOf<arith::CmpFPredicateAttr>(node)));
    }
  } else if (name == "arith.cmpi") {
    if (isExchanged<arith::CmpIPredicateAttr>(*this, attributes, operands)) {
      std::swap(node.operands[0], node.operands[1]);
      node.attributes = withPredicate<arith::CmpIPredicateAttr>(
          attributes, exchanged(predicateOf<arith::CmpIPredicateAttr>(node)));
    }
  } else if (name == "arith.select" &&
             nodes[operands[0].node].type.isInteger(1) &&
             isNegative(*this, operands[0])) {
    node.operands = {negate(frame, operands[0]), operands[2], operands[1]};
  }
  Exprs dims = usedDims(frame, node.operands);
  return make(frame, std::move(node), dims, {});
}
