//===- Projection.cpp - What linear constraints say of fewer ranks --------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Core/Model/Projection.h"

#include "Wide.h"

#include <algorithm>
#include <numeric>

namespace transfusion::core {

int64_t coefficientOf(const LinearExpr &x, RankId r) {
  for (const auto &t : x.terms)
    if (t.first == r)
      return t.second;
  return 0;
}

bool sameConstraint(const Constraint &x, const Constraint &y) {
  return x.expr.constant == y.expr.constant && x.expr.terms == y.expr.terms;
}

bool contains(const std::vector<Constraint> &set, const Constraint &k) {
  return std::any_of(set.begin(), set.end(),
                     [&](const Constraint &x) { return sameConstraint(x, k); });
}

bool holdsEverywhere(const Cascade &c, const LinearExpr &x) {
  Wide least = x.constant;
  for (const auto &t : x.terms)
    if (t.second < 0)
      least += Wide(t.second) * (c.ranks[t.first].extent - 1);
  return least >= 0;
}

/// sx * x + sy * y.
static bool combine(const LinearExpr &x, int64_t sx, const LinearExpr &y,
                    int64_t sy, LinearExpr &sum) {
  std::vector<std::pair<RankId, Wide>> terms;
  for (const auto &t : x.terms)
    terms.push_back({t.first, Wide(t.second) * sx});
  for (const auto &t : y.terms) {
    auto at = std::find_if(terms.begin(), terms.end(),
                           [&](const auto &u) { return u.first == t.first; });
    if (at == terms.end())
      terms.push_back({t.first, Wide(t.second) * sy});
    else
      at->second += Wide(t.second) * sy;
  }
  std::sort(terms.begin(), terms.end());
  constexpr Wide limit = Wide(1) << 60;
  const Wide constant = Wide(x.constant) * sx + Wide(y.constant) * sy;
  bool fits = constant < limit && constant > -limit;
  for (const auto &t : terms)
    fits &= t.second < limit && t.second > -limit;
  if (!fits)
    return false;
  sum = LinearExpr();
  sum.constant = static_cast<int64_t>(constant);
  int64_t divisor = 0;
  for (const auto &t : terms)
    if (t.second != 0) {
      sum.terms.push_back({t.first, static_cast<int64_t>(t.second)});
      divisor = std::gcd(divisor, static_cast<int64_t>(t.second));
    }
  if (divisor > 1) {
    for (auto &t : sum.terms)
      t.second /= divisor;
    sum.constant = static_cast<int64_t>(floorDiv(sum.constant, divisor));
  }
  return true;
}

bool eliminate(const LinearExpr &rising, const LinearExpr &falling, RankId r,
               LinearExpr &implied) {
  const int64_t up = coefficientOf(rising, r),
                down = -coefficientOf(falling, r);
  const int64_t g = std::gcd(up, down);
  return combine(rising, down / g, falling, up / g, implied);
}

std::vector<Constraint> project(const Cascade &c,
                                const std::vector<Constraint> &constraints,
                                const std::vector<RankId> &kept) {
  std::vector<Constraint> left;
  auto add = [&](std::vector<Constraint> &to, const Constraint &k) {
    if (!holdsEverywhere(c, k.expr) && !contains(to, k))
      to.push_back(k);
  };
  for (const Constraint &k : constraints)
    add(left, k);
  while (true) {
    RankId gone = -1;
    for (const Constraint &k : left)
      for (const auto &t : k.expr.terms)
        if (gone < 0 && !has(kept, t.first))
          gone = t.first;
    if (gone < 0)
      return left;
    Constraint least, most; // of the rank itself
    least.expr.terms = {{gone, 1}};
    most.expr.terms = {{gone, -1}};
    most.expr.constant = c.ranks[gone].extent - 1;
    std::vector<Constraint> rising = {least}, falling = {most}, next;
    for (const Constraint &k : left) {
      const int64_t slope = coefficientOf(k.expr, gone);
      if (slope == 0)
        add(next, k);
      else
        (slope > 0 ? rising : falling).push_back(k);
    }
    for (const Constraint &x : rising)
      for (const Constraint &y : falling)
        if (Constraint implied; eliminate(x.expr, y.expr, gone, implied.expr))
          add(next, implied);
    left = std::move(next);
  }
}

} // namespace transfusion::core
