//===- EinsumDialect.cpp - The einsum dialect -----------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Transforms/InliningUtils.h"
#include "transfusion/Dialect/Einsum/IR/Einsum.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace transfusion::einsum;

#include "transfusion/Dialect/Einsum/IR/EinsumDialect.cpp.inc"
#include "transfusion/Dialect/Einsum/IR/EinsumEnums.cpp.inc"
#include "transfusion/Dialect/Einsum/IR/EinsumInterfaces.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "transfusion/Dialect/Einsum/IR/EinsumAttrs.cpp.inc"

namespace {
/// A layer may be called like any function, and inlined: all ops are pure.
struct EinsumInliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;

  bool isLegalToInline(Operation *op, Region *dest, bool,
                       IRMapping &) const override {
    auto cascade = dyn_cast<CascadeOp>(op);
    auto function = dest->getParentOfType<FunctionOpInterface>();
    return !cascade || !function || !shareNames(cascade, function);
  }
  bool isLegalToInline(Region *, Region *, bool, IRMapping &) const override {
    return true;
  }
  bool shouldAnalyzeRecursively(Operation *) const override { return false; }

private:
  /// Einsums have names, which are unique in a function: a schedule refers to
  /// them.
  static bool shareNames(CascadeOp cascade, FunctionOpInterface function) {
    llvm::StringSet<> taken;
    function->walk([&](MapReduceOp op) { taken.insert(op.getEinsumName()); });
    return llvm::any_of(
        cascade.getBody().getOps<MapReduceOp>(),
        [&](MapReduceOp op) { return taken.contains(op.getEinsumName()); });
  }
};
} // namespace

void EinsumDialect::initialize() {
  addInterfaces<EinsumInliner>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "transfusion/Dialect/Einsum/IR/EinsumAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "transfusion/Dialect/Einsum/IR/EinsumOps.cpp.inc"
      >();
}
