//===- CascadeBuilder.cpp - Writes equations into a cascade ---------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CascadeBuilder.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace transfusion::einsum;

//===----------------------------------------------------------------------===//
// Indices
//===----------------------------------------------------------------------===//

AffineExpr transfusion::einsum::merge(ArrayRef<Digit> digits) {
  AffineExpr result = digits.front().index;
  for (const Digit &digit : digits.drop_front())
    result = result * digit.extent + digit.index;
  return result;
}

int64_t transfusion::einsum::extentOf(ArrayRef<Digit> digits) {
  int64_t result = 1;
  for (const Digit &digit : digits)
    result *= digit.extent;
  return result;
}

Exprs transfusion::einsum::flatten(ArrayRef<Digit> digits) {
  Exprs result;
  for (const Digit &digit : digits)
    result.push_back(digit.index);
  return result;
}

//===----------------------------------------------------------------------===//
// Ranks and views
//===----------------------------------------------------------------------===//

CascadeBuilder::CascadeBuilder(OpBuilder &builder, Location loc,
                               TypeRange resultTypes)
    : b(builder) {
  cascade = CascadeOp::create(b, loc, resultTypes, b.getArrayAttr({}));
  b.createBlock(&cascade.getBody());
}

AffineExpr CascadeBuilder::rank(StringRef name, int64_t extent, bool iterative,
                                ArrayRef<AffineExpr> taken) {
  std::string candidate = name.str();
  for (int attempt = 2;; ++attempt) {
    bool clashes = false;
    for (auto [i, rank] : llvm::enumerate(ranks)) {
      if (rank.name != candidate)
        continue;
      AffineExpr expr = b.getAffineDimExpr(i);
      if (rank.extent == extent && rank.iterative == iterative &&
          !llvm::is_contained(taken, expr))
        return expr;
      clashes = true;
    }
    if (!clashes) {
      ranks.push_back({candidate, extent, iterative});
      return b.getAffineDimExpr(ranks.size() - 1);
    }
    candidate = (name + "_" + Twine(attempt)).str();
  }
}

StringRef CascadeBuilder::rankName(AffineExpr rank) {
  return ranks[cast<AffineDimExpr>(rank).getPosition()].name;
}

int64_t CascadeBuilder::rankExtent(AffineExpr rank) {
  return ranks[cast<AffineDimExpr>(rank).getPosition()].extent;
}

Exprs CascadeBuilder::allRanks() {
  Exprs result;
  for (unsigned i = 0, e = ranks.size(); i < e; ++i)
    result.push_back(b.getAffineDimExpr(i));
  return result;
}

SmallVector<int64_t> CascadeBuilder::rankExtents() const {
  SmallVector<int64_t> result;
  for (const Rank &rank : ranks)
    result.push_back(rank.extent);
  return result;
}

View CascadeBuilder::viewOf(Value value, ArrayRef<StringRef> names) {
  auto it = views.find(value);
  if (it != views.end())
    return it->second;
  View view;
  view.tensor = value;
  for (auto [i, extent] :
       llvm::enumerate(cast<RankedTensorType>(value.getType()).getShape())) {
    view.digits.push_back({Digit{rank(names[i], extent), extent}});
    view.layout.push_back({DigitRef(i, 0)});
  }
  views[value] = view;
  return view;
}

/// The digits of `at` regrouped as `wanted` splits the dimension; null
/// expressions where an access would have to divide.
static Exprs regroup(ArrayRef<Digit> at, ArrayRef<Digit> wanted) {
  Exprs result;
  for (const Digit &digit : wanted) {
    if (digit.extent == 1 && (at.empty() || at.front().extent != 1)) {
      result.push_back(getAffineConstantExpr(0, digit.index.getContext()));
      continue;
    }
    size_t used = 0;
    int64_t extent = 1;
    while (used < at.size() && (extent < digit.extent || used == 0))
      extent *= at[used++].extent;
    if (extent != digit.extent)
      return {};
    result.push_back(merge(at.take_front(used)));
    at = at.drop_front(used);
  }
  // Digits of extent 1 may be left over: they are always 0.
  return extentOf(at) == 1 ? result : Exprs();
}

