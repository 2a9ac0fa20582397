//===- SchedAttrs.cpp - Syntax and rules of sched attributes --------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SchedAssembly.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallSet.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace transfusion::sched;

#define GET_ATTRDEF_CLASSES
#include "transfusion/Dialect/Sched/IR/SchedAttrs.cpp.inc"

void SchedDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "transfusion/Dialect/Sched/IR/SchedAttrs.cpp.inc"
      >();
}

static constexpr StringLiteral kFinishSuffix = ".finish";

static ParseResult parseOpClass(AsmParser &p, OpClass &value) {
  return parseCase<OpClass>(p, value, symbolizeOpClass, stringifyOpClass,
                            OpClass::Copy, "op class");
}

//===----------------------------------------------------------------------===//
// OpCostAttr
//===----------------------------------------------------------------------===//

void transfusion::sched::printOpCostBody(AsmPrinter &p, OpCostAttr cost) {
  p << stringifyOpClass(cost.getOpClass());
  if (!cost.isExpansion()) {
    p << " cycles " << cost.getCycles();
    if (cost.getPj().getValueAsDouble() != 0) {
      p << " pj ";
      printNumberBody(p, cost.getPj());
    }
    return;
  }
  p << " = ";
  for (auto [i, term] : llvm::enumerate(cost.getTermClasses()))
    p << (i ? " + " : "") << cost.getTermCounts()[i] << ' '
      << stringifyOpClass(term);
}

OpCostAttr transfusion::sched::parseOpCostBody(AsmParser &p) {
  SMLoc loc = p.getCurrentLocation();
  OpClass opClass;
  if (parseOpClass(p, opClass))
    return {};
  int64_t cycles = 0;
  FloatAttr pj = p.getBuilder().getF64FloatAttr(0);
  SmallVector<OpClass> classes;
  SmallVector<int64_t> counts;
  if (succeeded(p.parseOptionalEqual())) {
    do {
      if (p.parseInteger(counts.emplace_back()) ||
          parseOpClass(p, classes.emplace_back()))
        return {};
    } while (succeeded(p.parseOptionalPlus()));
  } else {
    if (p.parseKeyword("cycles") || p.parseInteger(cycles))
      return {};
    if (succeeded(p.parseOptionalKeyword("pj")) && parseNumberBody(p, pj))
      return {};
  }
  return p.getChecked<OpCostAttr>(loc, p.getContext(), opClass, cycles, pj,
                                  classes, counts);
}

/// More is a slip, and would make products of cycles and points overflow.
static constexpr int64_t kMaxOpCycles = 1 << 20;

