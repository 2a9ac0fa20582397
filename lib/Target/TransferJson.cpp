//===- TransferJson.cpp - Loads and stores of the schedule file -----------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PhaseJson.h"

using namespace transfusion;
using namespace transfusion::core;

std::string transfusion::portName(const Memory &m, bool write) {
  if (m.sharedPort)
    return m.name;
  return m.name + (write ? ".write" : ".read");
}

void transfusion::writeAccess(const ScheduleView &v, llvm::json::OStream &j,
                              const Access &access) {
  writeExpressions(v, j, "access", access);
}

void transfusion::writeExpressions(const ScheduleView &v,
                                   llvm::json::OStream &j, llvm::StringRef key,
                                   llvm::ArrayRef<LinearExpr> exprs) {
  j.attributeArray(key, [&] {
    for (const LinearExpr &e : exprs)
      j.object([&] {
        j.attributeObject("terms", [&] {
          for (const auto &[rank, coefficient] : e.terms)
            j.attribute(v.cascade.ranks[rank].name, coefficient);
        });
        j.attribute("constant", e.constant);
      });
  });
}

void transfusion::writeResidents(const ScheduleView &v,
                                 llvm::json::OStream &j) {
  if (v.plan.residents.empty())
    return;
  j.attributeArray("residents", [&] {
    for (const PlannedResident &r : v.plan.residents)
      j.object([&] {
        j.attribute("tensor", v.cascade.tensors[r.tensor].name);
        j.attribute("memory", v.arch.memories[r.memory].name);
        j.attribute("address", r.address);
        j.attribute("bytes", r.bytes);
        j.attribute("first_group", groupName(r.firstGroup));
        j.attribute("last_group", groupName(r.lastGroup));
        if (r.isPiece())
          writeAccess(v, j, r.access);
      });
  });
}

void transfusion::writeLoad(const ScheduleView &v, llvm::json::OStream &j,
                            int32_t id) {
  const Buffer &b = v.plan.buffers[id];
  const Memory &from = v.arch.memories[b.outer];
  const Memory &to = v.arch.memories[b.memory];
  const std::vector<RankCut> &cuts =
      v.plan.groups[b.group].phases[b.phase].cuts;
  j.object([&] {
    j.attribute("kind", "load");
    j.attribute("tensor", v.cascade.tensors[b.tensor].name);
    j.attribute("buffer", b.name);
    j.attribute("from", from.name);
    j.attribute("to", to.name);
    j.attribute("from_port", portName(from, /*write=*/false));
    j.attribute("to_port", portName(to, /*write=*/true));
    j.attribute("bytes", b.bytesPerSlot);
    j.attributeObject("when", [&] {
      if (b.level == RetainLevel::Group) {
        j.attribute("scope", "group");
      } else if (b.fetchPosition < 0) {
        j.attribute("scope", "tile");
      } else {
        RankId r =
            v.schedule.groups[b.group].phases[b.phase].order[b.fetchPosition];
        j.attribute("scope", "epoch");
        j.attribute("loop", v.cascade.ranks[r].name);
        j.attribute("every", cuts[r].block / cuts[r].inner);
        j.attribute("stage", b.minStage);
        j.attribute("steps_ahead", 1);
      }
      const ActiveSteps &active = v.plan.groups[b.group].phases[b.phase].active;
      bool usesSteps = false;
      for (const LinearExpr &e : b.access)
        usesSteps |= active.skips() && e.uses(active.rank);
      if (usesSteps && b.level == RetainLevel::Block)
        j.attribute("active_steps_of", v.cascade.ranks[active.rank].name);
      if (b.prefetchAhead > 0)
        j.attribute("first_phases_ahead", b.prefetchAhead);
    });
    // Points of each rank that the piece spans, before clipping.
    j.attributeObject("piece", [&] {
      for (RankId r = 0; r < static_cast<RankId>(cuts.size()); ++r) {
        bool used = false;
        for (const LinearExpr &e : b.access)
          used |= e.uses(r);
        if (!used)
          continue;
        const RankCut &cut = cuts[r];
        int64_t span = b.level == RetainLevel::Group ? v.cascade.ranks[r].extent
                       : cut.position < 0 || cut.position > b.fetchPosition
                           ? cut.tile
                       : cut.position == b.fetchPosition ? cut.block
                                                         : cut.inner;
        j.attribute(v.cascade.ranks[r].name, span);
      }
    });
  });
}
