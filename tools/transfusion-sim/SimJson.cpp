//===- SimJson.cpp - The simulation for programs --------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimOutput.h"

#include "llvm/Support/JSON.h"

using namespace transfusion;
using namespace transfusion::core;

double transfusion::stallOf(const sim::SimReport &r, sim::Stall s) {
  double sum = 0;
  for (const sim::UnitUse &u : r.units)
    sum += u.stallCycles[static_cast<size_t>(s)];
  return sum;
}

static void writeUnits(llvm::json::OStream &j, const sim::Program &p,
                       const std::vector<sim::UnitUse> &units) {
  j.attributeObject("units", [&] {
    for (size_t u = 0; u < units.size(); ++u)
      j.attributeObject(p.units[u].name, [&] {
        j.attribute("busy", units[u].busyCycles);
        for (int s = 0; s < sim::kNumStalls; ++s)
          j.attribute(sim::stallName(static_cast<sim::Stall>(s)),
                      units[u].stallCycles[s]);
      });
  });
}

static void writePorts(llvm::json::OStream &j, const sim::Program &p,
                       const std::vector<double> &busy) {
  j.attributeObject("ports", [&] {
    for (size_t i = 0; i < busy.size(); ++i)
      if (p.ports[i].bytesPerCycle > 0)
        j.attribute(p.ports[i].name, busy[i]);
  });
}

void transfusion::writeSimJson(const sim::Program &p, const sim::SimReport &r,
                               llvm::raw_ostream &os) {
  llvm::json::OStream j(os, /*IndentSize=*/1);
  j.object([&] {
    j.attribute("schedule", p.name);
    j.attribute("unscheduled_ops", p.unscheduledOps);
    j.attribute("legal", r.refusals.empty());
    if (!r.refusals.empty()) {
      j.attributeArray("refusals", [&] {
        for (const sim::Refusal &f : r.refusals)
          j.object([&] {
            j.attribute("where", f.where);
            j.attribute("what", f.what);
          });
      });
      return;
    }
    j.attribute("cycles", r.cycles);
    j.attribute("claimed_cycles", p.claimedCycles);
    j.attribute("ratio", ratioOf(r.cycles, p.claimedCycles));
    j.attribute("seconds", r.cycles / p.clockHz);
    j.attributeObject("stalls", [&] {
      for (int s = 0; s < sim::kNumStalls; ++s)
        j.attribute(sim::stallName(static_cast<sim::Stall>(s)),
                    stallOf(r, static_cast<sim::Stall>(s)));
    });
    writeUnits(j, p, r.units);
    writePorts(j, p, r.portBusyCycles);
    j.attributeArray("occupancy", [&] {
      for (const sim::PhaseUse &use : r.phases)
        j.object([&] {
          j.attribute("phase", use.name);
          j.attribute("first_start", use.firstStart);
          j.attribute("cycles", use.cycles);
          if (use.claimedCycles > 0) {
            j.attribute("claimed_cycles", use.claimedCycles);
            j.attribute("ratio", ratioOf(use.cycles, use.claimedCycles));
          }
          writeUnits(j, p, use.units);
          writePorts(j, p, use.portBusyCycles);
          j.attributeObject("live_bytes", [&] {
            for (size_t m = 1; m < p.memories.size(); ++m)
              j.attribute(p.memories[m].name, use.liveBytes[m]);
          });
        });
    });
    j.attribute("steps", r.steps);
    j.attribute("steps_simulated", r.stepsRun);
  });
  os << "\n";
}
