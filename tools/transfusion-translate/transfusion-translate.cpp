//===- transfusion-translate.cpp ------------------------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "transfusion/Target/Translations.h"

int main(int argc, char **argv) {
  transfusion::registerTransFusionTranslations();
  return mlir::asMainReturnCode(
      mlir::mlirTranslateMain(argc, argv, "TransFusion translation driver\n"));
}
