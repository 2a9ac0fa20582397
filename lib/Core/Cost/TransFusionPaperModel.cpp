//===- TransFusionPaperModel.cpp - The paper's own estimates --------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Core/Cost/TransFusionPaperModel.h"

#include "transfusion/Core/Cost/FuseMaxTile.h"

#include <algorithm>

namespace transfusion::core {

PaperLayer asDecoder(PaperLayer l) {
  l.attentions = 2;
  l.norms = 3;
  return l;
}

PaperLayer asEncoderAndDecoder(PaperLayer l) {
  l.projections = l.ffns = 2;
  l.attentions = 3;
  l.norms = 5;
  return l;
}

bool paperMachine(const Arch &a, PaperMachine &m, std::string &why) {
  if (!fuseMaxMachine(a, m.m, why))
    return false;
  for (const Unit &u : a.units)
    if (!u.isGrid)
      m.lanes = u.lanes();
  return true;
}

namespace {

/// Words that each Einsum of a norm moves per point when it stands alone: IAV
/// reads two and writes one, SAV reads one, DAV and QAV one each way, SQAV
/// reads one, NR one each way. Of a row's scalars there are too few to count.
constexpr int kNormWords[] = {3, 1, 2, 2, 1, 2};
constexpr int kNormEinsums = 6; ///< one operation per point each

class PaperModel {
public:
  PaperModel(const PaperMachine &pm, const PaperLayer &l, double dpipeTile,
             const PaperReading &r)
      : m(pm.m), l(l), dpipeTile(dpipeTile), reading(r),
        pes(double(m.side) * double(m.side)), lanes(double(pm.lanes)),
        rows(double(l.batch) * double(l.sequence)), d(double(l.d)),
        s(double(l.s)) {
    double perS = m.dramBytesPerS;
    if (r.decimalGigabytes)
      perS *= 1e9 / double(1 << 30);
    bytesPerCycle = perS / m.clockHz;
  }

  PaperCost run(PaperPolicy p);

private:
  /// The greater of computing and moving `words`.
  double module(double compute, double words) {
    cost.dramBytes += times * words * double(m.wordBytes);
    return times *
           std::max(compute, words * double(m.wordBytes) / bytesPerCycle);
  }
  double linear(double in, double out) const { return rows * in * out; }
  double untiled(double in, double out) {
    const double steps = linear(in, out) / pes;
    return module(steps, steps * 2 * double(m.side) + rows * out);
  }
  double attentionCycles(double tile, double avLanes) const {
    const double n = double(l.sequence) / double(m.side);
    const double heads = double(l.batch) * double(l.heads);
    return heads * n * n * tile +
           heads * double(l.e) * double(l.sequence) / avLanes;
  }
  /// Queries that an outer tile of attention holds, by the paper's formula for
  /// B = M1 = 1.
  double queriesHeld() const {
    const double words = double(m.bufferBytes / m.wordBytes);
    const double he = double(l.heads) * double(l.e), side = double(m.side);
    const double fixed = 2 * he * side + 4 * side * side + 18 * side;
    const double perQuery = he + double(l.heads) * (2 + 2 * double(l.e));
    return std::clamp((words - fixed) / perQuery, 1.0, double(l.sequence));
  }
  void arithmetic();
  void fuseMax();
  void fused(bool dpipe);

  const FuseMaxMachine &m;
  const PaperLayer &l;
  double dpipeTile;
  PaperReading reading;
  double pes, lanes, rows, d, s, bytesPerCycle = 0;
  double times = 1; ///< modules of the kind at hand
  PaperCost cost;
};

} // namespace

void PaperModel::arithmetic() {
  const double points = double(l.batch) * double(l.heads) * double(l.sequence) *
                        double(l.sequence);
  const double exp = double(m.expMacs) * m.macPj + m.addPj;
  const double activation =
      l.activationCycles == 1 ? m.maxPj : 7 * m.macPj + m.addPj + m.divPj;
  cost.arithmeticPj =
      double(l.projections) * 3 * linear(d, d) * m.macPj +
      double(l.attentions) * points *
          (2 * double(l.e) * m.macPj + m.maxPj + exp + m.addPj) +
      double(l.ffns) * (2 * linear(d, s) * m.macPj + rows * s * activation) +
      double(l.norms) * rows * d * (4 * m.addPj + 2 * m.macPj);
}

void PaperModel::fuseMax() {
  times = double(l.projections);
  for (int i = 0; i < 3; ++i)
    cost.projections += untiled(d, d);
  times = double(l.attentions);
  const FuseMaxTile tile{l.e, l.e, m.side, m.expMacs};
  cost.attention =
      module(attentionCycles(double(fuseMaxCyclesInTransFusion(tile)),
                             std::min(double(m.side), lanes)),
             4 * rows * d);
  times = double(l.ffns);
  cost.ffn = untiled(d, s) + untiled(s, d);
  cost.activation =
      module(rows * s * double(l.activationCycles) / lanes, 2 * rows * s);
  times = double(l.norms);
  for (int words : kNormWords)
    cost.norms += module(rows * d / lanes, words * rows * d);
}

void PaperModel::fused(bool dpipe) {
  const double all = pes + lanes;
  const double keysValues = 2 * rows * d;
  times = double(l.projections);
  double compute = 3 * linear(d, d) / pes;
  if (dpipe && reading.projectionsShareArrays)
    compute = 3 * linear(d, d) / all;
  else if (dpipe) // one of the three on 1D, if that is not slower
    compute = std::min(compute,
                       std::max(2 * linear(d, d) / pes, linear(d, d) / lanes));
  cost.projections = module(compute, rows * d + 3 * d * d + keysValues);

  times = double(l.attentions);
  const FuseMaxTile tile{l.e, l.e, m.side, m.expMacs};
  const double perTile =
      dpipe ? dpipeTile : double(fuseMaxCyclesInTransFusion(tile));
  const double tilesOfQueries =
      std::max(1.0, double(l.sequence) / queriesHeld());
  cost.attention = module(
      attentionCycles(perTile, dpipe ? lanes : std::min(double(m.side), lanes)),
      keysValues * tilesOfQueries);

  times = double(l.ffns);
  const double one = linear(d, s);
  const double act = rows * s * double(l.activationCycles);
  compute = 2 * one / pes + act / lanes;
  if (dpipe) // FFN1 of one epoch beside activation and FFN2 of the last
    compute = std::min(std::max(2 * one / pes, act / lanes),
                       std::max(one / pes, (act + one) / lanes));
  cost.ffn = module(compute, 2 * d * s + rows * d);

  times = double(l.norms);
  cost.norms = module(kNormEinsums * rows * d / (dpipe ? all : lanes), 0);
}

PaperCost PaperModel::run(PaperPolicy p) {
  if (p == PaperPolicy::FuseMax)
    fuseMax();
  else
    fused(p == PaperPolicy::TransFusion);
  arithmetic();
  cost.dramPj = cost.dramBytes * m.dramPjPerByte;
  return cost;
}

PaperCost paperCost(const PaperMachine &m, const PaperLayer &l, PaperPolicy p,
                    double dpipeTile, const PaperReading &r) {
  return PaperModel(m, l, dpipeTile, r).run(p);
}

} // namespace transfusion::core
