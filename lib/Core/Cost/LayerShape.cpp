//===- LayerShape.cpp - The matrix products of a layer --------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Core/Cost/LayerShape.h"

#include <algorithm>

namespace transfusion::core {

namespace {

using Ranks = std::vector<RankId>;

int64_t extentOf(const Cascade &c, const Ranks &ranks) {
  int64_t n = 1;
  for (RankId r : ranks)
    if (__builtin_mul_overflow(n, c.ranks[r].extent, &n))
      return INT64_MAX;
  return n;
}

/// A contraction's ranks by what they are for.
struct Contraction {
  EinsumId einsum = -1;
  Ranks reduced; ///< in several operands
  Ranks shared;  ///< kept, in both operands
  Ranks own[2];  ///< kept, in one operand only
  bool isAttention() const { return !shared.empty(); }
};

bool asContraction(const Cascade &c, EinsumId e, Contraction &out) {
  const Einsum &einsum = c.einsums[e];
  if (einsum.reduce != ReduceKind::Add || einsum.inputs.size() != 2)
    return false;
  const Ranks in[2] = {accessRanks(einsum.inputs[0].access),
                       accessRanks(einsum.inputs[1].access)};
  for (RankId r : reducedRanks(c, e))
    if (has(in[0], r) && has(in[1], r))
      out.reduced.push_back(r);
  if (out.reduced.empty())
    return false;
  out.einsum = e;
  for (RankId r : einsum.ranks) {
    if (isReducedRank(c, e, r))
      continue;
    // An iterative rank counts tiles of the keys: it is none of the batch.
    if (has(in[0], r) && has(in[1], r) && !c.ranks[r].iterative)
      out.shared.push_back(r);
    else if (!c.ranks[r].iterative)
      out.own[has(in[0], r) ? 0 : 1].push_back(r);
  }
  return true;
}

} // namespace

LayerShape layerShape(const Cascade &c) {
  LayerShape shape;
  std::vector<Contraction> scores, mixes;
  int64_t widest = 0;
  TensorId widestResult = -1;
  for (EinsumId e = 0; e < static_cast<EinsumId>(c.einsums.size()); ++e) {
    Contraction k;
    if (!asContraction(c, e, k))
      continue;
    const Einsum &einsum = c.einsums[e];
    if (k.isAttention()) {
      // What mixes values reduces what the scores made: keys.
      bool madeByScores = false;
      for (const Contraction &s : scores)
        for (RankId r : k.reduced)
          madeByScores |=
              c.einsums[s.einsum].hasRank(r) && !isReducedRank(c, s.einsum, r);
      (madeByScores ? mixes : scores).push_back(k);
      continue;
    }
    // Weights are given, or else the operand that is not computed from rows.
    const bool firstIsWeight =
        c.tensors[einsum.inputs[0].tensor].producer < 0 &&
        c.tensors[einsum.inputs[1].tensor].producer >= 0;
    const int weight = firstIsWeight ? 0 : 1;
    LinearShape linear{einsum.name, extentOf(c, k.own[1 - weight]),
                       extentOf(c, k.reduced), extentOf(c, k.own[weight])};
    if (linear.out > widest) {
      widest = linear.out;
      widestResult = einsum.result.tensor;
    }
    shape.linear.push_back(std::move(linear));
  }
  for (size_t i = 0; i < scores.size(); ++i) {
    const Einsum &einsum = c.einsums[scores[i].einsum];
    AttentionShapeOf a;
    a.name = einsum.name;
    a.e = extentOf(c, scores[i].reduced);
    Ranks keys, queries;
    for (const Ranks &own : scores[i].own)
      for (RankId r : own) {
        bool mixed = false;
        for (const Contraction &m : mixes)
          mixed |= has(m.reduced, r);
        (mixed ? keys : queries).push_back(r);
      }
    a.queries = extentOf(c, queries);
    for (RankId r : einsum.ranks)
      if (c.ranks[r].iterative)
        keys.push_back(r);
    a.keys = extentOf(c, keys);
    a.batch = scores[i].shared.size() > 1
                  ? c.ranks[scores[i].shared.front()].extent
                  : 1;
    a.heads = extentOf(c, scores[i].shared);
    a.f = a.e;
    if (i < mixes.size())
      for (const Ranks &own : mixes[i].own)
        for (RankId r : own)
          if (!has(queries, r))
            a.f = c.ranks[r].extent;
    shape.attention.push_back(std::move(a));
  }
  for (const Einsum &e : c.einsums)
    for (const Operand &o : e.inputs) {
      if (o.tensor != widestResult || e.reduce != ReduceKind::None)
        continue;
      int64_t ops = 0;
      for (int32_t n : e.pointOps.count)
        ops += n;
      shape.activationOps = std::max(shape.activationOps, ops);
    }
  return shape;
}

} // namespace transfusion::core
