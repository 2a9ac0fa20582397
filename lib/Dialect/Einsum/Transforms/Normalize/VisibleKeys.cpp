//===- VisibleKeys.cpp - Masks in a score that are domains ----------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VisibleKeys.h"
#include "IndexFunction.h"
#include "Indices.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "transfusion/Dialect/Einsum/IR/LinearForm.h"

#include <cmath>

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::einsum::normal;

/// What a caller has stated about the mask that is read.
static MaskAttr statedKind(const Node &node) {
  auto argument = node.kind == Kind::Input ? dyn_cast<BlockArgument>(node.value)
                                           : BlockArgument();
  if (!argument)
    return {};
  auto function =
      dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (!function || argument.getOwner() != &function.getFunctionBody().front())
    return {};
  return function.getArgAttrOfType<MaskAttr>(argument.getArgNumber(),
                                             MaskAttr::kArgument);
}

namespace {
class Splitter {
public:
  Splitter(Graph &graph, const Frame &frame, AffineExpr key, VisibleKeys &out)
      : graph(graph), frame(frame), key(key), out(out) {}

  Ref strip(const Ref &ref);

private:
  /// A condition that stays, or its negation.
  struct Rest {
    Ref condition;
    bool isNegated;
  };
  void split(const Ref &condition, bool isNegated, SmallVectorImpl<Rest> &rest);
  bool splitComparison(const Ref &condition, bool isNegated);
  bool takeStated(const Ref &ref);
  bool take(ArrayRef<AffineExpr> constraints, normal::Exprs &into);
  bool take(ArrayRef<AffineExpr> constraints) {
    return take(constraints, out.constraints);
  }
  bool takeImplied(ArrayRef<AffineExpr> constraints);
  AffineExpr indexOf(const Ref &ref);
  AffineExpr linearIndexOf(const Ref &ref);
  Ref ofIndices(const Ref &condition);
  Ref join(ArrayRef<Rest> rest);
  Ref stripSelect(const Ref &ref);
  bool hides(const Ref &ref, bool isStated);
  void say(const char *why) {
    if (out.computed.empty())
      out.computed = why;
  }

  Graph &graph;
  const Frame &frame;
  AffineExpr key;
  VisibleKeys &out;
};
} // namespace

/// An integer as an affine expression of the frame's dims, if it is one.
AffineExpr Splitter::indexOf(const Ref &ref) {
  AffineExpr result = linearIndexOf(ref);
  return result ? result : indexFunction(graph, frame, ref);
}

/// The comparison, with what is a function of one index as that function.
Ref Splitter::ofIndices(const Ref &condition) {
  SmallVector<Ref> operands;
  for (unsigned i : {0, 1}) {
    operands.push_back(graph.operand(condition, i));
    if (linearIndexOf(operands.back()))
      continue;
    if (AffineExpr index = indexFunction(graph, frame, operands.back()))
      operands.back() = graph.index(frame, index, graph[operands.back()].type);
  }
  const Node &node = graph[condition];
  return graph.op(frame, node.name, node.attributes, operands, node.type);
}

/// What ops say that they compute, if it was computed without wrapping.
AffineExpr Splitter::linearIndexOf(const Ref &ref) {
  const Node &node = graph[ref];
  if (node.kind == Kind::Index)
    return ref.at[0];
  if (node.kind == Kind::Constant) {
    auto constant = dyn_cast_or_null<IntegerAttr>(node.attributes);
    if (!constant || constant.getValue().getSignificantBits() > 32)
      return {};
    return getAffineConstantExpr(constant.getValue().getSExtValue(),
                                 graph.getContext());
  }
  if (node.kind != Kind::Op || node.operands.empty() ||
      !isa<IndexType, IntegerType>(node.type) || node.type.isInteger(1))
    return {};
  SmallVector<AffineExpr> in;
  for (unsigned i = 0, e = node.operands.size(); i < e; ++i) {
    in.push_back(indexOf(graph.operand(ref, i)));
    if (!in.back())
      return {};
  }
  auto isIn = [&](AffineExpr expr, int64_t least, int64_t most) {
    std::optional<Interval> range = rangeOf(expr, frame.extents());
    return range && range->min >= least && range->max <= most;
  };
  constexpr int64_t huge = int64_t(1) << 40;
  AffineExpr value;
  if (node.isOp("arith.index_cast") || node.isOp("arith.extsi") ||
      node.isOp("arith.trunci"))
    value = in[0];
  else if (node.isOp("arith.addi"))
    value = in[0] + in[1];
  else if (node.isOp("arith.subi"))
    value = in[0] - in[1];
  else if (node.isOp("arith.muli") &&
           (isa<AffineConstantExpr>(in[0]) || isa<AffineConstantExpr>(in[1])))
    value = in[0] * in[1];
  else if (in.size() == 2 && isa<AffineConstantExpr>(in[1]) &&
           isIn(in[1], 1, huge)) {
    bool isNatural = isIn(in[0], 0, huge);
    if (node.isOp("arith.floordivsi") ||
        (isNatural && (node.isOp("arith.divsi") || node.isOp("arith.divui"))))
      value = in[0].floorDiv(in[1]);
    else if (isNatural &&
             (node.isOp("arith.remsi") || node.isOp("arith.remui")))
      value = in[0] % in[1];
  }
  if (!value)
    return {};
  unsigned width =
      isa<IndexType>(node.type) ? 63 : node.type.getIntOrFloatBitWidth();
  int64_t most = width > 40 ? huge : (int64_t(1) << (width - 1)) - 1;
  return isIn(value, -most, most) ? simplifyIndex(value, frame.extents())
                                  : AffineExpr();
}

