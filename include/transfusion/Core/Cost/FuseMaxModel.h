//===- FuseMaxModel.h - The model of the FuseMax artifact -------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Somebody else's model, in closed form: attention and linear layers as the
// public artifact of FuseMax (Nayak et al., MICRO 2024) counts them. It leaves
// out filling and draining, layer norms and activations. The honest model is
// evaluate(); this one says what its authors would have said.
//
//   cycles  = heads * (m/side) * (p/side) * tile + heads * f * p/side
//   tile    = FuseMaxTile.h, as published (2f + 10 where e = f)
//   latency = max(cycles / clock, traffic / bandwidth)
//   traffic : queries and results once, keys and values once per block of p1
//             tiles of queries, p1 the greatest divisor of p/side that fits
//   linear  = max(macs / PEs, in + out + weights over bandwidth), each alone
//
// Energy is not in closed form in the artifact; here it is counted: arithmetic,
// DRAM, rows of the buffer (a row is as many words as the array has columns),
// and the register files of the 2D array. There every operation reads the one
// value that its PE holds (a weight, a query, a score); operands and sums that
// move through the array are part of the operation; what a PE makes and keeps
// is written once.
//
// Linear layers fetch their weights once, whatever their size. The artifact
// fetches those of XLM, which exceed its buffer, once for every 2048 and every
// 512 rows, and so moves 2.1 times the bytes (linearTrafficTiled below: with
// the rows that fit, 1.2 times would do).
//
// Toy example, one head, e = f = 64, p = m = 256: 138 + 64 cycles.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_CORE_COST_FUSEMAXMODEL_H
#define TRANSFUSION_CORE_COST_FUSEMAXMODEL_H

#include "transfusion/Core/Cost/LayerShape.h"
#include "transfusion/Core/Model/Arch.h"

namespace transfusion::core {

struct FuseMaxMachine {
  int64_t side = 256;
  double clockHz = 940e6;
  int64_t bufferBytes = int64_t(16) << 20;
  double dramBytesPerS = 400.0 * (1 << 30);
  int64_t wordBytes = 2;
  // pJ, at 45 nm.
  double macPj = 17.16, addPj = 8.34, maxPj = .028, divPj = 36.25;
  int64_t expMacs = 6;
  double dramPjPerByte = 249.6 / 8;
  double bufferReadPjPerByte = 485.0 / 512, bufferWritePjPerByte = 451.3 / 512;
  double registerReadPj = .653, registerWritePj = .570; ///< per word
};

/// The machine of a described one: a square grid, its buffer, the outer memory.
/// `why` is set, and false returned, where it is another kind of machine.
bool fuseMaxMachine(const Arch &a, FuseMaxMachine &m, std::string &why);

struct FuseMaxCost {
  double computeS = 0, memoryS = 0, latencyS = 0;
  double dramBytes = 0;
  double alu2dCycles = 0; ///< lane-cycles of the 2D array over its lanes
  double util2d = 0;
  double arithmeticPj = 0, dramPj = 0, bufferPj = 0, registerPj = 0;
  double energyPj() const {
    return arithmeticPj + dramPj + bufferPj + registerPj;
  }
};

FuseMaxCost fuseMaxAttention(const FuseMaxMachine &m,
                             const AttentionShapeOf &a);
FuseMaxCost fuseMaxLinear(const FuseMaxMachine &m, const LinearShape &l);

/// Least bytes of a linear layer when its weights do not fit: as many rows as
/// the buffer holds (of the narrower side) meet all weights.
double linearTrafficTiled(const FuseMaxMachine &m, const LinearShape &l);

/// Sum over the attention and the linear layers of a layer.
FuseMaxCost fuseMaxLayer(const FuseMaxMachine &m, const LayerShape &layer);

} // namespace transfusion::core

#endif // TRANSFUSION_CORE_COST_FUSEMAXMODEL_H
