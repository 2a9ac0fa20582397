//===- EnergyAccount.h - Whose energy it is ---------------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The energy of a schedule twice over: by component (each memory's reads and
// writes, each unit's operations by class, what leaks) and by tensor (its moves
// at each memory; the rest, operations and leakage, is of no tensor). Both add
// up to the total: exactly, in the sense that the true sum of the parts,
// rounded once, is the total to the last bit. To that end what rounding has
// left over, 1e-15 of it, is given to the greatest part. What is off by more
// than rounding is a fault.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_CORE_COST_ENERGYACCOUNT_H
#define TRANSFUSION_CORE_COST_ENERGYACCOUNT_H

#include "transfusion/Core/Cost/CostDetail.h"

namespace transfusion::core {

struct MemoryEnergy {
  double readPj = 0, writePj = 0, leakagePj = 0;
};
struct UnitEnergy {
  std::array<double, kNumOpClasses> opPj{}; ///< by OpClass
  double leakagePj = 0;
};
struct TensorEnergy {
  std::vector<double> readPj, writePj; ///< by MemoryId
  double pj() const;
};

struct EnergyAccount {
  double totalPj = 0;
  std::vector<MemoryEnergy> memories; ///< by MemoryId
  std::vector<UnitEnergy> units;      ///< by UnitId
  std::vector<TensorEnergy> tensors;  ///< by TensorId
  /// Of no tensor, as in the report.
  double arithmeticPj = 0, leakagePj = 0;
  std::vector<std::string> faults; ///< not empty: parts do not add up
};

EnergyAccount accountEnergy(const Arch &a, const CostReport &cost,
                            const CostDetail &detail);

/// Gives the greatest parts what all, with `others`, lack of `total`; false
/// when that is more than rounding.
bool settle(std::vector<double *> parts, const std::vector<double> &others,
            double total);
/// `parts` in whole `quanta`, which add up to `total` in quanta, rounded; each
/// is off by less than one.
std::vector<int64_t> apportion(const std::vector<double> &parts, double total,
                               double quantum);

} // namespace transfusion::core

#endif // TRANSFUSION_CORE_COST_ENERGYACCOUNT_H
