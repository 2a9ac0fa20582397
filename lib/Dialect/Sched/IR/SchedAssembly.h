//===- SchedAssembly.h - Syntax shared by attributes and ops ----*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Attributes print alone (`#sched.tiling<b = 1>`) and inside ops (`tile(b =
// 1)`) with the same body between other brackets.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_DIALECT_SCHED_IR_SCHEDASSEMBLY_H
#define TRANSFUSION_LIB_DIALECT_SCHED_IR_SCHEDASSEMBLY_H

#include "mlir/IR/OpImplementation.h"
#include "transfusion/Dialect/Sched/IR/Sched.h"

#include <optional>
#include <string>

namespace transfusion::sched {

/// A double, printed as briefly as reads back to the same value. MLIR's own
/// form of 31.2 is 3.120000e+01.
void printNumberBody(mlir::AsmPrinter &p, mlir::FloatAttr value);
mlir::ParseResult parseNumberBody(mlir::AsmParser &p, mlir::FloatAttr &value);

/// A rank: a bare word, or a string where it is not one.
void printRank(mlir::AsmPrinter &p, mlir::StringAttr rank);
mlir::ParseResult parseRank(mlir::AsmParser &p, mlir::StringAttr &rank);

/// "[p, m0]"
void printRanks(mlir::AsmPrinter &p, llvm::ArrayRef<mlir::StringAttr> ranks);
mlir::ParseResult parseRanks(mlir::AsmParser &p,
                             llvm::SmallVectorImpl<mlir::StringAttr> &ranks);

/// A keyword that names a case of an enum; lists the cases when it does not.
template <typename Enum>
mlir::ParseResult parseCase(mlir::AsmParser &p, Enum &value,
                            std::optional<Enum> (*symbolize)(llvm::StringRef),
                            llvm::StringRef (*stringify)(Enum), Enum last,
                            const char *what) {
  llvm::SMLoc loc = p.getCurrentLocation();
  std::string word;
  if (p.parseKeywordOrString(&word))
    return mlir::failure();
  if (std::optional<Enum> found = symbolize(word)) {
    value = *found;
    return mlir::success();
  }
  std::string cases;
  for (int i = 0; i <= static_cast<int>(last); ++i)
    cases += (i ? ", " : "") + stringify(static_cast<Enum>(i)).str();
  return p.emitError(loc) << "unknown " << what << " '" << word << "' (" << what
                          << " is one of " << cases << ")";
}

/// "mac cycles 1 pj 17.16", "exp = 6 mac"
void printOpCostBody(mlir::AsmPrinter &p, OpCostAttr cost);
OpCostAttr parseOpCostBody(mlir::AsmParser &p);

/// "b = 1, p = 192", up to the closing bracket
void printTilingBody(mlir::AsmPrinter &p, TilingAttr tiling);
TilingAttr parseTilingBody(mlir::AsmParser &p);

/// "\"BK\" at tile"
void printRetainBody(mlir::AsmPrinter &p, RetainAttr retain);
RetainAttr parseRetainBody(mlir::AsmParser &p);

/// "\"BK\" in @l2"
void printResidentBody(mlir::AsmPrinter &p, ResidentAttr resident);
ResidentAttr parseResidentBody(mlir::AsmParser &p);

/// "\"%arg1\" ahead 2"
void printPrefetchBody(mlir::AsmPrinter &p, PrefetchAttr prefetch);
PrefetchAttr parsePrefetchBody(mlir::AsmParser &p);

/// "\"NR\" by 1"
void printDeferBody(mlir::AsmPrinter &p, DeferAttr defer);
DeferAttr parseDeferBody(mlir::AsmParser &p);

} // namespace transfusion::sched

#endif // TRANSFUSION_LIB_DIALECT_SCHED_IR_SCHEDASSEMBLY_H
