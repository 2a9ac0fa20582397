//===- FuseMaxModel.cpp - The model of the FuseMax artifact ---------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Core/Cost/FuseMaxModel.h"

#include "transfusion/Core/Cost/FuseMaxTile.h"

#include <algorithm>
#include <cmath>

namespace transfusion::core {

static int64_t ceilDiv(int64_t x, int64_t y) { return (x + y - 1) / y; }

bool fuseMaxMachine(const Arch &a, FuseMaxMachine &m, std::string &why) {
  const Unit *grid = nullptr, *lanes = nullptr;
  for (const Unit &u : a.units)
    (u.isGrid ? grid : lanes) = &u;
  if (!grid || !lanes || a.memories.size() != 2)
    why = "it is for one 2D array, vector lanes, one buffer and one outer "
          "memory";
  else if (grid->instances != 1 || lanes->instances != 1)
    why = "it is for one 2D array and one set of vector lanes, there are " +
          std::to_string(grid->instances) + " of " + grid->name + " and " +
          std::to_string(lanes->instances) + " of " + lanes->name;
  else if (grid->rows != grid->cols)
    why = "it is for a square 2D array, " + grid->name + " is " +
          std::to_string(grid->rows) + "x" + std::to_string(grid->cols);
  else if (a.memories[0].readBytesPerS <= 0)
    why = "it needs the bandwidth of " + a.memories[0].name;
  if (!why.empty())
    return false;
  auto pj = [](const Unit &u, OpClass c) {
    OpHistogram one;
    one[c] = 1;
    return energyPerPoint(u, one);
  };
  m.side = grid->rows;
  m.clockHz = a.clockHz;
  m.bufferBytes = a.memories[1].capacityBytes;
  m.dramBytesPerS = a.memories[0].readBytesPerS;
  m.macPj = pj(*grid, OpClass::Mac);
  m.addPj = pj(*grid, OpClass::Add);
  m.maxPj = pj(*lanes, OpClass::Max);
  m.divPj = pj(*lanes, OpClass::Div);
  OpHistogram exp;
  exp[OpClass::Exp] = 1;
  m.expMacs = std::max<int64_t>(cyclesPerPoint(*grid, exp), 0);
  m.dramPjPerByte = a.memories[0].readPjPerByte;
  m.bufferReadPjPerByte = a.memories[1].readPjPerByte;
  m.bufferWritePjPerByte = a.memories[1].writePjPerByte;
  return true;
}

/// Tiles of queries whose state stays in the buffer while keys pass.
static int64_t queryTilesHeld(const FuseMaxMachine &m,
                              const AttentionShapeOf &a, int64_t tiles) {
  const int64_t row = m.side * m.wordBytes;
  const int64_t room = m.bufferBytes - row * (a.e + a.f);
  const int64_t fit = room / (row * (a.e + a.f + 2));
  for (int64_t held = std::min(fit, tiles); held > 1; --held)
    if (tiles % held == 0)
      return held;
  return 1;
}

static void finish(const FuseMaxMachine &m, FuseMaxCost &c, double cycles) {
  c.computeS = cycles / m.clockHz;
  c.memoryS = c.dramBytes / m.dramBytesPerS;
  c.latencyS = std::max(c.computeS, c.memoryS);
  c.util2d = c.alu2dCycles / (c.latencyS * m.clockHz);
  c.dramPj = c.dramBytes * m.dramPjPerByte;
}

FuseMaxCost fuseMaxAttention(const FuseMaxMachine &m,
                             const AttentionShapeOf &a) {
  FuseMaxCost c;
  const double heads = double(a.heads), e = double(a.e), f = double(a.f);
  const int64_t rowTiles = ceilDiv(a.queries, m.side);
  const int64_t keyTiles = ceilDiv(a.keys, m.side);
  const double tiles = heads * double(rowTiles) * double(keyTiles);
  const FuseMaxTile tile{a.e, a.f, m.side, m.expMacs};
  const double cycles = tiles * double(fuseMaxCyclesPublished(tile)) +
                        heads * f * double(rowTiles);

  // Words that cross.
  const double w = double(m.wordBytes);
  const double blocks = double(rowTiles / queryTilesHeld(m, a, rowTiles));
  const double queries = heads * double(a.queries) * e;
  const double results = heads * double(a.queries) * f;
  const double keysValues = heads * double(a.keys) * (e + f) * blocks;
  c.dramBytes = w * (queries + results + keysValues);
  // QK, LM, SLN (exp of a difference), SLD, SLNV.
  const double on2d = e + 1 + double(m.expMacs) + 1 + 1 + f;
  c.alu2dCycles = tiles * on2d;
  finish(m, c, cycles);

  const double points = heads * double(a.queries) * double(a.keys);
  const double perTile = heads * double(a.queries) * double(keyTiles);
  const double exp = double(m.expMacs) * m.macPj + m.addPj;
  c.arithmeticPj =
      points * (e * m.macPj + m.maxPj + exp + m.addPj + f * m.macPj) +
      perTile * (m.maxPj + exp + m.macPj + m.addPj + f * (m.macPj + m.addPj)) +
      results * m.divPj;
  // Every tile reads its queries, keys and values, and the state (RM, RD, RNV)
  // of its queries, and writes that back.
  const double side = double(m.side);
  const double read = w * (tiles * side * (2 * e + f + f + 2) + results);
  const double written = w * (tiles * side * (f + 2) + queries + keysValues);
  c.bufferPj = read * m.bufferReadPjPerByte + written * m.bufferWritePjPerByte;
  // QK and SLNV read what the PE holds, LM and SLN the score, SLD the
  // numerator; the score and the numerator are kept.
  c.registerPj =
      points * ((e + f + 3) * m.registerReadPj + 2 * m.registerWritePj);
  return c;
}

FuseMaxCost fuseMaxLinear(const FuseMaxMachine &m, const LinearShape &l) {
  FuseMaxCost c;
  const double rows = double(l.rows), in = double(l.in), out = double(l.out);
  const double macs = rows * in * out, side = double(m.side);
  const double w = double(m.wordBytes);
  const double fetched = rows * in + in * out, stored = rows * out;
  c.dramBytes = w * (fetched + stored);
  c.alu2dCycles = macs / (side * side);
  finish(m, c, c.alu2dCycles);
  c.arithmeticPj = macs * m.macPj;
  // A step of the array takes a vector from each side.
  c.bufferPj = w * ((2 * macs / side + stored) * m.bufferReadPjPerByte +
                    fetched * m.bufferWritePjPerByte);
  c.registerPj = macs * m.registerReadPj;
  return c;
}

double linearTrafficTiled(const FuseMaxMachine &m, const LinearShape &l) {
  const double w = double(m.wordBytes);
  const double once = w * (double(l.rows) * double(l.in + l.out) +
                           double(l.in) * double(l.out));
  if (double(l.in) * double(l.out) * w <= double(m.bufferBytes))
    return once;
  const int64_t held = std::max<int64_t>(
      1, m.bufferBytes / (m.wordBytes * std::min(l.in, l.out)));
  const double times = double(ceilDiv(l.rows, held));
  return once + (times - 1) * w * double(l.in) * double(l.out);
}

FuseMaxCost fuseMaxLayer(const FuseMaxMachine &m, const LayerShape &layer) {
  FuseMaxCost sum;
  auto add = [&](const FuseMaxCost &c) {
    sum.computeS += c.computeS;
    sum.memoryS += c.memoryS;
    sum.latencyS += c.latencyS;
    sum.dramBytes += c.dramBytes;
    sum.alu2dCycles += c.alu2dCycles;
    sum.arithmeticPj += c.arithmeticPj;
    sum.dramPj += c.dramPj;
    sum.bufferPj += c.bufferPj;
    sum.registerPj += c.registerPj;
  };
  for (const AttentionShapeOf &a : layer.attention)
    add(fuseMaxAttention(m, a));
  for (const LinearShape &l : layer.linear)
    add(fuseMaxLinear(m, l));
  if (sum.latencyS > 0)
    sum.util2d = sum.alu2dCycles / (sum.latencyS * m.clockHz);
  return sum;
}

} // namespace transfusion::core
