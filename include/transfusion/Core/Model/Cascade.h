//===- Cascade.h - A cascade of extended Einsums ----------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Terms. A *rank* is a named index with an extent. An *Einsum* computes one
// result tensor: for every point of its iteration space (the product of its
// ranks, cut by its domain) a map body is evaluated, the ranks that the result
// lacks are reduced, and a finish body runs once per result point. A *cascade*
// is a set of Einsums; an *iterative* rank carries a recurrence: the Einsum
// that defines slice m+1 of a tensor may read slice m.
//
// Toy example, C[i,k] = relu(sum_j A[i,j] * B[j,k]):
//   ranks  i=4 j=8 k=5
//   Einsum "C" ranks {i,k,j} inputs A[i,j] B[j,k] result C[i,k]
//     pointOps {mac 1}   finishOps {max 1}   reduce add
//
// Everything is a plain struct with dense integer ids into the vectors here.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_CORE_MODEL_CASCADE_H
#define TRANSFUSION_CORE_MODEL_CASCADE_H

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace transfusion::core {

using RankId = int32_t;
using TensorId = int32_t;
using EinsumId = int32_t;

/// Classes of scalar operations that machines are described by. `Copy` moves a
/// value: it costs an add's cycle and no arithmetic energy.
enum class OpClass : uint8_t {
  Mac,
  Add,
  Max,
  Div,
  Exp,
  Rsqrt,
  Sqrt,
  Log,
  Sin,
  Cos,
  Sigmoid,
  Tanh,
  Erf,
  Copy
};
inline constexpr int kNumOpClasses = 14;
const char *opClassName(OpClass c); // "mac", "add", ...
/// Returns -1 for an unknown name.
int opClassFromName(const std::string &name);

/// How many operations of each class.
struct OpHistogram {
  std::array<int32_t, kNumOpClasses> count{};
  int32_t &operator[](OpClass c) { return count[static_cast<int>(c)]; }
  int32_t operator[](OpClass c) const { return count[static_cast<int>(c)]; }
  bool empty() const {
    for (int32_t n : count)
      if (n)
        return false;
    return true;
  }
};

struct Rank {
  std::string name;
  int64_t extent = 0;
  bool iterative = false;
};

/// What a step of its iterative rank does to a recurrence when no Einsum along
/// the rank that has a domain has a point in it. `Neutral`: nothing.
/// `NeutralAfterFirst`: nothing, once a step has run. `Counts`: something, or
/// nobody has shown otherwise.
enum class EmptySteps : uint8_t { Counts, NeutralAfterFirst, Neutral };

/// constant + sum of coefficient * rank. `terms` is sorted by rank id and holds
/// no zero coefficient.
struct LinearExpr {
  std::vector<std::pair<RankId, int64_t>> terms;
  int64_t constant = 0;
  bool uses(RankId r) const {
    for (const auto &t : terms)
      if (t.first == r)
        return true;
    return false;
  }
};

/// One expression per tensor dimension.
using Access = std::vector<LinearExpr>;
inline bool usesRank(const Access &access, RankId r) {
  for (const LinearExpr &x : access)
    if (x.uses(r))
      return true;
  return false;
}
/// Its ranks, by first appearance.
std::vector<RankId> accessRanks(const Access &access);

/// Whether a list of ids (ranks, Einsums, tensors) holds this one.
inline bool has(const std::vector<int32_t> &ids, int32_t id) {
  for (int32_t each : ids)
    if (each == id)
      return true;
  return false;
}

/// expr >= 0.
struct Constraint {
  LinearExpr expr;
};

struct Tensor {
  std::string name;
  std::vector<int64_t> shape; ///< an iterative dimension has extent M1 + 1
  int32_t bitsPerValue = 32;
  bool isInput = false;      ///< comes from outside (activation, weight, mask)
  bool isOutput = false;     ///< is wanted outside
  int32_t iterativeDim = -1; ///< dimension along which it is a recurrence
  RankId iterativeRank = -1; ///< rank of that dimension
  EmptySteps emptySteps = EmptySteps::Counts; ///< of a recurrence
  std::string whyTheyCount; ///< where it is known, for messages
  EinsumId producer = -1;   ///< -1 for an input
};

struct Operand {
  TensorId tensor = -1;
  Access access;
};

enum class ReduceKind : uint8_t { None, Add, Mul, Max, Min, And, Or };

struct Einsum {
  std::string name;
  /// Iteration space, result ranks first, then reduced ones.
  std::vector<RankId> ranks;
  std::vector<Operand> inputs;       ///< read by map, once per point
  std::vector<Operand> finishInputs; ///< read by finish, once per result point
  Operand result;
  ReduceKind reduce = ReduceKind::None;
  /// Per point of the iteration space, map and reduce together: a product
  /// reduced by add is one mac.
  OpHistogram pointOps;
  OpHistogram finishOps; ///< per result point
  bool hasFinish = false;
  /// Of partial sums that are kept from epoch to epoch; 0: as the result.
  int32_t accumulatorBits = 0;
  /// Effective domain: own constraints and those inherited from operands.
  std::vector<Constraint> domain;
  /// The result is this tensor, and behind it, along one dimension, the points
  /// that the Einsum defines: a cache and its new rows. Both share storage in
  /// memory 0, so nothing of the base is read, written or counted here.
  TensorId base = -1;
  /// Cascades of one function between which something runs that is no Einsum
  /// are parts of one: part after part, and no group holds Einsums of two.
  int32_t part = 0;

  bool hasRank(RankId r) const {
    for (RankId x : ranks)
      if (x == r)
        return true;
    return false;
  }
};

struct Cascade {
  std::string name; ///< of the function
  std::vector<Rank> ranks;
  std::vector<Tensor> tensors;
  std::vector<Einsum> einsums;
};

/// True when `e` reduces over `r` (the rank is iterated, the result lacks it).
bool isReducedRank(const Cascade &c, EinsumId e, RankId r);

/// Ranks of `e` that its result lacks, in iteration order.
std::vector<RankId> reducedRanks(const Cascade &c, EinsumId e);

/// One dependence u -> v: v reads what u defines. `distance` is 0 for a value
/// of the same slice, 1 for the previous slice of the iterative rank. `atEnd`:
/// v reads the last slice (index M1), that is, after the whole loop. Who reads
/// a tensor that extends others depends on the makers of all its pieces.
struct Dependence {
  EinsumId from = -1, to = -1;
  TensorId tensor = -1;
  int32_t distance = 0;
  bool atEnd = false;
  bool inFinish = false; ///< read by v's finish, not by its map
};
/// In canonical order (by to, then operand index).
std::vector<Dependence> dependences(const Cascade &c);

/// The tensors that `t` is made of, itself first: what it extends, what that
/// extends, and so on.
std::vector<TensorId> piecesOf(const Cascade &c, TensorId t);
/// The Einsum whose result extends `t`; -1 when there is none.
EinsumId extenderOf(const Cascade &c, TensorId t);
/// What extends `t` the furthest, and in whose storage it lies; `t` itself when
/// nothing does.
TensorId wholeOf(const Cascade &c, TensorId t);

/// Readers of each tensor, by einsum id ascending, without repetition.
std::vector<std::vector<EinsumId>> readers(const Cascade &c);

/// Number of points in the iteration space of `e` (domain included, exact);
/// -1 when it exceeds 2^63 - 1.
int64_t pointCount(const Cascade &c, EinsumId e);
/// Number of points of the result that exist.
int64_t resultCount(const Cascade &c, EinsumId e);

} // namespace transfusion::core

#endif // TRANSFUSION_CORE_MODEL_CASCADE_H
