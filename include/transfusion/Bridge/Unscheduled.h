//===- Unscheduled.h - What no schedule of a function covers ----*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A schedule covers the cascades of a function. An op that could not be raised
// stays beside them, is not scheduled and not costed, and every output of the
// schedule says so: a latency without this line would be a silent zero.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_BRIDGE_UNSCHEDULED_H
#define TRANSFUSION_BRIDGE_UNSCHEDULED_H

#include "mlir/Interfaces/FunctionInterfaces.h"

#include <string>
#include <vector>

namespace transfusion {

/// Ops of the function's body that are neither cascades, nor constants, nor
/// mere storage, nor the terminator; what stands in their regions belongs to
/// them.
llvm::SmallVector<mlir::Operation *>
unscheduledOps(mlir::FunctionOpInterface function);

struct UnscheduledOp {
  std::string name;  ///< of the op: "tensor.gather"
  std::string place; ///< file:line:col, where known
};
std::vector<UnscheduledOp>
describeUnscheduled(mlir::FunctionOpInterface function);

/// A warning at each.
void warnOfUnscheduled(mlir::FunctionOpInterface function);

} // namespace transfusion

#endif // TRANSFUSION_BRIDGE_UNSCHEDULED_H
