//===- ComparePrint.cpp - A comparison as text, CSV or JSON ---------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transfusion/Pipelines/Compare.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace mlir;
using namespace transfusion;

static std::string number(double x, const char *format) {
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format(format, x);
  return text;
}

static double gapOf(const CompareRow &row) {
  return *row.boundS > 0 ? row.latencyS / *row.boundS - 1 : 0;
}

static std::vector<std::string> textCells(const CompareRow &row) {
  if (!row.infeasible.empty())
    return {row.policy, "-", "-", "-", "-", "-", "-", "-", "-", row.infeasible};
  auto percent = [](std::optional<double> x) {
    return x ? number(*x * 100, "%.1f") : std::string("-");
  };
  return {row.policy,
          number(row.latencyS, "%.4g"),
          number(row.energyPj / 1e12, "%.4g"),
          percent(row.lanes2d),
          percent(row.lanes1d),
          number(row.dramBytes / 1e9, "%.4g"),
          row.peakBytes ? number(double(*row.peakBytes) / (1 << 20), "%.2f")
                        : "-",
          row.boundS ? number(*row.boundS, "%.4g") : "-",
          row.boundS ? number(100 * gapOf(row), "%.1f") : "-",
          row.limitedBy};
}

static void printTable(const std::vector<std::vector<std::string>> &rows,
                       llvm::raw_ostream &os) {
  std::vector<size_t> width(rows.front().size(), 0);
  for (const auto &row : rows)
    for (size_t i = 0; i + 1 < row.size(); ++i) // the last one is open
      width[i] = std::max(width[i], row[i].size());
  for (const auto &row : rows) {
    os << " ";
    for (size_t i = 0; i < row.size(); ++i) {
      const bool last = i + 1 == row.size();
      const std::string pad(last ? 0 : width[i] - row[i].size(), ' ');
      os << " " << (i == 0 ? row[i] + pad : pad + row[i]) << (last ? "" : " ");
    }
    os << "\n";
  }
}

/// Of each policy, where the model says so, what the energy is spent on.
static void printEnergy(const std::vector<CompareRow> &rows,
                        llvm::raw_ostream &os) {
  std::vector<std::string> components; // in the machine's order
  for (const CompareRow &row : rows)
    if (row.energy)
      for (const EnergyEntry &e : row.energy->components)
        if (!llvm::is_contained(components, e.component))
          components.push_back(e.component);
  if (components.empty())
    return;
  std::vector<std::vector<std::string>> table = {{"energy J"}};
  for (const std::string &name : components)
    table.front().push_back(name);
  for (const CompareRow &row : rows) {
    if (!row.energy)
      continue;
    table.push_back({row.policy});
    for (const std::string &name : components) {
      double pj = 0;
      for (const EnergyEntry &e : row.energy->components)
        pj += e.component == name ? e.pj : 0;
      table.back().push_back(number(pj / 1e12, "%.4g"));
    }
  }
  os << "\n";
  printTable(table, os);
}

/// Of a mapping: who takes how long and what moves, in MB read / written.
static void printEinsums(const std::vector<CompareEinsum> &einsums,
                         llvm::raw_ostream &os) {
  if (einsums.empty())
    return;
  std::vector<std::vector<std::string>> rows = {
      {"einsum", "unit", "latency s", "energy J"}};
  for (const CompareBytes &m : einsums.front().memories)
    rows.front().push_back(m.memory + " MB");
  rows.front().push_back("limited by");
  for (const CompareEinsum &e : einsums) {
    rows.push_back({e.name, e.unit, number(e.latencyS, "%.4g"),
                    number(e.energyPj / 1e12, "%.4g")});
    for (const CompareBytes &m : e.memories)
      rows.back().push_back(number(m.readBytes / 1e6, "%.4g") + "/" +
                            number(m.writeBytes / 1e6, "%.4g"));
    rows.back().push_back(e.limitedBy);
  }
  printTable(rows, os);
}

static void printText(const Comparison &c, llvm::raw_ostream &os) {
  os << "@" << c.layer << " on @" << c.arch << "   model " << c.model;
  if (c.model == "default")
    os << "   seed " << c.seed << "   " << c.evaluations
       << " evaluations a policy";
  os << "\n";
  if (c.unscheduledOps > 0)
    os << "  NOT SCHEDULED AND NOT COSTED: " << c.unscheduledOps
       << (c.unscheduledOps == 1 ? " op" : " ops") << ", in no number here\n";
  std::vector<std::vector<std::string>> rows = {
      {"policy", "latency s", "energy J", "2D %", "1D %", "DRAM GB", "peak MiB",
       "bound s", "gap %", "limited by"}};
  for (const CompareRow &row : c.rows)
    rows.push_back(textCells(row));
  printTable(rows, os);
  printEnergy(c.rows, os);
  printEinsums(c.einsums, os);
  if (c.suggestedFor.empty())
    return;
  os << "what would help " << c.suggestedFor << " most:\n";
  for (size_t i = 0; i < std::min<size_t>(c.changes.size(), 3); ++i)
    os << "  " << c.changes[i].what << ": "
       << number(c.changes[i].latencyS, "%.4g") << " s ("
       << number(c.changes[i].speedup, "%.2f") << "x)\n";
}

