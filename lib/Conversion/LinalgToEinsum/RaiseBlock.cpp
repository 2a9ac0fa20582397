//===- RaiseBlock.cpp - Raising the ops of one block ----------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RaiseBlock.h"
#include "Emit.h"
#include "GraphBuilder.h"
#include "Simplify.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace transfusion::raise;

EinsumNames::EinsumNames(Operation *function) {
  function->walk([&](einsum::MapReduceOp op) { used[op.getEinsumName()] = 1; });
}

std::string EinsumNames::get(StringRef base) {
  std::string name;
  do
    name = (base + Twine(++used[base])).str();
  while (used.contains(name));
  return name;
}

namespace {
class BlockRaiser {
public:
  BlockRaiser(Block &block, const BlockPlan &plan, const ExpandedOps &expanded,
              EinsumNames &names, FunctionReport &report)
      : block(block), plan(plan), expanded(expanded), names(names),
        report(report), ranks(liveOps(plan)) {}
  void run();

private:
  static SmallVector<Operation *> liveOps(const BlockPlan &plan);
  void build();
  void chooseYields();
  void addEntries();
  ReportEntry entryOf(const BlockPlan::Entry &entry);
  void addWhole(const ExpandedOp &whole, ReportEntry &entry);
  void emit();
  void eraseRaised();

  Block &block;
  const BlockPlan &plan;
  const ExpandedOps &expanded;
  EinsumNames &names;
  FunctionReport &report;
  Ranks ranks;
  SmallVector<std::unique_ptr<GraphBuilder>> levels;
};
} // namespace

SmallVector<Operation *> BlockRaiser::liveOps(const BlockPlan &plan) {
  SmallVector<Operation *> result;
  for (const BlockPlan::Entry &entry : plan.entries)
    if (entry.raised && plan.isLive(entry.op))
      result.push_back(entry.op);
  return result;
}

void BlockRaiser::build() {
  for (int level = 0; level < plan.numLevels; ++level) {
    levels.push_back(std::make_unique<GraphBuilder>(
        plan, ranks, level, block.getParentOp()->getContext()));
    for (const BlockPlan::Entry &entry : plan.entries)
      if (entry.raised && entry.level == level && plan.isLive(entry.op))
        levels.back()->raise(entry.op);
  }
}

/// Storage and constants that a foreign op reads stay where they are.
static bool staysForForeign(Operation *op) {
  return isa<tensor::EmptyOp, arith::ConstantOp>(op);
}

void BlockRaiser::chooseYields() {
  for (int level = plan.numLevels - 1; level >= 0; --level) {
    GraphBuilder &builder = *levels[level];
    for (const BlockPlan::Entry &entry : plan.entries) {
      if (!entry.raised || entry.level != level || staysForForeign(entry.op))
        continue;
      for (Value result : entry.op->getResults())
        if (plan.isLive(result) && plan.isReadByForeign(result))
          builder.yield(result);
    }
    for (unsigned i = 0; i < builder.demanded.size(); ++i) {
      Value value = builder.demanded[i];
      levels[plan.find(value.getDefiningOp())->level]->yield(value);
    }
  }
}

//===----------------------------------------------------------------------===//
// Report
//===----------------------------------------------------------------------===//

ReportEntry BlockRaiser::entryOf(const BlockPlan::Entry &entry) {
  Operation *op = entry.op;
  if (!entry.raised) {
    ReportEntry result = makeEntry(op, entry.reason.empty() ? "kept" : "left");
    if (op->hasTrait<OpTrait::ConstantLike>())
      result.fate = "constant";
    result.note = entry.reason;
    return result;
  }
  ReportEntry result = makeEntry(op, "dead");
  if (isa<tensor::EmptyOp>(op))
    result.fate = "init";
  if (!plan.isLive(op)) {
    // What only gives a shape to its reader.
    bool isInit =
        !op->use_empty() && llvm::all_of(op->getUses(), [&](OpOperand &use) {
          auto user = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
          return user && user.isDpsInit(&use) && plan.isRaised(use.getOwner());
        });
    if (isInit)
      result.fate = "init";
    return result;
  }
  GraphBuilder &builder = *levels[entry.level];
  for (OpResult value : op->getResults()) {
    if (!plan.isLive(value)) {
      if (!result.note.empty())
        result.note += "; ";
      result.note += "result #" + std::to_string(value.getResultNumber()) +
                     " is dead: removed";
      continue;
    }
    auto fate = builder.fates.find(value);
    if (fate == builder.fates.end())
      continue;
    switch (fate->second) {
    case Fate::View:
      result.fate = "view";
      break;
    case Fate::Constant:
      result.fate = "constant";
      break;
    case Fate::Undefined:
      result.fate = "init";
      break;
    case Fate::Folded:
      result.fate = "folded";
      break;
    case Fate::Equation:
      result.fate = "einsum";
      break;
    }
  }
  if (llvm::any_of(op->getResultTypes(), [](Type type) {
        return getElementTypeOrSelf(type).isF64();
      }))
    result.note += std::string(result.note.empty() ? "" : "; ") +
                   "f64 is f32 in the cascade";
  auto made = builder.made.find(op);
  if (made == builder.made.end())
    return result;
  bool allCopies = true, allErased = true;
  for (unsigned number : made->second) {
    const Equation *eq = &builder.graph.equations[number];
    allErased &= eq->erased;
    allCopies &= eq->isCopy;
    while (eq->erased && eq->into >= 0)
      eq = &builder.graph.equations[eq->into];
    if (!eq->erased)
      result.einsums.push_back(eq->name);
  }
  if (allErased) {
    result.fate = "folded";
    if (result.einsums.empty())
      result.note +=
          std::string(result.note.empty() ? "" : "; ") + "done by its readers";
  } else {
    result.fate = allCopies ? "copy" : "einsum";
  }
  return result;
}