/// Adds what follows from constraints that are not linear themselves: keys that
/// it leaves out are not seen. Those that it leaves in may still be hidden.
bool Splitter::takeImplied(ArrayRef<AffineExpr> constraints) {
  bool found = false;
  for (AffineExpr expr : constraints) {
    AffineExpr bound = linearConsequence(expr);
    if (!bound)
      continue;
    size_t before = out.implied.size();
    found |= take({bound}, out.implied) && out.implied.size() > before;
  }
  return found;
}

/// Adds constraints, all or, where one cannot be, none.
bool Splitter::take(ArrayRef<AffineExpr> constraints, normal::Exprs &into) {
  SmallVector<AffineExpr> useful;
  for (AffineExpr expr : constraints) {
    expr = simplifyIndex(expr, frame.extents());
    std::optional<Interval> range = rangeOf(expr, frame.extents());
    if (!range || !getLinearForm(expr, frame.dims.size())) {
      say("its condition is not linear in the indices");
      return false;
    }
    if (range->max < 0) {
      say("it hides every key");
      return false;
    }
    if (range->min >= 0)
      continue;
    auto dim = dyn_cast<AffineDimExpr>(key);
    if (!dim || !expr.isFunctionOfDim(dim.getPosition())) {
      say("its condition is not about keys");
      return false;
    }
    useful.push_back(expr);
  }
  for (AffineExpr expr : useful)
    if (!llvm::is_contained(into, expr))
      into.push_back(expr);
  return true;
}

/// What the caller says of a mask that is data, at the point that is read.
bool Splitter::takeStated(const Ref &ref) {
  MaskAttr kind = statedKind(graph[ref]);
  if (!kind)
    return false;
  ArrayRef<Dim> dims = graph[ref].dims;
  AffineExpr zero = getAffineConstantExpr(0, graph.getContext());
  bool hasQueries = dims.size() >= 2;
  return take(kind.getConstraints(
      hasQueries ? ref.at[ref.at.size() - 2] : zero, ref.at.back(),
      hasQueries ? dims[dims.size() - 2].extent : 1, dims.back().extent));
}

/// A comparison of indices that must hold, or must not.
bool Splitter::splitComparison(const Ref &condition, bool isNegated) {
  auto attributes = cast<DictionaryAttr>(graph[condition].attributes);
  auto predicate = static_cast<arith::CmpIPredicate>(
      cast<IntegerAttr>(attributes.get("predicate")).getInt());
  AffineExpr l = indexOf(graph.operand(condition, 0));
  AffineExpr r = indexOf(graph.operand(condition, 1));
  if (!l || !r) {
    ++out.numNotLinear;
    return false;
  }
  using P = arith::CmpIPredicate;
  if (predicate == P::ult || predicate == P::ule || predicate == P::ugt ||
      predicate == P::uge)
    for (AffineExpr side : {l, r}) {
      std::optional<Interval> range = rangeOf(side, frame.extents());
      if (!range || range->min < 0)
        return false;
    }
  if (isNegated)
    predicate = arith::invertPredicate(predicate);
  auto takeOrBound = [&](ArrayRef<AffineExpr> constraints) {
    SmallVector<AffineExpr> linear;
    for (AffineExpr expr : constraints) {
      expr = simplifyIndex(expr, frame.extents());
      AffineExpr same = linearEquivalent(expr, frame.extents());
      linear.push_back(same ? same : expr);
      if (same)
        continue;
      ++out.numNotLinear;
      if (!out.blocks)
        out.blocks = findBlocks(expr, key, frame.extents());
    }
    if (llvm::all_of(linear, [&](AffineExpr expr) {
          return getLinearForm(expr, frame.dims.size());
        }))
      return take(linear);
    say(takeImplied(constraints)
            ? "its condition is not linear in the indices; keys that no linear "
              "condition rules out are computed"
            : "its condition is not linear in the indices");
    return false;
  };
  switch (predicate) {
  case P::eq:
    return takeOrBound({l - r, r - l});
  case P::ne:
    say("its condition excludes what lies between, which is no conjunction");
    return false;
  case P::slt:
  case P::ult:
    return takeOrBound({r - l - 1});
  case P::sle:
  case P::ule:
    return takeOrBound({r - l});
  case P::sgt:
  case P::ugt:
    return takeOrBound({l - r - 1});
  case P::sge:
  case P::uge:
    return takeOrBound({l - r});
  }
  return false;
}

