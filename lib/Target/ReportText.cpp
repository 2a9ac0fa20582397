//===- ReportText.cpp - The report for people -----------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReportParts.h"
#include "TextTable.h"

#include "transfusion/Target/ScheduleReport.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace transfusion;
using namespace transfusion::core;

namespace {

class TextWriter {
public:
  TextWriter(const ScheduleView &v, const ReportNumbers &n,
             llvm::raw_ostream &os)
      : v(v), n(n), os(os) {}
  void write();

private:
  void head();
  void memory();
  void residents();
  void opClasses();
  void phases();
  void bounds();
  void notes();
  /// Einsums of a phase, the first few by name.
  std::string members(size_t g, size_t p) const;

  const ScheduleView &v;
  const ReportNumbers &n;
  llvm::raw_ostream &os;
};

void TextWriter::head() {
  os << "@" << v.cascade.name << " on @" << v.arch.name;
  if (!v.search.policy.empty()) {
    os << "   policy " << v.search.policy;
    if (!v.search.strategy.empty())
      os << " (" << v.search.strategy << ")";
    if (!v.search.objective.empty())
      os << "   objective " << v.search.objective;
    os << "   seed " << v.search.seed << "   "
       << grouped(double(v.search.evaluations)) << " evaluations";
  }
  os << "\n  latency  " << timeText(n.cost.latencyS) << " = "
     << grouped(n.cost.latencyCycles) << " cycles";
  if (n.bound.cycles > 0)
    os << "    lower bound " << timeText(n.bound.cycles / v.arch.clockHz)
       << " (" << n.bound.limitedBy << ")    gap " << percent(gapOf(n));
  os << "    limited by " << n.cost.bottleneck << " (";
  for (size_t u = 0; u < v.arch.units.size(); ++u)
    os << (u ? ", " : "") << v.arch.units[u].name << " "
       << percent(n.cost.unitBusy[u]);
  os << ")\n";
  if (v.unscheduled.empty())
    return;
  os << "  NOT SCHEDULED AND NOT COSTED: " << v.unscheduled.size()
     << (v.unscheduled.size() == 1 ? " op" : " ops") << " of @"
     << v.cascade.name << ", in no number here\n";
  for (const UnscheduledOp &op : v.unscheduled)
    os << "    " << op.name << (op.place.empty() ? "" : " at " + op.place)
       << "\n";
}

void TextWriter::memory() {
  os << "  energy   " << energyText(n.cost.energyPj) << " (arithmetic "
     << energyText(n.cost.arithmeticPj);
  for (size_t m = 0; m < v.arch.memories.size(); ++m)
    os << ", " << v.arch.memories[m].name << " "
       << energyText(n.cost.memoryPj[m]);
  if (n.cost.leakagePj > 0)
    os << ", leakage " << energyText(n.cost.leakagePj);
  os << ")\n";
  for (size_t m = 0; m < v.arch.memories.size(); ++m)
    os << "  " << llvm::left_justify(v.arch.memories[m].name, 9) << "read "
       << bytesText(double(n.cost.readBytes[m])) << ", written "
       << bytesText(double(n.cost.writeBytes[m])) << "\n";

  for (size_t m = 1; m < v.arch.memories.size(); ++m) {
    // The phase whose live buffers reach highest.
    int32_t group = -1, phase = -1;
    int64_t most = -1;
    auto live = [&](const Buffer &b, int32_t g, int32_t p) {
      return b.group == g && b.memory == static_cast<MemoryId>(m) &&
             livesIn(b, p,
                     static_cast<int32_t>(v.plan.groups[g].phases.size()));
    };
    for (int32_t g = 0; g < static_cast<int32_t>(v.plan.groups.size()); ++g)
      for (int32_t p = 0;
           p < static_cast<int32_t>(v.plan.groups[g].phases.size()); ++p) {
        int64_t end = 0;
        for (const Buffer &b : v.plan.buffers)
          if (live(b, g, p))
            end = std::max(end, b.address + b.bytes);
        if (end > most) {
          most = end;
          group = g;
          phase = p;
        }
      }
    if (most <= 0)
      continue;
    std::vector<const Buffer *> largest;
    for (const Buffer &b : v.plan.buffers)
      if (live(b, group, phase))
        largest.push_back(&b);
    std::sort(
        largest.begin(), largest.end(), [](const Buffer *x, const Buffer *y) {
          return x->bytes != y->bytes ? x->bytes > y->bytes : x->name < y->name;
        });
    os << "  peak     " << v.arch.memories[m].name << " "
       << capacityText(double(n.cost.peakBytes[m])) << " of "
       << capacityText(double(v.arch.memories[m].capacityBytes)) << ", in "
       << phaseName(group, phase) << " (";
    for (size_t i = 0; i < largest.size() && i < 4; ++i) {
      os << (i ? ", " : "") << v.cascade.tensors[largest[i]->tensor].name << " "
         << capacityText(double(largest[i]->bytes));
      if (largest[i]->slots > 1)
        os << " in " << largest[i]->slots << " slots";
    }
    os << (largest.size() > 4 ? ", ...)\n" : ")\n");
  }
}

/// Per memory in between: what lies there and when, the largest first.
void TextWriter::residents() {
  for (size_t m = 1; m < v.arch.memories.size(); ++m) {
    std::vector<const PlannedResident *> largest;
    for (const PlannedResident &r : v.plan.residents)
      if (r.memory == static_cast<MemoryId>(m))
        largest.push_back(&r);
    if (largest.empty())
      continue;
    std::sort(largest.begin(), largest.end(),
              [](const PlannedResident *x, const PlannedResident *y) {
                return x->bytes != y->bytes ? x->bytes > y->bytes
                                            : x->tensor < y->tensor;
              });
    os << "  resident " << v.arch.memories[m].name << " "
       << capacityText(double(n.cost.peakBytes[m])) << " of "
       << capacityText(double(v.arch.memories[m].capacityBytes)) << " (";
    for (size_t i = 0; i < largest.size() && i < 8; ++i) {
      const PlannedResident &r = *largest[i];
      os << (i ? ", " : "") << v.cascade.tensors[r.tensor].name << " "
         << capacityText(double(r.bytes)) << " " << groupName(r.firstGroup);
      if (r.lastGroup > r.firstGroup)
        os << "-" << groupName(r.lastGroup);
      if (r.isPiece())
        os << " tile by tile";
      else if (r.isCopied)
        os << " copied";
    }
    os << (largest.size() > 8 ? ", ...)\n" : ")\n");
  }
}

/// What is computed, by class: how many, their share of the busy lanes, and
/// their energy.
void TextWriter::opClasses() {
  double busy = 0;
  for (const OpClassCost &cost : n.cost.opClasses)
    busy += cost.laneCycles;
  TextTable table;
  table.row({"ops", "", "count", "lanes", "energy"});
  for (int k = 0; k < kNumOpClasses; ++k) {
    const OpClassCost &cost = n.cost.opClasses[k];
    if (cost.operations > 0)
      table.row({"", opClassName(static_cast<OpClass>(k)),
                 grouped(cost.operations), percent(cost.laneCycles / busy),
                 energyText(cost.energyPj)});
  }
  table.print(os);
}

std::string TextWriter::members(size_t g, size_t p) const {
  const std::vector<PlannedSlot> &slots = v.plan.groups[g].phases[p].slots;
  std::vector<std::pair<EinsumId, std::string>> names;
  for (const PlannedSlot &s : slots)
    names.push_back({s.einsum, v.cascade.einsums[s.einsum].name +
                                   (s.finishOnly ? ".finish" : "")});
  std::sort(names.begin(), names.end());
  if (names.size() <= 3) {
    std::string text;
    for (const auto &name : names)
      text += (text.empty() ? "" : " ") + name.second;
    return text;
  }
  return names.front().second + " ... " + names.back().second;
}

void TextWriter::phases() {
  TextTable table;
  std::vector<std::string> title = {"phase", "Einsums",   "epochs",
                                    "II",    "stages",    "cycles",
                                    "share", "fill+drain"};
  for (const Unit &u : v.arch.units)
    title.push_back(u.name);
  title.push_back("memory");
  title.push_back("limited by");
  table.row(title);
  for (size_t g = 0; g < n.cost.groups.size(); ++g)
    for (size_t p = 0; p < n.cost.groups[g].phases.size(); ++p) {
      const GroupCost &group = n.cost.groups[g];
      const PhaseCost &c = group.phases[p];
      double latency = std::max(c.latencyCycles, 1.0);
      std::vector<std::string> row = {
          phaseName(static_cast<int32_t>(g), static_cast<int32_t>(p)),
          members(g, p),
          grouped(double(c.epochs)),
          grouped(double(c.iiCycles)),
          std::to_string(c.stages),
          grouped(c.latencyCycles),
          percent(c.latencyCycles / std::max(n.cost.latencyCycles, 1.0)),
          percent(double(c.fillCycles + c.drainCycles) *
                  double(group.outerTiles) / latency)};
      for (size_t u = 0; u < v.arch.units.size(); ++u)
        row.push_back(percent(double(c.unitBusyCycles[u]) / latency));
      row.push_back(percent(c.memoryCycles / latency));
      row.push_back(c.bottleneck);
      table.row(row);
    }
  os << "\n";
  table.print(os);
  os << "\n";
}

/// The parts of the bound, and each group's own.
void TextWriter::bounds() {
  os << "  bound    ";
  for (size_t i = 0; i < n.bound.parts.size(); ++i)
    os << (i ? ", " : "") << n.bound.parts[i].name << " "
       << grouped(n.bound.parts[i].cycles);
  os << " cycles\n";
  for (size_t g = 0; g < n.groupBounds.size(); ++g) {
    const LowerBound &b = n.groupBounds[g];
    if (b.cycles > 0)
      os << "  " << llvm::left_justify(groupName(static_cast<int32_t>(g)), 9)
         << "takes " << grouped(n.cost.groups[g].latencyCycles)
         << " cycles, bound " << grouped(b.cycles) << " (" << b.limitedBy
         << "), gap " << percent(n.cost.groups[g].latencyCycles / b.cycles - 1)
         << "\n";
  }
}

void TextWriter::notes() {
  for (const Memory &m : v.arch.memories)
    if (m.readBytesPerS <= 0)
      os << "  " << m.name << ": no bandwidth given, so it is not a limit\n";
  if (n.rulesChecked > 0)
    os << "  checked: legal (" << n.rulesChecked << " rules)\n";
}

void TextWriter::write() {
  head();
  memory();
  residents();
  opClasses();
  writeEnergyText(v, n, os);
  phases();
  writeLimitsText(v, n, os);
  bounds();
  notes();
}

} // namespace

void transfusion::writeReportText(const ScheduleView &view,
                                  const ReportNumbers &numbers,
                                  llvm::raw_ostream &os) {
  TextWriter(view, numbers, os).write();
}
