//===- ScheduleJson.cpp - The hardware-level schedule as a file -----------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Target/ScheduleJson.h"

#include "PhaseJson.h"
using namespace transfusion;
using namespace transfusion::core;

std::string transfusion::groupName(int32_t group) {
  return "g" + std::to_string(group + 1);
}

std::string transfusion::phaseName(int32_t group, int32_t phase) {
  return groupName(group) + ".p" + std::to_string(phase + 1);
}

namespace {

class ScheduleWriter {
public:
  ScheduleWriter(const ScheduleView &v, const CostReport &cost,
                 llvm::json::OStream &j)
      : v(v), cost(cost), j(j) {}
  void write();

private:
  void arch();
  void search();
  void cascade();
  void copies(int32_t g);
  void buffers();
  void group(int32_t g);

  const ScheduleView &v;
  const CostReport &cost; ///< what the file claims to take
  llvm::json::OStream &j;
};

void ScheduleWriter::arch() {
  j.attributeBegin("arch");
  j.objectBegin();
  j.attribute("name", v.arch.name);
  j.attribute("clock_hz", v.arch.clockHz);
  j.attributeArray("memories", [&] {
    for (const Memory &m : v.arch.memories)
      j.object([&] {
        auto optional = [&](const char *key, double x) {
          if (x > 0)
            j.attribute(key, x);
          else
            j.attribute(key, nullptr); // not given: not a limit
        };
        j.attribute("name", m.name);
        if (m.capacityBytes >= 0)
          j.attribute("capacity_bytes", m.capacityBytes);
        else
          j.attribute("capacity_bytes", nullptr);
        optional("read_bytes_per_s", m.readBytesPerS);
        optional("write_bytes_per_s",
                 m.sharedPort ? m.readBytesPerS : m.writeBytesPerS);
        j.attribute("read_port", portName(m, /*write=*/false));
        j.attribute("write_port", portName(m, /*write=*/true));
      });
  });
  j.attributeArray("units", [&] {
    for (const Unit &u : v.arch.units)
      j.object([&] {
        j.attribute("name", u.name);
        j.attribute("kind", u.isGrid ? "grid" : "lanes");
        j.attribute("rows", u.rows);
        j.attribute("cols", u.cols);
        if (u.instances != 1)
          j.attribute("instances", u.instances);
        j.attribute("memory", v.arch.memories[u.memory].name);
      });
  });
  j.objectEnd();
  j.attributeEnd();
}

void ScheduleWriter::search() {
  j.attributeObject("search", [&] {
    j.attribute("policy", v.search.policy);
    j.attribute("strategy", v.search.strategy);
    j.attribute("objective", v.search.objective);
    j.attribute("seed", v.search.seed);
    j.attribute("evaluations", v.search.evaluations);
  });
}

void ScheduleWriter::cascade() {
  j.attributeArray("ranks", [&] {
    for (const Rank &r : v.cascade.ranks)
      j.object([&] {
        j.attribute("name", r.name);
        j.attribute("extent", r.extent);
        j.attribute("iterative", r.iterative);
      });
  });
  j.attributeArray("tensors", [&] {
    for (TensorId t = 0; t < static_cast<TensorId>(v.cascade.tensors.size());
         ++t) {
      const Tensor &x = v.cascade.tensors[t];
      j.object([&] {
        j.attribute("name", x.name);
        j.attributeArray("shape", [&] {
          for (int64_t d : x.shape)
            j.value(d);
        });
        j.attribute("bits", x.bitsPerValue);
        j.attribute("role", x.isInput    ? "input"
                            : x.isOutput ? "output"
                                         : "intermediate");
        if (x.producer >= 0 && v.cascade.einsums[x.producer].base >= 0)
          j.attribute(
              "extends",
              v.cascade.tensors[v.cascade.einsums[x.producer].base].name);
        bool resides = false; // and nowhere else
        for (const PlannedResident &r : v.plan.residents)
          resides |= r.tensor == t && !r.isCopied;
        j.attribute("in_outer_memory",
                    !resides && livesInOuterMemory(v.cascade, v.schedule, t));
      });
    }
  });
}

/// Of inputs that become residents before group `g`, and of pieces that do
/// before its outer tiles.
void ScheduleWriter::copies(int32_t g) {
  auto isHere = [&](const PlannedResident &r) {
    return r.isCopied && r.firstGroup == g;
  };
  if (llvm::none_of(v.plan.residents, isHere))
    return;
  j.attributeArray("copies", [&] {
    for (const PlannedResident &r : v.plan.residents) {
      if (!isHere(r))
        continue;
      const Memory &from = v.arch.memories[0], &to = v.arch.memories[r.memory];
      j.object([&] {
        j.attribute("tensor", v.cascade.tensors[r.tensor].name);
        j.attribute("from", from.name);
        j.attribute("to", to.name);
        j.attribute("from_port", portName(from, /*write=*/false));
        j.attribute("to_port", portName(to, /*write=*/true));
        if (r.copyPosition >= 0)
          j.attribute(
              "loop",
              v.cascade.ranks[v.schedule.groups[g].tileOrder[r.copyPosition]]
                  .name);
      });
    }
  });
}

void ScheduleWriter::buffers() {
  std::vector<int64_t> firstPhase; // of each group, counted over all
  int64_t phases = 0;
  for (const Group &g : v.schedule.groups) {
    firstPhase.push_back(phases);
    phases += static_cast<int64_t>(g.phases.size());
  }
  j.attributeArray("buffers", [&] {
    for (const Buffer &b : v.plan.buffers)
      j.object([&] {
        const Tensor &t = v.cascade.tensors[b.tensor];
        j.attribute("name", b.name);
        j.attribute("tensor", t.name);
        j.attribute("role", bufferRoleName(b.role));
        j.attribute("memory", v.arch.memories[b.memory].name);
        j.attribute("address", b.address);
        j.attribute("bytes", b.bytes);
        j.attribute("slots", b.slots);
        j.attribute("bytes_per_slot", b.bytesPerSlot);
        j.attribute("bits", b.bitsPerValue);
        j.attribute("group", groupName(b.group));
        j.attribute("first_use", firstPhase[b.group] + b.firstPhase);
        j.attribute("last_use", firstPhase[b.group] + b.lastPhase);
        j.attributeArray("dims", [&] {
          for (const BufferDim &d : b.dims)
            j.object([&] {
              j.attribute("tensor_dim", d.tensorDim);
              if (d.rank >= 0) {
                j.attribute("rank", v.cascade.ranks[d.rank].name);
                j.attribute("coefficient", d.coefficient);
              }
              j.attribute("extent", d.extent);
            });
        });
        writeAccess(v, j, b.access);
      });
  });
}

void ScheduleWriter::group(int32_t g) {
  const Group &group = v.schedule.groups[g];
  j.object([&] {
    int64_t tiles = 1;
    j.attribute("name", groupName(g));
    j.attributeArray("outer_loops", [&] {
      for (RankId r : group.tileOrder) {
        const Rank &rank = v.cascade.ranks[r];
        int64_t tile = v.plan.groups[g].phases.front().cuts[r].tile;
        int64_t trips = (rank.extent + tile - 1) / tile;
        tiles *= trips;
        j.object([&] {
          j.attribute("rank", rank.name);
          j.attribute("extent", rank.extent);
          j.attribute("tile", tile);
          j.attribute("trips", trips);
          j.attribute("last", rank.extent - (trips - 1) * tile);
        });
      }
    });
    j.attribute("outer_tiles", tiles);
    copies(g);
    j.attributeArray("transfers", [&] {
      for (int32_t id : v.plan.groups[g].buffers)
        if (v.plan.buffers[id].role == BufferRole::Input &&
            v.plan.buffers[id].level == RetainLevel::Group)
          writeLoad(v, j, id);
    });
    j.attributeArray("phases", [&] {
      for (int32_t p = 0; p < static_cast<int32_t>(group.phases.size()); ++p)
        writePhase(v, j, g, p, cost.groups[g].phases[p].latencyCycles);
    });
  });
}

void ScheduleWriter::write() {
  j.object([&] {
    j.attribute("schema", "transfusion-schedule");
    j.attribute("version", kScheduleSchemaVersion);
    j.attribute("name", v.name);
    j.attribute("function", v.cascade.name);
    j.attribute("claimed_cycles", cost.latencyCycles);
    if (!v.unscheduled.empty()) // which no cycle here counts
      j.attribute("unscheduled_ops",
                  static_cast<int64_t>(v.unscheduled.size()));
    search();
    arch();
    cascade();
    j.attributeObject("allocation_bytes", [&] {
      for (size_t m = 1; m < v.arch.memories.size(); ++m)
        j.attribute(v.arch.memories[m].name, v.plan.allocationBytes[m]);
    });
    writeResidents(v, j);
    buffers();
    j.attributeArray("groups", [&] {
      for (int32_t g = 0; g < static_cast<int32_t>(v.schedule.groups.size());
           ++g)
        group(g);
    });
  });
}

} // namespace

void transfusion::writeScheduleJson(const ScheduleView &view,
                                    const CostReport &cost,
                                    llvm::raw_ostream &os) {
  llvm::json::OStream j(os, /*IndentSize=*/1);
  ScheduleWriter(view, cost, j).write();
  os << "\n";
}
