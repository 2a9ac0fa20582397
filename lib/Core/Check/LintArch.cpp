//===- LintArch.cpp - A02, and A17, which is a warning --------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sink.h"

using namespace transfusion::core;
using namespace transfusion::core::check;

//===----------------------------------------------------------------------===//
// A02: what schedules are made for
//===----------------------------------------------------------------------===//

/// Of a unit: as many as the schedule file takes.
static constexpr int64_t kMostInstances = int64_t(1) << 16;

std::vector<Violation> transfusion::core::checkSchedulable(const Arch &a) {
  Sink sink;
  if (a.memories.size() < 2) {
    Violation &v =
        sink.add("A02",
                 quoted(a.name) + " has " +
                     num(static_cast<int64_t>(a.memories.size())) +
                     " memory levels; schedules need two or more",
                 "describe an outer memory and a buffer that feeds the units");
    v.demand = static_cast<int64_t>(a.memories.size());
    v.bound = 2;
    v.unit = "memories";
  }
  for (size_t m = 0; m < a.memories.size(); ++m) {
    const Memory &mem = a.memories[m];
    bool all = true;
    for (bool role : mem.keeps)
      all &= role;
    bool feeds = false; // others may be passed by
    for (const Unit &unit : a.units)
      feeds |= unit.memory == static_cast<MemoryId>(m);
    if (mem.instances == 1 && (all || !feeds))
      continue;
    Violation &v = sink.add(
        "A02",
        mem.instances != 1 ? "there are " + num(mem.instances) + " of memory " +
                                 quoted(mem.name) + "; schedules use one"
                           : "operands pass by memory " + quoted(mem.name) +
                                 ", which feeds units; schedules put "
                                 "everything there",
        mem.instances != 1 ? "describe one instance" : "let it keep all");
    v.memory = static_cast<MemoryId>(m);
    v.demand = mem.instances;
    v.bound = 1;
    v.unit = "instances";
  }
  for (size_t u = 1; u < a.units.size(); ++u) {
    const Unit &unit = a.units[u], &first = a.units.front();
    if (unit.memory == first.memory)
      continue;
    Violation &v =
        sink.add("A02",
                 "unit " + quoted(unit.name) + " is on memory " +
                     quoted(a.memories[unit.memory].name) + ", unit " +
                     quoted(first.name) + " on " +
                     quoted(a.memories[first.memory].name) +
                     "; schedules are for one buffer that feeds every unit",
                 "put every unit on one memory");
    v.archUnit = static_cast<UnitId>(u);
  }
  for (size_t u = 0; u < a.units.size(); ++u) {
    const Unit &unit = a.units[u];
    if (unit.instances > kMostInstances) {
      Violation &v = sink.add("A02",
                              "there are " + num(unit.instances) + " of unit " +
                                  quoted(unit.name) +
                                  "; schedules spread an Einsum over " +
                                  num(kMostInstances) + " at most",
                              "describe fewer and wider ones");
      v.archUnit = static_cast<UnitId>(u);
      v.demand = unit.instances;
      v.bound = kMostInstances;
      v.unit = "instances";
    }
    const bool shares =
        unit.alongRows == LaneReuse{} && unit.alongCols == LaneReuse{};
    if (shares)
      continue;
    Violation &v =
        sink.add("A02",
                 "lanes of unit " + quoted(unit.name) +
                     " share along one dimension only inputs or only outputs; "
                     "schedules count both as shared",
                 "let both dimensions share both");
    v.archUnit = static_cast<UnitId>(u);
  }
  return std::move(sink.found);
}

//===----------------------------------------------------------------------===//
// A17: orders of magnitude
//===----------------------------------------------------------------------===//

namespace {

/// Energies that machines were built or published with, with a factor of ten on
/// either side. Off-chip memory takes 5 to 300 pJ a byte, memory on chip .01
/// (registers) to 50, an operation .01 (compare) to 40 (divide, 45 nm).
struct Plausible {
  double least, most;
};
constexpr Plausible kOffChip{.5, 3000}, kOnChip{.001, 500},
    kOperation{.001, 400};
/// Of what leaks, in W: a register file of microwatts to a device of hundreds.
constexpr Plausible kLeakage{1e-8, 1000};

std::string realText(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", x);
  return text;
}

class Linter {
public:
  explicit Linter(const Arch &a) : a(a) {}
  void energy(const std::string &what, const char *unit, double pj,
              Plausible range, MemoryId memory, UnitId archUnit) {
    if (pj == 0 || (pj >= range.least && pj <= range.most))
      return; // 0: not given
    Violation &v = sink.add(
        "A17",
        what + " takes " + realText(pj) + " pJ" + unit + ", expected " +
            realText(range.least) + " to " + realText(range.most),
        pj > range.most ? "is it in fJ, or of a whole word or row? give pJ" +
                              std::string(unit)
                        : "is it in nJ or uJ? give pJ" + std::string(unit));
    v.memory = memory;
    v.archUnit = archUnit;
  }
  void leakage(const std::string &what, double watts, MemoryId memory,
               UnitId archUnit) {
    if (watts == 0 || (watts >= kLeakage.least && watts <= kLeakage.most))
      return; // 0: not given
    Violation &v = sink.add(
        "A17",
        what + " leaks " + realText(watts) + " W, expected " +
            realText(kLeakage.least) + " to " + realText(kLeakage.most),
        watts > kLeakage.most ? "is it in mW? give W" : "is it in kW? give W");
    v.memory = memory;
    v.archUnit = archUnit;
  }
  /// A memory that costs more than one that it is in.
  void inwards(MemoryId m) {
    const MemoryId outer = outerMemory(a, m);
    if (outer < 0)
      return;
    const double in = a.memories[m].readPjPerByte;
    const double out = a.memories[outer].readPjPerByte;
    if (out <= 0 || in <= 10 * out)
      return;
    Violation &v =
        sink.add("A17",
                 "reading memory " + quoted(a.memories[m].name) + " takes " +
                     realText(in) + " pJ per byte, more than ten times the " +
                     realText(out) + " of " + quoted(a.memories[outer].name) +
                     ", which it is in",
                 "are both in pJ per byte?");
    v.memory = m;
  }
  const Arch &a;
  Sink sink;
};

} // namespace

std::vector<Violation> transfusion::core::lintArch(const Arch &a) {
  Linter lint(a);
  for (size_t i = 0; i < a.memories.size(); ++i) {
    const Memory &mem = a.memories[i];
    const auto m = static_cast<MemoryId>(i);
    const Plausible range = i == 0 ? kOffChip : kOnChip;
    lint.energy("reading memory " + quoted(mem.name), " per byte",
                mem.readPjPerByte, range, m, -1);
    if (mem.writePjPerByte != mem.readPjPerByte)
      lint.energy("writing memory " + quoted(mem.name), " per byte",
                  mem.writePjPerByte, range, m, -1);
    lint.leakage("memory " + quoted(mem.name), mem.leakageW, m, -1);
    lint.inwards(m);
  }
  for (size_t i = 0; i < a.units.size(); ++i) {
    const Unit &unit = a.units[i];
    const auto u = static_cast<UnitId>(i);
    lint.leakage("unit " + quoted(unit.name), unit.leakageW, -1, u);
    for (int cls = 0; cls < kNumOpClasses; ++cls) {
      const OpCost &op = unit.ops[cls];
      if (op.supported && op.expansion.empty())
        lint.energy(std::string("a ") + opClassName(OpClass(cls)) +
                        " of unit " + quoted(unit.name),
                    "", op.pj, kOperation, -1, u);
    }
  }
  return std::move(lint.sink.found);
}
