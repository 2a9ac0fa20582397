//===- EvaluateDetail.cpp - Sums of an evaluation, told apart -------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Evaluation.h"

#include <algorithm>

namespace transfusion::core {

void Evaluator::Impl::addParts(const TileParts &t, PhaseDetail &sum) const {
  const double steady = t.count * (t.steps - t.fill - t.drain);
  sum.loadCycles += t.count * t.load;
  sum.fillCycles += t.count * t.fill;
  sum.steadyCycles += steady;
  sum.drainCycles += t.count * t.drain;
  sum.storeCycles += t.count * t.store;
  sum.loadFrom = t.loadFrom;
  sum.storeTo = t.storeTo;
  // What is computed around the transfers is not what limits.
  sum.memoryBound.resize(a.memories.size());
  if (t.compute >= std::max({t.outer, t.buffer, t.between}))
    sum.computeBound += steady;
  else if (t.between > std::max(t.outer, t.buffer))
    sum.memoryBound[t.betweenAt] += steady;
  else
    sum.memoryBound[t.outer >= t.buffer ? 0 : bufferMemory()] += steady;
}

Evaluator::Impl::Totals Evaluator::Impl::totals() const {
  Totals t{reportOf->readBytes, reportOf->writeBytes, 0};
  for (double work : laneCycles)
    t.laneCycles += work;
  return t;
}

void Evaluator::Impl::noteBytes(const Totals &before,
                                std::vector<int64_t> &readBytes,
                                std::vector<int64_t> &writeBytes) const {
  readBytes = reportOf->readBytes;
  writeBytes = reportOf->writeBytes;
  for (size_t m = 0; m < readBytes.size(); ++m) {
    readBytes[m] -= before.readBytes[m];
    writeBytes[m] -= before.writeBytes[m];
  }
}

CostReport Evaluator::evaluate(const Schedule &s, const Plan &p,
                               CostDetail &detail) {
  detail = CostDetail();
  detail.unitOpPj.resize(impl->a.units.size());
  detail.groups.resize(p.groups.size());
  impl->detail = &detail;
  CostReport report = evaluate(s, p, detail.byTensor);
  impl->detail = nullptr;
  return report;
}

} // namespace transfusion::core
