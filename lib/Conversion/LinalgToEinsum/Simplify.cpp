//===- Simplify.cpp - Cleaning a graph of equations -----------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Simplify.h"
#include "Bodies.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace transfusion::raise;
using transfusion::einsum::YieldOp;

namespace {
/// An operand: equation, and whether and where it is an input or finish input.
struct Use {
  unsigned equation;
  bool finish;
  unsigned index;
};
using Uses = SmallVector<SmallVector<Use, 2>>;
} // namespace

static Access &accessOf(RaiseGraph &graph, const Use &use) {
  Equation &eq = graph.equations[use.equation];
  return use.finish ? eq.finishInputs[use.index] : eq.inputs[use.index];
}

/// Per root, who reads it.
static Uses findUses(RaiseGraph &graph) {
  Uses uses(graph.roots.size());
  for (auto [number, eq] : llvm::enumerate(graph.equations)) {
    if (eq.erased)
      continue;
    for (auto [i, access] : llvm::enumerate(eq.inputs))
      uses[access.root].push_back(
          {static_cast<unsigned>(number), false, static_cast<unsigned>(i)});
    for (auto [i, access] : llvm::enumerate(eq.finishInputs))
      uses[access.root].push_back(
          {static_cast<unsigned>(number), true, static_cast<unsigned>(i)});
  }
  return uses;
}

void transfusion::raise::eraseUnread(RaiseGraph &graph) {
  Uses uses = findUses(graph);
  SmallVector<unsigned> count;
  for (const auto &of : uses)
    count.push_back(of.size());
  for (const Equation &eq : graph.equations)
    if (!eq.erased && eq.piece && eq.piece->base)
      ++count[*eq.piece->base];
  for (Equation &eq : llvm::reverse(graph.equations)) {
    if (eq.erased || graph.roots[eq.root].yielded || count[eq.root] != 0)
      continue;
    eq.erased = true;
    for (const Access &access : eq.inputs)
      --count[access.root];
    for (const Access &access : eq.finishInputs)
      --count[access.root];
    if (eq.piece && eq.piece->base)
      --count[*eq.piece->base];
  }
}

//===----------------------------------------------------------------------===//
// Repeated ranks
//===----------------------------------------------------------------------===//

static bool readsIndex(Body &body, unsigned numScalars, unsigned rank) {
  return body && !body.scalar(numScalars + rank).use_empty();
}

static void eraseRank(Equation &eq, unsigned rank, MLIRContext *context) {
  unsigned numRanks = eq.ranks.size();
  SmallVector<AffineExpr> shifted;
  for (unsigned i = 0; i < numRanks; ++i)
    shifted.push_back(i == rank ? getAffineConstantExpr(0, context)
                                : getAffineDimExpr(i - (i > rank), context));
  for (auto *accesses : {&eq.inputs, &eq.finishInputs})
    for (Access &access : *accesses)
      for (AffineExpr &expr : access.at)
        expr = expr.replaceDims(shifted);
  eq.map.block().eraseArgument(eq.inputs.size() + rank);
  if (eq.finish)
    eq.finish.block().eraseArgument(1 + eq.finishInputs.size() + rank);
  eq.ranks.erase(eq.ranks.begin() + rank);
  for (unsigned &r : eq.result)
    r -= r > rank;
}

void transfusion::raise::dropRepeatedRanks(RaiseGraph &graph) {
  Uses uses = findUses(graph);
  for (Equation &eq : graph.equations) {
    Root &root = graph.roots[eq.root];
    if (eq.erased || root.isPinned())
      continue;
    for (unsigned digit = eq.result.size(); digit-- > 0;) {
      unsigned rank = eq.result[digit];
      bool isRead = readsIndex(eq.map, eq.inputs.size(), rank) ||
                    readsIndex(eq.finish, 1 + eq.finishInputs.size(), rank);
      for (auto *accesses : {&eq.inputs, &eq.finishInputs})
        for (const Access &access : *accesses)
          for (AffineExpr expr : access.at)
            isRead |= expr.isFunctionOfDim(rank);
      if (isRead)
        continue;
      MLIRContext *context = eq.loc.getContext();
      eq.result.erase(eq.result.begin() + digit);
      eraseRank(eq, rank, context);
      root.digits.erase(root.digits.begin() + digit);
      root.layout.pop_back();
      for (const Use &use : uses[eq.root]) {
        Exprs &at = accessOf(graph, use).at;
        at.erase(at.begin() + digit);
      }
    }
  }
}

