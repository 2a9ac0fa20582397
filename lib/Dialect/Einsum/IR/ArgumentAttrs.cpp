//===- ArgumentAttrs.cpp - What a function says of its arguments ----------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Dialect/Einsum/IR/ArgumentAttrs.h"
#include "transfusion/Dialect/Einsum/IR/Einsum.h"

using namespace mlir;
using namespace transfusion::einsum;

static LogicalResult verifyMask(Operation *op, unsigned index,
                                Attribute value) {
  auto mask = dyn_cast<MaskAttr>(value);
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!mask || !function)
    return op->emitOpError()
           << "argument #" << index << " has '" << MaskAttr::kArgument
           << "', which is an #einsum.mask<...> on an argument of a function";
  // A function of another dialect was lowered: its arguments are pointers.
  if (op->getName().getStringRef() != "func.func")
    return success();
  return mask.verifyArgument(
      [&] { return op->emitOpError() << "argument #" << index << " "; },
      function.getArgumentTypes()[index]);
}

static LogicalResult verifyAppend(Operation *op, unsigned index,
                                  Attribute value) {
  auto append = dyn_cast<AppendAttr>(value);
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!append || !function)
    return op->emitOpError()
           << "argument #" << index << " has '" << AppendAttr::kArgument
           << "', which is an #einsum.append<...> on an argument of a function";
  if (op->getName().getStringRef() != "func.func")
    return success();
  return append.verifyArgument(function, index);
}

/// Both say something of an argument, and nothing anywhere else.
static LogicalResult rejectElsewhere(Operation *op, NamedAttribute attr,
                                     const Twine &where) {
  StringRef name = attr.getName().getValue();
  if (name != MaskAttr::kArgument && name != AppendAttr::kArgument)
    return op->emitOpError()
           << where << "has an attribute '" << name
           << "', which the einsum dialect does not know; it knows '"
           << MaskAttr::kArgument << "' and '" << AppendAttr::kArgument
           << "' of arguments";
  InFlightDiagnostic diag = op->emitOpError()
                            << where << "has '" << name
                            << "', which says something of an argument only";
  diag.attachNote() << "write it behind the type of the function's argument "
                       "that it is about";
  return diag;
}

LogicalResult EinsumDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                      unsigned index,
                                                      NamedAttribute attr) {
  if (attr.getName() == MaskAttr::kArgument)
    return verifyMask(op, index, attr.getValue());
  if (attr.getName() == AppendAttr::kArgument)
    return verifyAppend(op, index, attr.getValue());
  return rejectElsewhere(op, attr, "argument #" + Twine(index) + " ");
}

LogicalResult EinsumDialect::verifyRegionResultAttribute(Operation *op,
                                                         unsigned,
                                                         unsigned index,
                                                         NamedAttribute attr) {
  return rejectElsewhere(op, attr, "result #" + Twine(index) + " ");
}

LogicalResult EinsumDialect::verifyOperationAttribute(Operation *op,
                                                      NamedAttribute attr) {
  return rejectElsewhere(op, attr, "");
}

void transfusion::einsum::dropArgumentAttrs(FunctionOpInterface function) {
  for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
    for (NamedAttribute attr : llvm::to_vector(function.getArgAttrs(i)))
      if (attr.getNameDialect() && isa<EinsumDialect>(attr.getNameDialect()))
        function.removeArgAttr(i, attr.getName());
}
