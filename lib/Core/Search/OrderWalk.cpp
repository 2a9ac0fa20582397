//===- OrderWalk.cpp - Topological orders of one pipeline step ------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "OrderWalk.h"

namespace transfusion::core {

void OrderWalk::computeTails() {
  least.assign(n, 0);
  onlyUnit.assign(n, -1);
  for (int32_t v = 0; v < n; ++v) {
    int64_t best = std::numeric_limits<int64_t>::max();
    int32_t able = 0;
    for (int32_t u = 0; u < p.units; ++u)
      if (p.cycles[v][u] >= 0) {
        best = std::min(best, p.cycles[v][u]);
        onlyUnit[v] = ++able == 1 ? u : -1;
      }
    least[v] = able ? best : 0;
  }
  uint64_t done = 0;
  while (static_cast<int32_t>(topological.size()) < n) {
    size_t size = topological.size();
    for (int32_t v = 0; v < n; ++v)
      if (!(done & bit(v)) && (before[v] & ~done) == 0) {
        done |= bit(v);
        topological.push_back(v);
      }
    if (topological.size() == size)
      break; // cannot happen: the parts are acyclic, edges cross one way
  }
  tail.assign(n, 0);
  for (size_t i = topological.size(); i-- > 0;) {
    int32_t v = topological[i];
    for (uint64_t w = after[v]; w; w &= w - 1)
      tail[v] = std::max(tail[v], tail[__builtin_ctzll(w)]);
    tail[v] += least[v];
  }
}

/// No completion of `s` is shorter.
int64_t OrderWalk::bound(const State &s) const {
  int64_t best = s.step.makespan(), total = 0;
  std::vector<int64_t> load = s.step.unitFree;
  for (int64_t f : s.step.unitFree)
    total += f;
  std::vector<int64_t> ready(n, 0);
  for (int32_t v : topological) {
    if (s.done & bit(v))
      continue;
    int64_t free = std::numeric_limits<int64_t>::max();
    for (int32_t u = 0; u < p.units; ++u)
      if (p.cycles[v][u] >= 0)
        free = std::min(free, s.step.unitFree[u]);
    int64_t at = free;
    for (uint64_t w = before[v]; w; w &= w - 1) {
      int32_t x = __builtin_ctzll(w);
      at = std::max(at,
                    s.done & bit(x) ? s.step.finish[x] : ready[x] + least[x]);
    }
    ready[v] = at;
    best = std::max(best, at + tail[v]);
    total += least[v];
    if (onlyUnit[v] >= 0)
      load[onlyUnit[v]] += least[v];
  }
  for (int64_t l : load)
    best = std::max(best, l);
  return std::max(best, (total + p.units - 1) / p.units);
}

void OrderWalk::listSchedule() {
  State s(p.units, n);
  std::vector<int32_t> issued;
  while (static_cast<int32_t>(issued.size()) < n) {
    int32_t next = -1;
    for (int32_t v = 0; v < n; ++v)
      if (!(s.done & bit(v)) && (before[v] & ~s.done) == 0 &&
          (next < 0 || tail[v] > tail[next]))
        next = v;
    if (next < 0)
      return; // cannot happen: the step is acyclic
    int32_t onUnit;
    s = issue(s, next, onUnit);
    issued.push_back(next);
  }
  ++leaves;
  if (s.step.makespan() >= bestIi)
    return;
  bestIi = s.step.makespan();
  order = std::move(issued);
}

int64_t OrderWalk::leastFillDrainOf(const State &s) const {
  if (oneStage)
    return 0;
  int64_t sum = 0;
  for (uint64_t part : {firstPart, ~firstPart}) {
    const std::vector<int64_t> &free =
        part == firstPart ? s.alone.unitFree : s.aloneFree2;
    int64_t work = 0, longest = 0;
    for (int64_t f : free) {
      work += f;
      longest = std::max(longest, f);
    }
    for (int32_t v = 0; v < n; ++v)
      if ((part & bit(v)) && !(s.done & bit(v)))
        work += least[v];
    sum += std::max(longest, (work + p.units - 1) / p.units);
  }
  return sum;
}

/// False when a prefix with the same future was walked before. Prefixes come in
/// lexicographic order, so the one that is kept is the canonical one.
bool OrderWalk::remember(const State &s) {
  std::vector<int64_t> key;
  key.push_back(static_cast<int64_t>(s.done));
  auto append = [&](const std::vector<int64_t> &free, const Clock &clock,
                    uint64_t part) {
    // A value that is there before any unit is free could be there earlier.
    int64_t least = *std::min_element(free.begin(), free.end());
    key.insert(key.end(), free.begin(), free.end());
    for (uint64_t w = s.done & part; w; w &= w - 1) {
      int32_t v = __builtin_ctzll(w);
      if (after[v] & ~s.done)
        key.push_back(std::max(clock.finish[v], least));
    }
  };
  append(s.step.unitFree, s.step, ~uint64_t(0));
  if (!minimiseIi && !oneStage) {
    append(s.alone.unitFree, s.alone, firstPart);
    append(s.aloneFree2, s.alone, ~firstPart);
  }
  return seen.insert(std::move(key)).second;
}

State OrderWalk::issue(const State &s, int32_t v, int32_t &unit) const {
  State t = s;
  int64_t ready = 0, aloneReady = 0;
  bool first = firstPart & bit(v);
  for (uint64_t w = before[v]; w; w &= w - 1) {
    int32_t x = __builtin_ctzll(w);
    ready = std::max(ready, s.step.finish[x]);
    if (first == bool(firstPart & bit(x)))
      aloneReady = std::max(aloneReady, s.alone.finish[x]);
  }
  unit = -1;
  int64_t end = 0;
  for (int32_t u = 0; u < p.units; ++u) {
    if (p.cycles[v][u] < 0)
      continue;
    int64_t e = std::max(ready, s.step.unitFree[u]) + p.cycles[v][u];
    if (unit < 0 || e < end) {
      unit = u;
      end = e;
    }
  }
  t.done |= bit(v);
  t.step.finish[v] = t.step.unitFree[unit] = end;
  if (!minimiseIi && !oneStage) {
    int64_t &free = first ? t.alone.unitFree[unit] : t.aloneFree2[unit];
    free = std::max(aloneReady, free) + p.cycles[v][unit];
    t.alone.finish[v] = free;
  }
  return t;
}

void OrderWalk::walk(const State &s) {
  if (static_cast<int32_t>(prefix.size()) == n) {
    ++leaves;
    if (minimiseIi) {
      bestIi = s.step.makespan(); // below the bound, or it had been dropped
      order = prefix;
      return;
    }
    found = true;
    bestFillDrain = oneStage ? 0 : s.fillDrain();
    fill = oneStage ? 0 : s.alone.makespan();
    drain = bestFillDrain - fill;
    order = prefix;
    unit = prefixUnit;
    return;
  }
  for (int32_t v = 0; v < n; ++v) {
    if ((s.done & bit(v)) || (before[v] & ~s.done))
      continue;
    int32_t onUnit;
    State t = issue(s, v, onUnit);
    if (minimiseIi
            ? bound(t) >= bestIi
            : bound(t) > bestIi ||
                  (oneStage ? found : leastFillDrainOf(t) >= bestFillDrain))
      continue;
    // The first walk of all meets no bound before its first leaf, so that
    // something is always found.
    if (seen.size() >= maxStates && (leaves > 0 || bestIi < kNoBound)) {
      complete = false;
      return;
    }
    if (!remember(t))
      continue;
    prefix.push_back(v);
    prefixUnit[v] = onUnit;
    walk(t);
    prefix.pop_back();
    prefixUnit[v] = -1;
  }
}

void OrderWalk::replay(const std::vector<int32_t> &given) {
  minimiseIi = false;
  State s(p.units, n);
  unit.assign(n, -1);
  for (int32_t v : given)
    s = issue(s, v, unit[v]);
  order = given;
  fill = oneStage ? 0 : s.alone.makespan();
  drain = oneStage ? 0 : s.fillDrain() - fill;
}

} // namespace transfusion::core
