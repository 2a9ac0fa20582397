//===- MapEinsums.cpp - Mappings for a hierarchy of memories --------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Core/Search/MapEinsums.h"

#include "transfusion/Core/Search/Rng.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace transfusion::core {

namespace {

/// Where iterations of a rank happen, outermost first.
struct Stage {
  MapStep::Kind kind = MapStep::For; ///< of its loops
  MemoryId memory = -1;
  int64_t room = INT64_MAX; ///< of a split
};

/// A memory on the way to the unit, and the stages after which a tensor may be
/// kept in it: place 1 is the first of them, 0 is not at all.
struct Level {
  MemoryId memory = -1;
  std::vector<size_t> after;
};

struct Genome {
  /// Iterations by rank of the Einsum and stage; the last one is the rest.
  std::vector<std::vector<int64_t>> trips;
  std::vector<std::vector<int>> place; ///< by tensor and level
};

class EinsumMapper {
public:
  EinsumMapper(const Cascade &whole, const Arch &a, EinsumId e, UnitId u,
               const MapOptions &options);
  /// Energy x delay of the best scope found, infinite if there is none.
  double search(MapScope &best);

private:
  void shape();
  Genome plain() const;
  bool move(Genome &g);
  int64_t someFactor(int64_t n);
  bool moveFactor(Genome &g);
  bool moveTensor(Genome &g);
  MapScope scopeOf(const Genome &g) const;
  bool keeps(TensorId t, size_t level) const;
  size_t innermost(TensorId t) const;
  double cost(const Genome &g) const;

