//===- GraphBuilder.cpp - Views and equations of one cascade --------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"
#include "Bodies.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace transfusion::raise;
using transfusion::einsum::YieldOp;

static Type elementOf(Value value) {
  return storageType(getElementTypeOrSelf(value.getType()));
}

void GraphBuilder::setView(Value value, View view, Fate fate) {
  views[value] = std::move(view);
  fates[value] = fate;
}

unsigned GraphBuilder::addRoot(unsigned equation, Type element, Digits digits) {
  Root root;
  root.equation = equation;
  root.element = element;
  for (unsigned i = 0; i < digits.size(); ++i)
    root.layout.push_back({i});
  root.digits = std::move(digits);
  graph.roots.push_back(std::move(root));
  return graph.roots.size() - 1;
}

unsigned GraphBuilder::addEquation(Equation equation, Type element,
                                   Operation *owner) {
  Digits digits;
  for (unsigned rank : equation.result)
    digits.push_back(equation.ranks[rank]);
  unsigned number = graph.equations.size();
  equation.root = addRoot(number, element, digits);
  graph.equations.push_back(std::move(equation));
  made[owner].push_back(number);
  return graph.equations.back().root;
}

/// An equation that walks these digits and defines a point at each.
Equation GraphBuilder::start(Location loc, ArrayRef<Digits> digits,
                             SmallVectorImpl<IndexParts> &index) {
  Equation equation(loc);
  for (const Digits &dim : digits) {
    IndexParts parts;
    for (const Digit &digit : dim) {
      parts.push_back(
          {getAffineDimExpr(equation.ranks.size(), context), digit.extent});
      equation.result.push_back(equation.ranks.size());
      equation.ranks.push_back(digit);
    }
    index.push_back(parts);
  }
  return equation;
}

static View identityView(unsigned root, unsigned numDigits,
                         MLIRContext *context) {
  View view;
  view.kind = View::Root;
  view.root = root;
  for (unsigned i = 0; i < numDigits; ++i)
    view.at.push_back(getAffineDimExpr(i, context));
  return view;
}

View GraphBuilder::copy(const View &view, ArrayRef<Digits> digits,
                        ArrayRef<Digits> wanted, Location loc,
                        Operation *owner) {
  SmallVector<IndexParts> index;
  Equation equation = start(loc, wanted, index);
  unsigned numRanks = equation.ranks.size();
  Type element = graph.roots[view.root].element;
  equation.name = "copy";
  equation.isCopy = true;
  equation.inputs.push_back(
      {view.root, substitute(view.at, digits, index, numRanks, context)});
  equation.map = Body(element, numRanks, loc);
  OpBuilder b = equation.map.atEnd();
  YieldOp::create(b, loc, ValueRange{equation.map.scalar(0)});
  return identityView(addEquation(std::move(equation), element, owner),
                      numRanks, context);
}

Access GraphBuilder::read(Value value, ArrayRef<IndexParts> index,
                          unsigned numRanks, Operation *owner) {
  View view = viewOf(value);
  SmallVector<Digits> digits = ranks.digitsOf(value);
  Exprs at = substitute(view.at, digits, index, numRanks, context);
  if (isLinear(at))
    return {view.root, at};
  // No access says it: a copy that is laid out as it is read here.
  SmallVector<Digits> wanted;
  Exprs copied;
  for (const IndexParts &parts : index) {
    Digits dim;
    bool isPlain = llvm::all_of(parts, [](const IndexPart &part) {
      return isa<AffineDimExpr>(part.index);
    });
    int64_t extent = 1;
    for (const IndexPart &part : parts)
      extent *= part.extent;
    if (isPlain) {
      for (const IndexPart &part : parts)
        if (part.extent > 1) {
          dim.push_back(ranks.fresh(part.extent));
          copied.push_back(part.index);
        }
    } else if (extent > 1) {
      dim = ranks.whole(extent);
      copied.push_back(merge(parts, context));
    }
    wanted.push_back(dim);
  }
  View made = copy(view, digits, wanted, value.getLoc(), owner);
  return {made.root, copied};
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

const View &GraphBuilder::viewOf(Value value) {
  auto it = views.find(value);
  if (it != views.end())
    return it->second;
  // Of a lower level: a view of something that exists, or a tensor that the
  // other cascade yields.
  Operation *def = value.getDefiningOp();
  if (plan.isRaised(def) && raiseView(def))
    return views.find(value)->second;
  Root root;
  root.external = value;
  root.element = elementOf(value);
  Exprs at;
  unsigned next = 0;
  SmallVector<Digits> digits = ranks.digitsOf(value);
  auto shape = cast<RankedTensorType>(value.getType()).getShape();
  for (auto [dim, parts] : llvm::enumerate(digits)) {
    IndexParts index;
    for (const Digit &digit : parts)
      index.push_back({getAffineDimExpr(next++, context), digit.extent});
    root.layout.emplace_back();
    if (shape[dim] == 1)
      continue;
    root.layout.back().push_back(root.digits.size());
    root.digits.push_back(parts.size() == 1 ? parts.front()
                                            : Digit{~0u, shape[dim]});
    at.push_back(merge(index, context));
  }
  graph.roots.push_back(root);
  View view;
  view.kind = View::Root;
  view.root = graph.roots.size() - 1;
  view.at = at;
  if (plan.isRaised(def))
    demanded.push_back(value);
  return views[value] = view;
}

bool GraphBuilder::raiseView(Operation *op) {
  if (Value same = reshapedBack(op))
    return raiseReshape(same, op->getResult(0));
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<tensor::ExpandShapeOp, tensor::CollapseShapeOp>([&](auto reshape) {
        return raiseReshape(reshape.getSrc(), reshape.getResult());
      })
      .Case<tensor::ReshapeOp, tensor::CastOp>([&](auto reshape) {
        return raiseReshape(reshape.getSource(), reshape.getResult());
      })
      .Case([&](tensor::ExtractSliceOp slice) { return raiseSlice(slice); })
      .Case([&](tensor::EmptyOp empty) {
        setView(empty.getResult(), View(), Fate::Undefined);
        return true;
      })
      .Case([&](tensor::SplatOp splat) {
        Attribute value;
        matchPattern(splat.getInput(), m_Constant(&value));
        setView(splat.getResult(), View::constant(cast<TypedAttr>(value)),
                Fate::Constant);
        return true;
      })
      .Case([&](arith::ConstantOp constant) {
        auto splat = cast<SplatElementsAttr>(constant.getValue());
        setView(constant.getResult(),
                View::constant(splat.getSplatValue<TypedAttr>()),
                Fate::Constant);
        return true;
      })
      .Case(
          [&](linalg::LinalgOp linalgOp) { return raiseLinalgView(linalgOp); })
      .Default([](Operation *) { return false; });
}

void GraphBuilder::raise(Operation *op) {
  if (raiseView(op))
    return;
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](linalg::LinalgOp linalgOp) { raiseLinalg(linalgOp); })
      .Case([&](tensor::ExpandShapeOp expand) {
        copyReshape(expand.getSrc(), expand.getResult(),
                    expand.getReassociationIndices(), op);
      })
      .Case([&](tensor::CollapseShapeOp collapse) {
        copyReshape(collapse.getSrc(), collapse.getResult(),
                    collapse.getReassociationIndices(), op);
      })
      .Case([&](tensor::ReshapeOp reshape) {
        copyReshape(reshape.getSource(), reshape.getResult(), {}, op);
      })
      .Case([&](tensor::ExtractSliceOp slice) { copySlice(slice); })
      .Case([&](tensor::ConcatOp concat) {
        raiseConcat(concat, concat.getResult(),
                    llvm::to_vector(concat.getInputs()), concat.getDim());
      })
      .Case([&](tensor::InsertSliceOp insert) { raiseInsert(insert); });
}

