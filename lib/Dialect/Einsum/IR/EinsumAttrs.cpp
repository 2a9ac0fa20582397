//===- EinsumAttrs.cpp - Attributes of the einsum dialect -----------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "transfusion/Dialect/Einsum/IR/Einsum.h"

using namespace mlir;
using namespace transfusion::einsum;

LogicalResult RankAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               StringAttr name, int64_t extent,
                               bool iterative) {
  if (name.empty() || !llvm::isAlpha(name.getValue().front()))
    return emitError() << "rank name '" << name.getValue()
                       << "' does not start with a letter";
  for (char c : name.getValue())
    if (!llvm::isAlnum(c) && c != '_')
      return emitError() << "rank name '" << name.getValue()
                         << "' holds a character other than letters, digits "
                            "and '_'";
  if (extent < 1)
    return emitError() << "rank '" << name.getValue() << "' has extent "
                       << extent << ", but needs at least 1";
  return success();
}

Attribute RankAttr::parse(AsmParser &parser, Type) {
  std::string name;
  int64_t extent = 0;
  if (parser.parseLess() || parser.parseString(&name) || parser.parseEqual() ||
      parser.parseInteger(extent))
    return {};
  bool iterative = succeeded(parser.parseOptionalKeyword("iterative"));
  if (parser.parseGreater())
    return {};
  return parser.getChecked<RankAttr>(parser.getContext(),
                                     StringAttr::get(parser.getContext(), name),
                                     extent, iterative);
}

void RankAttr::print(AsmPrinter &printer) const {
  printer << "<\"" << getName().getValue() << "\" = " << getExtent();
  if (getIterative())
    printer << " iterative";
  printer << ">";
}