  Cascade alone; ///< the Einsum, and the tensors and ranks of the layer
  const Arch &a;
  UnitId unit;
  const MapOptions &options;
  Rng rng;
  std::vector<Stage> stages;
  std::vector<Level> levels;
  std::vector<TensorId> tensors;
  bool isCopy = false;
};

EinsumMapper::EinsumMapper(const Cascade &whole, const Arch &a, EinsumId e,
                           UnitId u, const MapOptions &options)
    : alone(whole), a(a), unit(u), options(options),
      rng(options.seed * 1000003 + uint64_t(e)) {
  const Einsum einsum = whole.einsums[e];
  alone.einsums = {einsum};
  for (Tensor &t : alone.tensors)
    t.producer = -1;
  alone.tensors[einsum.result.tensor].producer = 0;
  tensors = tensorsOf(einsum);
  OpHistogram rest = einsum.pointOps;
  rest[OpClass::Copy] = 0;
  isCopy = rest.empty() && einsum.finishOps.empty();
  shape();
}

void EinsumMapper::shape() {
  const Unit &u = a.units[unit];
  const std::vector<MemoryId> path = memoryPath(a, u.memory);
  const bool perLane = isPerLane(a, u);
  for (size_t i = 1; i < path.size(); ++i) {
    const MemoryId m = path[i];
    const bool last = perLane && i + 1 == path.size();
    if (!last) {
      stages.push_back({});
      const int64_t room =
          a.memories[m].instances / a.memories[path[i - 1]].instances;
      if (room > 1)
        stages.push_back({MapStep::SplitMemory, m, room});
      levels.push_back({m, {stages.size()}});
      stages.push_back({});
      levels.back().after.push_back(stages.size());
    }
    if (i + 1 < path.size())
      continue;
    if (u.isGrid) {
      stages.push_back({}); // inside what is kept, outside of the grid
      stages.push_back({MapStep::SplitRows, -1, u.rows});
      stages.push_back({MapStep::SplitColumns, -1, u.cols});
    }
    if (last)
      levels.push_back({m, {stages.size()}});
  }
}

/// One value at a time of everything, in the memories that must have it.
Genome EinsumMapper::plain() const {
  Genome g;
  for (RankId r : alone.einsums[0].ranks) {
    g.trips.emplace_back(stages.size() + 1, 1);
    g.trips.back().front() = alone.ranks[r].extent;
  }
  for (TensorId t : tensors) {
    g.place.emplace_back(levels.size(), 0);
    if (innermost(t) < levels.size())
      g.place.back()[innermost(t)] = 1;
  }
  return g;
}

/// The last level that keeps `t`, where the unit finds it. A copy moves from
/// where it is to where it will be.
size_t EinsumMapper::innermost(TensorId t) const {
  size_t level = levels.size();
  if (!isCopy)
    for (size_t l = 0; l < levels.size(); ++l)
      if (keeps(t, l))
        level = l;
  return level;
}

bool EinsumMapper::keeps(TensorId t, size_t l) const {
  return a.memories[levels[l].memory].keeps[int(roleOf(alone.einsums[0], t))];
}

/// One prime of `n`, or several, or all of them.
int64_t EinsumMapper::someFactor(int64_t n) {
  std::vector<int64_t> primes;
  for (int64_t p = 2; p * p <= n; ++p)
    for (; n % p == 0; n /= p)
      primes.push_back(p);
  if (n > 1)
    primes.push_back(n);
  const uint64_t most = rng.below(2) ? 1 : 1 + rng.below(primes.size());
  int64_t factor = 1;
  for (uint64_t i = 0; i < most; ++i) {
    const size_t at = rng.below(primes.size());
    factor *= primes[at];
    primes.erase(primes.begin() + int64_t(at));
  }
  return factor;
}

/// Takes a factor of a rank to another stage, and perhaps one of another rank
/// the other way, so that what is in between stays about as large.
bool EinsumMapper::moveFactor(Genome &g) {
  const size_t n = g.trips.size();
  const size_t from = rng.below(stages.size() + 1);
  const size_t to = rng.below(stages.size() + 1);
  auto &there = g.trips[rng.below(n)], &back = g.trips[rng.below(n)];
  if (from == to || there[from] == 1)
    return false;
  const int64_t factor = someFactor(there[from]);
  there[from] /= factor;
  there[to] *= factor;
  if (&there != &back && back[to] > 1 && rng.below(2)) {
    const int64_t other = someFactor(back[to]);
    back[to] /= other;
    back[from] *= other;
  }
  for (size_t s : {from, to}) {
    int64_t used = 1;
    for (const auto &each : g.trips)
      if (__builtin_mul_overflow(used, each[s], &used))
        return false;
    if (s < stages.size() && used > stages[s].room)
      return false;
  }
  return true;
}

bool EinsumMapper::moveTensor(Genome &g) {
  if (levels.empty())
    return false;
  const size_t t = rng.below(tensors.size()), l = rng.below(levels.size());
  if (!keeps(tensors[t], l))
    return false;
  const int to = int(rng.below(levels[l].after.size() + 1));
  if (to == g.place[t][l] || (to == 0 && l == innermost(tensors[t])))
    return false;
  g.place[t][l] = to;
  return true;
}

bool EinsumMapper::move(Genome &g) {
  bool moved = false;
  for (uint64_t i = 0, n = 1 + rng.below(3); i < n; ++i) {
    const Genome before = g;
    if (rng.below(3) ? moveFactor(g) : moveTensor(g))
      moved = true;
    else
      g = before;
  }
  return moved;
}

MapScope EinsumMapper::scopeOf(const Genome &g) const {
  MapScope scope;
  scope.einsum = 0;
  scope.unit = unit;
  const std::vector<RankId> &ranks = alone.einsums[0].ranks;
  std::vector<int64_t> tile;
  for (RankId r : ranks)
    tile.push_back(alone.ranks[r].extent);
  auto keep = [&](size_t stage) {
    for (size_t l = 0; l < levels.size(); ++l) {
      MapStep step;
      step.kind = MapStep::Keep;
      step.memory = levels[l].memory;
      for (size_t t = 0; t < tensors.size(); ++t)
        if (g.place[t][l] && levels[l].after[g.place[t][l] - 1] == stage)
          step.tensors.push_back(tensors[t]);
      if (!step.tensors.empty())
        scope.steps.push_back(std::move(step));
    }
  };
  for (size_t s = 0; s < stages.size(); ++s) {
    keep(s);
    for (size_t r = 0; r < ranks.size(); ++r) {
      if (g.trips[r][s] == 1)
        continue;
      MapStep step;
      step.kind = stages[s].kind;
      step.memory = stages[s].memory;
      step.unit = unit;
      step.rank = ranks[r];
      step.tile = tile[r] /= g.trips[r][s];
      scope.steps.push_back(std::move(step));
    }
  }
  keep(stages.size());
  return scope;
}

double EinsumMapper::cost(const Genome &g) const {
  Mapping m;
  MapStep outer;
  outer.kind = MapStep::Keep;
  outer.memory = 0;
  outer.tensors = tensors;
  m.root.steps.push_back(std::move(outer));
  m.root.scopes.push_back(scopeOf(g));
  const MappedCost cost = accelForgeCost(alone, a, m, options.model);
  if (!cost.faults.empty())
    return std::numeric_limits<double>::infinity();
  return cost.energyPj * cost.latencyS;
}

double EinsumMapper::search(MapScope &best) {
  // Of the logarithm of the cost. Later rounds start from the best so far, and
  // cooler: they need not find the large things again.
  constexpr int kRounds = 4;
  constexpr double kHot = 1, kReheat = .6, kCold = .01;
  const int64_t steps = std::max<int64_t>(options.evaluations / kRounds, 1);
  Genome bestGenome = plain();
  double least = cost(bestGenome);
  for (int round = 0; round < kRounds; ++round) {
    Genome now = bestGenome;
    double at = least;
    if (!std::isfinite(at) || at <= 0) // nothing to find, or to gain
      break;
    const double hot = round ? kReheat : kHot;
    for (int64_t i = 1; i < steps; ++i) {
      Genome next = now;
      if (!move(next))
        continue;
      const double then = cost(next);
      const double heat =
          hot * std::pow(kCold / hot, double(i) / double(steps));
      if (then > at &&
          rng.unit() >= std::exp((std::log(at) - std::log(then)) / heat))
        continue;
      now = std::move(next);
      at = then;
      if (at < least) {
        least = at;
        bestGenome = now;
      }
    }
  }
  best = scopeOf(bestGenome);
  return least;
}

} // namespace

