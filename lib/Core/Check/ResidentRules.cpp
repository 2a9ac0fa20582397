//===- ResidentRules.cpp - S38 to S40, P13: tensors in between ------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Demand.h"
#include "ScheduleRules.h"
#include "transfusion/Core/Model/Mapping.h"

#include <algorithm>

using namespace transfusion::core;
using namespace transfusion::core::check;

namespace {

/// Groups that make or read a tensor.
struct Use {
  int32_t first = INT32_MAX, last = -1;
  void add(int32_t group) {
    first = std::min(first, group);
    last = std::max(last, group);
  }
};

Use useOf(const View &v, TensorId t) {
  Use use;
  if (const Place made = v.madeAt(t); made.exists())
    use.add(made.group);
  for (const Read &r : v.reads)
    if (r.tensor == t)
      use.add(v.readAt(r).group);
  return use;
}

int64_t sizeOf(const Tensor &t) {
  int64_t bytes = ceilDiv(t.bitsPerValue, 8);
  for (int64_t extent : t.shape)
    bytes = mulSat(bytes, extent);
  return bytes;
}

/// Why the tensor cannot lie elsewhere than in the outermost memory.
std::string whyNot(const View &v, TensorId t) {
  const Tensor &tensor = v.c.tensors[t];
  if (tensor.isOutput)
    return "is an output";
  if (tensor.iterativeDim >= 0)
    return "is a recurrence";
  if (tensor.producer >= 0 && v.c.einsums[tensor.producer].base >= 0)
    return "extends another tensor";
  for (const Einsum &e : v.c.einsums)
    if (e.base == t)
      return "is part of a longer tensor";
  const Use use = useOf(v, t);
  if (use.last < 0)
    return "is not read";
  if (!tensor.isInput && use.first == use.last)
    return "does not leave its group";
  return "";
}

/// As a whole, or piece by piece in the group.
bool isResident(const Schedule &s, int32_t group, TensorId t) {
  auto isOf = [&](const Resident &r) { return r.tensor == t; };
  return std::any_of(s.residents.begin(), s.residents.end(), isOf) ||
         std::any_of(s.groups[group].residents.begin(),
                     s.groups[group].residents.end(), isOf);
}

} // namespace

/// S38, S40
void check::checkResidents(const View &v, const Arch &a, Sink &sink) {
  const std::vector<MemoryId> between = memoriesBetween(a);
  TensorId last = -1;
  for (const Resident &r : v.s.residents) {
    const std::string who = "resident " + quoted(v.c.tensors[r.tensor].name);
    if (r.tensor <= last)
      sink.add("S38",
               who +
                   (r.tensor == last ? " is listed twice" : " is out of order"),
               "list each tensor once, sorted by tensor");
    last = r.tensor;
    if (std::find(between.begin(), between.end(), r.memory) == between.end()) {
      Violation &x = sink.add(
          "S38",
          who + " is in " + quoted(a.memories[r.memory].name) +
              ", which is not between " + quoted(a.memories[0].name) + " and " +
              quoted(a.memories[a.units.front().memory].name),
          "put it into a memory between them, or leave it out");
      x.memory = r.memory;
    } else if (const auto role =
                   passesBy(v.c, a.memories[r.memory], r.tensor)) {
      sink.add("S38",
               who + " is in " + quoted(a.memories[r.memory].name) +
                   ", which " + roleName(*role) + " pass by",
               "leave it out, or let the memory keep them")
          .memory = r.memory;
    }
    if (const std::string why = whyNot(v, r.tensor); !why.empty())
      sink.add("S38", who + " " + why, "leave it in the outermost memory")
          .einsum = v.c.tensors[r.tensor].producer;
  }
  for (int32_t g = 0; g < static_cast<int32_t>(v.s.groups.size()); ++g)
    for (int32_t p = 0; p < static_cast<int32_t>(v.s.groups[g].phases.size());
         ++p) {
      auto waits = [&](TensorId t, const char *verb) {
        if (!isResident(v.s, g, t))
          return;
        Violation &x =
            sink.add("S40",
                     phaseText(g, p) + verb + quoted(v.c.tensors[t].name) +
                         ", which is a resident",
                     "leave out the move, or the resident");
        x.group = g;
        x.phase = p;
      };
      for (const Prefetch &f : v.s.groups[g].phases[p].prefetch)
        waits(f.tensor, " prefetches ");
      for (const Defer &d : v.s.groups[g].phases[p].defer)
        waits(d.tensor, " defers ");
    }
}

