//===- SimOutput.h - What the simulator found, for people and programs ----===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_TOOLS_SIM_SIMOUTPUT_H
#define TRANSFUSION_TOOLS_SIM_SIMOUTPUT_H

#include "transfusion/Core/Sim/Simulate.h"

#include "llvm/Support/raw_ostream.h"

namespace transfusion {

void writeSimText(const core::sim::Program &p, const core::sim::SimReport &r,
                  llvm::raw_ostream &os);
void writeSimJson(const core::sim::Program &p, const core::sim::SimReport &r,
                  llvm::raw_ostream &os);

/// Simulated over claimed cycles; 0 without a claim.
inline double ratioOf(double cycles, double claimed) {
  return claimed > 0 ? cycles / claimed : 0;
}

/// Unit-cycles stalled for that reason, over all units.
double stallOf(const core::sim::SimReport &r, core::sim::Stall s);

} // namespace transfusion

#endif // TRANSFUSION_TOOLS_SIM_SIMOUTPUT_H
