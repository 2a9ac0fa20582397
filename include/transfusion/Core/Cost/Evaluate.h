//===- Evaluate.h - Latency, energy, traffic of a schedule ------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Per outer tile and phase: compute = fill + one II per further step + drain,
// slowed by the ports of the buffer; memory = bytes / bandwidth. First pieces
// loaded and the last one stored are exposed, if not moved beside other phases.
// Phase = max(compute, memory that overlaps, own loads + computing on the last,
// computing the first result + own stores, steps + waiting for results of rows,
// transfers + what they leave of the ports) + exposed; group = sum over phases
// and outer tiles; layer = sum over groups. Cycles are at arch.clockHz.
//
// What is counted at the memory that feeds the units: in each epoch each slot
// reads once every value of an operand that some point in it reads, and writes
// its results. Points that a domain takes away do not exist. What is a constant
// is not read: the slice before the first of a recurrence, and partial sums of
// which there are none yet; else a slot that accumulates reads and writes its
// sums. What is loaded is written, what is stored is read; the last slice of a
// Carried recurrence is written once more. Loads move whole boxes, which end
// where the tensor ends, stores the results that exist.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_CORE_COST_EVALUATE_H
#define TRANSFUSION_CORE_COST_EVALUATE_H

#include "transfusion/Core/Cost/Timing.h"
#include "transfusion/Core/Model/Plan.h"

#include <memory>

namespace transfusion::core {

struct PhaseCost {
  int64_t epochs = 0;   ///< summed over outer tiles
  int64_t iiCycles = 0; ///< of the steady state of a full tile
  int32_t stages = 1;
  int64_t fillCycles = 0, drainCycles = 0; ///< of a full tile
  double computeCycles = 0, memoryCycles = 0, exposedCycles = 0; ///< totals
  double latencyCycles = 0;                                      ///< total
  /// Name of the busiest unit, or of the slowest memory when that takes longer.
  std::string bottleneck;
  std::vector<int64_t> unitBusyCycles; ///< by UnitId, total
};

struct GroupCost {
  double latencyCycles = 0;
  /// Loading before the first tile: what is retained at group, and what that
  /// tile would have had loaded ahead.
  double loadCycles = 0;
  double storeCycles = 0; ///< of what is deferred beyond the last tile
  int64_t outerTiles = 0;
  std::vector<PhaseCost> phases;
  int64_t peakBytes = 0; ///< of the memory that feeds the units
};

struct EinsumCost {
  UnitId unit = -1;
  int32_t stage = 0;
  int64_t cyclesPerEpoch = 0;
  int64_t busyCycles = 0; ///< total
  int64_t points = 0;     ///< of the iteration space
  double energyPj = 0;    ///< arithmetic
};

/// All operations of one class.
struct OpClassCost {
  double operations = 0;
  double laneCycles = 0; ///< lanes times cycles
  double energyPj = 0;
};

struct CostReport {
  double latencyCycles = 0, latencyS = 0;
  double energyPj = 0, arithmeticPj = 0;
  double leakagePj = 0;         ///< of the whole machine, all the time
  std::vector<double> memoryPj; ///< by MemoryId
  std::vector<int64_t> readBytes, writeBytes; ///< by MemoryId
  std::vector<int64_t> peakBytes;             ///< by MemoryId
  std::vector<int64_t> unitBusyCycles;        ///< by UnitId
  std::vector<double> unitBusy;  ///< time issuing / latency, by UnitId
  std::vector<double> unitLanes; ///< lane-cycles of work / (lanes * latency)
  std::vector<GroupCost> groups;
  std::vector<EinsumCost> einsums;
  std::array<OpClassCost, kNumOpClasses> opClasses; ///< by OpClass
  std::string bottleneck;
  /// Not empty: no cost (a fault of the plan, an unsupported op, an overflow).
  std::vector<std::string> faults;
};

/// Bytes of one tensor, by MemoryId.
struct TensorTraffic {
  std::vector<int64_t> readBytes, writeBytes;
};

struct CostDetail;

CostReport evaluate(const Cascade &c, const Arch &a, const Schedule &s);
CostReport evaluate(const Cascade &c, const Arch &a, const Schedule &s,
                    const Plan &p);

/// The same for many schedules of one cascade on one arch: what schedules share
/// (timings of a phase's steps, point counts) is computed once. Refers to the
/// cascade and the arch, which must outlive it.
class Evaluator {
public:
  Evaluator(const Cascade &c, const Arch &a);
  ~Evaluator();
  Evaluator(const Evaluator &) = delete;
  Evaluator &operator=(const Evaluator &) = delete;

  CostReport evaluate(const Schedule &s);
  CostReport evaluate(const Schedule &s, const Plan &p);
  /// The same into a report that is at hand. Allocates nothing once the report
  /// and the lists in here have grown and the phases' timings are known, unless
  /// a phase skips, has more than two stages or has transfers in other tiles.
  void evaluate(const Schedule &s, const Plan &p, CostReport &report);
  /// Also says which tensors the bytes are of, by TensorId.
  CostReport evaluate(const Schedule &s, const Plan &p,
                      std::vector<TensorTraffic> &byTensor);
  /// Also tells the sums apart.
  CostReport evaluate(const Schedule &s, const Plan &p, CostDetail &detail);

private:
  class Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace transfusion::core

#endif // TRANSFUSION_CORE_COST_EVALUATE_H
