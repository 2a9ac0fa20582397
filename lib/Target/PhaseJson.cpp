//===- PhaseJson.cpp - One phase of the schedule file ---------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PhaseJson.h"

#include "transfusion/Core/Cost/Timing.h"
#include "transfusion/Core/Model/Footprint.h"

#include <algorithm>

using namespace transfusion;
using namespace transfusion::core;

namespace {

bool sameAccess(const Access &x, const Access &y) {
  return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                    [](const LinearExpr &a, const LinearExpr &b) {
                      return a.constant == b.constant && a.terms == b.terms;
                    });
}

class PhaseWriter {
public:
  PhaseWriter(const ScheduleView &v, llvm::json::OStream &j, int32_t g,
              int32_t p, double claimedCycles)
      : v(v), c(v.cascade), j(j), g(g), p(p), claimedCycles(claimedCycles),
        phase(v.schedule.groups[g].phases[p]),
        plan(v.plan.groups[g].phases[p]) {
    for (const RankCut &cut : plan.cuts)
      full.push_back(cut.inner);
  }
  void write();

private:
  const Slot &decision(const PlannedSlot &s) const {
    return phase.runs[s.run].slots[s.index];
  }
  std::string slotName(const PlannedSlot &s) const {
    return c.einsums[s.einsum].name + (s.finishOnly ? ".finish" : "");
  }
  int64_t innerBytes(const Access &access, int32_t bits) const {
    return footprint(c, access, full) * bytesPerValue(bits);
  }
  int64_t readBytes(const Slot &slot, const Access &access, int32_t bits) const;
  std::vector<int64_t> innerExtents(RankId r) const;
  void loops();
  void slots();
  void cycles(const PlannedSlot &s);
  void reads(const PlannedSlot &s);
  void writes(const PlannedSlot &s);
  void stores(const PlannedSlot &s, int32_t index);
  void body(const PhaseTiming &timing, int64_t length, int32_t firstStage,
            int32_t lastStage);
  void bodies();

  const ScheduleView &v;
  const Cascade &c;
  llvm::json::OStream &j;
  int32_t g, p;
  double claimedCycles;
  const Phase &phase;
  const PhasePlan &plan;
  Extents full; ///< of a full inner tile
};

/// What every instance that has work reads, all together: of each rank all have
/// the same points, and the last has the rest.
int64_t PhaseWriter::readBytes(const Slot &slot, const Access &access,
                               int32_t bits) const {
  int64_t points = 0;
  Extents extents = full;
  auto add = [&](auto &&self, size_t i, int64_t count) -> void {
    if (i == slot.instances.size()) {
      points += count * footprint(c, access, extents);
      return;
    }
    const InstancePart &part = slot.instances[i];
    const int64_t all = full[part.rank], whole = all / part.points;
    if (whole > 0) {
      extents[part.rank] = part.points;
      self(self, i + 1, count * whole);
    }
    if (all % part.points != 0) {
      extents[part.rank] = all % part.points;
      self(self, i + 1, count);
    }
  };
  add(add, 0, 1);
  return points * bytesPerValue(bits);
}

/// Every number of points that an epoch can hold of the rank.
std::vector<int64_t> PhaseWriter::innerExtents(RankId r) const {
  const RankCut &cut = plan.cuts[r];
  std::vector<int64_t> extents{cut.inner};
  for (int64_t tile : {cut.tile, c.ranks[r].extent % cut.tile})
    for (int64_t extent : {std::min(cut.inner, tile), tile % cut.inner})
      if (extent > 0 &&
          std::find(extents.begin(), extents.end(), extent) == extents.end())
        extents.push_back(extent);
  return extents;
}

void PhaseWriter::loops() {
  j.attributeArray("loops", [&] {
    for (RankId r : phase.order) {
      const RankCut &cut = plan.cuts[r];
      int64_t trips = (cut.tile + cut.inner - 1) / cut.inner;
      j.object([&] {
        j.attribute("rank", c.ranks[r].name);
        j.attribute("tile", cut.tile);
        j.attribute("block", cut.block);
        j.attribute("inner", cut.inner);
        j.attribute("trips", trips);
        j.attribute("last", cut.tile - (trips - 1) * cut.inner);
      });
    }
  });
  int64_t epochs = 1;
  for (RankId r : phase.order)
    epochs *= (plan.cuts[r].tile + plan.cuts[r].inner - 1) / plan.cuts[r].inner;
  j.attribute("epochs", epochs);
}

