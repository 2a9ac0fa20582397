//===- WorkBound.cpp - What the lanes take at least -----------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Work. A job is the map or the finish of an Einsum (they may run on different
// units when a reduction spans epochs). For any set U of units, the jobs that
// only U can do keep its lanes busy for their least lane-cycles; the greatest
// of these quotients is, by duality, the optimum of the fractional assignment
// when a job costs the same everywhere, and a bound when it does not.
//
//===----------------------------------------------------------------------===//

#include "transfusion/Core/Cost/LowerBound.h"

#include "Pieces.h"
#include "transfusion/Core/Model/ActiveSteps.h"
#include "transfusion/Core/Model/Footprint.h"
#include "transfusion/Core/Model/Projection.h"

#include <algorithm>

namespace transfusion::core {

namespace {

struct Job {
  uint32_t units = 0;    ///< bit u: unit u can do it
  double laneCycles = 0; ///< on the unit that needs fewest
};

/// More units than bits are not a machine that this bound is for.
constexpr size_t kMaxUnits = 16;

void addJob(std::vector<Job> &jobs, const Arch &a, double count,
            const OpHistogram &ops) {
  if (ops.empty() || count <= 0)
    return;
  Job job;
  double least = -1;
  for (size_t u = 0; u < std::min(a.units.size(), kMaxUnits); ++u) {
    const int64_t cycles = cyclesPerPoint(a.units[u], ops);
    if (cycles < 0)
      continue;
    job.units |= uint32_t(1) << u;
    if (least < 0 || double(cycles) < least)
      least = double(cycles);
  }
  job.laneCycles = std::max(least, 0.0) * count;
  if (job.units) // nobody can do it: infeasible, which is for others to say
    jobs.push_back(job);
}

OpHistogram both(const OpHistogram &x, const OpHistogram &y) {
  OpHistogram sum = x;
  for (int i = 0; i < kNumOpClasses; ++i)
    sum.count[i] += y.count[i];
  return sum;
}

/// A count that exceeds 2^63 is still bounded by it.
double countOf(int64_t n) { return n < 0 ? 0x1.0p63 : double(n); }

/// Einsums that hand each other values along the iterative rank: what one
/// phase that skips steps of it can hold.
std::vector<EinsumId> alongRank(const Cascade &c, EinsumId start, RankId r) {
  std::vector<EinsumId> found = {start};
  auto linked = [&](EinsumId maker, EinsumId reader) {
    if (!usesRank(c.einsums[maker].result.access, r))
      return false;
    for (const std::vector<Operand> *part :
         {&c.einsums[reader].inputs, &c.einsums[reader].finishInputs})
      for (const Operand &o : *part)
        if (c.tensors[o.tensor].producer == maker && usesRank(o.access, r))
          return true;
    return false;
  };
  for (size_t i = 0; i < found.size(); ++i)
    for (EinsumId e = 0; e < static_cast<EinsumId>(c.einsums.size()); ++e)
      if (!has(found, e) && (linked(found[i], e) || linked(e, found[i])))
        found.push_back(e);
  return found;
}

/// What must be computed of points that exist everywhere while their inputs do
/// not: steps of a recurrence without points need not run. A step runs for a
/// row if the row has points in it.
std::vector<Constraint> neededPoints(const Cascade &c, EinsumId e) {
  for (RankId r : c.einsums[e].ranks) {
    if (!c.ranks[r].iterative)
      continue;
    std::vector<EinsumId> loop = alongRank(c, e, r);
    std::string why;
    const ActiveSteps active = activeSteps(c, loop, r, why);
    return project(c, active.where, c.einsums[e].ranks);
  }
  return {};
}

void addEinsum(std::vector<Job> &jobs, const Cascade &c, const Arch &a,
               EinsumId e) {
  const Einsum &einsum = c.einsums[e];
  double points = countOf(pointCount(c, e));
  double results = countOf(resultCount(c, e));
  if (const std::vector<Constraint> needed = neededPoints(c, e);
      !needed.empty()) {
    Cascade one; // the same counts with these constraints besides
    one.ranks = c.ranks;
    one.tensors = c.tensors;
    one.einsums = {einsum};
    Einsum &cut = one.einsums.front();
    cut.domain.insert(cut.domain.end(), needed.begin(), needed.end());
    points = countOf(pointCount(one, 0));
    std::vector<RankId> kept;
    for (RankId x : einsum.ranks)
      if (!isReducedRank(c, e, x))
        kept.push_back(x);
    cut.domain = project(c, cut.domain, kept);
    results = countOf(resultCount(one, 0));
  }
  const bool spans = !reducedRanks(c, e).empty();
  if (!spans && einsum.hasFinish && points == results) {
    addJob(jobs, a, points, both(einsum.pointOps, einsum.finishOps));
    return;
  }
  addJob(jobs, a, points, einsum.pointOps);
  if (einsum.hasFinish)
    addJob(jobs, a, results, einsum.finishOps);
}

} // namespace

double workBoundCycles(const Cascade &c, const Arch &a,
                       const std::vector<EinsumId> &einsums) {
  std::vector<Job> jobs;
  for (EinsumId e : einsums)
    addEinsum(jobs, c, a, e);
  const size_t n = std::min(a.units.size(), kMaxUnits);
  double bound = 0;
  for (uint32_t set = 1; set < uint32_t(1) << n; ++set) {
    double work = 0, lanes = 0;
    for (const Job &job : jobs)
      if ((job.units & ~set) == 0)
        work += job.laneCycles;
    for (size_t u = 0; u < n; ++u)
      if (set >> u & 1)
        lanes += double(a.units[u].allLanes());
    bound = std::max(bound, work / lanes);
  }
  // With more units than can be enumerated: all work over all lanes.
  if (a.units.size() > n) {
    double work = 0, lanes = 0;
    for (const Job &job : jobs)
      work += job.laneCycles;
    for (const Unit &u : a.units)
      lanes += double(u.allLanes());
    bound = work / lanes;
  }
  return bound;
}

} // namespace transfusion::core
