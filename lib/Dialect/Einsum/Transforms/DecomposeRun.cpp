//===- DecomposeRun.cpp - What the decompositions of a run share ----------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"

using namespace mlir;
using namespace transfusion::einsum;

bool transfusion::einsum::isNamedOp(Operation *op) {
  return isa<QkvOp, MhaOp, RopeOp, SoftmaxOp, LayerNormOp, RmsNormOp, LinearOp,
             FfnOp, AddOp>(op);
}

Value transfusion::einsum::lookThroughViews(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    Value source = getViewSource(op);
    if (!source)
      break;
    value = source;
  }
  return value;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

/// The norm that an addition feeds: its sum is that norm's IAV.
static Operation *fedNorm(AddOp add) {
  for (Operation *user : add->getUsers())
    if (isa<LayerNormOp, RmsNormOp>(user))
      if (user->getBlock() == add->getBlock())
        return user;
  return nullptr;
}

static bool isOutputProjection(LinearOp linear) {
  return lookThroughViews(linear.getX()).getDefiningOp<MhaOp>() != nullptr;
}

static StringRef kindOf(Operation *op) {
  if (isa<QkvOp>(op))
    return "qkv";
  if (isa<MhaOp>(op))
    return "mha";
  if (isa<SoftmaxOp>(op))
    return "softmax";
  if (isa<LayerNormOp>(op))
    return "ln";
  if (isa<RmsNormOp>(op))
    return "rms";
  if (isa<RopeOp>(op))
    return "rope";
  if (isa<FfnOp>(op))
    return "ffn";
  if (auto linear = dyn_cast<LinearOp>(op))
    return isOutputProjection(linear) ? "out" : "linear";
  return "add";
}

EinsumNames::EinsumNames(Operation *function) {
  SmallVector<std::pair<StringRef, SmallVector<Operation *>>> kinds;
  SmallVector<AddOp> additions;
  function->walk([&](Operation *op) {
    if (auto einsum = dyn_cast<MapReduceOp>(op))
      taken[einsum.getEinsumName()] = 1;
    auto add = dyn_cast<AddOp>(op);
    if (add)
      additions.push_back(add);
    if (!isNamedOp(op) || (add && fedNorm(add)))
      return;
    StringRef kind = kindOf(op);
    auto it = llvm::find_if(kinds, [&](auto &k) { return k.first == kind; });
    if (it == kinds.end())
      it = kinds.insert(it, {kind, {}});
    it->second.push_back(op);
  });
  for (auto &[kind, ops] : kinds)
    for (auto [i, op] : llvm::enumerate(ops))
      prefixes[op] = ops.size() == 1 ? "" : (kind + Twine(i + 1) + ".").str();
  for (AddOp add : additions)
    if (Operation *norm = fedNorm(add))
      prefixes[add] = prefixes[norm];
}

std::string EinsumNames::get(Operation *op, StringRef name) {
  if (auto add = dyn_cast<AddOp>(op))
    name = fedNorm(add) ? "IAV" : "RES";
  if (auto linear = dyn_cast<LinearOp>(op))
    name = isOutputProjection(linear) ? "O" : "L";
  std::string result = prefixes[op] + name.str();
  for (int i = 2; !taken.try_emplace(result, 1).second; ++i)
    result = (prefixes[op] + name + "_" + Twine(i)).str();
  return result;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

bool Run::escapes(Value value) const {
  return llvm::any_of(value.getUsers(),
                      [&](Operation *user) { return !ops.contains(user); });
}

bool Run::feedsContraction(Value value) const {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (!ops.contains(user))
      continue;
    if (isa<QkvOp, LinearOp, FfnOp>(user))
      return true;
    if (auto mha = dyn_cast<MhaOp>(user))
      if (use.get() != mha.getMask())
        return true;
    if (getViewSource(user) && feedsContraction(user->getResult(0)))
      return true;
  }
  return false;
}

RopeOp Run::fedRope(Value value) const {
  for (Operation *user : value.getUsers())
    if (auto rope = dyn_cast<RopeOp>(user))
      if (ops.contains(user) && rope.getX() == value)
        return rope;
  return {};
}

Type Run::storageType(Value value) const {
  return getElementTypeOrSelf(value.getType());
}

Type Run::computeType(Value value) const {
  return options.storageAccumulator
             ? storageType(value)
             : Type(Float32Type::get(value.getContext()));
}

//===----------------------------------------------------------------------===//
// Equations
//===----------------------------------------------------------------------===//

View Run::view(Value value) {
  switch (cast<RankedTensorType>(value.getType()).getRank()) {
  case 1:
    return view(value, {"d"});
  case 2:
    return view(value, {"p", "d"});
  case 3:
    return view(value, {"b", "p", "d"});
  case 4:
    return view(value, {"b", "h", "p", "d"});
  default:
    break;
  }
  SmallVector<std::string> names;
  for (int i = 0, e = cast<RankedTensorType>(value.getType()).getRank(); i < e;
       ++i)
    names.push_back("x" + std::to_string(i));
  return view(value, SmallVector<StringRef>(names.begin(), names.end()));
}

MapReduceOp Run::define(Operation *op, Value value, StringRef name, Equation eq,
                        const Index &index, ArrayRef<DigitRef> order) {
  View view;
  view.digits = index;
  if (escapes(value)) {
    eq.element = storageType(value);
    for (auto [i, digits] : llvm::enumerate(index)) {
      eq.result.push_back(merge(digits));
      view.layout.emplace_back();
      for (unsigned j = 0, e = digits.size(); j < e; ++j)
        view.layout.back().push_back({i, j});
    }
  } else {
    eq.element =
        feedsContraction(value) ? storageType(value) : computeType(value);
    SmallVector<DigitRef> asValue;
    for (auto [i, digits] : llvm::enumerate(index))
      for (unsigned j = 0, e = digits.size(); j < e; ++j)
        asValue.push_back({i, j});
    for (DigitRef ref : order.empty() ? ArrayRef(asValue) : order) {
      eq.result.push_back(index[ref.first][ref.second].index);
      view.layout.push_back({ref});
    }
  }
  eq.name = names.get(op, name);
  MapReduceOp einsum = cascade.emit(eq, computeType(value), op->getLoc());
  view.tensor = einsum.getResult();
  cascade.setView(value, view);
  if (escapes(value))
    escaping[value] = view.tensor;
  return einsum;
}

Value Run::inner(Operation *op, StringRef name, Equation eq,
                 ArrayRef<AffineExpr> result, Type element) {
  eq.name = names.get(op, name);
  llvm::append_range(eq.result, result);
  eq.element = element;
  return cascade.emit(eq, computeType(op->getResult(0)), op->getLoc())
      .getResult();
}
