//===- ReportEnergy.cpp - Energy by component and tensor ------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReportParts.h"
#include "TextTable.h"

#include "transfusion/Target/EnergyReport.h"

#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace transfusion;
using namespace transfusion::core;

namespace {

/// Thousandths of the unit that makes the total 1 to 1000: whole ones, so that
/// what is printed adds up.
struct EnergyUnit {
  const char *name = "pJ";
  double pj = 1;
  explicit EnergyUnit(double total) {
    for (const char *next : {"nJ", "uJ", "mJ", "J", "kJ", "MJ", "GJ", "TJ"}) {
      if (total < 1000 * pj)
        break;
      name = next;
      pj *= 1000;
    }
  }
  double quantum() const { return pj / 1000; }
  /// More digits than a double has.
  bool tooSmall(double total) const { return total / quantum() > 1e15; }
};

std::string quanta(int64_t n) {
  std::string rest = std::to_string(n % 1000);
  return std::to_string(n / 1000) + "." + std::string(3 - rest.size(), '0') +
         rest;
}

/// Tensors that are named; the others share a row.
constexpr size_t kNamedTensors = 12;

} // namespace

static void writeComponents(const EnergyByName &energy, const EnergyUnit &unit,
                            llvm::raw_ostream &os) {
  std::vector<double> parts;
  for (const EnergyEntry &e : energy.components)
    parts.push_back(e.pj);
  const std::vector<int64_t> shown =
      apportion(parts, energy.totalPj, unit.quantum());
  TextTable table;
  table.row({"energy", "of component", unit.name, "share"});
  int64_t total = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    const EnergyEntry &e = energy.components[i];
    table.row({"", e.component + " " + e.action, quanta(shown[i]),
               percent(e.pj / energy.totalPj)});
    total += shown[i];
  }
  table.row({"", "total", quanta(total), ""});
  table.print(os);
}

static void writeTensors(const EnergyByName &energy, const Arch &a,
                         const EnergyUnit &unit, llvm::raw_ostream &os) {
  const size_t memories = a.memories.size();
  struct Row {
    std::string name;
    std::vector<double> pj; ///< by MemoryId
    double sum = 0;
  };
  std::vector<Row> rows;
  for (const auto &[tensor, moves] : energy.tensors) {
    rows.push_back({tensor, std::vector<double>(memories, 0)});
    for (const EnergyEntry &e : moves)
      for (size_t m = 0; m < memories; ++m)
        if (a.memories[m].name == e.component) {
          rows.back().pj[m] += e.pj;
          rows.back().sum += e.pj;
        }
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const Row &x, const Row &y) { return x.sum > y.sum; });
  if (rows.size() > kNamedTensors + 1) {
    Row others{std::to_string(rows.size() - kNamedTensors) + " others",
               std::vector<double>(memories, 0)};
    for (size_t i = kNamedTensors; i < rows.size(); ++i)
      for (size_t m = 0; m < memories; ++m)
        others.pj[m] += rows[i].pj[m];
    rows.resize(kNamedTensors);
    rows.push_back(std::move(others));
  }
  std::vector<double> parts;
  for (const Row &row : rows)
    parts.insert(parts.end(), row.pj.begin(), row.pj.end());
  parts.push_back(energy.arithmeticPj);
  parts.push_back(energy.leakagePj);
  const std::vector<int64_t> shown =
      apportion(parts, energy.totalPj, unit.quantum());
  TextTable table;
  std::vector<std::string> title = {"energy", "of tensor"};
  for (const Memory &m : a.memories)
    title.push_back(m.name);
  title.push_back(unit.name);
  table.row(title);
  size_t at = 0;
  int64_t total = 0;
  auto last = [&](std::vector<std::string> cells, int64_t sum) {
    cells.push_back(quanta(sum));
    table.row(std::move(cells));
    total += sum;
  };
  for (const Row &row : rows) {
    std::vector<std::string> cells = {"", row.name};
    int64_t sum = 0;
    for (size_t m = 0; m < memories; ++m) {
      sum += shown[at];
      cells.push_back(quanta(shown[at++]));
    }
    last(std::move(cells), sum);
  }
  const std::vector<std::string> none(memories, "");
  for (const char *name : {"(operations)", "(leakage)"}) {
    std::vector<std::string> cells = {"", name};
    cells.insert(cells.end(), none.begin(), none.end());
    if (at + 1 < parts.size() || parts[at] > 0)
      last(std::move(cells), shown[at]);
    ++at;
  }
  std::vector<std::string> cells = {"", "total"};
  cells.insert(cells.end(), none.begin(), none.end());
  cells.push_back(quanta(total));
  table.row(std::move(cells));
  table.print(os);
}

void transfusion::writeEnergyText(const ScheduleView &v, const ReportNumbers &n,
                                  llvm::raw_ostream &os) {
  const EnergyByName energy = nameEnergy(n.energy, v.cascade, v.arch);
  const EnergyUnit unit(energy.totalPj);
  if (energy.totalPj <= 0 || unit.tooSmall(energy.totalPj))
    return;
  os << "\n";
  writeComponents(energy, unit, os);
  os << "\n";
  writeTensors(energy, v.arch, unit, os);
}
