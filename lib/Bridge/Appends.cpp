//===- Appends.cpp - Results in the buffers of arguments ------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transfusion/Bridge/Appends.h"
#include "transfusion/Dialect/Sched/IR/Names.h"

using namespace mlir;
using namespace transfusion;

static einsum::AppendAttr appendOf(FunctionOpInterface function, unsigned arg) {
  return function.getArgAttrOfType<einsum::AppendAttr>(
      arg, einsum::AppendAttr::kArgument);
}

std::optional<unsigned>
transfusion::appendedArgument(FunctionOpInterface function, unsigned result) {
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (auto append = appendOf(function, i);
        append && append.getResult() == static_cast<int64_t>(result))
      return i;
  return std::nullopt;
}

LogicalResult transfusion::checkAppends(FunctionOpInterface function,
                                        const ImportedCascade &imported) {
  const core::Cascade &c = imported.cascade;
  Operation *ret = function.getFunctionBody().front().getTerminator();
  // Arguments that a result begins with, as the Einsums say.
  llvm::SmallDenseSet<unsigned> extended;
  for (size_t e = 0; e < c.einsums.size(); ++e) {
    core::TensorId base = c.einsums[e].base;
    if (base < 0 || c.tensors[base].producer >= 0)
      continue;
    const core::TensorId whole = core::wholeOf(c, c.einsums[e].result.tensor);
    auto argument = dyn_cast<BlockArgument>(imported.tensors[base]);
    einsum::AppendAttr append =
        argument && argument.getOwner()->getParentOp() == function
            ? appendOf(function, argument.getArgNumber())
            : einsum::AppendAttr();
    Value returned;
    if (append && append.getResult() < ret->getNumOperands())
      returned = sched::tensorBehind(ret->getOperand(append.getResult()));
    if (returned && returned == imported.tensors[whole]) {
      extended.insert(argument.getArgNumber());
      continue;
    }
    einsum::MapReduceOp op = imported.einsums[e];
    InFlightDiagnostic diag =
        op.emitOpError() << "'" << c.einsums[e].name << "' extends '"
                         << c.tensors[base].name
                         << "', which comes from outside, and nothing says "
                            "that there is room behind it";
    if (append) {
      auto known = llvm::find(imported.tensors, returned);
      bool isBeginning =
          known != imported.tensors.end() &&
          core::wholeOf(c, known - imported.tensors.begin()) == whole;
      Diagnostic &note = diag.attachNote(function.getLoc());
      note << "einsum.append names result #" << append.getResult()
           << ", which ";
      if (isBeginning)
        note << "is in the same storage but not all of it: '"
             << c.tensors[whole].name << "' extends it";
      else
        note << "is another tensor";
    }
    diag.attachNote() << "give the argument `einsum.append` and return the "
                         "longer tensor, or extend a copy of it";
    return diag;
  }
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (auto append = appendOf(function, i); append && !extended.contains(i)) {
      InFlightDiagnostic diag =
          emitError(function.getLoc())
          << "'" << function->getName() << "' op says that argument #" << i
          << " is the beginning of result #" << append.getResult()
          << ", but that result does not extend it";
      diag.attachNote() << "return the argument with new rows behind it (a "
                           "concat of it and them), or drop `einsum.append`";
      return diag;
    }
  return success();
}