FailureOr<Read> CascadeBuilder::read(Operation *op, const View &view,
                                     const Index &at) {
  SmallVector<Exprs> digits;
  for (auto [dim, wanted] : llvm::enumerate(view.digits)) {
    digits.push_back(regroup(at[dim], wanted));
    if (digits.back().empty())
      return op->emitOpError()
             << "reads dimension " << dim << " of extent " << extentOf(wanted)
             << " in pieces that its producer does not make; run "
                "--convert-linalg-to-einsum first, which copies what no access "
                "can say";
  }
  Read result;
  result.tensor = view.tensor;
  for (const auto &refs : view.layout) {
    DimIndex dim;
    for (auto [i, j] : refs)
      dim.push_back({digits[i][j], view.digits[i][j].extent});
    result.access.push_back(merge(dim));
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Equations
//===----------------------------------------------------------------------===//

int64_t CascadeBuilder::dimExtent(AffineExpr index) {
  // Indices are sums of non-negative terms, so the last point is the greatest.
  SmallVector<AffineExpr> last;
  for (const Rank &rank : ranks)
    last.push_back(b.getAffineConstantExpr(rank.extent - 1));
  AffineExpr greatest = index.replaceDims(last);
  return cast<AffineConstantExpr>(simplifyAffineExpr(greatest, ranks.size(), 0))
             .getValue() +
         1;
}

RankedTensorType CascadeBuilder::typeFor(ArrayRef<AffineExpr> result,
                                         Type element) {
  SmallVector<int64_t> shape;
  for (AffineExpr index : result)
    shape.push_back(dimExtent(index));
  return RankedTensorType::get(shape, element);
}

/// Fills a body: arguments of these types, computation in `compute`, a result
/// of `yielded`.
static void fillBody(OpBuilder &b, Location loc, Region &region,
                     ArrayRef<Type> arguments, const Body &body, Type compute,
                     Type yielded, bool exact) {
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Location> locs(arguments.size(), loc);
  Block *block = b.createBlock(&region, region.end(), arguments, locs);
  BodyBuilder builder(b, loc, compute);
  SmallVector<Value> scalars;
  for (Value argument : block->getArguments())
    scalars.push_back(exact ? argument : builder.cast(argument, compute));
  Value result = body ? body(builder, scalars) : scalars.front();
  if (!exact)
    result = builder.cast(result, yielded);
  YieldOp::create(b, loc, result);
}

MapReduceOp CascadeBuilder::emit(const Equation &eq, Type compute,
                                 Location loc) {
  // The ranks of the result, as it names them, then the reduced ones.
  SmallVector<unsigned> order;
  auto note = [&](AffineExpr expr) {
    expr.walk([&](AffineExpr e) {
      if (auto dim = dyn_cast<AffineDimExpr>(e))
        if (!llvm::is_contained(order, dim.getPosition()))
          order.push_back(dim.getPosition());
    });
  };
  llvm::for_each(eq.result, note);
  llvm::for_each(eq.reduced, note);

  SmallVector<AffineExpr> local(ranks.size(), b.getAffineConstantExpr(0));
  SmallVector<StringRef> names;
  for (auto [i, id] : llvm::enumerate(order)) {
    local[id] = b.getAffineDimExpr(i);
    names.push_back(ranks[id].name);
  }
  auto localMap = [&](ArrayRef<AffineExpr> exprs) {
    SmallVector<AffineExpr> results;
    for (AffineExpr expr : exprs)
      results.push_back(expr.replaceDims(local));
    return AffineMap::get(order.size(), 0, results, b.getContext());
  };

  SmallVector<Value> inputs, finishInputs;
  SmallVector<AffineMap> maps;
  SmallVector<Type> mapTypes, finishTypes;
  for (const Read &read : eq.inputs) {
    inputs.push_back(read.tensor);
    maps.push_back(localMap(read.access));
    mapTypes.push_back(getElementTypeOrSelf(read.tensor.getType()));
  }
  for (const Read &read : eq.finishInputs) {
    finishInputs.push_back(read.tensor);
    maps.push_back(localMap(read.access));
    finishTypes.push_back(getElementTypeOrSelf(read.tensor.getType()));
  }

  IntegerSetAttr domain;
  if (!eq.domain.empty()) {
    // Sums of ranks, as the text form reads them back.
    SmallVector<AffineExpr> constraints;
    for (AffineExpr expr : eq.domain)
      constraints.push_back(
          simplifyAffineExpr(expr.replaceDims(local), order.size(), 0));
    SmallVector<bool> equalities(constraints.size(), false);
    domain = IntegerSetAttr::get(
        IntegerSet::get(order.size(), 0, constraints, equalities));
  }
  ReduceKindAttr reduce;
  if (eq.reduce)
    reduce = ReduceKindAttr::get(b.getContext(), *eq.reduce);
  TypedAttr init;
  if (eq.init)
    init = b.getFloatAttr(eq.element, *eq.init);

  auto op = MapReduceOp::create(
      b, loc,
      eq.shape.empty() ? typeFor(eq.result, eq.element)
                       : RankedTensorType::get(eq.shape, eq.element),
      b.getStringAttr(eq.name), b.getStrArrayAttr(names),
      b.getAffineMapArrayAttr(maps), AffineMapAttr::get(localMap(eq.result)),
      domain, reduce, init, inputs, finishInputs);

  // Without a reduction there is no accumulator: map makes the result.
  Type accumulator = !eq.reduce ? eq.element
                     : eq.exact ? eq.accumulator
                                : compute;
  if (eq.map || mapTypes.front() != accumulator)
    fillBody(b, loc, op.getMap(), mapTypes, eq.map, compute, accumulator,
             eq.exact);
  if (eq.finish || accumulator != eq.element) {
    finishTypes.insert(finishTypes.begin(), accumulator);
    fillBody(b, loc, op.getFinish(), finishTypes, eq.finish, compute,
             eq.element, eq.exact);
  }
  return op;
}

Value CascadeBuilder::placeholder(ArrayRef<AffineExpr> result, Type element) {
  return UnrealizedConversionCastOp::create(
             b, cascade.getLoc(), typeFor(result, element), ValueRange{})
      .getResult(0);
}

void CascadeBuilder::resolve(Value placeholder, Value tensor) {
  placeholder.replaceAllUsesWith(tensor);
  placeholder.getDefiningOp()->erase();
}

CascadeOp CascadeBuilder::finish(ValueRange yields) {
  YieldOp::create(b, cascade.getLoc(), yields);
  // A rank may have named a dimension that every Einsum walks otherwise.
  llvm::StringSet<> used;
  for (auto einsum : cascade.getBody().front().getOps<MapReduceOp>())
    for (StringRef name : einsum.getRanks().getAsValueRange<StringAttr>())
      used.insert(name);
  SmallVector<Attribute> attributes;
  for (const Rank &rank : ranks)
    if (used.contains(rank.name))
      attributes.push_back(RankAttr::get(b.getContext(),
                                         b.getStringAttr(rank.name),
                                         rank.extent, rank.iterative));
  cascade.setRanksAttr(b.getArrayAttr(attributes));
  return cascade;
}
