//===- FormGraph.h - What a function's cascades say -------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cascades of a function as one graph without names: nodes are arguments,
// Einsums and ops that are no Einsums, joined by reads; the body of an Einsum
// is a graph of terms whose leaves are reads. A value that a cascade yields is
// the Einsum itself, so that it does not matter how many cascades there are.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_TEST_LIB_FINGERPRINT_FORMGRAPH_H
#define TRANSFUSION_TEST_LIB_FINGERPRINT_FORMGRAPH_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "transfusion/Dialect/Einsum/IR/Einsum.h"

#include <optional>
#include <string>
#include <vector>

namespace transfusion::test {

/// How accesses of what is no Einsum (arguments, constants) are compared.
enum class ArgumentMaps {
  Exact, ///< dimension by dimension
  Layout ///< as a set of ranks: the order of dimensions, their fusion and
         ///< dimensions of one element are the caller's
};

/// Part of a body.
struct Term {
  enum Kind { Read, Reduced, Index, Constant, Op } kind = Op;
  std::string name; ///< Op: its name, attributes and, for a cast, types
  bool isCommutative = false;
  std::vector<int> args;
  int read = -1;            ///< Read: of the Einsum's reads
  int rank = -1;            ///< Index: of the graph's ranks
  mlir::TypedAttr constant; ///< Constant
};

/// A read of a node at affine expressions over the Einsum's ranks.
struct Read {
  int node = -1;
  mlir::AffineMap map;
};

struct Node {
  enum Kind { Argument, Foreign, Einsum } kind = Foreign;
  mlir::Type type;
  std::string name;          ///< for a reader; never compared
  std::string label;         ///< Foreign: op, attributes, number of the result
  std::vector<int> operands; ///< Foreign
  einsum::MapReduceOp op;    ///< Einsum
  std::vector<int> ranks;    ///< Einsum: of the graph, by position in its maps
  std::vector<Read> reads;
  std::vector<Term> terms;
  int mapRoot = -1;
  int finishRoot = -1; ///< -1: none
};

struct Rank {
  std::string name; ///< for a reader; never compared
  int64_t extent = 0;
  bool isIterative = false;
};

struct FormGraph {
  std::vector<Node> nodes;
  std::vector<Rank> ranks;
  std::vector<int> roots; ///< what the function returns, in order
};

FormGraph makeFormGraph(mlir::func::FuncOp function);

/// One dimension of an access, told apart from how it is written.
struct DimForm {
  /// Sum of factor * rank (of the graph); empty with `expr` for mod, floordiv.
  std::vector<std::pair<int, int64_t>> terms;
  int64_t constant = 0;
  mlir::AffineExpr expr; ///< set when it is not linear
};
DimForm makeDimForm(mlir::AffineExpr expr, const Node &einsum);

/// The units that are compared: dimensions, or what is left of them.
std::vector<DimForm> makeAccess(const FormGraph &graph, const Node &einsum,
                                const Read &read, ArgumentMaps maps);

/// Constraints of an Einsum, each `form >= 0` or `form == 0`, reduced by the
/// greatest common divisor.
std::vector<std::pair<DimForm, bool>> makeConstraints(const Node &einsum);

/// Two numbers per node and rank: `local` looks at the thing alone, `refined`
/// at all that can be reached from it. What differs is different; constants
/// count only as zero, infinite or other, because they are compared with a
/// tolerance.
struct Colors {
  std::vector<uint64_t> node, rank;
};
Colors localColors(const FormGraph &graph, ArgumentMaps maps);
Colors refineColors(const FormGraph &graph, ArgumentMaps maps);

/// Hashes of the terms of one Einsum.
std::vector<uint64_t> hashTerms(const FormGraph &graph, const Node &einsum,
                                const Colors &colors, ArgumentMaps maps);

/// The canonical text. `withNames` writes the names of the program in place of
/// numbers, and lines by name: it shows a reader where two forms differ.
void printForm(FormGraph graph, ArgumentMaps maps, bool withNames,
               llvm::raw_ostream &os);

} // namespace transfusion::test

#endif // TRANSFUSION_TEST_LIB_FINGERPRINT_FORMGRAPH_H
