//===- SchedAssembly.cpp - Numbers and ranks in sched syntax --------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SchedAssembly.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <cstdlib>

using namespace mlir;
using namespace transfusion::sched;

void transfusion::sched::printNumberBody(AsmPrinter &p, FloatAttr value) {
  double number = value.getValueAsDouble();
  if (!std::isfinite(number)) { // Refused by verifiers; yet it must print.
    p.printFloat(value.getValue());
    return;
  }
  char text[40];
  for (int digits = 6; digits <= 17; ++digits) {
    std::snprintf(text, sizeof(text), "%.*g", digits, number);
    if (std::strtod(text, nullptr) == number)
      break;
  }
  StringRef shortest(text);
  size_t exponent = shortest.find('e');
  if (exponent != StringRef::npos && !shortest.contains('.'))
    p << shortest.take_front(exponent) << ".0" << shortest.substr(exponent);
  else
    p << shortest;
}

ParseResult transfusion::sched::parseNumberBody(AsmParser &p,
                                                FloatAttr &value) {
  bool negative = succeeded(p.parseOptionalMinus());
  double number = 0;
  int64_t integer = 0;
  OptionalParseResult isInteger = p.parseOptionalInteger(integer);
  if (isInteger.has_value()) {
    if (failed(*isInteger))
      return failure();
    number = static_cast<double>(integer);
  } else if (p.parseFloat(number)) {
    return failure();
  }
  if (negative)
    number = -number;
  value = p.getBuilder().getF64FloatAttr(number);
  return success();
}

void transfusion::sched::printRank(AsmPrinter &p, StringAttr rank) {
  p.printKeywordOrString(rank.getValue());
}

ParseResult transfusion::sched::parseRank(AsmParser &p, StringAttr &rank) {
  std::string name;
  if (p.parseKeywordOrString(&name))
    return failure();
  rank = p.getBuilder().getStringAttr(name);
  return success();
}

void transfusion::sched::printRanks(AsmPrinter &p, ArrayRef<StringAttr> ranks) {
  p << '[';
  llvm::interleaveComma(ranks, p, [&](StringAttr rank) { printRank(p, rank); });
  p << ']';
}

ParseResult transfusion::sched::parseRanks(AsmParser &p,
                                           SmallVectorImpl<StringAttr> &ranks) {
  return p.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parseRank(p, ranks.emplace_back());
  });
}
