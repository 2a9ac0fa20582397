//===- CheckArch.cpp - Rules of clock, names, units and operations --------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArchHierarchy.h"

#include <cmath>
#include <limits>

using namespace transfusion::core;
using namespace transfusion::core::check;

namespace {

/// Beyond any machine by far (a joule a byte or operation, a gigawatt), and so
/// that no sum over 2^63 of them is infinite.
constexpr double kMostPj = 1e12, kMostW = 1e9;
constexpr double kAnyBandwidth = std::numeric_limits<double>::max();

bool within(double x, double most) {
  return std::isfinite(x) && x >= 0 && x <= most;
}

std::string realText(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%g", x);
  return text;
}

struct ArchChecker {
  const Arch &a;
  Sink sink;

  void clock();
  void names();
  void memory(size_t m);
  void unit(const Unit &u);
  void opTable(const Unit &u);
  void units();
  Violation &at(Violation &v, size_t m) {
    v.memory = static_cast<MemoryId>(m);
    return v;
  }
  Violation &at(Violation &v, const Unit &u) {
    v.archUnit = static_cast<UnitId>(&u - a.units.data());
    return v;
  }
};

/// A01
void ArchChecker::clock() {
  if (!std::isfinite(a.clockHz) || a.clockHz <= 0)
    sink.add("A01",
             "the clock of " + quoted(a.name) + " is " + realText(a.clockHz) +
                 " Hz",
             "give a clock above 0 Hz");
}

/// A03
void ArchChecker::names() {
  std::vector<const std::string *> seen;
  auto visit = [&](const char *kind, const std::string &name) {
    if (name.empty()) {
      sink.add("A03", std::string("a ") + kind + " has no name",
               "give every memory and unit a name of its own");
      return;
    }
    for (const std::string *other : seen)
      if (*other == name) {
        sink.add("A03", "the name " + quoted(name) + " is used twice",
                 "give every memory and unit a name of its own");
        return;
      }
    seen.push_back(&name);
  };
  for (const Memory &m : a.memories)
    visit("memory", m.name);
  for (const Unit &u : a.units)
    visit("unit", u.name);
}

/// A04, A05, A06, A16
void ArchChecker::memory(size_t m) {
  const Memory &mem = a.memories[m];
  bool unlimited = m == 0 && mem.capacityBytes == -1;
  if (mem.capacityBytes <= 0 && !unlimited) {
    Violation &v =
        at(sink.add("A04",
                    "memory " + quoted(mem.name) + " has a capacity of " +
                        num(mem.capacityBytes) + " bytes",
                    m == 0 ? "give a capacity above 0, or none"
                           : "give a capacity above 0"),
           m);
    v.demand = 1;
    v.bound = mem.capacityBytes;
    v.unit = "bytes";
  }
  auto upTo = [&](const char *rule, const char *what, double x, double most,
                  const char *unit) {
    if (!within(x, most))
      at(sink.add(rule,
                  "memory " + quoted(mem.name) + " has a " + what + " of " +
                      realText(x) + " " + unit,
                  most < kAnyBandwidth
                      ? "give 0 to " + realText(most) + " " + unit
                      : std::string("give a finite value of 0 or more")),
         m);
  };
  upTo("A05", "read bandwidth", mem.readBytesPerS, kAnyBandwidth, "bytes/s");
  upTo("A05", "write bandwidth", mem.writeBytesPerS, kAnyBandwidth, "bytes/s");
  upTo("A06", "read energy", mem.readPjPerByte, kMostPj, "pJ per byte");
  upTo("A06", "write energy", mem.writePjPerByte, kMostPj, "pJ per byte");
  upTo("A16", "leakage", mem.leakageW, kMostW, "W");
}

/// A08, A09, A16
void ArchChecker::unit(const Unit &u) {
  int64_t lanes;
  if (u.rows <= 0 || u.cols <= 0 ||
      __builtin_mul_overflow(u.rows, u.cols, &lanes) ||
      __builtin_mul_overflow(lanes, u.instances, &lanes))
    at(sink.add("A08",
                "unit " + quoted(u.name) + " is " + num(u.rows) + " x " +
                    num(u.cols) + " lanes",
                "give at least one row and one column, fewer than 2^63 lanes "
                "in all"),
       u);
  else if (!u.isGrid && u.rows != 1)
    at(sink.add("A08",
                "unit " + quoted(u.name) + " has lanes but " + num(u.rows) +
                    " rows",
                "call it a grid, or give it one row"),
       u);
  if (u.memory < 0 || u.memory >= static_cast<int64_t>(a.memories.size()))
    at(sink.add("A09",
                "unit " + quoted(u.name) + " is not on a memory of " +
                    quoted(a.name),
                "name the memory that feeds it"),
       u);
  else if (u.memory == 0)
    at(sink.add("A09",
                "unit " + quoted(u.name) + " is on the outermost memory " +
                    quoted(a.memories[0].name),
                "put it on the buffer"),
       u);
  if (!within(u.leakageW, kMostW))
    at(sink.add("A16",
                "unit " + quoted(u.name) + " has a leakage of " +
                    realText(u.leakageW) + " W",
                "give 0 to " + realText(kMostW) + " W"),
       u);
}

/// A11, A12
void ArchChecker::opTable(const Unit &u) {
  bool any = false;
  for (int k = 0; k < kNumOpClasses; ++k) {
    const OpCost &op = u.ops[k];
    if (!op.supported)
      continue;
    any = true;
    std::string where = "op class " + quoted(opClassName(OpClass(k))) +
                        " of unit " + quoted(u.name);
    if (op.expansion.empty() && op.cycles <= 0)
      at(sink.add("A11", where + " takes " + num(op.cycles) + " cycles",
                  "give at least one cycle, or an expansion"),
         u);
    if (!within(op.pj, kMostPj))
      at(sink.add("A11", where + " takes " + realText(op.pj) + " pJ",
                  "give 0 to " + realText(kMostPj) + " pJ"),
         u);
    for (const auto &[cls, count] : op.expansion) {
      if (static_cast<int>(cls) >= kNumOpClasses)
        at(sink.add("A12", where + " expands into an unknown class",
                    "expand into the classes that there are"),
           u);
      if (count <= 0)
        at(sink.add("A12",
                    where + " expands into " + num(count) + " operations",
                    "give a count above 0"),
           u);
    }
  }
  if (!any)
    at(sink.add("A11", "unit " + quoted(u.name) + " supports no operation",
                "give it at least one op class"),
       u);

  // An expansion that reaches itself would never end: depth first, in place.
  std::array<int, kNumOpClasses> state{}; // 0 new, 1 open, 2 done
  struct Frame {
    int cls;
    size_t next;
  };
  for (int root = 0; root < kNumOpClasses; ++root) {
    if (state[root])
      continue;
    std::vector<Frame> stack{{root, 0}};
    state[root] = 1;
    while (!stack.empty()) {
      Frame &top = stack.back();
      const auto &expansion = u.ops[top.cls].expansion;
      if (top.next == expansion.size()) {
        state[top.cls] = 2;
        stack.pop_back();
        continue;
      }
      int child = static_cast<int>(expansion[top.next++].first);
      if (child < 0 || child >= kNumOpClasses)
        continue;
      if (state[child] == 1) {
        sink.add("A12",
                 "op class " + quoted(opClassName(OpClass(child))) +
                     " of unit " + quoted(u.name) + " expands into itself",
                 "end every expansion in classes that have cycles");
        return;
      }
      if (state[child] == 0) {
        state[child] = 1;
        stack.push_back({child, 0});
      }
    }
  }
}

/// A07
void ArchChecker::units() {
  if (a.units.empty())
    sink.add("A07", quoted(a.name) + " has no unit",
             "describe at least one compute unit");
}

} // namespace

std::vector<Violation> transfusion::core::checkArch(const Arch &a) {
  ArchChecker checker{a, {}};
  checker.clock();
  checker.names();
  for (size_t m = 0; m < a.memories.size(); ++m)
    checker.memory(m);
  for (const Unit &u : a.units) {
    checker.unit(u);
    checker.opTable(u);
  }
  checker.units();
  checkHierarchy(a, checker.sink);
  return std::move(checker.sink.found);
}
