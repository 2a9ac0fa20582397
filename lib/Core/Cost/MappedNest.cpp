//===- MappedNest.cpp - The loops above one Einsum of a mapping -----------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MappedNest.h"

#include <algorithm>

namespace transfusion::core {

std::vector<RankId> ranksOf(const Einsum &e, TensorId t) {
  std::vector<RankId> ranks;
  auto add = [&](const Operand &o) {
    if (o.tensor == t)
      for (RankId r : accessRanks(o.access))
        if (!has(ranks, r))
          ranks.push_back(r);
  };
  add(e.result);
  for (const Operand &o : e.inputs)
    add(o);
  for (const Operand &o : e.finishInputs)
    add(o);
  return ranks;
}

int64_t valuesIn(const std::vector<RankId> &ranks,
                 const std::vector<int64_t> &tile) {
  int64_t values = 1;
  for (RankId r : ranks)
    if (__builtin_mul_overflow(values, tile[r], &values))
      return INT64_MAX;
  return values;
}

static bool uses(const Cascade &c, const MapScope &s, TensorId t) {
  if (s.einsum >= 0)
    return has(tensorsOf(c.einsums[s.einsum]), t);
  return std::any_of(s.scopes.begin(), s.scopes.end(),
                     [&](const MapScope &in) { return uses(c, in, t); });
}

bool isAlive(const Cascade &c, const Nest &nest, const NestStep &step,
             TensorId t) {
  const MapScope &scope = *step.scope;
  if (scope.einsum >= 0)
    return true;
  auto at = std::find(nest.scopes.begin(), nest.scopes.end(), &scope) + 1;
  bool before = false, after = false, reached = false;
  for (const MapScope &inner : scope.scopes) {
    reached |= &inner == *at;
    if (uses(c, inner, t)) {
      before |= !reached || &inner == *at;
      after |= reached;
    }
  }
  return before && after;
}

} // namespace transfusion::core
