//===- OpClasses.h - Which class a scalar op belongs to ---------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bodies become histograms of op classes by one table (OpClasses.cpp):
//
//   mac   mulf muli fma; a division by a constant
//   add   addf subf negf addi subi; bitwise ops and shifts; floor ceil round
//   max   maximumf minimumf maxnumf minnumf maxsi ...; cmpf cmpi select; absf
//   div   divf divsi divui ...
//   exp rsqrt sqrt log sin cos tanh erf   the function of that name
//   several   exp2 = exp; expm1 log1p erfc = the function + add; powf = log +
//             mac + exp, as powers of integers are; sinh cosh = exp + div +
//             add + mac; clampf = 2 max; tan = sin + cos + div; remf = div +
//             mac; ...
//   none  constants, casts, einsum.index, einsum.yield
//
// A reduction adds one op per point: add for a sum, max for max and min, mac
// for a product; and and or are adds. A sum of products is one mac: the add of
// the reduction is part of it. An Einsum that only moves values is one copy.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_BRIDGE_OPCLASSES_H
#define TRANSFUSION_BRIDGE_OPCLASSES_H

#include "transfusion/Core/Model/Cascade.h"
#include "transfusion/Dialect/Einsum/IR/Einsum.h"

namespace transfusion {

/// Whether the table has a row for ops of this name.
bool hasOpClass(mlir::OperationName name);

/// Ops of one body. Fails, with an error at the op, where it is in no class.
mlir::FailureOr<core::OpHistogram> classifyBody(mlir::Region &body);

/// Sets pointOps, finishOps and hasFinish of `to`.
mlir::LogicalResult classifyEinsum(einsum::MapReduceOp op, core::Einsum &to);

} // namespace transfusion

#endif // TRANSFUSION_BRIDGE_OPCLASSES_H