//===----------------------------------------------------------------------===//
// Casts
//===----------------------------------------------------------------------===//

/// The body is one cast of one input that the result is read at.
static Operation *castOf(Equation &eq) {
  if (eq.erased || eq.reduce || eq.finish || eq.piece || eq.inputs.size() != 1)
    return nullptr;
  Block &block = eq.map.block();
  if (block.getOperations().size() != 2)
    return nullptr;
  Operation *op = &block.front();
  bool isCast = isa<arith::ExtFOp, arith::TruncFOp>(op) &&
                op->getOperand(0) == eq.map.scalar(0) &&
                block.getTerminator()->getOperand(0) == op->getResult(0);
  return isCast ? op : nullptr;
}

/// Per rank of an equation, the digit of its result.
static std::optional<SmallVector<AffineExpr>> digitOfRank(const Equation &eq,
                                                          const Exprs &values) {
  SmallVector<AffineExpr> result(eq.ranks.size());
  for (auto [digit, rank] : llvm::enumerate(eq.result))
    result[rank] = values[digit];
  for (AffineExpr expr : result)
    if (!expr)
      return std::nullopt;
  return result;
}

/// Readers read what is widened, and widen it.
static void foldWidening(RaiseGraph &graph, Equation &eq, Operation *cast,
                         Uses &uses) {
  for (const Use &use : uses[eq.root]) {
    Equation &reader = graph.equations[use.equation];
    if (reader.erased)
      continue;
    Access &access = accessOf(graph, use);
    auto ofRank = digitOfRank(eq, access.at);
    Access moved{eq.inputs.front().root, {}};
    for (AffineExpr expr : eq.inputs.front().at)
      moved.at.push_back(
          simplify(expr.replaceDims(*ofRank), reader.ranks.size()));
    access = moved;
    Body &body = use.finish ? reader.finish : reader.map;
    BlockArgument argument = body.scalar(use.index + (use.finish ? 1 : 0));
    argument.setType(cast->getOperand(0).getType());
    OpBuilder b = body.atBegin();
    Operation *widened = b.clone(*cast);
    argument.replaceAllUsesWith(widened->getResult(0));
    widened->setOperand(0, argument);
    uses[moved.root].push_back(use);
  }
  if (!graph.roots[eq.root].isPinned())
    eq.erased = true;
}

/// The only maker of what is narrowed narrows it.
static bool foldNarrowing(RaiseGraph &graph, Equation &eq, Operation *cast,
                          Uses &uses) {
  Access source = eq.inputs.front();
  Root &root = graph.roots[source.root];
  if (!root.equation || root.isPinned() || uses[source.root].size() != 1 ||
      source.at.size() != eq.ranks.size())
    return false;
  // Each digit is one rank.
  llvm::SmallDenseSet<unsigned> seen;
  for (AffineExpr expr : source.at) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim || !seen.insert(dim.getPosition()).second)
      return false;
  }
  Equation &producer = graph.equations[*root.equation];
  Type type = cast->getResult(0).getType();
  if (producer.reduce && !producer.finish) {
    producer.finish =
        Body(cast->getOperand(0).getType(), producer.ranks.size(), eq.loc);
    OpBuilder b = producer.finish.atEnd();
    YieldOp::create(b, eq.loc, ValueRange{producer.finish.scalar(0)});
  }
  Body &body = producer.finish ? producer.finish : producer.map;
  OpBuilder b(body.block().getTerminator());
  Operation *narrowed = b.clone(*cast);
  narrowed->setOperand(0, body.yielded());
  body.block().getTerminator()->setOperand(0, narrowed->getResult(0));

  // The producer makes what the cast made, in its order of digits.
  SmallVector<unsigned, 6> result;
  for (unsigned rank : eq.result)
    for (auto [digit, expr] : llvm::enumerate(source.at))
      if (::llvm::cast<AffineDimExpr>(expr).getPosition() == rank)
        result.push_back(producer.result[digit]);
  producer.result = result;
  graph.roots[eq.root].equation = *root.equation;
  graph.roots[eq.root].element = type;
  producer.root = eq.root;
  eq.into = *root.equation;
  eq.erased = true;
  return true;
}