/// Quoted when a separator stands inside.
static std::string csvCell(const std::string &text) {
  if (text.find_first_of(",\"\n") == std::string::npos)
    return text;
  std::string quoted = "\"";
  for (char ch : text)
    quoted += ch == '"' ? "\"\"" : std::string(1, ch);
  return quoted + "\"";
}

static void printCsv(const Comparison &c, llvm::raw_ostream &os) {
  os << "layer,arch,model,policy,latency_s,energy_pj,util_2d,util_1d,"
        "dram_bytes,peak_bytes,bound_s,gap,limited_by,infeasible\n";
  auto real = [&](std::optional<double> x) {
    return x ? number(*x, "%.9g") : std::string();
  };
  for (const CompareRow &row : c.rows) {
    os << csvCell(c.layer) << "," << csvCell(c.arch) << "," << c.model << ","
       << row.policy << ",";
    if (row.infeasible.empty()) {
      os << real(row.latencyS) << "," << real(row.energyPj) << ","
         << real(row.lanes2d) << "," << real(row.lanes1d) << ","
         << number(row.dramBytes, "%.0f") << ",";
      if (row.peakBytes)
        os << *row.peakBytes;
      os << "," << real(row.boundS) << ","
         << (row.boundS ? number(gapOf(row), "%.6f") : "") << ","
         << csvCell(row.limitedBy) << ",\n";
    } else {
      os << ",,,,,,,,," << csvCell(row.infeasible) << "\n";
    }
  }
}

static void bytesJson(const CompareBytes &b, llvm::json::OStream &j) {
  j.object([&] {
    j.attribute("memory", b.memory);
    if (!b.tensor.empty())
      j.attribute("tensor", b.tensor);
    j.attribute("read_bytes", b.readBytes);
    j.attribute("write_bytes", b.writeBytes);
    if (b.heldBytes)
      j.attribute("held_bytes", *b.heldBytes);
    if (b.seconds)
      j.attribute("latency_s", *b.seconds);
    if (b.energyPj)
      j.attribute("energy_pj", *b.energyPj);
  });
}

static void einsumJson(const CompareEinsum &e, llvm::json::OStream &j) {
  j.object([&] {
    j.attribute("einsum", e.name);
    j.attribute("unit", e.unit);
    j.attribute("latency_s", e.latencyS);
    j.attribute("energy_pj", e.energyPj);
    j.attribute("limited_by", e.limitedBy);
    j.attribute("unit_latency_s", e.unitS);
    j.attribute("unit_energy_pj", e.unitPj);
    for (const auto &[key, list] :
         {std::pair("memories", &e.memories), std::pair("tensors", &e.tensors)})
      j.attributeArray(key, [&, &list = list] {
        for (const CompareBytes &b : *list)
          bytesJson(b, j);
      });
  });
}

static void printJson(const Comparison &c, llvm::raw_ostream &os) {
  llvm::json::OStream j(os, /*IndentSize=*/2);
  j.object([&] {
    j.attribute("layer", c.layer);
    j.attribute("arch", c.arch);
    j.attribute("model", c.model);
    j.attribute("seed", static_cast<int64_t>(c.seed));
    j.attribute("evaluations", c.evaluations);
    j.attribute("unscheduled_ops", c.unscheduledOps);
    j.attributeArray("rows", [&] {
      for (const CompareRow &row : c.rows)
        j.object([&] {
          j.attribute("policy", row.policy);
          if (!row.infeasible.empty()) {
            j.attribute("infeasible", row.infeasible);
            return;
          }
          j.attribute("latency_s", row.latencyS);
          j.attribute("energy_pj", row.energyPj);
          if (row.energy) {
            j.attribute("arithmetic_pj", row.energy->arithmeticPj);
            if (row.energy->leakagePj > 0)
              j.attribute("leakage_pj", row.energy->leakagePj);
            writeEnergyJson(*row.energy, j);
          }
          if (row.lanes2d)
            j.attribute("util_2d", *row.lanes2d);
          if (row.lanes1d)
            j.attribute("util_1d", *row.lanes1d);
          j.attribute("dram_bytes", row.dramBytes);
          if (row.peakBytes)
            j.attribute("peak_bytes", *row.peakBytes);
          if (row.boundS) {
            j.attribute("bound_s", *row.boundS);
            j.attribute("bound_by", row.boundBy);
            j.attribute("gap", gapOf(row));
          }
          j.attribute("limited_by", row.limitedBy);
        });
    });
    if (!c.einsums.empty())
      j.attributeArray("einsums", [&] {
        for (const CompareEinsum &e : c.einsums)
          einsumJson(e, j);
      });
    if (c.suggestedFor.empty())
      return;
    j.attribute("suggested_for", c.suggestedFor);
    j.attributeArray("changes", [&] {
      for (const CompareChange &change : c.changes)
        j.object([&] {
          j.attribute("what", change.what);
          j.attribute("latency_s", change.latencyS);
          j.attribute("speedup", change.speedup);
        });
    });
  });
  os << "\n";
}

void transfusion::printComparison(const Comparison &c, CompareFormat format,
                                  llvm::raw_ostream &os) {
  switch (format) {
  case CompareFormat::Text:
    return printText(c, os);
  case CompareFormat::Csv:
    return printCsv(c, os);
  case CompareFormat::Json:
    return printJson(c, os);
  }
}