/// Cycles for each combination of ragged pieces that the slot can meet.
void PhaseWriter::cycles(const PlannedSlot &s) {
  std::vector<RankId> varying;
  std::vector<std::vector<int64_t>> choices;
  for (RankId r : c.einsums[s.einsum].ranks) {
    std::vector<int64_t> extents = innerExtents(r);
    if (extents.size() < 2 || (s.finishOnly && isReducedRank(c, s.einsum, r)))
      continue;
    varying.push_back(r);
    choices.push_back(extents);
  }
  j.attributeArray("cycles", [&] {
    std::vector<size_t> digit(varying.size());
    while (true) {
      Extents extents = full;
      j.object([&] {
        j.attributeObject("extents", [&] {
          for (size_t i = 0; i < varying.size(); ++i) {
            extents[varying[i]] = choices[i][digit[i]];
            j.attribute(c.ranks[varying[i]].name, extents[varying[i]]);
          }
        });
        j.attribute("cycles", slotCycles(c, v.arch.units[s.unit], decision(s),
                                         s.accumulates, extents));
      });
      size_t i = 0;
      while (i < digit.size() && ++digit[i] == choices[i].size())
        digit[i++] = 0;
      if (i == digit.size())
        break;
    }
  });
}

void PhaseWriter::reads(const PlannedSlot &s) {
  const Einsum &e = c.einsums[s.einsum];
  auto read = [&](const OperandSource &from, const Access &access) {
    const Buffer &b = v.plan.buffers[from.buffer];
    j.object([&] {
      j.attribute("tensor", c.tensors[b.tensor].name);
      j.attribute("buffer", b.name);
      j.attribute("distance", from.distance);
      // At index 0 of this rank a recurrence reads its initial value instead.
      if (from.distance > 0)
        j.attribute("not_at_first",
                    c.ranks[c.tensors[b.tensor].iterativeRank].name);
      j.attribute("bytes", readBytes(decision(s), access, b.bitsPerValue));
      if (!sameAccess(access, b.access))
        writeAccess(v, j, access);
    });
  };
  j.attributeArray("reads", [&] {
    for (size_t i = 0; i < s.inputs.size(); ++i)
      read(s.inputs[i], e.inputs[i].access);
    for (size_t i = 0; i < s.finishInputs.size(); ++i)
      read(s.finishInputs[i], e.finishInputs[i].access);
    if (s.accumulator >= 0)
      read({s.accumulator, 0}, e.result.access);
  });
}

void PhaseWriter::writes(const PlannedSlot &s) {
  const Einsum &e = c.einsums[s.einsum];
  const Tensor &t = c.tensors[e.result.tensor];
  auto write = [&](int32_t id, bool accumulate, bool lastSlice) {
    const Buffer &b = v.plan.buffers[id];
    j.object([&] {
      j.attribute("tensor", t.name);
      j.attribute("buffer", b.name);
      j.attribute("accumulate", accumulate);
      if (lastSlice)
        j.attribute("only_at_last", c.ranks[t.iterativeRank].name);
      j.attribute("bytes", innerBytes(e.result.access, b.bitsPerValue));
    });
  };
  j.attributeArray("writes", [&] {
    if (s.accumulates)
      write(s.accumulator, true, false);
    if (s.window >= 0)
      write(s.window, false, false);
    if (s.carried >= 0)
      write(s.carried, false, t.iterativeDim >= 0);
  });
}

void PhaseWriter::slots() {
  j.attributeArray("slots", [&] {
    for (const PlannedSlot &s : plan.slots) {
      const Slot &slot = decision(s);
      auto names = [&](const char *key, const std::vector<RankId> &ranks) {
        j.attributeArray(key, [&] {
          for (RankId r : ranks)
            j.value(c.ranks[r].name);
        });
      };
      j.object([&] {
        j.attribute("name", slotName(s));
        j.attribute("einsum", c.einsums[s.einsum].name);
        j.attribute("part", s.finishOnly    ? "finish"
                            : s.accumulates ? "accumulate"
                                            : "whole");
        j.attribute("unit", v.arch.units[s.unit].name);
        j.attribute("issue", s.index);
        j.attribute("stage", s.stage);
        names("rows", slot.rows);
        names("cols", slot.cols);
        if (!slot.instances.empty())
          j.attributeObject("instances", [&] {
            for (const InstancePart &part : slot.instances)
              j.attribute(c.ranks[part.rank].name, part.points);
          });
        reads(s);
        writes(s);
        cycles(s);
      });
    }
  });
}

