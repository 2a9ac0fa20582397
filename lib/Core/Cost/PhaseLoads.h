//===- PhaseLoads.h - What a phase loads, and when it waits -----*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to lib/Core/Cost: the half of PhaseTraffic that is about Inputs.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_COST_PHASELOADS_H
#define TRANSFUSION_LIB_CORE_COST_PHASELOADS_H

#include "PhaseCost.h"
#include "transfusion/Core/Model/Footprint.h"

namespace transfusion::core {

class LoadCounter {
public:
  LoadCounter(const PhaseTile &tile, const StepRuns *runs, Tally &tally,
              TrafficByTensor *byTensor, TileScratch &scratch,
              PhaseTraffic &result)
      : byTensor(byTensor), tile(tile), c(tile.c), tally(tally),
        order(tile.decision().order), innerCuts(scratch.innerCuts),
        pieces(scratch.pieces), runs(runs), scratchCuts(scratch.cuts),
        scratchSpans(scratch.spans), t(result) {}

  /// Of an Input of the phase.
  void add(const Buffer &b);

private:
  int64_t bytes(int64_t values, int32_t bits) {
    return tally.mul(tally.count(values), bytesPerValue(bits));
  }
  int64_t repeats(const Access &access, int32_t end);
  int64_t perEpoch(const Access &access, const std::vector<int64_t> &shape,
                   int32_t bits, const StepRuns &runs, int32_t end);
  int64_t fetchedSteps(const Buffer &b, std::vector<PieceCut> cuts);
  void keepActive(const Buffer &b, std::vector<Span> &piece);
  int64_t fetches(const Buffer &b);
  bool fetchesSteps(const Buffer &b) const;
  StepRun lastRow() const;
  int64_t blockTrips(RankId r) const;
  void noteLastLoad(const Buffer &b);
  int64_t stepsOfRows(const Buffer &b);

  TrafficByTensor *byTensor;
  const PhaseTile &tile;
  const Cascade &c;
  Tally &tally;
  const std::vector<RankId> &order;
  const std::vector<PieceCut> &innerCuts; ///< by RankId
  const std::vector<int64_t> &pieces;     ///< of these
  const StepRuns *runs;
  std::vector<PieceCut> &scratchCuts;
  std::vector<Span> &scratchSpans;
  PhaseTraffic &t;
};

} // namespace transfusion::core

#endif // TRANSFUSION_LIB_CORE_COST_PHASELOADS_H
