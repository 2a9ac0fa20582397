//===- Sched.h - The sched dialect ------------------------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_DIALECT_SCHED_IR_SCHED_H
#define TRANSFUSION_DIALECT_SCHED_IR_SCHED_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "transfusion/Dialect/Sched/IR/SchedDialect.h.inc"
#include "transfusion/Dialect/Sched/IR/SchedEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "transfusion/Dialect/Sched/IR/SchedAttrs.h.inc"

#define GET_OP_CLASSES
#include "transfusion/Dialect/Sched/IR/SchedOps.h.inc"

#endif // TRANSFUSION_DIALECT_SCHED_IR_SCHED_H