Mapping mapEachEinsum(const Cascade &c, const Arch &a,
                      const MapOptions &options,
                      std::vector<MappingFault> &faults) {
  Mapping m;
  MapStep outer;
  outer.kind = MapStep::Keep;
  outer.memory = 0;
  for (size_t t = 0; t < c.tensors.size(); ++t)
    outer.tensors.push_back(TensorId(t));
  m.root.steps.push_back(std::move(outer));
  // Producers first.
  std::vector<bool> done(c.einsums.size(), false);
  for (size_t count = 0; count < c.einsums.size();) {
    const size_t before = count;
    for (size_t i = 0; i < c.einsums.size(); ++i) {
      if (done[i])
        continue;
      const Einsum &e = c.einsums[i];
      bool ready = true;
      for (const auto *list : {&e.inputs, &e.finishInputs})
        for (const Operand &o : *list) {
          const EinsumId from = c.tensors[o.tensor].producer;
          ready &= from < 0 || from == EinsumId(i) || done[from];
        }
      if (!ready)
        continue;
      done[i] = true;
      ++count;
      double least = std::numeric_limits<double>::infinity();
      MapScope best;
      best.einsum = EinsumId(i);
      for (size_t u = 0; u < a.units.size(); ++u) {
        if (unsupportedClass(a.units[u], e.pointOps) >= 0 ||
            unsupportedClass(a.units[u], e.finishOps) >= 0)
          continue;
        MapScope scope;
        EinsumMapper mapper(c, a, EinsumId(i), UnitId(u), options);
        const double found = mapper.search(scope);
        if (found < least) {
          least = found;
          best = std::move(scope);
          best.einsum = EinsumId(i);
        }
      }
      if (!std::isfinite(least))
        faults.push_back(
            {{},
             "no mapping of '" + e.name + "' to '" + a.name + "' is found",
             "see that a unit supports its operations, and that "
             "it has no mask, no tiles of keys and no recurrence",
             EinsumId(i)});
      m.root.scopes.push_back(std::move(best));
    }
    if (count == before) { // a recurrence
      faults.push_back({{},
                        "the Einsums of '" + c.name + "' read each other",
                        "give the layer without recurrences to this model",
                        -1});
      break;
    }
  }
  return m;
}

} // namespace transfusion::core
