//===- FactorDims.cpp - Dimensions of tensors as digits -------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "FactorDims.h"

#include <algorithm>

using namespace transfusion;
using core::LinearExpr;

/// Strides of the digits, most significant first, when `x` is a mixed-radix
/// number that runs through all of [0, extent); empty otherwise.
static std::vector<int64_t> stridesOf(const core::Cascade &c,
                                      const LinearExpr &x, int64_t extent) {
  if (x.constant != 0)
    return {};
  std::vector<std::pair<int64_t, core::RankId>> digits;
  for (const auto &[rank, coefficient] : x.terms)
    digits.push_back({coefficient, rank});
  std::sort(digits.begin(), digits.end());
  std::vector<int64_t> strides;
  int64_t next = 1;
  for (size_t i = 0; i < digits.size(); ++i) {
    auto [coefficient, rank] = digits[i];
    // Beside another rank of its stride, one of extent 1 is no digit.
    bool isShared =
        (i + 1 < digits.size() && digits[i + 1].first == coefficient) ||
        (!strides.empty() && strides.back() == coefficient);
    if (c.ranks[rank].extent == 1 && isShared)
      continue;
    if (coefficient != next ||
        __builtin_mul_overflow(next, c.ranks[rank].extent, &next))
      return {};
    strides.push_back(coefficient);
  }
  if (next != extent)
    return {};
  std::reverse(strides.begin(), strides.end());
  return strides;
}

namespace {

class Factoring {
public:
  explicit Factoring(core::Cascade &c) : c(c), users(c.tensors.size()) {
    for (core::Einsum &e : c.einsums) {
      for (core::Operand &o : e.inputs)
        users[o.tensor].push_back(&o);
      for (core::Operand &o : e.finishInputs)
        users[o.tensor].push_back(&o);
      users[e.result.tensor].push_back(&e.result);
    }
    const auto numTensors = static_cast<core::TensorId>(c.tensors.size());
    // What extends a tensor lies in one storage with it: one factoring.
    for (core::TensorId t = 0; t < numTensors; ++t)
      sharers.push_back({t});
    for (core::TensorId t = 0; t < numTensors; ++t)
      if (core::extenderOf(c, t) < 0)
        for (core::TensorId piece : core::piecesOf(c, t))
          sharers[piece] = core::piecesOf(c, t);
    // All are judged before the first access changes.
    for (core::TensorId t = 0; t < numTensors; ++t) {
      agreed.emplace_back();
      for (size_t dim = 0; dim < c.tensors[t].shape.size(); ++dim)
        agreed.back().push_back(agreedStrides(t, dim));
    }
  }
  std::vector<TensorDigit> factor(core::TensorId id);

private:
  std::vector<int64_t> agreedStrides(core::TensorId id, size_t dim) const;

  core::Cascade &c;
  std::vector<std::vector<core::Operand *>> users; ///< by TensorId
  /// By TensorId: the tensors that lie in its storage, itself among them.
  std::vector<std::vector<core::TensorId>> sharers;
  /// By TensorId and dimension, see agreedStrides.
  std::vector<std::vector<std::vector<int64_t>>> agreed;
};

} // namespace

std::vector<int64_t> Factoring::agreedStrides(core::TensorId id,
                                              size_t dim) const {
  std::vector<int64_t> result;
  const core::Tensor &t = c.tensors[id];
  if (static_cast<int32_t>(dim) == t.iterativeDim)
    return {};
  for (core::TensorId sharer : sharers[id]) {
    if (c.tensors[sharer].shape[dim] != t.shape[dim])
      return {}; // along which one extends the other
    for (const core::Operand *user : users[sharer]) {
      const LinearExpr &x = user->access[dim];
      if (x.terms.empty())
        continue; // A fixed index can be split in any way.
      std::vector<int64_t> strides = stridesOf(c, x, t.shape[dim]);
      if (strides.size() < 2 || (!result.empty() && result != strides))
        return {};
      result = strides;
    }
  }
  return result;
}

std::vector<TensorDigit> Factoring::factor(core::TensorId id) {
  core::Tensor &t = c.tensors[id];
  std::vector<TensorDigit> digits;
  std::vector<int64_t> shape;
  std::vector<core::Access> accesses(users[id].size());
  int32_t iterativeDim = -1;
  for (size_t dim = 0; dim < t.shape.size(); ++dim) {
    if (static_cast<int32_t>(dim) == t.iterativeDim)
      iterativeDim = static_cast<int32_t>(shape.size());
    std::vector<int64_t> strides = agreed[id][dim];
    bool isWhole = strides.empty();
    if (isWhole)
      strides = {1};
    int64_t above = t.shape[dim];
    for (int64_t stride : strides) {
      int64_t extent = above / stride;
      digits.push_back({static_cast<int32_t>(dim), stride});
      shape.push_back(extent);
      for (size_t u = 0; u < users[id].size(); ++u) {
        const LinearExpr &x = users[id][u]->access[dim];
        LinearExpr digit;
        if (isWhole)
          digit = x;
        else if (x.terms.empty())
          digit.constant = x.constant / stride % extent;
        else
          for (const auto &[rank, coefficient] : x.terms)
            if (coefficient == stride)
              digit.terms.push_back({rank, 1});
        accesses[u].push_back(digit);
      }
      above = stride;
    }
  }
  t.shape = shape;
  t.iterativeDim = iterativeDim;
  for (size_t u = 0; u < users[id].size(); ++u)
    users[id][u]->access = accesses[u];
  return digits;
}

std::vector<std::vector<TensorDigit>>
transfusion::factorDims(core::Cascade &cascade) {
  Factoring factoring(cascade);
  std::vector<std::vector<TensorDigit>> digits;
  for (size_t t = 0; t < cascade.tensors.size(); ++t)
    digits.push_back(factoring.factor(static_cast<core::TensorId>(t)));
  return digits;
}
