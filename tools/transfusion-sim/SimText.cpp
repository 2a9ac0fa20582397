//===- SimText.cpp - The simulation for people ----------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimOutput.h"

#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace transfusion;
using namespace transfusion::core;

static double percent(double part, double whole) {
  return whole > 0 ? 100 * part / whole : 0;
}

void transfusion::writeSimText(const sim::Program &p, const sim::SimReport &r,
                               llvm::raw_ostream &os) {
  os << "@" << p.name << " simulated\n";
  os << llvm::formatv("  cycles           {0,18:F0}   {1:E3} s\n", r.cycles,
                      r.cycles / p.clockHz);
  os << llvm::formatv("  claimed_cycles   {0,18:F0}   ratio {1:F5}\n",
                      p.claimedCycles, ratioOf(r.cycles, p.claimedCycles));
  os << llvm::formatv("  steps            {0,18:F0}   {1} of them one by one\n",
                      r.steps, r.stepsRun);

  if (p.unscheduledOps > 0)
    os << "  NOT SCHEDULED AND NOT COSTED: " << p.unscheduledOps
       << (p.unscheduledOps == 1 ? " op" : " ops") << ", in no number here\n";

  os << "\n  of each unit's cycles, percent\n    " << llvm::left_justify("", 12)
     << "    busy";
  for (int s = 0; s < sim::kNumStalls; ++s)
    os << llvm::right_justify(sim::stallName(static_cast<sim::Stall>(s)), 12);
  os << "\n";
  for (size_t u = 0; u < r.units.size(); ++u) {
    os << "    " << llvm::left_justify(p.units[u].name, 12)
       << llvm::format("%8.3f", percent(r.units[u].busyCycles, r.cycles));
    for (double stall : r.units[u].stallCycles)
      os << llvm::format("%12.3f", percent(stall, r.cycles));
    os << "\n";
  }

  os << "\n  occupancy over time, percent of the phase\n    "
     << llvm::left_justify("phase", 12) << llvm::right_justify("start", 16)
     << llvm::right_justify("cycles", 16) << llvm::right_justify("ratio", 9);
  for (const sim::Unit &u : p.units)
    os << llvm::right_justify(u.name, 10);
  for (const sim::Port &port : p.ports)
    if (port.bytesPerCycle > 0)
      os << llvm::right_justify(port.name, 14);
  for (size_t m = 1; m < p.memories.size(); ++m)
    os << llvm::right_justify(p.memories[m].name + " bytes", 16);
  os << "\n";
  for (const sim::PhaseUse &use : r.phases) {
    os << "    " << llvm::left_justify(use.name, 12)
       << llvm::format("%16.0f%16.0f", use.firstStart, use.cycles);
    if (use.claimedCycles > 0)
      os << llvm::format("%9.5f", ratioOf(use.cycles, use.claimedCycles));
    else
      os << "         ";
    for (const sim::UnitUse &u : use.units)
      os << llvm::format("%10.2f", percent(u.busyCycles, use.cycles));
    for (size_t i = 0; i < p.ports.size(); ++i)
      if (p.ports[i].bytesPerCycle > 0)
        os << llvm::format("%14.2f",
                           percent(use.portBusyCycles[i], use.cycles));
    for (size_t m = 1; m < p.memories.size(); ++m)
      os << llvm::format("%16lld", static_cast<long long>(use.liveBytes[m]));
    os << "\n";
  }
}
