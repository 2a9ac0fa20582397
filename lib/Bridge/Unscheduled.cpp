//===- Unscheduled.cpp - What no schedule of a function covers ------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transfusion/Bridge/Unscheduled.h"
#include "transfusion/Dialect/Einsum/IR/Einsum.h"

using namespace mlir;
using namespace transfusion;

/// An op of the tensor dialect without operands only gives a shape; Bridge does
/// not link that dialect.
static bool isStorage(Operation &op) {
  return op.getName().getStringRef() == "tensor.empty";
}

SmallVector<Operation *>
transfusion::unscheduledOps(FunctionOpInterface function) {
  SmallVector<Operation *> ops;
  if (function.isExternal())
    return ops;
  for (Block &block : function.getFunctionBody())
    for (Operation &op : block)
      if (!isa_and_nonnull<einsum::EinsumDialect>(op.getDialect()) &&
          !op.hasTrait<OpTrait::ConstantLike>() &&
          !op.hasTrait<OpTrait::IsTerminator>() && !isStorage(op))
        ops.push_back(&op);
  return ops;
}

std::vector<UnscheduledOp>
transfusion::describeUnscheduled(FunctionOpInterface function) {
  std::vector<UnscheduledOp> result;
  for (Operation *op : unscheduledOps(function)) {
    UnscheduledOp &one = result.emplace_back();
    one.name = op->getName().getStringRef().str();
    if (auto loc = op->getLoc()->findInstanceOf<FileLineColLoc>())
      one.place = (loc.getFilename().getValue() + ":" + Twine(loc.getLine()) +
                   ":" + Twine(loc.getColumn()))
                      .str();
  }
  return result;
}

void transfusion::warnOfUnscheduled(FunctionOpInterface function) {
  for (Operation *op : unscheduledOps(function))
    emitWarning(op->getLoc())
        << "'" << op->getName()
        << "' op is neither scheduled nor costed: it is no part "
           "of a cascade; raise it (--convert-linalg-to-einsum "
           "says why not), or count it yourself";
}
