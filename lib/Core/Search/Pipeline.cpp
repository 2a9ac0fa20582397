//===- Pipeline.cpp - The scheduling problem inside one phase -------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A depth-first walk over topological orders, in lexicographic order. What
// keeps it short, and loses nothing: two prefixes that leave the same nodes
// and the same times have the same future, and a prefix whose bound is no
// better than the best known is dropped. The first walk finds the least II,
// the second, much narrower, the least fill + drain at that II.
//
//===----------------------------------------------------------------------===//
#include "transfusion/Core/Search/Pipeline.h"

#include <algorithm>
#include <limits>
#include <unordered_set>

namespace transfusion::core {

static constexpr size_t kMaxCuts = 4096;
static constexpr size_t kMaxDownsets = size_t(1) << 17;
// States walked: of one cut, and of all of them in one of the two walks.
static constexpr size_t kMaxStatesPerCut = size_t(1) << 16;
static constexpr size_t kMaxStates = size_t(1) << 19;

static constexpr int64_t kNoBound = std::numeric_limits<int64_t>::max();

static uint64_t bit(int32_t i) { return uint64_t(1) << i; }

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
// Orders of one cut
//===----------------------------------------------------------------------===//

namespace {

/// Times of a prefix of an order: of the whole step and of the parts alone.
struct Clock {
  std::vector<int64_t> unitFree, finish;
  Clock(int32_t units, int32_t nodes) : unitFree(units, 0), finish(nodes, 0) {}
  int64_t makespan() const {
    return *std::max_element(unitFree.begin(), unitFree.end());
  }
};

struct State {
  uint64_t done = 0;
  Clock step, alone; ///< `alone` keeps both parts: they share no node
  std::vector<int64_t> aloneFree2; ///< units of the second part alone
  State(int32_t units, int32_t nodes)
      : step(units, nodes), alone(units, nodes), aloneFree2(units, 0) {}
  int64_t fillDrain() const {
    return alone.makespan() +
           *std::max_element(aloneFree2.begin(), aloneFree2.end());
  }
};

struct VectorHash {
  size_t operator()(const std::vector<int64_t> &v) const {
    uint64_t h = 0x9E3779B97F4A7C15ull;
    for (int64_t x : v) {
      h ^= static_cast<uint64_t>(x);
      h *= 0xff51afd7ed558ccdull;
      h ^= h >> 32;
    }
    return static_cast<size_t>(h);
  }
};

/// Walks the orders of the step that one cut makes.
class OrderWalk {
public:
  OrderWalk(const PipelineProblem &p, uint64_t firstPart, bool oneStage,
            size_t maxStates)
      : p(p), n(static_cast<int32_t>(p.cycles.size())), firstPart(firstPart),
        oneStage(oneStage), maxStates(std::min(maxStates, kMaxStatesPerCut)) {
    before.assign(n, 0);
    after.assign(n, 0);
    for (const PipelineEdge &e : p.edges) {
      bool fromFirst = firstPart & bit(e.from), toFirst = firstPart & bit(e.to);
      if (e.distance == 0
              ? fromFirst == toFirst
              : !oneStage && e.distance == 1 && !fromFirst && toFirst) {
        before[e.to] |= bit(e.from);
        after[e.from] |= bit(e.to);
      }
    }
    computeTails();
  }

  /// Least II below `bound`; `bound` when there is none.
  int64_t leastIi(int64_t bound) {
    minimiseIi = true;
    bestIi = bound;
    start();
    return bestIi;
  }

  /// An order of makespan `ii` whose fill + drain is below `bound`.
  bool leastFillDrain(int64_t ii, int64_t bound) {
    minimiseIi = false;
    bestIi = ii;
    bestFillDrain = bound;
    found = false;
    start();
    return found;
  }

  /// Fill and drain of a given order (that of the best, when it is known).
  void replay(const std::vector<int32_t> &given);

  size_t states() const { return seen.size(); }

  std::vector<int32_t> order, unit; ///< of the best
  int64_t fill = 0, drain = 0;
  int64_t leaves = 0;
  bool complete = true;

private:
  void start() {
    seen.clear();
    prefix.clear();
    prefixUnit.assign(n, -1);
    walk(State(p.units, n));
  }
  void computeTails();
  void walk(const State &s);
  int64_t bound(const State &s) const;
  bool remember(const State &s);
  State issue(const State &s, int32_t v, int32_t &unit) const;

