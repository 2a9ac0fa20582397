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
#include "transfusion/Dialect/Einsum/IR/Einsum.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace transfusion::einsum;

#include "transfusion/Dialect/Einsum/IR/EinsumDialect.cpp.inc"
#include "transfusion/Dialect/Einsum/IR/EinsumEnums.cpp.inc"
#include "transfusion/Dialect/Einsum/IR/EinsumInterfaces.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "transfusion/Dialect/Einsum/IR/EinsumAttrs.cpp.inc"

void EinsumDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "transfusion/Dialect/Einsum/IR/EinsumAttrs.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "transfusion/Dialect/Einsum/IR/EinsumOps.cpp.inc"
      >();
}
