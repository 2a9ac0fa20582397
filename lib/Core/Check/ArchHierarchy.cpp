//===- ArchHierarchy.cpp - Rules A10, A13, A14, A15 -----------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ArchHierarchy.h"

using namespace transfusion::core;
using namespace transfusion::core::check;

namespace {

struct HierarchyChecker {
  const Arch &a;
  Sink &sink;

  Violation &at(Violation &v, MemoryId m, UnitId u = -1) {
    v.memory = m;
    v.archUnit = u;
    return v;
  }
  std::string name(MemoryId m) const { return quoted(a.memories[m].name); }
  bool chains();
  void instances(MemoryId m);
  void unitInstances(UnitId u);
  void keeps(MemoryId m);
  void use();
};

/// A13. Later rules walk outwards, and need this one.
bool HierarchyChecker::chains() {
  bool ok = true;
  for (MemoryId m = 0; m < static_cast<MemoryId>(a.memories.size()); ++m) {
    const MemoryId given = a.memories[m].outer;
    const std::vector<MemoryId> path = memoryPath(a, m);
    if (given >= static_cast<MemoryId>(a.memories.size()) ||
        (m == 0 && given >= 0)) {
      at(sink.add("A13",
                  "memory " + name(m) +
                      (m == 0 ? " is the outermost one and in another"
                              : " is in none of " + quoted(a.name)),
                  m == 0 ? "let the first memory be in no other"
                         : "name the memory that it is in"),
         m);
      ok = false;
    } else if (path.front() != 0) {
      std::string way;
      for (size_t i = path.size(); i-- > 0;)
        way += name(path[i]) + " in ";
      at(sink.add("A13",
                  "memory " + name(m) + " is in a cycle: " + way +
                      name(outerMemory(a, path.front())),
                  "let every memory be in one before it"),
         m);
      ok = false;
    }
  }
  return ok;
}

/// A14
void HierarchyChecker::instances(MemoryId m) {
  const int64_t n = a.memories[m].instances;
  const MemoryId outer = outerMemory(a, m);
  const int64_t around = outer < 0 ? 1 : a.memories[outer].instances;
  if (n >= 1 && around >= 1 && n % around == 0 && (outer >= 0 || n == 1))
    return;
  Violation &v =
      at(sink.add("A14",
                  "there are " + num(n) + " of memory " + name(m) +
                      (outer < 0 ? ", the outermost one"
                                 : ", which is in the " + num(around) + " of " +
                                       name(outer)),
                  outer < 0 ? "give one instance of the outermost memory"
                            : "give a multiple of " + num(around)),
         m);
  v.demand = n;
  v.bound = around;
  v.unit = "instances";
}

void HierarchyChecker::unitInstances(UnitId id) {
  const Unit &u = a.units[id];
  if (u.memory < 0 || u.memory >= static_cast<MemoryId>(a.memories.size()))
    return; // A09
  const int64_t memories = a.memories[u.memory].instances;
  const int64_t lanes = mulSat(u.instances, mulSat(u.rows, u.cols));
  if (u.instances >= 1 && memories >= 1 &&
      (u.instances % memories == 0 || memories == lanes))
    return;
  Violation &v = at(
      sink.add("A14",
               "there are " + num(u.instances) + " of unit " + quoted(u.name) +
                   ", on the " + num(memories) + " of memory " + name(u.memory),
               "give a multiple of " + num(memories) +
                   ", or a memory for every lane (" + num(lanes) + ")"),
      -1, id);
  v.demand = u.instances;
  v.bound = memories;
  v.unit = "instances";
}

/// A15
void HierarchyChecker::keeps(MemoryId m) {
  int kept = 0;
  for (bool role : a.memories[m].keeps)
    kept += role;
  if (kept == 0 || (m == 0 && kept != kNumOperandRoles))
    at(sink.add(
           "A15",
           "memory " + name(m) + " keeps " +
               (kept ? "not everything, and is the outermost one" : "nothing"),
           kept ? "let the outermost memory keep everything"
                : "let it keep something, or leave it out"),
       m);
}

/// A10
void HierarchyChecker::use() {
  std::vector<bool> feeds(a.memories.size(), false);
  for (const Unit &u : a.units)
    for (MemoryId m : memoryPath(a, u.memory))
      feeds[m] = true;
  for (size_t m = 1; m < feeds.size(); ++m)
    if (!feeds[m])
      at(sink.add("A10",
                  "memory " + quoted(a.memories[m].name) + " feeds no unit",
                  "put a unit on it, or leave it out"),
         static_cast<MemoryId>(m));
}

} // namespace

void check::checkHierarchy(const Arch &a, Sink &sink) {
  HierarchyChecker checker{a, sink};
  if (!checker.chains())
    return;
  for (size_t m = 0; m < a.memories.size(); ++m) {
    checker.instances(static_cast<MemoryId>(m));
    checker.keeps(static_cast<MemoryId>(m));
  }
  for (size_t u = 0; u < a.units.size(); ++u)
    checker.unitInstances(static_cast<UnitId>(u));
  checker.use();
}
