//===- Arch.cpp - An accelerator ------------------------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Core/Model/Arch.h"

#include <algorithm>
#include <limits>

namespace transfusion::core {

MemoryId outerMemory(const Arch &a, MemoryId m) {
  const auto known = static_cast<MemoryId>(a.memories.size());
  if (m <= 0 || m >= known)
    return -1;
  const MemoryId outer = a.memories[m].outer;
  return outer < 0 ? m - 1 : outer < known ? outer : -1;
}

std::vector<MemoryId> memoryPath(const Arch &a, MemoryId m) {
  std::vector<MemoryId> path;
  while (m >= 0 && m < static_cast<MemoryId>(a.memories.size()) &&
         !has(path, m)) { // a cycle has an end here
    path.push_back(m);
    m = outerMemory(a, m);
  }
  std::reverse(path.begin(), path.end());
  return path;
}

std::vector<MemoryId> memoriesBetween(const Arch &a) {
  if (a.units.empty())
    return {};
  std::vector<MemoryId> path = memoryPath(a, a.units.front().memory);
  if (path.size() < 3)
    return {};
  return {path.rbegin() + 1, path.rend() - 1};
}

double leakage(const Arch &a) {
  double watts = 0;
  for (const Memory &m : a.memories)
    watts += m.leakageW * double(m.instances);
  for (const Unit &u : a.units)
    watts += u.leakageW * double(u.instances);
  return watts;
}

/// An expansion may name classes that are expansions again; a chain longer
/// than there are classes is a cycle, and what cannot be resolved is not
/// supported.
static constexpr int kMaxExpansionDepth = kNumOpClasses;

namespace {
struct Resolved {
  int64_t cycles = -1; ///< -1: not supported
  double pj = 0;
};
} // namespace

static int64_t addScaled(int64_t sum, int64_t cycles, int64_t times) {
  int64_t product, result;
  if (__builtin_mul_overflow(cycles, times, &product) ||
      __builtin_add_overflow(sum, product, &result))
    return std::numeric_limits<int64_t>::max();
  return result;
}

static Resolved resolve(const Unit &u, OpClass cls, int depth) {
  const OpCost &cost = u.ops[static_cast<int>(cls)];
  // A machine need not list copies: they cost an add's cycle and no energy.
  if (cls == OpClass::Copy && !cost.supported) {
    Resolved add = resolve(u, OpClass::Add, depth);
    add.pj = 0;
    return add;
  }
  if (!cost.supported || depth > kMaxExpansionDepth)
    return {};
  if (cost.expansion.empty())
    return {cost.cycles, cost.pj};
  Resolved sum;
  sum.cycles = 0;
  for (const auto &part : cost.expansion) {
    Resolved one = resolve(u, part.first, depth + 1);
    if (one.cycles < 0)
      return {};
    sum.cycles = addScaled(sum.cycles, one.cycles, part.second);
    sum.pj += one.pj * part.second;
  }
  return sum;
}

int64_t cyclesPerPoint(const Unit &u, const OpHistogram &h) {
  int64_t cycles = 0;
  for (int i = 0; i < kNumOpClasses; ++i) {
    if (!h.count[i])
      continue;
    Resolved one = resolve(u, static_cast<OpClass>(i), 0);
    if (one.cycles < 0)
      return -1;
    cycles = addScaled(cycles, one.cycles, h.count[i]);
  }
  return cycles;
}

double energyPerPoint(const Unit &u, const OpHistogram &h) {
  double pj = 0;
  for (int i = 0; i < kNumOpClasses; ++i)
    if (h.count[i])
      pj += resolve(u, static_cast<OpClass>(i), 0).pj * h.count[i];
  return pj;
}

int unsupportedClass(const Unit &u, const OpHistogram &h) {
  for (int i = 0; i < kNumOpClasses; ++i)
    if (h.count[i] && resolve(u, static_cast<OpClass>(i), 0).cycles < 0)
      return i;
  return -1;
}

} // namespace transfusion::core
