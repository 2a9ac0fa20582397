//===- ReportJson.cpp - The report for programs ---------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PhaseJson.h"
#include "ReportParts.h"

#include "transfusion/Target/EnergyReport.h"

#include "llvm/Support/JSON.h"

#include <algorithm>

using namespace transfusion;
using namespace transfusion::core;

double transfusion::gapOf(const ReportNumbers &n) {
  return n.bound.cycles > 0 ? n.cost.latencyCycles / n.bound.cycles - 1 : 0;
}

namespace {

class ReportWriter {
public:
  ReportWriter(const ScheduleView &v, const ReportNumbers &n,
               llvm::json::OStream &j)
      : v(v), n(n), j(j) {}
  void write();

private:
  void totals();
  void machine();
  void groups();
  void phaseEinsums(const Phase &phase);
  void opClasses();
  void ops(const char *key, const OpHistogram &histogram);
  void einsums();
  void buffers();

  const ScheduleView &v;
  const ReportNumbers &n;
  llvm::json::OStream &j;
};

void ReportWriter::totals() {
  // Ops that no number here counts.
  j.attributeArray("unscheduled_ops", [&] {
    for (const UnscheduledOp &op : v.unscheduled)
      j.object([&] {
        j.attribute("op", op.name);
        j.attribute("at", op.place);
      });
  });
  j.attribute("latency_cycles", n.cost.latencyCycles);
  j.attribute("latency_s", n.cost.latencyS);
  j.attribute("lower_bound_cycles", n.bound.cycles);
  j.attribute("lower_bound_limited_by", n.bound.limitedBy);
  j.attributeObject("lower_bound_parts", [&] {
    for (const BoundPart &part : n.bound.parts)
      j.attribute(part.name, part.cycles);
  });
  j.attribute("gap", gapOf(n));
  j.attribute("energy_pj", n.cost.energyPj);
  j.attribute("arithmetic_pj", n.cost.arithmeticPj);
  j.attributeObject("memory_pj", [&] {
    for (size_t m = 0; m < v.arch.memories.size(); ++m)
      j.attribute(v.arch.memories[m].name, n.cost.memoryPj[m]);
  });
  if (n.cost.leakagePj > 0)
    j.attribute("leakage_pj", n.cost.leakagePj);
  writeEnergyJson(nameEnergy(n.energy, v.cascade, v.arch), j);
  j.attribute("bottleneck", n.cost.bottleneck);
  writeLayerLimits(v, n, j);
  j.attribute("rules_checked", n.rulesChecked);
  j.attributeObject("search", [&] {
    j.attribute("policy", v.search.policy);
    j.attribute("strategy", v.search.strategy);
    j.attribute("objective", v.search.objective);
    j.attribute("seed", v.search.seed);
    j.attribute("evaluations", v.search.evaluations);
  });
}

void ReportWriter::machine() {
  j.attributeObject("utilization", [&] {
    for (size_t u = 0; u < v.arch.units.size(); ++u)
      j.attributeObject(v.arch.units[u].name, [&] {
        j.attribute("busy", n.cost.unitBusy[u]);
        j.attribute("lanes", n.cost.unitLanes[u]);
      });
  });
  j.attributeObject("traffic_bytes", [&] {
    for (size_t m = 0; m < v.arch.memories.size(); ++m)
      j.attributeObject(v.arch.memories[m].name, [&] {
        j.attribute("read", n.cost.readBytes[m]);
        j.attribute("write", n.cost.writeBytes[m]);
      });
  });
  // Which tensors the bytes at the outermost memory are of.
  j.attributeArray("outer_traffic", [&] {
    for (size_t t = 0; t < n.detail.byTensor.size(); ++t)
      j.object([&] {
        j.attribute("tensor", v.cascade.tensors[t].name);
        j.attribute("read_bytes", n.detail.byTensor[t].readBytes[0]);
        j.attribute("write_bytes", n.detail.byTensor[t].writeBytes[0]);
      });
  });
  // The outermost memory holds tensors whole, not buffers.
  for (const char *key : {"peak_bytes", "allocation_bytes"})
    j.attributeObject(key, [&] {
      for (size_t m = 1; m < v.arch.memories.size(); ++m)
        j.attribute(v.arch.memories[m].name, key[0] == 'p'
                                                 ? n.cost.peakBytes[m]
                                                 : v.plan.allocationBytes[m]);
    });
  j.attributeArray("unlimited_bandwidth", [&] {
    for (const Memory &m : v.arch.memories)
      if (m.readBytesPerS <= 0)
        j.value(m.name);
  });
}

void ReportWriter::groups() {
  j.attributeArray("groups", [&] {
    int64_t index = 0;
    for (size_t g = 0; g < n.cost.groups.size(); ++g)
      j.object([&] {
        const GroupCost &group = n.cost.groups[g];
        j.attribute("name", groupName(static_cast<int32_t>(g)));
        j.attribute("latency_cycles", group.latencyCycles);
        j.attribute("lower_bound_cycles", n.groupBounds[g].cycles);
        j.attribute("lower_bound_limited_by", n.groupBounds[g].limitedBy);
        j.attribute("outer_tiles", group.outerTiles);
        writeGroupLimits(v, n, g, j);
        j.attributeArray("phases", [&] {
          for (size_t p = 0; p < group.phases.size(); ++p)
            j.object([&] {
              const PhaseCost &phase = group.phases[p];
              j.attribute("name", phaseName(static_cast<int32_t>(g),
                                            static_cast<int32_t>(p)));
              j.attribute("index", index++);
              j.attribute("epochs", phase.epochs);
              j.attribute("ii_cycles", phase.iiCycles);
              j.attribute("stages", phase.stages);
              j.attribute("fill_cycles", phase.fillCycles);
              j.attribute("drain_cycles", phase.drainCycles);
              j.attribute("compute_cycles", phase.computeCycles);
              j.attribute("memory_cycles", phase.memoryCycles);
              j.attribute("exposed_cycles", phase.exposedCycles);
              j.attribute("latency_cycles", phase.latencyCycles);
              j.attribute("bottleneck", phase.bottleneck);
              writePhaseLimits(n.limits.groups[g].phases[p], j);
              phaseEinsums(v.schedule.groups[g].phases[p]);
            });
        });
      });
  });
}

/// In the cascade's order, finishes of earlier phases' Einsums first.
void ReportWriter::phaseEinsums(const Phase &phase) {
  std::vector<std::pair<bool, EinsumId>> members;
  for (const Run &run : phase.runs)
    for (const Slot &slot : run.slots)
      members.emplace_back(!slot.finishOnly, slot.einsum);
  std::sort(members.begin(), members.end());
  j.attributeArray("einsums", [&] {
    for (auto [whole, e] : members)
      j.value(v.cascade.einsums[e].name + (whole ? "" : ".finish"));
  });
}

void ReportWriter::opClasses() {
  j.attributeObject("op_classes", [&] {
    for (int k = 0; k < kNumOpClasses; ++k) {
      const OpClassCost &cost = n.cost.opClasses[k];
      if (cost.operations > 0)
        j.attributeObject(opClassName(static_cast<OpClass>(k)), [&] {
          j.attribute("operations", cost.operations);
          j.attribute("lane_cycles", cost.laneCycles);
          j.attribute("energy_pj", cost.energyPj);
        });
    }
  });
}

void ReportWriter::ops(const char *key, const OpHistogram &histogram) {
  j.attributeObject(key, [&] {
    for (int k = 0; k < kNumOpClasses; ++k)
      if (histogram.count[k])
        j.attribute(opClassName(static_cast<OpClass>(k)), histogram.count[k]);
  });
}

void ReportWriter::einsums() {
  j.attributeArray("einsums", [&] {
    for (size_t e = 0; e < n.cost.einsums.size(); ++e)
      j.object([&] {
        const EinsumCost &cost = n.cost.einsums[e];
        j.attribute("name", v.cascade.einsums[e].name);
        if (cost.unit >= 0)
          j.attribute("unit", v.arch.units[cost.unit].name);
        else
          j.attribute("unit", nullptr);
        j.attribute("stage", cost.stage);
        j.attribute("cycles", cost.cyclesPerEpoch); // of a full inner tile
        j.attribute("busy_cycles", cost.busyCycles);
        j.attribute("points", cost.points);
        // Of a point, map and reduction; of a result, finish.
        ops("point_ops", v.cascade.einsums[e].pointOps);
        ops("finish_ops", v.cascade.einsums[e].finishOps);
        j.attribute("energy_pj", cost.energyPj);
      });
  });
}

void ReportWriter::buffers() {
  std::vector<int64_t> firstPhase;
  int64_t phases = 0;
  for (const Group &g : v.schedule.groups) {
    firstPhase.push_back(phases);
    phases += static_cast<int64_t>(g.phases.size());
  }
  j.attributeArray("buffers", [&] {
    for (const Buffer &b : v.plan.buffers)
      j.object([&] {
        j.attribute("name", b.name);
        j.attribute("tensor", v.cascade.tensors[b.tensor].name);
        j.attribute("memory", v.arch.memories[b.memory].name);
        j.attribute("address", b.address);
        j.attribute("bytes", b.bytes);
        j.attribute("slots", b.slots);
        // Indices of phases, counted over the whole schedule.
        j.attribute("first_use", firstPhase[b.group] + b.firstPhase);
        j.attribute("last_use", firstPhase[b.group] + b.lastPhase);
      });
  });
}

void ReportWriter::write() {
  j.object([&] {
    j.attribute("schedule", v.name);
    j.attribute("function", v.cascade.name);
    j.attribute("arch", v.arch.name);
    totals();
    machine();
    groups();
    opClasses();
    einsums();
    writeResidents(v, j);
    buffers();
  });
}

} // namespace

void transfusion::writeReportJson(const ScheduleView &view,
                                  const ReportNumbers &numbers,
                                  llvm::raw_ostream &os) {
  llvm::json::OStream j(os, /*IndentSize=*/2);
  ReportWriter(view, numbers, j).write();
  os << "\n";
}
