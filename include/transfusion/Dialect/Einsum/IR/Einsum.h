//===- Einsum.h - The einsum dialect ---------------------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_DIALECT_EINSUM_IR_EINSUM_H
#define TRANSFUSION_DIALECT_EINSUM_IR_EINSUM_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/AffineMap.h"
#include "mlir/IR/Attributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/IntegerSet.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "transfusion/Dialect/Einsum/IR/EinsumDialect.h.inc"
#include "transfusion/Dialect/Einsum/IR/EinsumEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "transfusion/Dialect/Einsum/IR/EinsumAttrs.h.inc"
#include "transfusion/Dialect/Einsum/IR/EinsumInterfaces.h.inc"
#define GET_OP_CLASSES
#include "transfusion/Dialect/Einsum/IR/EinsumOps.h.inc"

#endif // TRANSFUSION_DIALECT_EINSUM_IR_EINSUM_H
