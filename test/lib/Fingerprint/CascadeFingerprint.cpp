//===- CascadeFingerprint.cpp - Prints canonical forms --------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "FormGraph.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace transfusion;
using namespace transfusion::test;

namespace {
struct CascadeFingerprintPass
    : PassWrapper<CascadeFingerprintPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CascadeFingerprintPass)
  CascadeFingerprintPass() = default;
  CascadeFingerprintPass(const CascadeFingerprintPass &other)
      : PassWrapper(other) {}
  StringRef getArgument() const final { return "test-cascade-fingerprint"; }
  StringRef getDescription() const final {
    return "print each function's cascades without names and order";
  }
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.isExternal())
        continue;
      llvm::outs() << "form @" << function.getSymName() << "\n";
      printForm(makeFormGraph(function), arguments, names, llvm::outs());
    }
  }

  Option<ArgumentMaps> arguments{
      *this, "arguments",
      llvm::cl::desc("how accesses of arguments are compared"),
      llvm::cl::init(ArgumentMaps::Exact),
      llvm::cl::values(
          clEnumValN(ArgumentMaps::Exact, "exact", "dimension by dimension"),
          clEnumValN(ArgumentMaps::Layout, "layout", "as a set of ranks"))};
  Option<bool> names{*this, "names", llvm::cl::init(false),
                     llvm::cl::desc("names in place of numbers, to read")};
};
} // namespace

namespace transfusion::test {
void registerCascadeFingerprintPass() {
  PassRegistration<CascadeFingerprintPass>();
}
} // namespace transfusion::test
