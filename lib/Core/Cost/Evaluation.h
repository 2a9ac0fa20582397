//===- Evaluation.h - The state of evaluate() -------------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to lib/Core/Cost: latency and traffic are in Evaluate.cpp, operations
// in EvaluateWork.cpp.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_COST_EVALUATION_H
#define TRANSFUSION_LIB_CORE_COST_EVALUATION_H

#include "StepWalk.h"
#include "TileOverlap.h"

#include "transfusion/Core/Cost/CostDetail.h"

namespace transfusion::core {

class Evaluator::Impl {
public:
  Impl(const Cascade &c, const Arch &a)
      : c(c), a(a), times(c, a), whole(wholeSpans(c)), classifier(c),
        overlap(tally) {
    for (EinsumId e = 0; e < static_cast<EinsumId>(c.einsums.size()); ++e) {
      points.push_back(pointCount(c, e));
      results.push_back(resultCount(c, e));
      for (RankId r = 0; r < static_cast<RankId>(c.ranks.size()); ++r) {
        hasRank.push_back(c.einsums[e].hasRank(r));
        keepsRank.push_back(hasRank.back() && !isReducedRank(c, e, r));
      }
    }
    for (const Unit &unit : a.units) {
      oneOp.emplace_back();
      for (int k = 0; k < kNumOpClasses; ++k) {
        OpHistogram one;
        one.count[k] = 1;
        oneOp.back()[k] = {1, double(cyclesPerPoint(unit, one)),
                           energyPerPoint(unit, one)};
      }
    }
  }

  void evaluate(const Schedule &s, const Plan &p, CostReport &into);

  const Cascade &c;
  const Arch &a;
  Tally tally;
  TrafficByTensor *byTensor = nullptr;
  CostDetail *detail = nullptr; ///< may be null, as byTensor may

private:
  void evaluateGroup(const Schedule &s, const Plan &p, int32_t g);
  struct TileCost { ///< of a phase in one class of outer tiles
    void clear() {
      computeCycles = fillCycles = drainCycles = 0;
      steps = 1;
      limits = {};
      walk = {};
      traffic.clear();
    }
    int64_t computeCycles = 0;               ///< of the units alone
    int64_t fillCycles = 0, drainCycles = 0; ///< of these
    int64_t steps = 1;                       ///< of its pipelines
    StepLimits limits;                       ///< of these together
    /// With the ports that slow the units.
    double stepCycles() const {
      return std::max(double(computeCycles), limits.slowed);
    }
    PhaseTraffic traffic;
    WalkedSteps walk;
  };
  void evaluateTile(const PhaseTile &tile, const TileClass &cls,
                    PhaseTimes &phaseTimes, PhaseCost &cost, TileCost &result);
  void addWorkOfTile(const PhaseTile &tile, const StepRuns &runs,
                     int64_t tiles);
  void addLatency(const TileCost &tile, const TransferBytes &beside,
                  int64_t count, PhaseCost &cost, PhaseDetail *parts);
  double moveCycles(const Memory &outer, double loaded, double stored) const;
  double aroundTransfers(const TileCost &tile, const OuterTraffic &t,
                         const Memory &outer);
  double allAtPorts(const PhaseTraffic &t, const TransferBytes &beside) const;
  double besideTransfers(const TileCost &tile, double loaded, double stored);
  /// Cycles that nothing runs beside, and what they wait for: a memory, to be
  /// read or to be written.
  struct Alone {
    double cycles = 0;
    MemoryId at = 0;
    bool writes = false;
    void atLeast(double other, MemoryId m, bool isWritten) {
      if (other > cycles)
        *this = {other, m, isWritten};
    }
  };
  void passAlone(MemoryId m, int64_t read, int64_t written, Alone &longest);
  Alone addGroupStores(int64_t bytes);
  Alone addCopies(const Schedule &s, const Plan &p, int32_t g);
  Alone addGroupLoads(const Plan &p, int32_t g, int64_t ofOuter);
  void describePhase(const PhaseTile &tile, PhaseTimes &phaseTimes,
                     PhaseCost &cost);
  int64_t repeats(const PhasePlan &plan, EinsumId e, bool finish);
  void addOps(const PlannedSlot &slot, const OpHistogram &ops, double count);
  OpHistogram finishOps(const PlannedSlot &slot) const;
  bool cutToActiveSteps(const PhasePlan &plan, EinsumId e, bool finish) const;
  void addWork(const PhasePlan &plan);
  void finish();
  struct Totals {
    std::vector<int64_t> readBytes, writeBytes; ///< by MemoryId
    double laneCycles = 0;
  };
  Totals totals() const;
  /// What has come since `before`.
  void noteBytes(const Totals &before, std::vector<int64_t> &readBytes,
                 std::vector<int64_t> &writeBytes) const;
  /// Of alike outer tiles of a phase, `count` of them; cycles are of one.
  struct TileParts {
    double count, steps, compute, outer, buffer, fill, drain, load, store;
    double between = 0; ///< of the slowest memory of residents
    MemoryId betweenAt = 0, loadFrom = 0, storeTo = 0;
  };
  void addParts(const TileParts &t, PhaseDetail &sum) const;
  void clear(PhaseCost &cost) const;
  const std::string &bottleneck(const std::vector<double> &memory,
                                double compute,
                                const std::vector<int64_t> &unitBusy) const;
  MemoryId bufferMemory() const { return a.units.front().memory; }

  StepTimes times;
  std::vector<int64_t> points, results; ///< by EinsumId
  std::vector<char> hasRank, keepsRank; ///< by EinsumId and RankId
  std::vector<std::array<OpClassCost, kNumOpClasses>> oneOp; ///< by UnitId
  const std::vector<Span> whole;
  TileClassifier classifier;
  // Of the evaluation that runs.
  CostReport *reportOf = nullptr;
  std::vector<double> laneCycles; ///< work, by UnitId
  /// By MemoryId: over the layer, and over the phase that runs.
  std::vector<double> memoryCycles, phaseMemoryCycles;
  double computeCycles = 0;
  // Kept from one evaluation to the next: what they own, not what is in them.
  TileScratch scratch;
  PhaseCompute compute;
  OuterTiles tiles;
  TileOverlap overlap;
  Reused<TileCost> tileCosts; ///< by phase, then class
  std::vector<size_t> costOf; ///< by phase and class: in tileCosts
  std::vector<TileNeighbours> neighbours;
};

} // namespace transfusion::core

#endif // TRANSFUSION_LIB_CORE_COST_EVALUATION_H
