//===- Jumps.cpp - What stands in front of a jump -------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Jumps.h"
#include "Import.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "transfusion/Dialect/Einsum/IR/EquationGraph.h"

#include <cmath>

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::einsum::normal;

//===----------------------------------------------------------------------===//
// Jumps
//===----------------------------------------------------------------------===//

static bool isJumpName(StringRef name) {
  return llvm::is_contained({"math.floor", "math.ceil", "math.round",
                             "math.roundeven", "math.trunc", "math.copysign",
                             "arith.fptosi", "arith.fptoui", "arith.remf"},
                            name);
}

/// No rounding makes or unmakes a NaN.
static bool asksForNaN(arith::CmpFPredicate predicate) {
  using P = arith::CmpFPredicate;
  return predicate == P::ORD || predicate == P::UNO ||
         predicate == P::AlwaysFalse || predicate == P::AlwaysTrue;
}

static bool isInfinite(Value value) {
  APFloat number(0.0);
  return matchPattern(value, m_ConstantFloat(&number)) && number.isInfinity();
}

static bool isJump(Operation *op) {
  auto compare = dyn_cast<arith::CmpFOp>(op);
  if (!compare)
    return isJumpName(op->getName().getStringRef());
  Value l = compare.getLhs(), r = compare.getRhs();
  if (asksForNaN(compare.getPredicate()) || isInfinite(l) || isInfinite(r))
    return false;
  // The greater of two does not jump where they are equal.
  return !llvm::all_of(compare->getUsers(), [&](Operation *user) {
    auto select = dyn_cast<arith::SelectOp>(user);
    if (!select || select.getCondition() != compare)
      return false;
    Value a = select.getTrueValue(), b = select.getFalseValue();
    return (a == l && b == r) || (a == r && b == l);
  });
}

//===----------------------------------------------------------------------===//
// In the cascades
//===----------------------------------------------------------------------===//

static bool isGenericFunction(Operation *op) {
  return isa_and_nonnull<math::MathDialect>(op->getDialect()) &&
         !isa<math::AbsFOp, math::CopySignOp, math::FmaOp, math::FPowIOp,
              math::FloorOp, math::CeilOp, math::RoundOp, math::RoundEvenOp,
              math::TruncOp, math::SqrtOp>(op) &&
         op->getNumResults() == 1 && op->getResult(0).getType().isFloat();
}

/// What a region yields; null: it is empty and passes its first scalar on.
static Value yieldedBy(Region &region) {
  return region.empty() ? Value()
                        : region.front().getTerminator()->getOperand(0);
}

/// What the map of an Einsum yields, or passes on.
static Value mapped(MapReduceOp op) {
  Value value = yieldedBy(op.getMap());
  return value ? value : op.getInputs().front();
}

/// What its finish yields, or passes on.
static Value finished(MapReduceOp op) {
  Value value = yieldedBy(op.getFinish());
  return value ? value : mapped(op);
}

/// What a scalar argument of a body stands for: a tensor, or what is reduced;
/// null: an index.
static Value sourceOf(MapReduceOp op, bool ofFinish, unsigned i) {
  if (!ofFinish)
    return i < op.getInputs().size() ? op.getInputs()[i] : Value();
  if (i == 0)
    return mapped(op);
  --i;
  return i < op.getFinishInputs().size() ? op.getFinishInputs()[i] : Value();
}

/// What a scalar or a tensor is the same numbers as; null where it is computed
/// or comes from outside.
static Value passedOn(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto op = dyn_cast_or_null<MapReduceOp>(argument.getOwner()->getParentOp());
    if (!op)
      return {};
    bool ofFinish = argument.getParentRegion() == &op.getFinish();
    return sourceOf(op, ofFinish, argument.getArgNumber());
  }
  if (auto op = value.getDefiningOp<MapReduceOp>())
    return finished(op);
  if (auto cascade = value.getDefiningOp<CascadeOp>())
    return cascade.getYield().getOperand(
        cast<OpResult>(value).getResultNumber());
  return {};
}

void JumpFronts::findGeneric(CascadeOp cascade) {
  auto inherit = [&](Value value) {
    Value source = passedOn(value);
    if (source && generic.contains(source))
      generic.insert(value);
  };
  EquationGraph equations(cascade);
  for (const auto &component : equations.components())
    for (unsigned member : component) {
      MapReduceOp op = equations.einsum(member);
      for (Region *region : {&op.getMap(), &op.getFinish()}) {
        if (region->empty())
          continue;
        for (BlockArgument argument : region->front().getArguments())
          inherit(argument);
        for (Operation &inner : region->front().without_terminator()) {
          bool isGeneric = isGenericFunction(&inner);
          // What comes out of a jump, or decides about one, is exact.
          ValueRange operands = inner.getOperands();
          if (isa<arith::SelectOp>(inner))
            operands = operands.drop_front();
          if (!isJump(&inner))
            for (Value operand : operands)
              isGeneric |= generic.contains(operand);
          if (isGeneric)
            generic.insert(inner.getResult(0));
        }
      }
      inherit(op.getResult());
    }
  for (Value result : cascade.getResults())
    inherit(result);
}