/// Takes the conjuncts that can be constraints; the others are the rest.
void Splitter::split(const Ref &condition, bool isNegated,
                     SmallVectorImpl<Rest> &rest) {
  const Node &node = graph[condition];
  if (node.kind == Kind::Constant) {
    auto constant = dyn_cast_or_null<IntegerAttr>(node.attributes);
    if (constant && constant.getValue().isZero() == isNegated)
      return; // always holds
  } else if (node.isOp(isNegated ? "arith.ori" : "arith.andi")) {
    split(graph.operand(condition, 0), isNegated, rest);
    split(graph.operand(condition, 1), isNegated, rest);
    return;
  } else if (std::optional<Ref> inner = graph.underNot(condition)) {
    split(*inner, !isNegated, rest);
    return;
  } else if (node.isOp(isNegated ? "arith.andi" : "arith.ori")) {
    say("its condition is a disjunction");
  } else if (node.isOp("arith.cmpi")) {
    if (splitComparison(condition, isNegated))
      return;
    rest.push_back({ofIndices(condition), isNegated});
    return;
  } else if (!isNegated && takeStated(condition)) {
    return;
  }
  rest.push_back({condition, isNegated});
}

Ref Splitter::join(ArrayRef<Rest> rest) {
  Type i1 = IntegerType::get(graph.getContext(), 1);
  std::optional<Ref> result;
  for (const Rest &one : rest) {
    Ref condition = one.condition;
    if (one.isNegated)
      condition = graph.negate(frame, condition);
    result = result
                 ? graph.op(frame, "arith.andi", {}, {*result, condition}, i1)
                 : condition;
  }
  return *result;
}

/// -inf; of a stated mask also what is as good.
bool Splitter::hides(const Ref &ref, bool isStated) {
  std::optional<double> value = graph.constantOf(graph.throughCasts(ref));
  return value &&
         (isStated ? *value <= -1e9 : std::isinf(*value) && *value < 0);
}

Ref Splitter::stripSelect(const Ref &ref) {
  Ref condition = graph.operand(ref, 0);
  bool isStated = bool(statedKind(graph[condition]));
  for (bool isNegated : {false, true}) {
    Ref seen = graph.operand(ref, isNegated ? 2 : 1);
    Ref hidden = graph.operand(ref, isNegated ? 1 : 2);
    if (!hides(hidden, isStated && !isNegated))
      continue;
    SmallVector<Rest> rest;
    split(condition, isNegated, rest);
    seen = strip(seen);
    if (rest.empty())
      return seen;
    return graph.op(frame, "arith.select", {}, {join(rest), seen, hidden},
                    graph[ref].type);
  }
  return ref;
}

Ref Splitter::strip(const Ref &ref) {
  const Node &node = graph[ref];
  if (node.kind == Kind::Input)
    return node.type.isFloat() && takeStated(ref)
               ? graph.constant(0.0, node.type)
               : ref;
  if (node.isOp("arith.select"))
    return stripSelect(ref);
  if (node.isOp("arith.extf") || node.isOp("arith.truncf")) {
    Ref inner = graph.operand(ref, 0), stripped = strip(inner);
    if (stripped == inner)
      return ref;
    if (std::optional<double> value = graph.constantOf(stripped))
      return graph.constant(*value, node.type);
    return graph.op(frame, node.name, node.attributes, {stripped}, node.type);
  }
  // Of a sum, terms of positive factor: -inf stays -inf.
  bool isScaled = node.kind == Kind::Product && node.constant > 0 &&
                  node.powers.size() == 1 && node.powers[0] == 1;
  if (node.kind != Kind::Sum && !isScaled)
    return ref;
  Terms terms{node.kind == Kind::Sum ? node.constant : 0, {}};
  bool changed = false;
  for (unsigned i = 0, e = node.operands.size(); i < e; ++i) {
    double coefficient =
        node.kind == Kind::Sum ? node.coefficients[i] : node.constant;
    Ref inner = graph.operand(ref, i);
    Ref stripped = coefficient > 0 ? strip(inner) : inner;
    changed |= stripped != inner;
    terms.list.push_back({coefficient, stripped});
  }
  return changed ? graph.sum(frame, terms, node.type) : ref;
}

VisibleKeys normal::splitVisibleKeys(Graph &graph, const Frame &frame,
                                     const Ref &score, AffineExpr key) {
  VisibleKeys result;
  result.score = Splitter(graph, frame, key, result).strip(score);
  return result;
}
