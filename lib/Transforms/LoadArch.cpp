//===- LoadArch.cpp - Put a machine into the module -----------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transfusion/Bridge/ArchFiles.h"
#include "transfusion/Bridge/Diagnostics.h"
#include "transfusion/Transforms/Passes.h"

namespace transfusion {
#define GEN_PASS_DEF_LOADARCHPASS
#include "transfusion/Transforms/Passes.h.inc"
} // namespace transfusion

using namespace mlir;
using namespace transfusion;

namespace {
struct LoadArchPass : transfusion::impl::LoadArchPassBase<LoadArchPass> {
  using LoadArchPassBase::LoadArchPassBase;

  /// `--load-arch=edge` is `--load-arch=arch=edge`.
  LogicalResult initializeOptions(
      StringRef options,
      function_ref<LogicalResult(const Twine &)> errorHandler) override {
    options = options.trim();
    if (options.empty() || options.starts_with("arch="))
      return LoadArchPassBase::initializeOptions(options, errorHandler);
    return LoadArchPassBase::initializeOptions("arch=" + options.str(),
                                               errorHandler);
  }

  void runOnOperation() override {
    if (failed(load(getOperation())))
      signalPassFailure();
  }

private:
  LogicalResult load(ModuleOp module);
};
} // namespace

LogicalResult LoadArchPass::load(ModuleOp module) {
  for (auto op : module.getOps<sched::ArchOp>())
    return emitError(op.getLoc())
           << "'sched.arch' op is in the module already; --load-arch would add "
              "a second one; leave out --load-arch, or erase it";
  FailureOr<std::string> file = findArchFile(module.getLoc(), arch);
  if (failed(file))
    return failure();
  OpBuilder builder = OpBuilder::atBlockBegin(module.getBody());
  FailureOr<sched::ArchOp> made = readArchFile(builder, *file);
  if (failed(made))
    return failure();
  if (failed(verifyArch(*made, importArch(*made)))) {
    made->erase();
    return failure();
  }
  for (Operation &other : *module.getBody()) {
    auto symbol = dyn_cast<SymbolOpInterface>(other);
    if (!symbol || &other == *made || symbol.getName() != made->getSymName())
      continue;
    InFlightDiagnostic diag = emitError(other.getLoc())
                              << "'" << other.getName()
                              << "' op has the name of the machine, @"
                              << symbol.getName();
    diag.attachNote() << "rename one of them";
    made->erase();
    return diag;
  }
  return success();
}
