//===- MaskAttr.cpp - What a mask given as data leaves visible ------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers are those of the constraints in the attribute's description.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/DialectImplementation.h"
#include "transfusion/Dialect/Einsum/IR/Einsum.h"

using namespace mlir;
using namespace transfusion::einsum;

LogicalResult MaskAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               bool causal, int64_t window, int64_t prefix,
                               int64_t leftPadding) {
  if (!causal && !window && !prefix && !leftPadding) // (1)
    return emitError() << "mask states nothing; state one or more of causal, "
                          "sliding_window(N), prefix(N), left_padding(N)";
  for (auto [name, count] :
       {std::pair("sliding_window", window), std::pair("prefix", prefix),
        std::pair("left_padding", leftPadding)})
    if (count < 0) // (2)
      return emitError() << name << " has " << count
                         << " keys, but needs at least 1";
  if (prefix && leftPadding >= prefix) // (5)
    return emitError() << "left padding of " << leftPadding
                       << " keys leaves none of a prefix of " << prefix
                       << ", which counts from the first key; make it longer";
  return success();
}

Attribute MaskAttr::parse(AsmParser &parser, Type) {
  bool causal = false;
  int64_t window = 0, prefix = 0, leftPadding = 0;
  auto parseKind = [&]() -> ParseResult {
    StringRef kind;
    SMLoc at = parser.getCurrentLocation();
    if (parser.parseKeyword(&kind))
      return failure();
    int64_t *count = kind == "sliding_window" ? &window
                     : kind == "prefix"       ? &prefix
                     : kind == "left_padding" ? &leftPadding
                                              : nullptr;
    if (kind != "causal" && !count)
      return parser.emitError(at)
             << "unknown kind of mask '" << kind
             << "', expected causal, sliding_window, prefix or left_padding";
    if (count ? *count != 0 : causal) // (1)
      return parser.emitError(at) << "'" << kind << "' is stated twice";
    if (!count) {
      causal = true;
      return success();
    }
    if (parser.parseLParen())
      return failure();
    at = parser.getCurrentLocation();
    if (parser.parseInteger(*count) || parser.parseRParen())
      return failure();
    if (*count < 1) // (2)
      return parser.emitError(at)
             << kind << " has " << *count << " keys, but needs at least 1";
    return success();
  };
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater,
                                     parseKind))
    return {};
  return parser.getChecked<MaskAttr>(parser.getContext(), causal, window,
                                     prefix, leftPadding);
}

void MaskAttr::print(AsmPrinter &printer) const {
  printer << "<";
  const char *separator = "";
  if (getCausal()) {
    printer << "causal";
    separator = ", ";
  }
  for (auto [name, count] : {std::pair("sliding_window", getWindow()),
                             std::pair("prefix", getPrefix()),
                             std::pair("left_padding", getLeftPadding())})
    if (count) {
      printer << separator << name << "(" << count << ")";
      separator = ", ";
    }
  printer << ">";
}

SmallVector<AffineExpr> MaskAttr::getConstraints(AffineExpr p, AffineExpr m,
                                                 int64_t queries,
                                                 int64_t keys) const {
  SmallVector<AffineExpr> result;
  AffineExpr ahead = p + (keys - queries) - m;
  if (getCausal() || getWindow())
    result.push_back(ahead);
  if (getWindow())
    result.push_back(getWindow() - 1 - ahead);
  if (getPrefix())
    result.push_back(getPrefix() - 1 - m);
  if (getLeftPadding())
    result.push_back(m - getLeftPadding());
  return result;
}

LogicalResult
MaskAttr::verifyArgument(function_ref<InFlightDiagnostic()> emitError,
                         Type type) const {
  auto tensor = dyn_cast<ShapedType>(type); // a memref after bufferization
  Type element = tensor ? tensor.getElementType() : type;
  bool isMask = element.isInteger(1) || (isa<FloatType>(element) &&
                                         element.getIntOrFloatBitWidth() <= 32);
  if (!tensor || !tensor.hasRank() || !tensor.hasStaticShape() ||
      !isMask) // (3)
    return emitError() << "states the kind of a mask of type " << type
                       << ", but a mask is a static tensor of floats of at "
                          "most 32 bits, or of i1";
  int64_t needed = getCausal() || getWindow() ? 2 : 1;
  if (tensor.getRank() < needed) // (4)
    return emitError() << "states the kind of a mask of " << tensor.getRank()
                       << " dimensions, but needs " << needed
                       << (needed == 2 ? " (queries, keys)" : " (keys)");
  int64_t keys = tensor.getShape().back();
  if (getPrefix() > keys || getLeftPadding() >= keys) // (5)
    return emitError() << "states a "
                       << (getPrefix() > keys ? "prefix" : "left padding")
                       << " of "
                       << (getPrefix() > keys ? getPrefix() : getLeftPadding())
                       << " keys of " << keys
                       << (getPrefix() > keys ? "; at most all of them"
                                              : "; at least one must be left");
  return success();
}
