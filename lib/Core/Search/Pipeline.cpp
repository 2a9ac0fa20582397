//===- Pipeline.cpp - The scheduling problem inside one phase -------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All cuts, and for each all orders of its step (OrderWalk.h). The first walk
// finds the least II, the second, much narrower, the least fill + drain at
// that II.
//
//===----------------------------------------------------------------------===//
#include "OrderWalk.h"

namespace transfusion::core {

static constexpr size_t kMaxCuts = 4096;
static constexpr size_t kMaxDownsets = size_t(1) << 15;
/// States walked for all cuts in one of the two walks.
static constexpr size_t kMaxStates = size_t(1) << 18;

//===----------------------------------------------------------------------===//
// Cuts
//===----------------------------------------------------------------------===//

static bool weaklyConnected(const std::vector<uint64_t> &neighbours,
                            uint64_t part) {
  uint64_t seen = part & (~part + 1), frontier = seen;
  while (frontier) {
    int32_t v = __builtin_ctzll(frontier);
    frontier &= frontier - 1;
    uint64_t fresh = neighbours[v] & part & ~seen;
    seen |= fresh;
    frontier |= fresh;
  }
  return seen == part;
}

std::vector<uint64_t> legalCuts(const PipelineProblem &p, bool &complete) {
  int32_t n = static_cast<int32_t>(p.cycles.size());
  std::vector<uint64_t> before(n, 0), neighbours(n, 0);
  for (const PipelineEdge &e : p.edges) {
    if (e.distance != 0)
      continue;
    before[e.to] |= bit(e.from);
    neighbours[e.to] |= bit(e.from);
    neighbours[e.from] |= bit(e.to);
  }
  uint64_t all = n == 64 ? ~uint64_t(0) : bit(n) - 1;
  std::vector<uint64_t> cuts;
  // Node after node, in or out; in only after its predecessors.
  std::vector<std::pair<int32_t, uint64_t>> stack = {{0, 0}};
  size_t visited = 0;
  while (!stack.empty()) {
    auto [v, part] = stack.back();
    stack.pop_back();
    if (v == n) {
      if (++visited > kMaxDownsets || cuts.size() >= kMaxCuts) {
        complete = false;
        break;
      }
      if (part != 0 && part != all && weaklyConnected(neighbours, part) &&
          weaklyConnected(neighbours, all & ~part))
        cuts.push_back(part);
      continue;
    }
    if ((before[v] & ~part) == 0)
      stack.push_back({v + 1, part | bit(v)});
    stack.push_back({v + 1, part});
  }
  std::sort(cuts.begin(), cuts.end());
  return cuts;
}

//===----------------------------------------------------------------------===//
// All cuts
//===----------------------------------------------------------------------===//

static int64_t crossingBytes(const PipelineProblem &p, uint64_t firstPart) {
  std::vector<int32_t> counted;
  int64_t bytes = 0;
  for (const PipelineEdge &e : p.edges) {
    if (e.distance != 0 || !(firstPart & bit(e.from)) ||
        (firstPart & bit(e.to)) ||
        std::find(counted.begin(), counted.end(), e.tensor) != counted.end())
      continue;
    counted.push_back(e.tensor);
    bytes += e.bytes;
  }
  return bytes;
}

namespace {
struct Cut {
  uint64_t part = 0;
  bool oneStage = true;
  int64_t bytes = 0;
};
} // namespace

/// More nodes than a set has bits: one stage, in canonical order.
static PipelineSolution issueInOrder(const PipelineProblem &p) {
  PipelineSolution s;
  size_t n = p.cycles.size();
  std::vector<int64_t> unitFree(p.units, 0), finish(n, 0);
  for (size_t v = 0; v < n; ++v) {
    int64_t ready = 0, end = kNoBound;
    for (const PipelineEdge &e : p.edges)
      if (e.distance == 0 && size_t(e.to) == v)
        ready = std::max(ready, finish[e.from]);
    s.unit.push_back(-1);
    for (int32_t u = 0; u < p.units; ++u)
      if (p.cycles[v][u] >= 0 &&
          std::max(ready, unitFree[u]) + p.cycles[v][u] < end) {
        s.unit[v] = u;
        end = std::max(ready, unitFree[u]) + p.cycles[v][u];
      }
    unitFree[s.unit[v]] = finish[v] = end;
    s.ii = std::max(s.ii, end);
    s.order.push_back(static_cast<int32_t>(v));
  }
  s.stage.assign(n, 0);
  s.stages = 1;
  s.cutsTried = s.ordersTried = 1;
  s.complete = false;
  return s;
}

PipelineSolution solvePipeline(const PipelineProblem &p) {
  PipelineSolution best;
  for (const std::vector<int64_t> &row : p.cycles)
    if (std::all_of(row.begin(), row.end(), [](int64_t c) { return c < 0; }))
      return best;
  if (p.cycles.empty())
    return best;
  if (p.cycles.size() > 64)
    return issueInOrder(p);

  std::vector<Cut> cuts = {Cut()};
  for (uint64_t part : legalCuts(p, best.complete))
    cuts.push_back({part, false, crossingBytes(p, part)});
  best.cutsTried = static_cast<int64_t>(cuts.size());

  int64_t ii = kNoBound;
  size_t left = kMaxStates;
  Cut bestCut;
  for (const Cut &cut : cuts) {
    OrderWalk walk(p, cut.part, cut.oneStage, left);
    int64_t found = walk.leastIi(ii);
    if (found < ii) {
      ii = found;
      bestCut = cut;
      best.order = walk.order;
    }
    left -= std::min(left, walk.states());
    best.ordersTried += walk.leaves;
    best.complete &= walk.complete;
  }

  auto take = [&](const Cut &cut, const OrderWalk &walk) {
    best.order = walk.order;
    best.unit = walk.unit;
    best.fill = walk.fill;
    best.drain = walk.drain;
    best.ii = ii;
    best.stages = cut.oneStage ? 1 : 2;
    best.cutBytes = cut.bytes;
    best.stage.assign(p.cycles.size(), 0);
    for (size_t v = 0; v < p.cycles.size(); ++v)
      best.stage[v] = !cut.oneStage && !(cut.part & bit(v));
  };
  // Bytes decide between cuts of equal II and fill + drain.
  std::sort(cuts.begin(), cuts.end(), [](const Cut &x, const Cut &y) {
    if (x.oneStage != y.oneStage)
      return x.oneStage;
    return x.bytes != y.bytes ? x.bytes < y.bytes : x.part < y.part;
  });
  int64_t fillDrain = kNoBound;
  left = kMaxStates;
  for (const Cut &cut : cuts) {
    OrderWalk walk(p, cut.part, cut.oneStage, left);
    bool better = walk.leastFillDrain(ii, fillDrain);
    left -= std::min(left, walk.states());
    best.complete &= walk.complete;
    if (!better)
      continue;
    fillDrain = walk.fill + walk.drain;
    take(cut, walk);
    if (cut.oneStage)
      break; // nothing fills or drains: no cut can do better
  }
  if (fillDrain == kNoBound) { // the second walk met its limit
    OrderWalk walk(p, bestCut.part, bestCut.oneStage, 1);
    walk.replay(best.order);
    take(bestCut, walk);
  }
  return best;
}

} // namespace transfusion::core
