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

std::vector<TensorId> piecesOf(const Cascade &c, TensorId t) {
  std::vector<TensorId> pieces;
  while (t >= 0 && pieces.size() <= c.einsums.size()) {
    pieces.push_back(t);
    const EinsumId producer = c.tensors[t].producer;
    t = producer < 0 ? -1 : c.einsums[producer].base;
  }
  return pieces;
}

EinsumId extenderOf(const Cascade &c, TensorId t) {
  for (size_t e = 0; e < c.einsums.size(); ++e)
    if (c.einsums[e].base == t)
      return static_cast<EinsumId>(e);
  return -1;
}

TensorId wholeOf(const Cascade &c, TensorId t) {
  for (EinsumId e; (e = extenderOf(c, t)) >= 0;)
    t = c.einsums[e].result.tensor;
  return t;
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
      for (TensorId piece : piecesOf(c, read.tensor)) {
        Dependence d;
        d.from = c.tensors[piece].producer;
        if (d.from < 0)
          return;
        d.to = e;
        d.tensor = read.tensor;
        d.inFinish = inFinish;
        setDistance(c, read, d);
        bool known = false; // x * x reads x once
        for (size_t i = first; i < all.size(); ++i)
          known |= same(all[i], d);
        if (!known)
          all.push_back(d);
      }
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