void PhaseWriter::stores(const PlannedSlot &s, int32_t index) {
  const Einsum &e = c.einsums[s.einsum];
  for (int32_t id : {s.window, s.carried}) {
    if (id < 0 || !v.plan.buffers[id].storeToOuter)
      continue;
    const Buffer &b = v.plan.buffers[id];
    const Memory &from = v.arch.memories[b.memory];
    const Memory &to = v.arch.memories[b.outer];
    j.object([&] {
      j.attribute("kind", "store");
      j.attribute("tensor", c.tensors[b.tensor].name);
      j.attribute("buffer", b.name);
      j.attribute("from", from.name);
      j.attribute("to", to.name);
      j.attribute("from_port", portName(from, /*write=*/false));
      j.attribute("to_port", portName(to, /*write=*/true));
      j.attribute("bytes", innerBytes(e.result.access, b.bitsPerValue));
      j.attributeObject("when", [&] {
        j.attribute("scope", "epoch");
        j.attribute("after_slot", index);
        j.attribute("stage", s.stage);
        if (b.storeDelay > 0)
          j.attribute("phases_later", b.storeDelay);
        if (b.storesLastSliceOnly)
          j.attribute("only_at_last",
                      c.ranks[c.tensors[b.tensor].iterativeRank].name);
      });
      j.attributeObject("piece", [&] {
        for (RankId r : e.ranks)
          if (!isReducedRank(c, s.einsum, r))
            j.attribute(c.ranks[r].name, full[r]);
      });
    });
  }
}

void PhaseWriter::body(const PhaseTiming &timing, int64_t length,
                       int32_t firstStage, int32_t lastStage) {
  j.object([&] {
    j.attribute("length", length);
    j.attributeObject("units", [&] {
      for (UnitId u = 0; u < static_cast<UnitId>(v.arch.units.size()); ++u)
        j.attributeArray(v.arch.units[u].name, [&] {
          for (const SlotTiming &t : timing.slots) {
            if (phase.runs[t.run].unit != u || t.stage < firstStage ||
                t.stage > lastStage)
              continue;
            int32_t index = 0;
            while (plan.slots[index].run != t.run ||
                   plan.slots[index].index != t.index)
              ++index;
            j.object([&] {
              j.attribute("slot", index);
              j.attribute("name", slotName(plan.slots[index]));
              j.attribute("stage", t.stage);
              j.attribute("start", t.start);
              j.attribute("end", t.start + t.cycles);
            });
          }
        });
    });
  });
}

/// Full inner tiles; ragged ones follow from "cycles" by the same issue rule.
void PhaseWriter::bodies() {
  int32_t last = plan.stages - 1;
  PhaseTiming steady =
      timePhase(c, v.arch, phase, std::vector<Extents>(plan.stages, full));
  auto partial = [&](int32_t first, int32_t until) {
    if (phase.wrap) { // the same starts, step by step
      body(steady, steady.ii, first, until);
      return;
    }
    std::vector<Extents> perStage(plan.stages);
    for (int32_t s = first; s <= until; ++s)
      perStage[s] = full;
    PhaseTiming timing = timePhase(c, v.arch, phase, perStage);
    body(timing, timing.ii, first, until);
  };
  j.attribute("ii_cycles", steady.ii);
  j.attribute("fill_cycles", steady.fill);
  j.attribute("drain_cycles", steady.drain);
  j.attributeArray("prologue", [&] {
    for (int32_t k = 0; k < last; ++k)
      partial(0, k);
  });
  j.attributeBegin("steady");
  body(steady, steady.ii, 0, last);
  j.attributeEnd();
  j.attributeArray("epilogue", [&] {
    for (int32_t k = 1; k <= last; ++k)
      partial(k, last);
  });
}

void PhaseWriter::write() {
  j.object([&] {
    j.attribute("name", phaseName(g, p));
    j.attribute("claimed_cycles", claimedCycles);
    loops();
    j.attribute("stages", plan.stages);
    j.attribute("wrap", phase.wrap);
    if (plan.active.skips())
      j.attributeObject("skip", [&] {
        j.attribute("rank", c.ranks[plan.active.rank].name);
        std::vector<LinearExpr> where;
        for (const Constraint &k : plan.active.where)
          where.push_back(k.expr);
        writeExpressions(v, j, "where", where);
      });
    // What an epoch holds of each rank that its Einsums have.
    j.attributeObject("inner", [&] {
      for (RankId r = 0; r < static_cast<RankId>(c.ranks.size()); ++r)
        if (plan.usesRank[r])
          j.attribute(c.ranks[r].name, plan.cuts[r].inner);
    });
    slots();
    j.attributeArray("transfers", [&] {
      for (int32_t id : v.plan.groups[g].buffers) {
        const Buffer &b = v.plan.buffers[id];
        if (b.role == BufferRole::Input && b.level != RetainLevel::Group &&
            b.phase == p)
          writeLoad(v, j, id);
      }
      for (size_t i = 0; i < plan.slots.size(); ++i)
        stores(plan.slots[i], static_cast<int32_t>(i));
    });
    bodies();
  });
}

} // namespace

void transfusion::writePhase(const ScheduleView &v, llvm::json::OStream &j,
                             int32_t group, int32_t phase,
                             double claimedCycles) {
  PhaseWriter(v, j, group, phase, claimedCycles).write();
}
