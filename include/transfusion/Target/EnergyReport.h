//===- EnergyReport.h - Energy by name --------------------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_TARGET_ENERGYREPORT_H
#define TRANSFUSION_TARGET_ENERGYREPORT_H

#include "transfusion/Core/Cost/EnergyAccount.h"

#include "llvm/Support/JSON.h"

namespace transfusion {

/// What a component does, or what is done with a tensor at one.
struct EnergyEntry {
  std::string component, action; ///< "dram", "read"; "mac2d", "exp"
  double pj = 0;
};

struct EnergyByName {
  std::vector<EnergyEntry> components; ///< memories, units; what leaks last
  std::vector<std::pair<std::string, std::vector<EnergyEntry>>> tensors;
  double arithmeticPj = 0, leakagePj = 0; ///< of no tensor
  double totalPj = 0;
};

/// Entries of zero are left out, but for reads and writes of components.
EnergyByName nameEnergy(const core::EnergyAccount &account,
                        const core::Cascade &c, const core::Arch &a);

/// "energy_by_component" and "energy_by_tensor" of the open object.
void writeEnergyJson(const EnergyByName &energy, llvm::json::OStream &j);

} // namespace transfusion

#endif // TRANSFUSION_TARGET_ENERGYREPORT_H