/// S39
void check::checkResidentCapacity(const View &v, const Arch &a, Sink &sink) {
  for (MemoryId m = 1; m < static_cast<MemoryId>(a.memories.size()); ++m) {
    const Memory &memory = a.memories[m];
    if (memory.capacityBytes < 0)
      continue;
    std::vector<std::pair<TensorId, Use>> here;
    for (const Resident &r : v.s.residents)
      if (r.memory == m)
        here.push_back({r.tensor, useOf(v, r.tensor)});
    Violation worst;
    for (int32_t g = 0; g < static_cast<int32_t>(v.s.groups.size()); ++g) {
      int64_t live = 0;
      std::vector<std::pair<TensorId, int64_t>> terms;
      auto lives = [&](TensorId t, int64_t bytes) {
        live = addSat(live, alignedSat(bytes));
        terms.push_back({t, bytes});
      };
      for (const auto &[t, use] : here)
        if (use.first <= g && g <= use.last)
          lives(t, sizeOf(v.c.tensors[t]));
      for (const Resident &r : v.s.groups[g].residents)
        if (r.memory == m)
          lives(r.tensor, pieceBytes(v, g, r.tensor));
      if (live <= memory.capacityBytes || live <= worst.demand)
        continue;
      Sink one;
      worst = one.add(
          "S39",
          groupText(g) + " has residents of " + byteText(live) + " in " +
              quoted(memory.name) + ", but " + quoted(a.name) + " has " +
              byteText(memory.capacityBytes),
          "let fewer tensors reside, use smaller outer tiles, or give " +
              quoted(memory.name) + " capacity_bytes >= " + num(live));
      for (const auto &[t, bytes] : terms)
        Sink::term(worst, quoted(v.c.tensors[t].name) + ": " + byteText(bytes));
      worst.group = g;
      worst.memory = m;
      worst.demand = live;
      worst.bound = memory.capacityBytes;
      worst.unit = "bytes";
    }
    if (worst.demand)
      sink.found.push_back(worst);
  }
}

/// P13; false when it is broken.
bool check::checkPlannedResidents(const View &v, const Plan &p, Sink &sink) {
  const char *const replan = "make the plan anew from the schedule";
  const size_t before = sink.found.size();
  size_t pieces = 0;
  for (const Group &group : v.s.groups)
    pieces += group.residents.size();
  if (p.residents.size() != v.s.residents.size() + pieces) {
    sink.add("P13", "the plan has another number of residents", replan);
    return false;
  }
  checkPlannedPieces(v, p, sink);
  if (sink.found.size() != before)
    return false;
  std::vector<MemoryId> home(v.c.tensors.size(), 0);
  std::vector<Use> uses;
  for (size_t i = 0; i < p.residents.size(); ++i) {
    const PlannedResident &r = p.residents[i];
    const bool isWhole = i < v.s.residents.size();
    const Resident decided =
        isWhole ? v.s.residents[i] : Resident{r.tensor, r.memory};
    const Tensor &t = v.c.tensors[decided.tensor];
    const Use use = isWhole ? useOf(v, decided.tensor) : Use{r.group, r.group};
    uses.push_back(use);
    if (isWhole)
      home[decided.tensor] = decided.memory;
    std::string wrong;
    if (!isWhole)
      ; // P14
    else if (r.tensor != decided.tensor || r.memory != decided.memory ||
             r.isPiece())
      wrong = "is another one in the plan";
    else if (r.bytes < sizeOf(t))
      wrong = "has " + byteText(r.bytes) + " of " + byteText(sizeOf(t));
    else if (r.address < 0 || r.address % kBufferAlignment != 0)
      wrong = "is at address " + num(r.address);
    else if (r.firstGroup > use.first || r.lastGroup < use.last)
      wrong = "lives from group " + num(r.firstGroup + 1) + " to " +
              num(r.lastGroup + 1) + ", but is used from " +
              num(use.first + 1) + " to " + num(use.last + 1);
    else if (r.isCopied != t.isInput)
      wrong = r.isCopied ? "is copied, but is no input" : "is never copied";
    if (!wrong.empty())
      sink.add("P13", "resident " + quoted(t.name) + " " + wrong, replan);
    for (size_t j = 0; j < i; ++j) {
      const PlannedResident &o = p.residents[j];
      if (o.memory == r.memory && o.address < r.address + r.bytes &&
          r.address < o.address + o.bytes && uses[j].first <= use.last &&
          use.first <= uses[j].last)
        sink.add("P13",
                 "residents " + quoted(v.c.tensors[o.tensor].name) + " and " +
                     quoted(t.name) + " are live together and share bytes",
                 "move one of them");
    }
  }
  for (const Buffer &b : p.buffers) {
    MemoryId lies = home[b.tensor];
    for (const Resident &piece : v.s.groups[b.group].residents)
      if (piece.tensor == b.tensor)
        lies = piece.memory;
    if (b.outer != lies) {
      Violation &x =
          sink.add("P13",
                   "buffer " + quoted(b.name) +
                       " is moved to or from a memory where its tensor is not",
                   replan);
      x.group = b.group;
      x.phase = b.phase;
    }
  }
  return sink.found.size() == before;
}