LogicalResult OpCostAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 OpClass opClass, int64_t cycles, FloatAttr pj,
                                 ArrayRef<OpClass> classes,
                                 ArrayRef<int64_t> counts) {
  StringRef name = stringifyOpClass(opClass);
  if (classes.size() != counts.size())
    return emitError() << "op class '" << name << "' has " << counts.size()
                       << " counts for " << classes.size() << " classes";
  if (!pj || !std::isfinite(pj.getValueAsDouble()) ||
      pj.getValueAsDouble() < 0) // (1)
    return emitError() << "pj of op class '" << name
                       << "' must be finite and not negative";
  if (classes.empty() && cycles < 1) // (1)
    return emitError() << "op class '" << name << "' needs at least 1 cycle";
  if (cycles > kMaxOpCycles) // (1)
    return emitError() << "op class '" << name << "' takes " << cycles
                       << " cycles; at most " << kMaxOpCycles << " are allowed";
  if (!classes.empty() && (cycles != 0 || pj.getValueAsDouble() != 0))
    return emitError() << "op class '" << name
                       << "' has both costs and an expansion";
  llvm::SmallSet<OpClass, 8> seen;
  for (auto [term, count] : llvm::zip(classes, counts)) { // (2)
    if (count < 1 || count > 65536)
      return emitError() << "expansion of '" << name << "' counts " << count
                         << " " << stringifyOpClass(term)
                         << "; a count is between 1 and 65536";
    if (!seen.insert(term).second)
      return emitError() << "expansion of '" << name << "' names '"
                         << stringifyOpClass(term) << "' twice";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// TilingAttr
//===----------------------------------------------------------------------===//

void transfusion::sched::printTilingBody(AsmPrinter &p, TilingAttr tiling) {
  for (auto [i, rank] : llvm::enumerate(tiling.getRanks())) {
    p << (i ? ", " : "");
    printRank(p, rank);
    p << " = " << tiling.getSizes()[i];
  }
}

TilingAttr transfusion::sched::parseTilingBody(AsmParser &p) {
  SMLoc loc = p.getCurrentLocation();
  SmallVector<StringAttr> ranks;
  SmallVector<int64_t> sizes;
  if (p.parseCommaSeparatedList([&] {
        return failure(parseRank(p, ranks.emplace_back()) || p.parseEqual() ||
                       p.parseInteger(sizes.emplace_back()));
      }))
    return {};
  return p.getChecked<TilingAttr>(loc, p.getContext(), ranks, sizes);
}

LogicalResult TilingAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 ArrayRef<StringAttr> ranks,
                                 ArrayRef<int64_t> sizes) {
  if (ranks.size() != sizes.size() || ranks.empty())
    return emitError() << "tiling has " << sizes.size() << " sizes for "
                       << ranks.size() << " ranks";
  llvm::SmallSet<StringRef, 8> seen;
  for (auto [rank, size] : llvm::zip(ranks, sizes)) {
    if (!seen.insert(rank.getValue()).second) // (1)
      return emitError() << "rank '" << rank.getValue()
                         << "' has two sizes in one tiling";
    if (size < 1) // (2)
      return emitError() << "size of rank '" << rank.getValue() << "' is "
                         << size << ", must be at least 1";
  }
  return success();
}

//===----------------------------------------------------------------------===//
// RetainAttr
//===----------------------------------------------------------------------===//

void transfusion::sched::printRetainBody(AsmPrinter &p, RetainAttr retain) {
  p << retain.getTensor() << " at " << stringifyRetainLevel(retain.getLevel());
}

RetainAttr transfusion::sched::parseRetainBody(AsmParser &p) {
  StringAttr tensor;
  RetainLevel level;
  if (p.parseAttribute(tensor) || p.parseKeyword("at") ||
      parseCase<RetainLevel>(p, level, symbolizeRetainLevel,
                             stringifyRetainLevel, RetainLevel::Group,
                             "retain level"))
    return {};
  return RetainAttr::get(p.getContext(), tensor, level);
}

//===----------------------------------------------------------------------===//
// ResidentAttr
//===----------------------------------------------------------------------===//

void transfusion::sched::printResidentBody(AsmPrinter &p,
                                           ResidentAttr resident) {
  p << resident.getTensor() << " in " << resident.getMemory();
}

ResidentAttr transfusion::sched::parseResidentBody(AsmParser &p) {
  StringAttr tensor;
  FlatSymbolRefAttr memory;
  if (p.parseAttribute(tensor) || p.parseKeyword("in") ||
      p.parseAttribute(memory))
    return {};
  return ResidentAttr::get(p.getContext(), tensor, memory);
}

//===----------------------------------------------------------------------===//
// PrefetchAttr, DeferAttr
//===----------------------------------------------------------------------===//

/// A name, a keyword, a number of phases.
static ParseResult parseMove(AsmParser &p, StringRef keyword,
                             StringAttr &tensor, int64_t &phases) {
  return failure(p.parseAttribute(tensor) || p.parseKeyword(keyword) ||
                 p.parseInteger(phases));
}

static LogicalResult verifyMove(llvm::function_ref<InFlightDiagnostic()> error,
                                StringAttr tensor, int64_t phases,
                                const char *what) {
  if (phases < 1 || phases > 65535)
    return error() << tensor << " is " << what << " by " << phases
                   << " phases, expected 1 to 65535";
  return success();
}

void transfusion::sched::printPrefetchBody(AsmPrinter &p, PrefetchAttr attr) {
  p << attr.getTensor() << " ahead " << attr.getAhead();
}

PrefetchAttr transfusion::sched::parsePrefetchBody(AsmParser &p) {
  StringAttr tensor;
  int64_t phases = 0;
  SMLoc loc = p.getCurrentLocation();
  if (parseMove(p, "ahead", tensor, phases))
    return {};
  return PrefetchAttr::getChecked([&] { return p.emitError(loc); },
                                  p.getContext(), tensor, phases);
}

LogicalResult
PrefetchAttr::verify(llvm::function_ref<InFlightDiagnostic()> error,
                     StringAttr tensor, int64_t ahead) {
  return verifyMove(error, tensor, ahead, "prefetched");
}

void transfusion::sched::printDeferBody(AsmPrinter &p, DeferAttr attr) {
  p << attr.getTensor() << " by " << attr.getBy();
}

DeferAttr transfusion::sched::parseDeferBody(AsmParser &p) {
  StringAttr tensor;
  int64_t phases = 0;
  SMLoc loc = p.getCurrentLocation();
  if (parseMove(p, "by", tensor, phases))
    return {};
  return DeferAttr::getChecked([&] { return p.emitError(loc); }, p.getContext(),
                               tensor, phases);
}

LogicalResult DeferAttr::verify(llvm::function_ref<InFlightDiagnostic()> error,
                                StringAttr tensor, int64_t by) {
  return verifyMove(error, tensor, by, "deferred");
}

//===----------------------------------------------------------------------===//
// SlotAttr
//===----------------------------------------------------------------------===//

std::string SlotAttr::getDisplayName() const {
  return getEinsum().getValue().str() +
         (getFinishOnly() ? kFinishSuffix.str() : "");
}

void SlotAttr::print(AsmPrinter &p) const {
  p << '<';
  p.printString(getDisplayName());
  p << ", stage " << getStage();
  if (!getRows().empty()) {
    p << ", rows ";
    printRanks(p, getRows());
  }
  if (!getCols().empty()) {
    p << ", cols ";
    printRanks(p, getCols());
  }
  if (getInstances()) {
    p << ", instances(";
    printTilingBody(p, getInstances());
    p << ')';
  }
  p << '>';
}

Attribute SlotAttr::parse(AsmParser &p, Type) {
  SMLoc loc = p.getCurrentLocation();
  std::string name;
  int64_t stage = 0;
  SmallVector<StringAttr> rows, cols;
  TilingAttr instances;
  if (p.parseLess() || p.parseString(&name) || p.parseComma() ||
      p.parseKeyword("stage") || p.parseInteger(stage))
    return {};
  while (succeeded(p.parseOptionalComma())) {
    if (rows.empty() && cols.empty() && !instances &&
        succeeded(p.parseOptionalKeyword("rows"))) {
      if (parseRanks(p, rows))
        return {};
    } else if (cols.empty() && !instances &&
               succeeded(p.parseOptionalKeyword("cols"))) {
      if (parseRanks(p, cols))
        return {};
    } else if (instances) {
      p.emitError(p.getCurrentLocation(), "expected nothing after 'instances'");
      return {};
    } else if (p.parseKeyword("instances") || p.parseLParen() ||
               !(instances = parseTilingBody(p)) || p.parseRParen()) {
      return {};
    }
  }
  if (p.parseGreater())
    return {};
  StringRef einsum = name;
  bool finishOnly = einsum.consume_back(kFinishSuffix);
  return p.getChecked<SlotAttr>(loc, p.getContext(),
                                p.getBuilder().getStringAttr(einsum),
                                finishOnly, stage, rows, cols, instances);
}

LogicalResult SlotAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               StringAttr einsum, bool finishOnly,
                               int64_t stage, ArrayRef<StringAttr> rows,
                               ArrayRef<StringAttr> cols, TilingAttr) {
  if (!einsum || einsum.getValue().empty()) // (3)
    return emitError() << "slot names no Einsum";
  if (stage < 0 || stage > 1023) // (1)
    return emitError() << "slot '" << einsum.getValue() << "' has stage "
                       << stage << ", must be between 0 and 1023";
  llvm::SmallSet<StringRef, 4> seen;
  for (ArrayRef<StringAttr> ranks : {rows, cols})
    for (StringAttr rank : ranks)
      if (!seen.insert(rank.getValue()).second) // (2)
        return emitError() << "slot '" << einsum.getValue() << "' maps rank '"
                           << rank.getValue() << "' twice";
  return success();
}

