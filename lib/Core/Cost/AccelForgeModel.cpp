//===- AccelForgeModel.cpp - A mapping-driven cost model ------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Core/Cost/AccelForgeModel.h"

#include "MappedNest.h"

#include <algorithm>

namespace transfusion::core {

namespace {

/// Values that are the product of an Einsum's ranks stay below 2^63 (C12); with
/// the copies of a tensor they need not.
int64_t mulSat(int64_t x, int64_t y) {
  int64_t product;
  return __builtin_mul_overflow(x, y, &product) ? INT64_MAX : product;
}

class EinsumModel {
public:
  EinsumModel(const Cascade &c, const Arch &a, const Nest &nest,
              const AccelForgeOptions &options)
      : c(c), a(a), e(c.einsums[nest.einsum]), u(a.units[nest.unit]),
        nest(nest), options(options) {}
  MappedEinsum run();
  bool overflow = false;

private:
  /// Iterations of the loops in steps [from, to) that `t` does not depend on.
  /// `reuse`: without those in which the grid passes it on.
  int64_t again(TensorId t, size_t from, size_t to, bool reuse,
                bool splitsOnly = false) const;
  void tensor(TensorId t);
  void between(MappedTraffic &outer, size_t outerAt, MappedTraffic *inner,
               size_t innerAt);
  void sum();
  bool isRenaming() const;