  const PipelineProblem &p;
  int32_t n;
  uint64_t firstPart;
  bool oneStage;
  size_t maxStates;
  std::vector<uint64_t> before, after;
  std::vector<int32_t> topological;
  std::vector<int64_t> least, tail; ///< cycles on the best unit; to the end
  std::vector<int32_t> onlyUnit;    ///< -1: several can
  bool minimiseIi = true, found = false;
  int64_t bestIi = kNoBound, bestFillDrain = kNoBound;
  std::vector<int32_t> prefix, prefixUnit;
  std::unordered_set<std::vector<int64_t>, VectorHash> seen;
};

} // namespace

void OrderWalk::computeTails() {
  least.assign(n, 0);
  onlyUnit.assign(n, -1);
  for (int32_t v = 0; v < n; ++v) {
    int64_t best = std::numeric_limits<int64_t>::max();
    int32_t able = 0;
    for (int32_t u = 0; u < p.units; ++u)
      if (p.cycles[v][u] >= 0) {
        best = std::min(best, p.cycles[v][u]);
        onlyUnit[v] = ++able == 1 ? u : -1;
      }
    least[v] = able ? best : 0;
  }
  uint64_t done = 0;
  while (static_cast<int32_t>(topological.size()) < n) {
    size_t size = topological.size();
    for (int32_t v = 0; v < n; ++v)
      if (!(done & bit(v)) && (before[v] & ~done) == 0) {
        done |= bit(v);
        topological.push_back(v);
      }
    if (topological.size() == size)
      break; // cannot happen: the parts are acyclic, edges cross one way
  }
  tail.assign(n, 0);
  for (size_t i = topological.size(); i-- > 0;) {
    int32_t v = topological[i];
    for (uint64_t w = after[v]; w; w &= w - 1)
      tail[v] = std::max(tail[v], tail[__builtin_ctzll(w)]);
    tail[v] += least[v];
  }
}

/// No completion of `s` is shorter.
int64_t OrderWalk::bound(const State &s) const {
  int64_t best = s.step.makespan(), total = 0;
  std::vector<int64_t> load = s.step.unitFree;
  for (int64_t f : s.step.unitFree)
    total += f;
  std::vector<int64_t> ready(n, 0);
  for (int32_t v : topological) {
    if (s.done & bit(v))
      continue;
    int64_t free = std::numeric_limits<int64_t>::max();
    for (int32_t u = 0; u < p.units; ++u)
      if (p.cycles[v][u] >= 0)
        free = std::min(free, s.step.unitFree[u]);
    int64_t at = free;
    for (uint64_t w = before[v]; w; w &= w - 1) {
      int32_t x = __builtin_ctzll(w);
      at = std::max(at,
                    s.done & bit(x) ? s.step.finish[x] : ready[x] + least[x]);
    }
    ready[v] = at;
    best = std::max(best, at + tail[v]);
    total += least[v];
    if (onlyUnit[v] >= 0)
      load[onlyUnit[v]] += least[v];
  }
  for (int64_t l : load)
    best = std::max(best, l);
  return std::max(best, (total + p.units - 1) / p.units);
}

/// False when a prefix with the same future was walked before. Prefixes come in
/// lexicographic order, so the one that is kept is the canonical one.
bool OrderWalk::remember(const State &s) {
  std::vector<int64_t> key;
  key.push_back(static_cast<int64_t>(s.done));
  auto append = [&](const std::vector<int64_t> &free, const Clock &clock,
                    uint64_t part) {
    // A value that is there before any unit is free could be there earlier.
    int64_t least = *std::min_element(free.begin(), free.end());
    key.insert(key.end(), free.begin(), free.end());
    for (uint64_t w = s.done & part; w; w &= w - 1) {
      int32_t v = __builtin_ctzll(w);
      if (after[v] & ~s.done)
        key.push_back(std::max(clock.finish[v], least));
    }
  };
  append(s.step.unitFree, s.step, ~uint64_t(0));
  if (!minimiseIi && !oneStage) {
    append(s.alone.unitFree, s.alone, firstPart);
    append(s.aloneFree2, s.alone, ~firstPart);
  }
  return seen.insert(std::move(key)).second;
}

State OrderWalk::issue(const State &s, int32_t v, int32_t &unit) const {
  State t = s;
  int64_t ready = 0, aloneReady = 0;
  bool first = firstPart & bit(v);
  for (uint64_t w = before[v]; w; w &= w - 1) {
    int32_t x = __builtin_ctzll(w);
    ready = std::max(ready, s.step.finish[x]);
    if (first == bool(firstPart & bit(x)))
      aloneReady = std::max(aloneReady, s.alone.finish[x]);
  }
  unit = -1;
  int64_t end = 0;
  for (int32_t u = 0; u < p.units; ++u) {
    if (p.cycles[v][u] < 0)
      continue;
    int64_t e = std::max(ready, s.step.unitFree[u]) + p.cycles[v][u];
    if (unit < 0 || e < end) {
      unit = u;
      end = e;
    }
  }
  t.done |= bit(v);
  t.step.finish[v] = t.step.unitFree[unit] = end;
  if (!minimiseIi && !oneStage) {
    int64_t &free = first ? t.alone.unitFree[unit] : t.aloneFree2[unit];
    free = std::max(aloneReady, free) + p.cycles[v][unit];
    t.alone.finish[v] = free;
  }
  return t;
}

void OrderWalk::walk(const State &s) {
  if (static_cast<int32_t>(prefix.size()) == n) {
    ++leaves;
    if (minimiseIi) {
      bestIi = s.step.makespan(); // below the bound, or it had been dropped
      order = prefix;
      return;
    }
    found = true;
    bestFillDrain = oneStage ? 0 : s.fillDrain();
    fill = oneStage ? 0 : s.alone.makespan();
    drain = bestFillDrain - fill;
    order = prefix;
    unit = prefixUnit;
    return;
  }
  for (int32_t v = 0; v < n; ++v) {
    if ((s.done & bit(v)) || (before[v] & ~s.done))
      continue;
    int32_t onUnit;
    State t = issue(s, v, onUnit);
    if (minimiseIi ? bound(t) >= bestIi
                   : bound(t) > bestIi ||
                         (oneStage ? found : t.fillDrain() >= bestFillDrain))
      continue;
    // The first walk of all meets no bound before its first leaf, so that
    // something is always found.
    if (seen.size() >= maxStates && (leaves > 0 || bestIi < kNoBound)) {
      complete = false;
      return;
    }
    if (!remember(t))
      continue;
    prefix.push_back(v);
    prefixUnit[v] = onUnit;
    walk(t);
    prefix.pop_back();
    prefixUnit[v] = -1;
  }
}

void OrderWalk::replay(const std::vector<int32_t> &given) {
  minimiseIi = false;
  State s(p.units, n);
  unit.assign(n, -1);
  for (int32_t v : given)
    s = issue(s, v, unit[v]);
  order = given;
  fill = oneStage ? 0 : s.alone.makespan();
  drain = oneStage ? 0 : s.fillDrain() - fill;
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
