//===- SearchAttrs.cpp - Provenance of a schedule -------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "SchedAssembly.h"

using namespace mlir;
using namespace transfusion::sched;

static void printTileSearchBody(AsmPrinter &p, TileSearchAttr tiles) {
  p << "objective ";
  p.printKeywordOrString(stringifyObjective(tiles.getObjective()));
  p << ", mode " << stringifySearchMode(tiles.getMode()) << ", seed "
    << tiles.getSeed() << ", budget " << tiles.getBudget() << ", evaluations "
    << tiles.getEvaluations();
}

static TileSearchAttr parseTileSearchBody(AsmParser &p) {
  SMLoc loc = p.getCurrentLocation();
  Objective objective;
  SearchMode mode;
  uint64_t seed = 0;
  int64_t budget = 0, evaluations = 0;
  if (p.parseKeyword("objective") ||
      parseCase<Objective>(p, objective, symbolizeObjective, stringifyObjective,
                           Objective::PeakMemory, "objective") ||
      p.parseComma() || p.parseKeyword("mode") ||
      parseCase<SearchMode>(p, mode, symbolizeSearchMode, stringifySearchMode,
                            SearchMode::Random, "mode") ||
      p.parseComma() || p.parseKeyword("seed") || p.parseInteger(seed) ||
      p.parseComma() || p.parseKeyword("budget") || p.parseInteger(budget) ||
      p.parseComma() || p.parseKeyword("evaluations") ||
      p.parseInteger(evaluations))
    return {};
  return p.getChecked<TileSearchAttr>(loc, p.getContext(), objective, mode,
                                      seed, budget, evaluations);
}

LogicalResult
TileSearchAttr::verify(function_ref<InFlightDiagnostic()> emitError, Objective,
                       SearchMode, uint64_t, int64_t budget,
                       int64_t evaluations) {
  if (budget < 0 || evaluations < 0)
    return emitError() << "budget and evaluations must not be negative";
  return success();
}

void SearchAttr::print(AsmPrinter &p) const {
  p << "<policy ";
  p.printKeywordOrString(stringifyPolicy(getPolicy()));
  p << ", strategy " << stringifyStrategy(getStrategy());
  if (getTiles()) {
    p << ", ";
    printTileSearchBody(p, getTiles());
  }
  p << '>';
}

Attribute SearchAttr::parse(AsmParser &p, Type) {
  Policy policy;
  Strategy strategy;
  TileSearchAttr tiles;
  if (p.parseLess() || p.parseKeyword("policy") ||
      parseCase<Policy>(p, policy, symbolizePolicy, stringifyPolicy,
                        Policy::Unfused, "policy") ||
      p.parseComma() || p.parseKeyword("strategy") ||
      parseCase<Strategy>(p, strategy, symbolizeStrategy, stringifyStrategy,
                          Strategy::Bipartition, "strategy"))
    return {};
  if (succeeded(p.parseOptionalComma()) && !(tiles = parseTileSearchBody(p)))
    return {};
  if (p.parseGreater())
    return {};
  return SearchAttr::get(p.getContext(), policy, strategy, tiles);
}

Attribute TileSearchAttr::parse(AsmParser &p, Type) {
  if (p.parseLess())
    return {};
  TileSearchAttr attr = parseTileSearchBody(p);
  if (!attr || p.parseGreater())
    return {};
  return attr;
}

void TileSearchAttr::print(AsmPrinter &p) const {
  p << '<';
  printTileSearchBody(p, *this);
  p << '>';
}
