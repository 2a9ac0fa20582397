//===- transfusion-test-opt.cpp - The optimizer with test passes ----------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "transfusion/Pipelines/Registration.h"

namespace transfusion::test {
void registerCascadeFingerprintPass();
void registerPerturbLinalgPass();
void registerCountTrafficPasses();
void registerRandomTilingPass();
} // namespace transfusion::test

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  transfusion::registerToolDialects(registry);
  transfusion::registerToolPasses();
  transfusion::test::registerCascadeFingerprintPass();
  transfusion::test::registerPerturbLinalgPass();
  transfusion::test::registerCountTrafficPasses();
  transfusion::test::registerRandomTilingPass();
  return mlir::asMainReturnCode(mlir::MlirOptMain(
      argc, argv, "TransFusion optimizer driver with test passes\n", registry));
}
