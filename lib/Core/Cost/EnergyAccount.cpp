//===- EnergyAccount.cpp - Whose energy it is -----------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Core/Cost/EnergyAccount.h"

#include <algorithm>
#include <cmath>

namespace transfusion::core {

namespace {

/// A sum and what rounding took from it (Neumaier).
struct ExactSum {
  double sum = 0, lost = 0;
  void add(double x) {
    const double next = sum + x;
    lost += std::abs(sum) >= std::abs(x) ? (sum - next) + x : (x - next) + sum;
    sum = next;
  }
};

/// Beyond what rounding does to a few hundred parts.
constexpr double kRounding = 1e-9;

} // namespace

double TensorEnergy::pj() const {
  double sum = 0;
  for (size_t m = 0; m < readPj.size(); ++m)
    sum += readPj[m] + writePj[m];
  return sum;
}

bool settle(std::vector<double *> parts, const std::vector<double> &others,
            double total) {
  std::stable_sort(parts.begin(), parts.end(),
                   [](const double *x, const double *y) { return *x > *y; });
  // What is too small for the greatest part, the next one takes.
  for (size_t i = 0; i <= parts.size(); ++i) {
    ExactSum sum;
    sum.add(total);
    for (const double *part : parts)
      sum.add(-*part);
    for (double other : others)
      sum.add(-other);
    const double rest = sum.sum + sum.lost;
    if (!(std::abs(rest) <= kRounding * std::abs(total)))
      return false;
    if (rest == 0 || i == std::min<size_t>(parts.size(), 3))
      return true;
    *parts[i] += rest;
  }
  return true;
}

std::vector<int64_t> apportion(const std::vector<double> &parts, double total,
                               double quantum) {
  std::vector<int64_t> whole;
  std::vector<std::pair<double, size_t>> rests; // least remainder first
  int64_t left = std::llround(total / quantum);
  for (size_t i = 0; i < parts.size(); ++i) {
    const double floor = std::floor(parts[i] / quantum);
    whole.push_back(static_cast<int64_t>(floor));
    left -= whole.back();
    rests.push_back({floor - parts[i] / quantum, i});
  }
  std::stable_sort(
      rests.begin(), rests.end(),
      [](const auto &x, const auto &y) { return x.first < y.first; });
  for (size_t i = 0; left > 0 && i < rests.size(); ++i, --left)
    ++whole[rests[i].second];
  for (size_t i = rests.size(); left < 0 && i-- > 0; ++left)
    --whole[rests[i].second];
  return whole;
}

EnergyAccount accountEnergy(const Arch &a, const CostReport &cost,
                            const CostDetail &detail) {
  EnergyAccount account;
  account.totalPj = cost.energyPj;
  account.arithmeticPj = cost.arithmeticPj;
  account.leakagePj = cost.leakagePj;
  const double leaking = cost.latencyS * 1e12;
  for (size_t m = 0; m < a.memories.size(); ++m) {
    const Memory &memory = a.memories[m];
    account.memories.push_back(
        {double(cost.readBytes[m]) * memory.readPjPerByte,
         double(cost.writeBytes[m]) * memory.writePjPerByte,
         memory.leakageW * double(memory.instances) * leaking});
  }
  for (size_t u = 0; u < a.units.size(); ++u)
    account.units.push_back(
        {detail.unitOpPj[u],
         a.units[u].leakageW * double(a.units[u].instances) * leaking});
  for (const TensorTraffic &traffic : detail.byTensor) {
    TensorEnergy energy;
    for (size_t m = 0; m < a.memories.size(); ++m) {
      energy.readPj.push_back(double(traffic.readBytes[m]) *
                              a.memories[m].readPjPerByte);
      energy.writePj.push_back(double(traffic.writeBytes[m]) *
                               a.memories[m].writePjPerByte);
    }
    account.tensors.push_back(std::move(energy));
  }

  std::vector<double *> components, tensors;
  for (MemoryEnergy &m : account.memories)
    components.insert(components.end(), {&m.readPj, &m.writePj, &m.leakagePj});
  for (UnitEnergy &u : account.units) {
    for (double &pj : u.opPj)
      components.push_back(&pj);
    components.push_back(&u.leakagePj);
  }
  for (TensorEnergy &t : account.tensors)
    for (size_t m = 0; m < a.memories.size(); ++m)
      tensors.insert(tensors.end(), {&t.readPj[m], &t.writePj[m]});
  if (!settle(components, {}, account.totalPj))
    account.faults.push_back(
        "the energy of the components is not that of the layer");
  if (!settle(tensors, {account.arithmeticPj, account.leakagePj},
              account.totalPj))
    account.faults.push_back(
        "the energy of the tensors is not that of the layer");
  return account;
}

} // namespace transfusion::core
