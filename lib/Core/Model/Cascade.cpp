//===- Cascade.cpp - A cascade of extended Einsums ------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Questions about the graph. Counting points is in PointCount.cpp.
//
//===----------------------------------------------------------------------===//

#include "transfusion/Core/Model/Cascade.h"

#include <algorithm>

namespace transfusion::core {

static constexpr const char *kOpClassNames[kNumOpClasses] = {
    "mac", "add", "max", "div",     "exp",  "rsqrt", "sqrt",
    "log", "sin", "cos", "sigmoid", "tanh", "erf",   "copy"};

const char *opClassName(OpClass c) {
  return kOpClassNames[static_cast<int>(c)];
}

int opClassFromName(const std::string &name) {
  for (int i = 0; i < kNumOpClasses; ++i)
    if (name == kOpClassNames[i])
      return i;
  return -1;
}

std::vector<RankId> accessRanks(const Access &access) {
  std::vector<RankId> ranks;
  for (const LinearExpr &x : access)
    for (const auto &t : x.terms)
      if (!has(ranks, t.first))
        ranks.push_back(t.first);
  return ranks;
}

bool isReducedRank(const Cascade &c, EinsumId e, RankId r) {
  const Einsum &einsum = c.einsums[e];
  return einsum.hasRank(r) && !usesRank(einsum.result.access, r);
}

std::vector<RankId> reducedRanks(const Cascade &c, EinsumId e) {
  std::vector<RankId> reduced;
  for (RankId r : c.einsums[e].ranks)
    if (!usesRank(c.einsums[e].result.access, r))
      reduced.push_back(r);
  return reduced;
}

/// How the reader sees a recurrence: by how many slices it lags behind the
/// definition, or that it reads a fixed slice, which is there at the end.
static void setDistance(const Cascade &c, const Operand &read, Dependence &d) {
  const Tensor &t = c.tensors[read.tensor];
  if (t.iterativeDim < 0)
    return;
  const LinearExpr &reads = read.access[t.iterativeDim];
  if (!reads.uses(t.iterativeRank)) {
    d.atEnd = true;
    return;
  }
  const LinearExpr &writes = c.einsums[d.from].result.access[t.iterativeDim];
  d.distance = static_cast<int32_t>(writes.constant - reads.constant);
}

std::vector<Dependence> dependences(const Cascade &c) {
  std::vector<Dependence> all;
  auto same = [](const Dependence &a, const Dependence &b) {
    return a.from == b.from && a.to == b.to && a.tensor == b.tensor &&
           a.distance == b.distance && a.atEnd == b.atEnd &&
           a.inFinish == b.inFinish;
  };
  for (EinsumId e = 0; e < static_cast<EinsumId>(c.einsums.size()); ++e) {
    size_t first = all.size();
    auto visit = [&](const Operand &read, bool inFinish) {
      EinsumId producer = c.tensors[read.tensor].producer;
      if (producer < 0)
        return;
      Dependence d;
      d.from = producer;
      d.to = e;
      d.tensor = read.tensor;
      d.inFinish = inFinish;
      setDistance(c, read, d);
      for (size_t i = first; i < all.size(); ++i)
        if (same(all[i], d))
          return; // x * x reads x once
      all.push_back(d);
    };
    for (const Operand &read : c.einsums[e].inputs)
      visit(read, /*inFinish=*/false);
    for (const Operand &read : c.einsums[e].finishInputs)
      visit(read, /*inFinish=*/true);
  }
  return all;
}

std::vector<std::vector<EinsumId>> readers(const Cascade &c) {
  std::vector<std::vector<EinsumId>> byTensor(c.tensors.size());
  for (EinsumId e = 0; e < static_cast<EinsumId>(c.einsums.size()); ++e) {
    auto visit = [&](const Operand &read) {
      std::vector<EinsumId> &list = byTensor[read.tensor];
      if (list.empty() || list.back() != e)
        list.push_back(e);
    };
    for (const Operand &read : c.einsums[e].inputs)
      visit(read);
    for (const Operand &read : c.einsums[e].finishInputs)
      visit(read);
  }
  return byTensor;
}

} // namespace transfusion::core
