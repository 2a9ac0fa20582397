//===- CanonicalOrder.cpp - An order that names cannot change -------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Colours of ranks, tensors and Einsums are refined against each other until
// they see the whole graph (Weisfeiler and Leman). Einsums that still look
// alike are interchangeable in all but contrived cascades.
//
//===----------------------------------------------------------------------===//
#include "transfusion/Core/Search/Structure.h"

#include <algorithm>

namespace transfusion::core {

namespace {

uint64_t mix(uint64_t h, uint64_t x) {
  h ^= x + 0x9E3779B97F4A7C15ull + (h << 6) + (h >> 2);
  h = (h ^ (h >> 30)) * 0xBF58476D1CE4E5B9ull;
  return h ^ (h >> 31);
}

/// Of a multiset.
uint64_t mixAll(uint64_t h, std::vector<uint64_t> xs) {
  std::sort(xs.begin(), xs.end());
  for (uint64_t x : xs)
    h = mix(h, x);
  return h;
}

class Colours {
public:
  explicit Colours(const Cascade &c) : c(c) {
    for (const Rank &r : c.ranks)
      rank.push_back(mix(static_cast<uint64_t>(r.extent), r.iterative));
    for (const Tensor &t : c.tensors) {
      uint64_t h = mix(t.isInput * 2 + t.isOutput,
                       static_cast<uint64_t>(t.bitsPerValue));
      for (int64_t extent : t.shape)
        h = mix(h, static_cast<uint64_t>(extent));
      tensor.push_back(h);
    }
    einsum.assign(c.einsums.size(), 1);
    size_t rounds = c.einsums.size() + 2;
    for (size_t i = 0; i < rounds; ++i)
      refine();
  }
  std::vector<uint64_t> rank, tensor, einsum;

private:
  uint64_t colour(const LinearExpr &x) const {
    std::vector<uint64_t> terms;
    for (const auto &t : x.terms)
      terms.push_back(mix(rank[t.first], static_cast<uint64_t>(t.second)));
    return mixAll(static_cast<uint64_t>(x.constant), terms);
  }
  uint64_t colour(const Operand &o) const {
    uint64_t h = tensor[o.tensor];
    for (const LinearExpr &x : o.access)
      h = mix(h, colour(x));
    return h;
  }
  void refine();
  const Cascade &c;
};

} // namespace

void Colours::refine() {
  std::vector<uint64_t> nextEinsum;
  std::vector<std::vector<uint64_t>> aboutTensor(c.tensors.size()),
      aboutRank(c.ranks.size());
  for (size_t i = 0; i < c.einsums.size(); ++i) {
    const Einsum &e = c.einsums[i];
    uint64_t h = mix(einsum[i], static_cast<uint64_t>(e.reduce));
    for (int n = 0; n < kNumOpClasses; ++n)
      h = mix(mix(h, static_cast<uint64_t>(e.pointOps.count[n])),
              static_cast<uint64_t>(e.finishOps.count[n]));
    std::vector<uint64_t> ranks;
    for (RankId r : e.ranks)
      ranks.push_back(rank[r]);
    h = mixAll(h, ranks);
    for (const Operand &o : e.inputs)
      h = mix(h, colour(o));
    h = mix(h, 17);
    for (const Operand &o : e.finishInputs)
      h = mix(h, colour(o));
    h = mix(h, colour(e.result));
    if (e.base >= 0)
      h = mix(h, tensor[e.base]);
    if (e.part)
      h = mix(h, static_cast<uint64_t>(e.part));
    std::vector<uint64_t> domain;
    for (const Constraint &d : e.domain)
      domain.push_back(colour(d.expr));
    h = mixAll(h, domain);
    nextEinsum.push_back(h);

    auto tell = [&](const Operand &o, uint64_t role) {
      aboutTensor[o.tensor].push_back(mix(h, role));
      for (size_t d = 0; d < o.access.size(); ++d)
        for (const auto &t : o.access[d].terms)
          aboutRank[t.first].push_back(
              mix(mix(mix(h, role), d), static_cast<uint64_t>(t.second)));
    };
    for (size_t k = 0; k < e.inputs.size(); ++k)
      tell(e.inputs[k], 100 + k);
    for (size_t k = 0; k < e.finishInputs.size(); ++k)
      tell(e.finishInputs[k], 200 + k);
    tell(e.result, 300);
    if (e.base >= 0)
      aboutTensor[e.base].push_back(mix(h, 400));
    for (RankId r : e.ranks)
      aboutRank[r].push_back(h);
  }
  einsum = std::move(nextEinsum);
  for (size_t t = 0; t < c.tensors.size(); ++t)
    tensor[t] = mixAll(tensor[t], aboutTensor[t]);
  for (size_t r = 0; r < c.ranks.size(); ++r)
    rank[r] = mixAll(rank[r], aboutRank[r]);
}

std::vector<EinsumId> canonicalOrder(const Cascade &c) {
  size_t n = c.einsums.size();
  Colours colours(c);
  // Longest chains of producers and of readers: what much depends on is first.
  std::vector<Dependence> deps = dependences(c);
  std::vector<int32_t> depth(n, 0), height(n, 0);
  for (size_t round = 0; round < n; ++round) {
    bool changed = false;
    for (const Dependence &d : deps) {
      if (d.distance != 0 || d.from == d.to)
        continue;
      if (depth[d.to] <= depth[d.from]) {
        depth[d.to] = depth[d.from] + 1;
        changed = true;
      }
      if (height[d.from] <= height[d.to]) {
        height[d.from] = height[d.to] + 1;
        changed = true;
      }
    }
    if (!changed)
      break;
  }
  std::vector<EinsumId> order;
  for (size_t i = 0; i < n; ++i)
    order.push_back(static_cast<EinsumId>(i));
  std::sort(order.begin(), order.end(), [&](EinsumId x, EinsumId y) {
    if (depth[x] != depth[y])
      return depth[x] < depth[y];
    if (height[x] != height[y])
      return height[x] > height[y];
    if (colours.einsum[x] != colours.einsum[y])
      return colours.einsum[x] < colours.einsum[y];
    return x < y;
  });
  return order;
}

} // namespace transfusion::core
