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

/// New ids, by old ones, for everything in a cascade.
struct Renaming {
  std::vector<int32_t> rank, tensor, einsum;

  Renaming(const Cascade &c, Rng &rng)
      : rank(permutation(c.ranks.size(), rng)),
        tensor(permutation(c.tensors.size(), rng)),
        einsum(permutation(c.einsums.size(), rng)) {}

  /// With names after the new ids; an Einsum is called as its result.
  Cascade apply(const Cascade &c) const {
    Cascade d = c;
    for (size_t i = 0; i < c.ranks.size(); ++i) {
      d.ranks[rank[i]] = c.ranks[i];
      d.ranks[rank[i]].name = "rank" + std::to_string(rank[i]);
    }
    for (size_t i = 0; i < c.tensors.size(); ++i) {
      Tensor &t = d.tensors[tensor[i]];
      t = c.tensors[i];
      t.name = "T" + std::to_string(tensor[i]);
      t.iterativeRank = mapped(rank, t.iterativeRank);
      t.producer = mapped(einsum, t.producer);
    }
    for (size_t i = 0; i < c.einsums.size(); ++i) {
      Einsum &e = d.einsums[einsum[i]];
      e = c.einsums[i];
      e.name = "T" + std::to_string(tensor[e.result.tensor]);
      e.base = mapped(tensor, e.base);
      map(e.ranks);
      for (Operand &o : e.inputs)
        map(o);
      for (Operand &o : e.finishInputs)
        map(o);
      map(e.result);
      for (Constraint &k : e.domain)
        map(k.expr);
    }
    return d;
  }

  void map(std::vector<RankId> &ranks) const {
    for (RankId &r : ranks)
      r = rank[r];
  }

private:
  static std::vector<int32_t> permutation(size_t n, Rng &rng) {
    std::vector<int32_t> p(n);
    std::iota(p.begin(), p.end(), 0);
    for (size_t i = n; i > 1; --i)
      std::swap(p[i - 1], p[rng.below(i)]);
    return p;
  }
  static int32_t mapped(const std::vector<int32_t> &ids, int32_t id) {
    return id < 0 ? -1 : ids[id];
  }
  void map(LinearExpr &x) const {
    for (auto &t : x.terms)
      t.first = rank[t.first];
    std::sort(x.terms.begin(), x.terms.end());
  }
  void map(Operand &o) const {
    o.tensor = tensor[o.tensor];
    for (LinearExpr &x : o.access)
      map(x);
  }
};

/// New names and new ids for ranks, tensors and Einsums.
inline Cascade shuffled(const Cascade &c, Rng &rng) {
  return Renaming(c, rng).apply(c);
}

} // namespace transfusion::core::test

#endif // TRANSFUSION_UNITTESTS_CORE_SEARCH_PERMUTE_H