/// The entry of an op of the program, from that of the last of its parts.
void BlockRaiser::addWhole(const ExpandedOp &whole, ReportEntry &entry) {
  entry.op = whole.name;
  std::vector<std::string> einsums;
  for (Operation *part : whole.parts)
    if (const BlockPlan::Entry *other = plan.find(part); other->raised)
      llvm::append_range(einsums, entryOf(*other).einsums);
  llvm::append_range(einsums, entry.einsums);
  entry.einsums.assign(einsums.begin(), einsums.end());
}

void BlockRaiser::addEntries() {
  for (const ReportEntry &gone : expanded.gone)
    report.add(gone);
  report.addBody(expanded.goneInner);
  for (const BlockPlan::Entry &entry : plan.entries) {
    if (expanded.wholeOf.contains(entry.op))
      continue;
    if (auto whole = expanded.whole.find(entry.op);
        whole != expanded.whole.end()) {
      report.addBody(whole->second.inner);
      ReportEntry made = entryOf(entry);
      addWhole(whole->second, made);
      report.add(std::move(made));
      continue;
    }
    // A function, and regions of foreign ops, are blocks of their own.
    if (entry.raised) {
      int64_t inner = -1;
      entry.op->walk([&](Operation *) { ++inner; });
      report.addBody(inner);
    }
    report.add(entryOf(entry));
  }
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

void BlockRaiser::emit() {
  SmallVector<Value> values;
  for (Value argument : block.getArguments())
    if (isa<RankedTensorType>(argument.getType()))
      values.push_back(argument);
  for (Operation *op : liveOps(plan))
    llvm::append_range(values, op->getResults());
  llvm::erase_if(values, [](Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return !type || !type.hasStaticShape();
  });
  RankNames rankNames(values, ranks);

  // Cascade k, then the foreign ops of level k.
  Operation *terminator =
      block.mightHaveTerminator() ? block.getTerminator() : nullptr;
  OpBuilder b = OpBuilder::atBlockEnd(&block);
  if (terminator)
    b.setInsertionPoint(terminator);
  SmallVector<std::pair<Value, Value>> replacements;
  for (int level = -1; level < plan.numLevels; ++level) {
    if (level >= 0 && !levels[level]->graph.yields.empty()) {
      RaiseGraph &graph = levels[level]->graph;
      Location loc = graph.yields.front().value.getLoc();
      for (const BlockPlan::Entry &entry : plan.entries)
        if (entry.raised && entry.level == level && plan.isLive(entry.op)) {
          loc = entry.op->getLoc();
          break;
        }
      auto cascade = emitCascade(b, loc, graph, rankNames);
      for (auto [yield, made] : llvm::zip(graph.yields, cascade.getResults()))
        replacements.push_back({yield.value, made});
    }
    for (const BlockPlan::Entry &entry : plan.entries)
      if (!entry.raised && entry.level == level && entry.op != terminator) {
        if (b.getInsertionPoint() == block.end())
          entry.op->moveBefore(&block, block.end());
        else
          entry.op->moveBefore(terminator);
      }
  }
  for (auto [value, made] : replacements)
    value.replaceAllUsesWith(made);
}

void BlockRaiser::eraseRaised() {
  for (const BlockPlan::Entry &entry : llvm::reverse(plan.entries)) {
    bool isSpent = entry.raised || entry.op->hasTrait<OpTrait::ConstantLike>();
    if (isSpent && entry.op->use_empty())
      entry.op->erase();
  }
}

void BlockRaiser::run() {
  build();
  chooseYields();
  for (auto &builder : levels) {
    RaiseGraph &graph = builder->graph;
    eraseUnread(graph);
    dropRepeatedRanks(graph);
    foldCasts(graph);
    foldBias(graph);
    eraseUnread(graph);
    assignOccurrences(graph);
    for (Equation &eq : graph.equations)
      if (!eq.erased)
        eq.name = names.get(eq.name);
  }
  addEntries();
  if (!llvm::any_of(plan.entries,
                    [](const BlockPlan::Entry &e) { return e.raised; }))
    return;
  emit();
  eraseRaised();
}

void transfusion::raise::raiseBlock(Block &block, const BlockPlan &plan,
                                    const ExpandedOps &expanded,
                                    EinsumNames &names,
                                    FunctionReport &report) {
  BlockRaiser(block, plan, expanded, names, report).run();
}