/// What a result depends on.
static SmallVector<MapReduceOp> liveEinsums(CascadeOp cascade) {
  SmallVector<MapReduceOp> live;
  llvm::DenseSet<Operation *> seen; // asked, never walked
  SmallVector<Operation *> stack = {cascade.getYield()};
  while (!stack.empty())
    for (Value operand : stack.pop_back_val()->getOperands())
      if (auto einsum = operand.getDefiningOp<MapReduceOp>();
          einsum && seen.insert(einsum).second) {
        live.push_back(einsum);
        stack.push_back(einsum);
      }
  return live;
}

void JumpFronts::findFronts(ArrayRef<CascadeOp> cascades, bool throughGeneric) {
  SmallVector<Value> stack;
  llvm::DenseSet<Value> seen;
  auto visit = [&](Value value) {
    if ((throughGeneric || !generic.contains(value)) &&
        seen.insert(value).second)
      stack.push_back(value);
  };
  for (CascadeOp cascade : cascades) {
    for (MapReduceOp einsum : liveEinsums(cascade))
      einsum.walk([&](Operation *op) {
        if (isJump(op))
          for (Value operand : op->getOperands())
            visit(operand);
      });
    // Nobody knows what an op does that is not ours.
    for (Value result : cascade.getResults())
      for (Operation *user : result.getUsers())
        if (!isa<MapReduceOp, CascadeOp>(user) &&
            !user->hasTrait<OpTrait::ReturnLike>())
          visit(result);
  }
  while (!stack.empty()) {
    Value value = stack.pop_back_val();
    if (auto einsum = value.getDefiningOp<MapReduceOp>()) {
      if (!throughGeneric)
        exact.insert(einsum);
      if (Value base = einsum.getBase())
        visit(base);
    }
    if (Value source = passedOn(value)) {
      visit(source);
      continue;
    }
    Operation *op = value.getDefiningOp();
    if (!op || !op->getParentOfType<MapReduceOp>())
      continue;
    if (!throughGeneric)
      exact.insert(op);
    for (Value operand : op->getOperands())
      visit(operand);
  }
  if (throughGeneric)
    fronts = std::move(seen);
}

JumpFronts::JumpFronts(ArrayRef<CascadeOp> cascades) {
  for (CascadeOp cascade : cascades)
    findGeneric(cascade);
  findFronts(cascades, /*throughGeneric=*/false);
  findFronts(cascades, /*throughGeneric=*/true);
}

//===----------------------------------------------------------------------===//
// In the graph
//===----------------------------------------------------------------------===//

static bool isJump(const Graph &graph, const Node &node) {
  if (node.kind != Kind::Op)
    return false;
  if (!node.isOp("arith.cmpf"))
    return isJumpName(node.name);
  auto predicate = cast<DictionaryAttr>(node.attributes)
                       .getAs<arith::CmpFPredicateAttr>("predicate")
                       .getValue();
  return !asksForNaN(predicate) &&
         llvm::none_of(node.operands, [&](const Ref &operand) {
           std::optional<double> value = graph.constantOf(operand);
           return value && std::isinf(*value);
         });
}

/// The greater or the less of two, which its condition compares.
static bool isExtremum(const Graph &graph, NodeId id) {
  Ref self{id, graph.frameOf(id).all()};
  if (!graph[id].isOp("arith.select"))
    return false;
  Ref condition = graph.operand(self, 0);
  if (!graph[condition].isOp("arith.cmpf"))
    return false;
  Ref l = graph.operand(condition, 0), r = graph.operand(condition, 1);
  Ref a = graph.operand(self, 1), b = graph.operand(self, 2);
  return (a == l && b == r) || (a == r && b == l);
}

llvm::DenseSet<NodeId> normal::nodesInFront(const Imported &imported,
                                            CascadeOp cascade,
                                            const JumpFronts &fronts) {
  const Graph &graph = imported.graph;
  llvm::DenseSet<NodeId> reached, inFront; // asked, never walked
  SmallVector<NodeId> stack, marked;
  auto mark = [&](NodeId id) {
    if (inFront.insert(id).second)
      marked.push_back(id);
  };
  for (auto [tensor, result] :
       llvm::zip_equal(imported.results, cascade.getResults())) {
    stack.push_back(tensor.ref.node);
    if (fronts.isInFront(result))
      mark(tensor.ref.node);
  }
  auto keptOf = [&](NodeId id) -> const Kept * {
    auto it = graph[id].kind == Kind::Input
                  ? imported.kept.find(graph[id].value)
                  : imported.kept.end();
    return it == imported.kept.end() ? nullptr : &it->second;
  };
  while (!stack.empty()) {
    NodeId id = stack.pop_back_val();
    if (!reached.insert(id).second)
      continue;
    ArrayRef<Ref> operands = graph[id].operands;
    for (const Ref &operand : operands.drop_front(isExtremum(graph, id))) {
      stack.push_back(operand.node);
      if (isJump(graph, graph[id]))
        mark(operand.node);
    }
    const Kept *kept = keptOf(id);
    if (!kept)
      continue;
    MapReduceOp op = kept->op;
    bool jumps = false;
    op->walk([&](Operation *inner) { jumps |= ::isJump(inner); });
    for (auto &[i, tensor] : kept->operands) {
      stack.push_back(tensor.ref.node);
      if (jumps)
        mark(tensor.ref.node);
    }
  }
  while (!marked.empty()) {
    NodeId id = marked.pop_back_val();
    for (const Ref &operand : graph[id].operands)
      mark(operand.node);
    if (const Kept *kept = keptOf(id))
      for (auto &[i, tensor] : kept->operands)
        mark(tensor.ref.node);
  }
  return inFront;
}