//===----------------------------------------------------------------------===//
// Results of the cascade
//===----------------------------------------------------------------------===//

/// The layout in which the root of a view is the value, if it holds it all. A
/// digit of the root is one of the value's, or all those of a dimension.
static bool layoutOf(const View &view, ArrayRef<Digits> digits,
                     SmallVectorImpl<SmallVector<unsigned, 2>> &layout) {
  unsigned next = 0, found = 0;
  MLIRContext *context =
      view.at.empty() ? nullptr : view.at.front().getContext();
  auto digitAt = [&](AffineExpr expr) -> std::optional<unsigned> {
    auto it = llvm::find(view.at, expr);
    if (it == view.at.end() ||
        std::find(it + 1, view.at.end(), expr) != view.at.end())
      return std::nullopt;
    ++found;
    return it - view.at.begin();
  };
  for (const Digits &dim : digits) {
    layout.emplace_back();
    IndexParts parts;
    if (dim.empty())
      continue;
    if (!context)
      return false;
    for (const Digit &digit : dim)
      parts.push_back({getAffineDimExpr(next++, context), digit.extent});
    if (auto whole = digitAt(merge(parts, context))) {
      layout.back().push_back(*whole);
      continue;
    }
    for (const IndexPart &part : parts) {
      auto digit = digitAt(part.index);
      if (!digit)
        return false;
      layout.back().push_back(*digit);
    }
  }
  return found == view.at.size();
}

void GraphBuilder::yield(Value value) {
  for (const Yield &known : graph.yields)
    if (known.value == value)
      return;
  View view = viewOf(value);
  SmallVector<Digits> digits = ranks.digitsOf(value);
  Operation *owner = value.getDefiningOp();
  if (view.kind != View::Root) {
    // A constant that a foreign op reads.
    Type element = elementOf(value);
    SmallVector<IndexParts> index;
    Equation equation = start(value.getLoc(), digits, index);
    equation.name = "fill";
    equation.isCopy = true;
    equation.map = Body(TypeRange(), equation.ranks.size(), value.getLoc());
    OpBuilder b = equation.map.atEnd();
    TypedAttr attr = view.kind == View::Splat
                         ? view.splat
                         : cast<TypedAttr>(b.getZeroAttr(element));
    Value constant = arith::ConstantOp::create(b, value.getLoc(), attr);
    YieldOp::create(b, value.getLoc(), constant);
    unsigned numDigits = equation.ranks.size();
    view = identityView(addEquation(std::move(equation), element, owner),
                        numDigits, context);
  }
  SmallVector<SmallVector<unsigned, 2>> layout;
  // The beginning of a tensor (its first rows) is read at the same places.
  int64_t held = 1;
  for (const Digit &digit : graph.roots[view.root].digits)
    held *= digit.extent;
  bool fits =
      graph.roots[view.root].equation &&
      cast<RankedTensorType>(value.getType()).getNumElements() == held &&
      layoutOf(view, digits, layout);
  if (!fits || (graph.roots[view.root].isPinned() &&
                graph.roots[view.root].layout != layout)) {
    view = copy(view, digits, digits, value.getLoc(), owner);
    layout.clear();
    layoutOf(view, digits, layout);
  }
  Root &root = graph.roots[view.root];
  root.layout = layout;
  root.yielded = true;
  graph.yields.push_back({value, view.root});
}
