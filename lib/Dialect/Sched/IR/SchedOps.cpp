//===- SchedOps.cpp - Syntax of the sched ops -----------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SchedAssembly.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace transfusion::sched;

static ParseResult parseNumber(OpAsmParser &p, FloatAttr &value) {
  return parseNumberBody(p, value);
}
static void printNumber(OpAsmPrinter &p, Operation *, FloatAttr value) {
  printNumberBody(p, value);
}

/// "grid 16x16" or "lanes 256".
static ParseResult parseShape(OpAsmParser &p, DenseI64ArrayAttr &grid,
                              IntegerAttr &lanes) {
  if (succeeded(p.parseOptionalKeyword("grid"))) {
    SmallVector<int64_t> shape;
    if (p.parseDimensionList(shape, /*allowDynamic=*/false,
                             /*withTrailingX=*/false))
      return failure();
    grid = p.getBuilder().getDenseI64ArrayAttr(shape);
    return success();
  }
  int64_t count = 0;
  if (p.parseKeyword("lanes", ", or 'grid', expected here") ||
      p.parseInteger(count))
    return failure();
  lanes = p.getBuilder().getI64IntegerAttr(count);
  return success();
}

static void printShape(OpAsmPrinter &p, Operation *, DenseI64ArrayAttr grid,
                       IntegerAttr lanes) {
  if (grid) {
    p << "grid ";
    p.printDimensionList(grid.asArrayRef());
  } else {
    p << "lanes " << lanes.getInt();
  }
}

/// "(", bodies separated by commas, ")".
template <typename T>
static ParseResult parseBodies(OpAsmParser &p, ArrayAttr &attrs,
                               T (*body)(AsmParser &)) {
  SmallVector<Attribute> list;
  if (p.parseCommaSeparatedList(AsmParser::Delimiter::Paren, [&] {
        T attr = body(p);
        list.push_back(attr);
        return success(static_cast<bool>(attr));
      }))
    return failure();
  attrs = p.getBuilder().getArrayAttr(list);
  return success();
}

template <typename T>
static void printBodies(OpAsmPrinter &p, ArrayAttr attrs,
                        void (*body)(AsmPrinter &, T)) {
  p << '(';
  llvm::interleaveComma(attrs.getAsRange<T>(), p,
                        [&](T attr) { body(p, attr); });
  p << ')';
}

static ParseResult parseOpCosts(OpAsmParser &p, ArrayAttr &ops) {
  return parseBodies<OpCostAttr>(p, ops, parseOpCostBody);
}
static void printOpCosts(OpAsmPrinter &p, Operation *, ArrayAttr ops) {
  printBodies<OpCostAttr>(p, ops, printOpCostBody);
}

static ParseResult parseRetain(OpAsmParser &p, ArrayAttr &retain) {
  return parseBodies<RetainAttr>(p, retain, parseRetainBody);
}
static void printRetain(OpAsmPrinter &p, Operation *, ArrayAttr retain) {
  printBodies<RetainAttr>(p, retain, printRetainBody);
}

static ParseResult parseResident(OpAsmParser &p, ArrayAttr &resident) {
  return parseBodies<ResidentAttr>(p, resident, parseResidentBody);
}
static void printResident(OpAsmPrinter &p, Operation *, ArrayAttr resident) {
  printBodies<ResidentAttr>(p, resident, printResidentBody);
}

static ParseResult parsePrefetch(OpAsmParser &p, ArrayAttr &prefetch) {
  return parseBodies<PrefetchAttr>(p, prefetch, parsePrefetchBody);
}
static void printPrefetch(OpAsmPrinter &p, Operation *, ArrayAttr prefetch) {
  printBodies<PrefetchAttr>(p, prefetch, printPrefetchBody);
}

static ParseResult parseDefer(OpAsmParser &p, ArrayAttr &defer) {
  return parseBodies<DeferAttr>(p, defer, parseDeferBody);
}
static void printDefer(OpAsmPrinter &p, Operation *, ArrayAttr defer) {
  printBodies<DeferAttr>(p, defer, printDeferBody);
}

static ParseResult parseTiling(OpAsmParser &p, TilingAttr &tiling) {
  if (p.parseLParen())
    return failure();
  tiling = parseTilingBody(p);
  return failure(!tiling || p.parseRParen());
}
static void printTiling(OpAsmPrinter &p, Operation *, TilingAttr tiling) {
  p << '(';
  printTilingBody(p, tiling);
  p << ')';
}

static ParseResult parseRankList(OpAsmParser &p, ArrayAttr &order) {
  SmallVector<StringAttr> ranks;
  if (parseRanks(p, ranks))
    return failure();
  order = p.getBuilder().getArrayAttr(
      SmallVector<Attribute>(ranks.begin(), ranks.end()));
  return success();
}
static void printRankList(OpAsmPrinter &p, Operation *, ArrayAttr order) {
  printRanks(p, llvm::to_vector(order.getAsRange<StringAttr>()));
}

#define GET_OP_CLASSES
#include "transfusion/Dialect/Sched/IR/SchedOps.cpp.inc"
