//===- SchedDialect.cpp - The sched dialect -------------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transfusion/Dialect/Sched/IR/Sched.h"

using namespace mlir;
using namespace transfusion::sched;

#include "transfusion/Dialect/Sched/IR/SchedDialect.cpp.inc"
#include "transfusion/Dialect/Sched/IR/SchedEnums.cpp.inc"

void SchedDialect::initialize() {
  registerAttributes();
  addOperations<
#define GET_OP_LIST
#include "transfusion/Dialect/Sched/IR/SchedOps.cpp.inc"
      >();
}
