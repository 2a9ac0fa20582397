//===- Permute.h - The same cascade, listed differently ---------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_UNITTESTS_CORE_SEARCH_PERMUTE_H
#define TRANSFUSION_UNITTESTS_CORE_SEARCH_PERMUTE_H

#include "transfusion/Core/Model/Cascade.h"
#include "transfusion/Core/Search/Rng.h"

#include <algorithm>
#include <numeric>

namespace transfusion::core::test {

/// New names and new ids for ranks, tensors and Einsums.
inline Cascade shuffled(const Cascade &c, Rng &rng) {
  auto permutation = [&](size_t n) { // old id -> new id
    std::vector<int32_t> p(n);
    std::iota(p.begin(), p.end(), 0);
    for (size_t i = n; i > 1; --i)
      std::swap(p[i - 1], p[rng.below(i)]);
    return p;
  };
  const std::vector<int32_t> rank = permutation(c.ranks.size()),
                             tensor = permutation(c.tensors.size()),
                             einsum = permutation(c.einsums.size());
  auto mapExpr = [&](LinearExpr &x) {
    for (auto &t : x.terms)
      t.first = rank[t.first];
    std::sort(x.terms.begin(), x.terms.end());
  };
  auto mapOperand = [&](Operand &o) {
    o.tensor = tensor[o.tensor];
    for (LinearExpr &x : o.access)
      mapExpr(x);
  };
  Cascade d = c;
  for (size_t i = 0; i < c.ranks.size(); ++i) {
    d.ranks[rank[i]] = c.ranks[i];
    d.ranks[rank[i]].name = "rank" + std::to_string(rank[i]);
  }
  for (size_t i = 0; i < c.tensors.size(); ++i) {
    Tensor &t = d.tensors[tensor[i]];
    t = c.tensors[i];
    t.name = "T" + std::to_string(tensor[i]);
    if (t.iterativeRank >= 0)
      t.iterativeRank = rank[t.iterativeRank];
    if (t.producer >= 0)
      t.producer = einsum[t.producer];
  }
  for (size_t i = 0; i < c.einsums.size(); ++i) {
    Einsum &e = d.einsums[einsum[i]];
    e = c.einsums[i];
    e.name = "T" + std::to_string(tensor[c.einsums[i].result.tensor]);
    for (RankId &r : e.ranks)
      r = rank[r];
    for (Operand &o : e.inputs)
      mapOperand(o);
    for (Operand &o : e.finishInputs)
      mapOperand(o);
    mapOperand(e.result);
    for (Constraint &k : e.domain)
      mapExpr(k.expr);
  }
  return d;
}

} // namespace transfusion::core::test

#endif // TRANSFUSION_UNITTESTS_CORE_SEARCH_PERMUTE_H
