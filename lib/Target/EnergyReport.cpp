//===- EnergyReport.cpp - Energy by name ----------------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Target/EnergyReport.h"

using namespace transfusion;
using namespace transfusion::core;

EnergyByName transfusion::nameEnergy(const EnergyAccount &account,
                                     const Cascade &c, const Arch &a) {
  EnergyByName named;
  named.arithmeticPj = account.arithmeticPj;
  named.leakagePj = account.leakagePj;
  named.totalPj = account.totalPj;
  auto add = [&](const std::string &component, const char *action, double pj) {
    if (pj != 0)
      named.components.push_back({component, action, pj});
  };
  for (size_t m = 0; m < a.memories.size(); ++m) {
    const std::string &name = a.memories[m].name;
    named.components.push_back({name, "read", account.memories[m].readPj});
    named.components.push_back({name, "write", account.memories[m].writePj});
    add(name, "leakage", account.memories[m].leakagePj);
  }
  for (size_t u = 0; u < a.units.size(); ++u) {
    for (int k = 0; k < kNumOpClasses; ++k)
      add(a.units[u].name, opClassName(static_cast<OpClass>(k)),
          account.units[u].opPj[k]);
    add(a.units[u].name, "leakage", account.units[u].leakagePj);
  }
  for (size_t t = 0; t < account.tensors.size(); ++t) {
    std::vector<EnergyEntry> moves;
    for (size_t m = 0; m < a.memories.size(); ++m) {
      const std::string &name = a.memories[m].name;
      if (account.tensors[t].readPj[m] != 0)
        moves.push_back({name, "read", account.tensors[t].readPj[m]});
      if (account.tensors[t].writePj[m] != 0)
        moves.push_back({name, "write", account.tensors[t].writePj[m]});
    }
    if (!moves.empty())
      named.tensors.emplace_back(c.tensors[t].name, std::move(moves));
  }
  return named;
}

/// Entries of one component stand together.
static void writeComponents(const std::vector<EnergyEntry> &entries,
                            llvm::json::OStream &j) {
  for (size_t i = 0; i < entries.size();)
    j.attributeObject(entries[i].component, [&] {
      const std::string &component = entries[i].component;
      for (; i < entries.size() && entries[i].component == component; ++i)
        j.attribute(entries[i].action + "_pj", entries[i].pj);
    });
}

void transfusion::writeEnergyJson(const EnergyByName &energy,
                                  llvm::json::OStream &j) {
  j.attributeObject("energy_by_component",
                    [&] { writeComponents(energy.components, j); });
  j.attributeArray("energy_by_tensor", [&] {
    for (const auto &[tensor, moves] : energy.tensors)
      j.object([&, &tensor = tensor, &moves = moves] {
        j.attribute("tensor", tensor);
        double sum = 0;
        for (const EnergyEntry &move : moves)
          sum += move.pj;
        j.attribute("energy_pj", sum);
        j.attributeObject("moves", [&] { writeComponents(moves, j); });
      });
  });
}
