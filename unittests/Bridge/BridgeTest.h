//===- BridgeTest.h - Modules for tests of the bridge -----------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_UNITTESTS_BRIDGE_BRIDGETEST_H
#define TRANSFUSION_UNITTESTS_BRIDGE_BRIDGETEST_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "transfusion/Bridge/ImportSchedule.h"
#include "transfusion/Pipelines/Registration.h"

#include <gtest/gtest.h>

namespace transfusion::test {

class BridgeTest : public ::testing::Test {
protected:
  BridgeTest() {
    static bool registered = [] {
      registerToolPasses();
      return true;
    }();
    (void)registered;
    mlir::DialectRegistry registry;
    registerToolDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// An example after some passes, "dpipe,tileseek{evaluations=8}".
  mlir::OwningOpRef<mlir::ModuleOp> example(const std::string &name,
                                            const std::string &passes) {
    auto module = mlir::parseSourceFile<mlir::ModuleOp>(
        TRANSFUSION_SOURCE_DIR "/examples/" + name + ".mlir", &context);
    auto pipeline = mlir::parsePassPipeline("builtin.module(" + passes + ")");
    mlir::PassManager pm(&context);
    if (!module || failed(pipeline))
      return nullptr;
    static_cast<mlir::OpPassManager &>(pm) = std::move(*pipeline);
    return succeeded(pm.run(*module)) ? std::move(module) : nullptr;
  }

  mlir::FunctionOpInterface functionOf(mlir::ModuleOp module) {
    return mlir::cast<mlir::FunctionOpInterface>(
        (*module.getOps<mlir::func::FuncOp>().begin()).getOperation());
  }

  mlir::MLIRContext context;
};

} // namespace transfusion::test

#endif // TRANSFUSION_UNITTESTS_BRIDGE_BRIDGETEST_H
