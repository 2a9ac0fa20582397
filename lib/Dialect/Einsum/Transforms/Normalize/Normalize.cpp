//===- Normalize.cpp - --einsum-normalize ---------------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "EquationOrder.h"
#include "Import.h"
#include "Jumps.h"
#include "Materialize.h"
#include "Pieces.h"
#include "Plan.h"
#include "RankRoles.h"
#include "RecognizeAttention.h"
#include "Roles.h"
#include "UnitRanks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "transfusion/Dialect/Einsum/Transforms/Passes.h"
#include "transfusion/Dialect/Einsum/Transforms/ReportPasses.h"
#include "llvm/ADT/SetVector.h"

namespace transfusion::einsum {
#define GEN_PASS_DEF_EINSUMNORMALIZEPASS
#include "transfusion/Dialect/Einsum/Transforms/Passes.h.inc"
} // namespace transfusion::einsum

using namespace mlir;
using namespace transfusion::einsum;
using namespace transfusion::einsum::normal;

namespace {
struct NormalizePass
    : transfusion::einsum::impl::EinsumNormalizePassBase<NormalizePass> {
  using EinsumNormalizePassBase::EinsumNormalizePassBase;

  void runOnOperation() override;

  /// Replaces the cascades; says what is worth saying about the first round.
  void normalize(SmallVector<CascadeOp> &cascades, bool isFirst);
  /// What is said about each cascade in the end.
  std::vector<std::vector<std::string>> notes;

  /// Says what is gone because nothing reads it.
  void remarkDead(CascadeOp cascade, const Imported &imported,
                  const Plan &plan);
};
} // namespace

void NormalizePass::remarkDead(CascadeOp cascade, const Imported &imported,
                               const Plan &plan) {
  // What the results are reached from, as the cascade was written.
  llvm::DenseSet<Operation *> live; // asked, never walked
  SmallVector<Operation *> stack = {cascade.getYield()};
  while (!stack.empty()) {
    Operation *op = stack.pop_back_val();
    for (Value operand : op->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        if (producer->getBlock() == &cascade.getBody().front() &&
            live.insert(producer).second)
          stack.push_back(producer);
  }
  for (auto einsum : cascade.getBody().front().getOps<MapReduceOp>())
    if (!live.contains(einsum))
      emitRemark(einsum.getLoc()) << "'" << einsum.getEinsumName()
                                  << "' is removed: no result depends on it";
}

void NormalizePass::normalize(SmallVector<CascadeOp> &cascades, bool isFirst) {
  PieceKinds kinds = getPieceKinds();
  SmallVector<Rule> rules = getRules();
  // Everything else is decided before anything is written.
  std::vector<Imported> imports;
  std::vector<Plan> plans;
  EinsumRoles roles;
  JumpFronts fronts(cascades);
  for (CascadeOp cascade : cascades) {
    imports.push_back(importCascade(cascade, fronts));
    Imported &imported = imports.back();
    rewrite(imported.graph, imported.roots(), rules);
    std::vector<std::string> found;
    if (onePass)
      found = recognizeAttention(imported);
    plans.push_back(makePlan(imported, kinds));
    plans.back().inFront = nodesInFront(imported, cascade, fronts);
    roles.add(imported, plans.back(), kinds);
    if (!isFirst)
      continue;
    notes.push_back(found);
    remarkDead(cascade, imported, plans.back());
  }
  // All cascades stay until all are written: one may read another.
  SmallVector<CascadeOp> replacements;
  for (auto [i, cascade] : llvm::enumerate(cascades)) {
    roles.enter(i);
    OpBuilder builder(cascade);
    CascadeBuilder made(builder, cascade.getLoc(), cascade.getResultTypes());
    RankRoles rankRoles(imports[i], plans[i]);
    Materializer materializer(imports[i], plans[i], kinds, roles, rankRoles,
                              made);
    SmallVector<Value> results = materializer.run();
    replacements.push_back(made.finish(results));
  }
  for (auto [cascade, replacement] : llvm::zip_equal(cascades, replacements))
    cascade.replaceAllUsesWith(replacement.getResults());
  for (auto [cascade, replacement] : llvm::zip_equal(cascades, replacements)) {
    orderEquations(replacement);
    // Constants that are indices now are read no longer.
    llvm::SetVector<Operation *> constants;
    for (auto einsum : cascade.getBody().front().getOps<MapReduceOp>())
      for (Value operand : einsum->getOperands())
        if (matchPattern(operand, m_Constant()))
          constants.insert(operand.getDefiningOp());
    cascade.erase();
    for (Operation *constant : constants)
      if (constant->use_empty())
        constant->erase();
  }
  cascades = std::move(replacements);
}

/// Of this function alone: others are being rewritten by other threads.
static std::string textOf(Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  op->print(os, OpPrintingFlags()
                    .elideLargeElementsAttrs()
                    .useLocalScope()
                    .assumeVerified());
  return text;
}

void NormalizePass::runOnOperation() {
  SmallVector<CascadeOp> cascades;
  getOperation().walk([&](CascadeOp cascade) { cascades.push_back(cascade); });
  if (cascades.empty())
    return;
  llvm::for_each(cascades, dropUnitRanks);
  notes.clear();
  // Orders and names depend on what an equation is made from, and that is
  // another thing once an attention is written (its Einsums stay) than while it
  // is a piece. So the text is normalised until it stays, which it does after
  // one round or two, and is seen one round later.
  constexpr int kMostRounds = 4;
  std::string text;
  for (int round = 0; round < kMostRounds; ++round) {
    std::string before = std::move(text);
    normalize(cascades, /*isFirst=*/round == 0);
    text = textOf(getOperation());
    if (text == before)
      break;
  }
  if (!reportPasses)
    return;
  for (auto [cascade, found] : llvm::zip_equal(cascades, notes)) {
    remarkPasses(cascade);
    for (const std::string &note : found)
      emitRemark(cascade.getLoc()) << note;
  }
}