//===----------------------------------------------------------------------===//
// Alone: the same bodies between angle brackets
//===----------------------------------------------------------------------===//

template <typename T>
static Attribute parseAngled(AsmParser &p, T (*body)(AsmParser &)) {
  if (p.parseLess())
    return {};
  T attr = body(p);
  if (!attr || p.parseGreater())
    return {};
  return attr;
}

Attribute OpCostAttr::parse(AsmParser &p, Type) {
  return parseAngled<OpCostAttr>(p, parseOpCostBody);
}
Attribute TilingAttr::parse(AsmParser &p, Type) {
  return parseAngled<TilingAttr>(p, parseTilingBody);
}
Attribute RetainAttr::parse(AsmParser &p, Type) {
  return parseAngled<RetainAttr>(p, parseRetainBody);
}
Attribute ResidentAttr::parse(AsmParser &p, Type) {
  return parseAngled<ResidentAttr>(p, parseResidentBody);
}
Attribute PrefetchAttr::parse(AsmParser &p, Type) {
  return parseAngled<PrefetchAttr>(p, parsePrefetchBody);
}
Attribute DeferAttr::parse(AsmParser &p, Type) {
  return parseAngled<DeferAttr>(p, parseDeferBody);
}

void OpCostAttr::print(AsmPrinter &p) const {
  p << '<';
  printOpCostBody(p, *this);
  p << '>';
}
void TilingAttr::print(AsmPrinter &p) const {
  p << '<';
  printTilingBody(p, *this);
  p << '>';
}
void RetainAttr::print(AsmPrinter &p) const {
  p << '<';
  printRetainBody(p, *this);
  p << '>';
}
void ResidentAttr::print(AsmPrinter &p) const {
  p << '<';
  printResidentBody(p, *this);
  p << '>';
}
void PrefetchAttr::print(AsmPrinter &p) const {
  p << '<';
  printPrefetchBody(p, *this);
  p << '>';
}
void DeferAttr::print(AsmPrinter &p) const {
  p << '<';
  printDeferBody(p, *this);
  p << '>';
}
