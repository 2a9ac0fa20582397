//===- LinalgToEinsum.cpp - Exported layers become cascades ---------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AppendRoom.h"
#include "RaiseBlock.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "transfusion/Conversion/Passes.h"

namespace transfusion {
#define GEN_PASS_DEF_LINALGTOEINSUMPASS
#include "transfusion/Conversion/Passes.h.inc"
} // namespace transfusion

using namespace mlir;
using namespace transfusion;
using namespace transfusion::raise;

/// Blocks whose ops are raised: not the bodies of what becomes an Einsum.
static void collectBlocks(Operation *op, SmallVectorImpl<Block *> &blocks) {
  for (Region &region : op->getRegions())
    for (Block &block : region) {
      blocks.push_back(&block);
      for (Operation &inner : block)
        if (!isRaisableKind(&inner) && !isa<einsum::CascadeOp>(inner) &&
            !isa<linalg::LinalgOp>(inner))
          collectBlocks(&inner, blocks);
    }
}

/// Regions that are no blocks of their own.
static int64_t countInner(Operation *op) {
  int64_t count = -1;
  op->walk([&](Operation *) { ++count; });
  return count;
}

namespace {
struct LinalgToEinsum
    : transfusion::impl::LinalgToEinsumPassBase<LinalgToEinsum> {
  using LinalgToEinsumPassBase::LinalgToEinsumPassBase;

  /// False after an error.
  bool check(const BlockPlan &plan) {
    bool good = true;
    for (const BlockPlan::Entry &entry : plan.entries) {
      if (entry.reason.empty())
        continue;
      good &= allowUnraised.getValue();
      // At its place, without its text: a loop may hold the whole layer.
      InFlightDiagnostic diag = allowUnraised ? emitWarning(entry.op->getLoc())
                                              : emitError(entry.op->getLoc());
      diag << "'" << entry.op->getName() << "' op cannot be raised to an "
           << "Einsum: " << entry.reason;
      if (allowUnraised)
        diag << "; it stays, and is neither scheduled nor costed";
      else
        diag.attachNote() << "with allow-unraised=true it would stay where it "
                             "is, between cascades";
    }
    return good;
  }

  /// False after an error: an argument is said to have room for what nobody
  /// puts there.
  static bool checkRooms(FunctionOpInterface function) {
    bool good = true;
    for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i) {
      FoundRoom found = findRoom(function, i);
      if (found.whyNot.empty())
        continue;
      good = false;
      auto append = function.getArgAttrOfType<einsum::AppendAttr>(
          i, einsum::AppendAttr::kArgument);
      InFlightDiagnostic diag =
          emitError(found.where->getLoc())
          << "'" << function->getName() << "' op says that argument #" << i
          << " is the beginning of result #" << append.getResult() << ", but "
          << found.whyNot;
      diag.attachNote(function.getLoc())
          << "return the argument with new rows behind it (a concat of it and "
             "them), or drop `einsum.append`";
    }
    return good;
  }

  void runOnOperation() override {
    // Nothing is changed before all is known to succeed.
    struct Function {
      Operation *op;
      SmallVector<Block *> blocks;
    };
    SmallVector<Function> functions;
    bool good = true;
    for (Operation &op : *getOperation().getBody()) {
      Function function{&op, {}};
      if (auto named = dyn_cast<FunctionOpInterface>(op))
        good &= checkRooms(named);
      collectBlocks(&op, function.blocks);
      for (Block *block : function.blocks)
        good &= check(BlockPlan(*block));
      functions.push_back(std::move(function));
    }
    if (!good)
      return signalPassFailure();

    SmallVector<FunctionReport, 0> reports;
    FunctionReport &file = reports.emplace_back();
    file.name = "(file)";
    file.add(makeEntry(getOperation(), "kept"));
    for (Function &function : functions) {
      auto named = dyn_cast<SymbolOpInterface>(function.op);
      FunctionReport report;
      report.name = named ? "@" + named.getName().str()
                          : function.op->getName().getStringRef().str();
      report.add(makeEntry(function.op, "kept"));
      EinsumNames names(function.op);
      for (Block *block : function.blocks) {
        for (Operation &op : *block)
          if (isa<einsum::CascadeOp>(op) ||
              (isa<linalg::LinalgOp>(op) && !isRaisableKind(&op)))
            report.addBody(countInner(&op));
        ExpandedOps expanded = expandOps(*block, BlockPlan(*block));
        if (expanded.failed) {
          expanded.failed->emitOpError(
              "is of a form that upstream does not decompose; write it in "
              "linalg.generic and views of tensor");
          return signalPassFailure();
        }
        BlockPlan plan(*block);
        // Ops that are left have bodies as well.
        for (const BlockPlan::Entry &entry : plan.entries)
          if (!entry.raised && isRaisableKind(entry.op))
            report.addBody(countInner(entry.op));
        raiseBlock(*block, plan, expanded, names, report);
      }
      reports.push_back(std::move(report));
    }
    if (raiseReport == RaiseReport::Text)
      printText(llvm::errs(), reports);
    else if (raiseReport == RaiseReport::Json)
      printJson(llvm::errs(), reports);
  }
};
} // namespace