void transfusion::raise::foldCasts(RaiseGraph &graph) {
  Uses uses = findUses(graph);
  for (Equation &eq : graph.equations) {
    Operation *cast = castOf(eq);
    if (!cast)
      continue;
    if (isa<arith::ExtFOp>(cast)) {
      if (digitOfRank(eq, Exprs(eq.result.size(),
                                getAffineConstantExpr(0, eq.loc.getContext()))))
        foldWidening(graph, eq, cast, uses);
    } else {
      foldNarrowing(graph, eq, cast, uses);
    }
  }
}

//===----------------------------------------------------------------------===//
// Bias
//===----------------------------------------------------------------------===//

static bool lacksRank(const Equation &eq, const Access &access) {
  for (unsigned rank = 0; rank < eq.ranks.size(); ++rank)
    if (llvm::none_of(access.at, [&](AffineExpr expr) {
          return expr.isFunctionOfDim(rank);
        }))
      return true;
  return false;
}

void transfusion::raise::foldBias(RaiseGraph &graph) {
  Uses uses = findUses(graph);
  for (Equation &eq : graph.equations) {
    if (eq.erased || eq.reduce || eq.finish || eq.piece ||
        eq.inputs.size() != 2)
      continue;
    Block &block = eq.map.block();
    auto add = dyn_cast<arith::AddFOp>(block.front());
    if (!add || block.getOperations().size() != 2 ||
        add.getLhs() == add.getRhs() || add.getLhs().getDefiningOp() ||
        add.getRhs().getDefiningOp() || eq.map.yielded() != add.getResult())
      continue;
    for (unsigned sum : {0u, 1u}) {
      Access source = eq.inputs[sum], bias = eq.inputs[1 - sum];
      Root &root = graph.roots[source.root];
      if (!root.equation || root.isPinned() || uses[source.root].size() != 1 ||
          root.element != graph.roots[eq.root].element ||
          graph.roots[bias.root].equation ||
          source.at.size() != eq.ranks.size() || !lacksRank(eq, bias))
        continue;
      Equation &producer = graph.equations[*root.equation];
      if (producer.reduce != einsum::ReduceKind::Add || producer.finish ||
          producer.inputs.size() < 2)
        continue;
      // Ranks of the addition as ranks of the sum.
      SmallVector<AffineExpr> ofRank(eq.ranks.size());
      SmallVector<unsigned> rankOf(eq.ranks.size(), ~0u);
      for (auto [digit, expr] : llvm::enumerate(source.at))
        if (auto dim = dyn_cast<AffineDimExpr>(expr)) {
          rankOf[dim.getPosition()] = producer.result[digit];
          ofRank[dim.getPosition()] =
              getAffineDimExpr(producer.result[digit], eq.loc.getContext());
        }
      if (llvm::is_contained(rankOf, ~0u))
        continue;
      producer.finish = Body({root.element, graph.roots[bias.root].element},
                             producer.ranks.size(), eq.loc);
      OpBuilder b = producer.finish.atEnd();
      Value value = arith::AddFOp::create(b, eq.loc, producer.finish.scalar(0),
                                          producer.finish.scalar(1));
      YieldOp::create(b, eq.loc, value);
      for (AffineExpr &expr : bias.at)
        expr = expr.replaceDims(ofRank);
      producer.finishInputs.push_back(bias);
      SmallVector<unsigned, 6> result;
      for (unsigned rank : eq.result)
        result.push_back(rankOf[rank]);
      producer.result = result;
      graph.roots[eq.root].equation = *root.equation;
      producer.root = eq.root;
      eq.into = *root.equation;
      eq.erased = true;
      break;
    }
  }
}
