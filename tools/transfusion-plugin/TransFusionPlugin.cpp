//===- TransFusionPlugin.cpp - Inside another mlir-opt --------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Either option of the host is enough for a file of linalg or TOSA; a file that
// holds einsum or sched ops needs --load-dialect-plugin, or it does not parse.
//
//===----------------------------------------------------------------------===//
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "transfusion/Dialect/Einsum/IR/Einsum.h"
#include "transfusion/Pipelines/Registration.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

/// A host that links TransFusion has another copy of what is here: registering
/// both would end it.
static void refuse() {
  llvm::errs() << "warning: TransFusionPlugin registers nothing: this tool has "
                  "TransFusion built in\n";
}

static void registerPassesOnce() {
  static bool done = false;
  if (done)
    return;
  done = true;
  if (PassInfo::lookup("dpipe"))
    return refuse();
  transfusion::registerPassesAndPipelines();
}

static void registerDialects(DialectRegistry *registry) {
  if (registry->getDialectAllocator(
          transfusion::einsum::EinsumDialect::getDialectNamespace()))
    return refuse();
  transfusion::registerToolDialects(*registry);
  registerPassesOnce();
}

extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo
mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "TransFusion", LLVM_VERSION_STRING,
          registerDialects};
}

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "TransFusion", LLVM_VERSION_STRING,
          registerPassesOnce};
}