  const Cascade &c;
  const Arch &a;
  const Einsum &e;
  const Unit &u;
  const Nest &nest;
  const AccelForgeOptions &options;
  MappedEinsum cost;
};

int64_t EinsumModel::again(TensorId t, size_t from, size_t to, bool reuse,
                           bool splitsOnly) const {
  const std::vector<RankId> ranks = ranksOf(e, t);
  int64_t times = 1;
  for (size_t i = from; i < to; ++i) {
    const MapStep &s = *nest.steps[i].step;
    if (s.kind == MapStep::Keep || has(ranks, s.rank) ||
        (splitsOnly && s.kind == MapStep::For))
      continue;
    const bool grid =
        s.kind == MapStep::SplitRows || s.kind == MapStep::SplitColumns;
    const LaneReuse &along =
        s.kind == MapStep::SplitRows ? u.alongRows : u.alongCols;
    if (reuse && grid && (t == e.result.tensor ? along.outputs : along.inputs))
      continue;
    times = mulSat(times, nest.steps[i].trips);
  }
  return times;
}

/// From where `outer` keeps the tensor to where `inner` does (none: the unit).
void EinsumModel::between(MappedTraffic &outer, size_t outerAt,
                          MappedTraffic *inner, size_t innerAt) {
  const TensorId t = outer.tensor;
  const std::vector<RankId> ranks = ranksOf(e, t);
  std::vector<int64_t> all;
  for (const Rank &r : c.ranks)
    all.push_back(r.extent);
  const int64_t values = valuesIn(ranks, all);
  // Below the innermost place every rank runs point by point.
  int64_t rest = 1;
  if (!inner) {
    const std::vector<int64_t> &tile =
        nest.steps.empty() ? all : nest.steps.back().tile;
    for (RankId r : e.ranks)
      if (!has(ranks, r))
        rest = mulSat(rest, tile[r]);
  }
  const double bytes = double(c.tensors[t].bitsPerValue) / 8;
  auto count = [&](int64_t copies) {
    const int64_t n = mulSat(values, mulSat(copies, rest));
    overflow |= n == INT64_MAX;
    return double(n) * bytes;
  };
  const int64_t above = again(t, 0, outerAt, true);
  const double inside = count(mulSat(above, again(t, outerAt, innerAt, false)));
  const double outside = count(mulSat(above, again(t, outerAt, innerAt, true)));
  if (t != e.result.tensor) {
    outer.readBytes += outside;
    if (inner)
      inner->writeBytes += inside;
    return;
  }
  outer.writeBytes += outside;
  if (inner)
    inner->readBytes += inside;
  // The first time there is nothing to add to: once in every copy of the
  // outer place, which the splits above it make.
  int64_t first = again(t, 0, outerAt, true, /*splitsOnly=*/true);
  if (options.skipFirstReadOfEachCopy)
    first = mulSat(first, again(t, outerAt, innerAt, true, true));
  const double back = outside - double(mulSat(values, first)) * bytes;
  outer.readBytes += back;
  if (inner)
    inner->writeBytes += back;
}

void EinsumModel::tensor(TensorId t) {
  std::vector<size_t> places;
  for (size_t i = 0; i < nest.steps.size(); ++i)
    if (nest.steps[i].step->kind == MapStep::Keep &&
        has(nest.steps[i].step->tensors, t))
      places.push_back(i);
  const size_t first = cost.traffic.size();
  for (size_t at : places) {
    const int64_t held = mulSat(valuesIn(ranksOf(e, t), nest.steps[at].tile),
                                c.tensors[t].bitsPerValue);
    cost.traffic.push_back(
        {t, nest.steps[at].step->memory, 0, 0, held / 8 + (held % 8 != 0)});
  }
  for (size_t i = 0; i < places.size(); ++i) {
    const bool last = i + 1 == places.size();
    between(cost.traffic[first + i], places[i],
            last ? nullptr : &cost.traffic[first + i + 1],
            last ? nest.steps.size() : places[i + 1]);
  }
}

static bool copies(const Einsum &e) {
  OpHistogram rest = e.pointOps;
  rest[OpClass::Copy] = 0;
  return rest.empty() && e.finishOps.empty();
}

/// A copy whose source and result are kept in the same memory only. A piece of
/// a concat moves: there it is not yet.
bool EinsumModel::isRenaming() const {
  if (e.base >= 0 || extenderOf(c, e.result.tensor) >= 0)
    return false;
  return std::all_of(cost.traffic.begin(), cost.traffic.end(),
                     [&](const MappedTraffic &t) {
                       return t.memory == cost.traffic.front().memory;
                     });
}

void EinsumModel::sum() {
  const size_t n = a.memories.size();
  for (auto *list :
       {&cost.memoryS, &cost.memoryPj, &cost.readBytes, &cost.writeBytes})
    list->assign(n, 0);
  for (const MappedTraffic &t : cost.traffic) {
    cost.readBytes[t.memory] += t.readBytes;
    cost.writeBytes[t.memory] += t.writeBytes;
  }
  cost.limitedBy = a.memories.front().name;
  for (size_t m = 0; m < n; ++m) {
    const Memory &mem = a.memories[m];
    const double read = cost.readBytes[m], write = cost.writeBytes[m];
    auto time = [&](double bytes, double perS) {
      return perS > 0 ? bytes / perS / double(nest.usedMemories[m]) : 0;
    };
    cost.memoryS[m] = mem.sharedPort
                          ? time(read + write, mem.readBytesPerS)
                          : std::max(time(read, mem.readBytesPerS),
                                     time(write, mem.writeBytesPerS));
    cost.memoryPj[m] = read * mem.readPjPerByte + write * mem.writePjPerByte;
    cost.energyPj += cost.memoryPj[m];
    if (cost.memoryS[m] > cost.latencyS) {
      cost.latencyS = cost.memoryS[m];
      cost.limitedBy = mem.name;
    }
  }
  cost.energyPj += cost.unitPj;
  if (cost.unitS > cost.latencyS) {
    cost.latencyS = cost.unitS;
    cost.limitedBy = u.name;
  }
  cost.leakagePj = leakage(a) * cost.latencyS * 1e12;
  cost.energyPj += cost.leakagePj;
}

MappedEinsum EinsumModel::run() {
  cost.einsum = nest.einsum;
  cost.unit = nest.unit;
  for (TensorId t : tensorsOf(e))
    tensor(t);
  if (copies(e)) {
    if (isRenaming())
      for (MappedTraffic &t : cost.traffic)
        t.readBytes = t.writeBytes = 0;
  } else {
    const double points = double(pointCount(c, nest.einsum));
    const double results = double(resultCount(c, nest.einsum));
    cost.computes = points;
    const double cycles = points * double(cyclesPerPoint(u, e.pointOps)) +
                          results * double(cyclesPerPoint(u, e.finishOps));
    cost.unitS =
        cycles / (double(nest.usedUnits) * double(nest.usedLanes)) / a.clockHz;
    cost.unitPj = points * energyPerPoint(u, e.pointOps) +
                  results * energyPerPoint(u, e.finishOps);
  }
  sum();
  return std::move(cost);
}

} // namespace

/// Whose names of ranks the size of `t` is told by: Einsums call them
/// differently.
static EinsumId userOf(const Cascade &c, EinsumId running, TensorId t) {
  if (has(tensorsOf(c.einsums[running]), t))
    return running;
  EinsumId user = c.tensors[t].producer;
  for (size_t i = 0; user < 0; ++i) // somebody does, or it would not be alive
    if (has(tensorsOf(c.einsums[i]), t))
      user = EinsumId(i);
  return user;
}

/// Of one instance of each memory while the Einsum of `nest` runs.
static std::vector<int64_t> bytesHeld(const Cascade &c, const Arch &a,
                                      const Nest &nest) {
  std::vector<int64_t> bytes(a.memories.size(), 0);
  for (const NestStep &n : nest.steps)
    if (n.step->kind == MapStep::Keep)
      for (TensorId t : n.step->tensors) {
        if (!isAlive(c, nest, n, t))
          continue;
        const int64_t bits = mulSat(
            valuesIn(ranksOf(c.einsums[userOf(c, nest.einsum, t)], t), n.tile),
            c.tensors[t].bitsPerValue);
        int64_t &sum = bytes[n.step->memory];
        if (__builtin_add_overflow(sum, bits / 8 + (bits % 8 != 0), &sum))
          sum = INT64_MAX;
      }
  return bytes;
}

MappedCost accelForgeCost(const Cascade &c, const Arch &a, const Mapping &m,
                          const AccelForgeOptions &options) {
  MappedCost result;
  const std::vector<Nest> nests = nestsOf(c, a, m, result.faults);
  if (!result.faults.empty())
    return result;
  const size_t n = a.memories.size();
  result.readBytes.assign(n, 0);
  result.writeBytes.assign(n, 0);
  result.peakBytes.assign(n, 0);
  for (const Nest &nest : nests) {
    const std::vector<int64_t> held = bytesHeld(c, a, nest);
    for (size_t i = 0; i < n; ++i) {
      result.peakBytes[i] = std::max(result.peakBytes[i], held[i]);
      const int64_t room = a.memories[i].capacityBytes;
      if (room >= 0 && held[i] > room)
        result.faults.push_back(
            {nest.place,
             "'" + c.einsums[nest.einsum].name + "' needs " +
                 std::to_string(held[i]) + " bytes of '" + a.memories[i].name +
                 "', which has " + std::to_string(room) + ", " +
                 std::to_string(held[i] - room) + " too few",
             "keep smaller tiles, further inside, or less of them"});
    }
    EinsumModel model(c, a, nest, options);
    result.einsums.push_back(model.run());
    if (model.overflow)
      result.faults.push_back(
          {nest.place,
           "'" + c.einsums[nest.einsum].name + "' moves 2^63 values or more",
           "give it smaller ranks"});
    const MappedEinsum &cost = result.einsums.back();
    result.latencyS += cost.latencyS;
    result.energyPj += cost.energyPj;
    for (size_t i = 0; i < n; ++i) {
      result.readBytes[i] += cost.readBytes[i];
      result.writeBytes[i] += cost.writeBytes[i];
    }
  }
  if (!result.faults.empty())
    result.einsums.clear();
  return result;
}

} // namespace transfusion::core
