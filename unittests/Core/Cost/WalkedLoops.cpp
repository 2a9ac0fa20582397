//===- WalkedLoops.cpp - Tiles, epochs and pieces, literally --------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "WalkedLoops.h"

#include "transfusion/Core/Model/Footprint.h"

#include <algorithm>
#include <set>

namespace transfusion::core::test {

void forEachPoint(const std::vector<RankId> &ranks, const Box &box,
                  const std::function<void(const std::vector<int64_t> &)> &f) {
  std::vector<int64_t> value(box.size(), 0);
  std::function<void(size_t)> walk = [&](size_t i) {
    if (i == ranks.size())
      return f(value);
    for (int64_t v = 0; v < box[ranks[i]].extent; ++v) {
      value[ranks[i]] = box[ranks[i]].begin + v;
      walk(i + 1);
    }
  };
  walk(0);
}

int64_t valueOf(const LinearExpr &x, const std::vector<int64_t> &value) {
  int64_t v = x.constant;
  for (const auto &t : x.terms)
    v += t.second * value[t.first];
  return v;
}

int64_t GroupLoops::bytesOf(const Access &access, TensorId t, int32_t bits,
                            const Box &box, bool clipped) const {
  int64_t values = 1;
  for (size_t d = 0; d < access.size(); ++d) {
    std::vector<RankId> ranks;
    for (const auto &term : access[d].terms)
      ranks.push_back(term.first);
    std::set<int64_t> coordinates;
    forEachPoint(ranks, box, [&](const std::vector<int64_t> &v) {
      coordinates.insert(valueOf(access[d], v));
    });
    if (!isDigits(c, access[d])) // a halo is held without gaps
      for (int64_t x = *coordinates.begin(); x < *coordinates.rbegin(); ++x)
        coordinates.insert(x);
    int64_t inside = 0;
    for (int64_t x : coordinates)
      inside += !clipped || (x >= 0 && x < c.tensors[t].shape[d]);
    values *= inside;
  }
  return values * ((bits + 7) / 8);
}

std::vector<Box> partsOf(const Slot &slot, const Box &epoch) {
  std::vector<Box> parts = {epoch};
  for (const InstancePart &split : slot.instances) {
    std::vector<Box> finer;
    for (const Box &part : parts)
      for (int64_t at = 0; at < part[split.rank].extent; at += split.points) {
        finer.push_back(part);
        Span &span = finer.back()[split.rank];
        span = {span.begin + at, std::min(split.points, span.extent - at)};
      }
    parts = std::move(finer);
  }
  return parts;
}

int64_t GroupLoops::touchedBytes(EinsumId id, const Operand &o, int32_t bits,
                                 const Box &box, bool inFinish,
                                 bool constantFirst) const {
  const Einsum &e = c.einsums[id];
  const Tensor &t = c.tensors[o.tensor];
  std::vector<RankId> ranks;
  for (RankId r : e.ranks)
    if (!inFinish || !isReducedRank(c, id, r))
      ranks.push_back(r);
  std::vector<Constraint> domain;
  for (const Constraint &k : e.domain)
    if (std::all_of(k.expr.terms.begin(), k.expr.terms.end(),
                    [&](const auto &term) { return has(ranks, term.first); }))
      domain.push_back(k);
  auto coordinatesOf = [&](const std::vector<int64_t> &v) {
    std::vector<int64_t> at;
    for (const LinearExpr &x : o.access)
      at.push_back(valueOf(x, v));
    return at;
  };
  std::set<std::vector<int64_t>> everywhere, touched;
  std::vector<RankId> own = accessRanks(o.access);
  size_t points = 0;
  forEachPoint(own, wholeSpans(c), [&](const std::vector<int64_t> &v) {
    everywhere.insert(coordinatesOf(v));
    ++points;
  });
  if (everywhere.size() < points)
    domain.clear();
  forEachPoint(ranks, box, [&](const std::vector<int64_t> &v) {
    for (const Constraint &k : domain)
      if (valueOf(k.expr, v) < 0)
        return;
    const std::vector<int64_t> at = coordinatesOf(v);
    for (size_t d = 0; d < at.size(); ++d)
      if (at[d] < 0 || at[d] >= t.shape[d])
        return;
    if (constantFirst && t.iterativeDim >= 0 && t.producer >= 0 &&
        at[t.iterativeDim] == 0)
      return;
    touched.insert(at);
  });
  return static_cast<int64_t>(touched.size()) * ((bits + 7) / 8);
}

std::vector<int64_t> GroupLoops::pieceOf(const Buffer &b, const Loops &loops,
                                         int64_t epoch) const {
  const Phase &phase = s.groups[g].phases[b.phase];
  const PhasePlan &plan = p.groups[g].phases[b.phase];
  std::vector<int64_t> index = indexOf(loops, epoch);
  index.resize(b.fetchPosition + 1);
  if (b.fetchPosition >= 0) {
    const RankCut &cut = plan.cuts[phase.order[b.fetchPosition]];
    index.back() /= cut.block / cut.inner;
  }
  return index;
}

int64_t GroupLoops::fetchBytes(const Buffer &b, const Loops &loops,
                               const std::vector<int64_t> &running, size_t at,
                               const Box &tile) const {
  const Phase &phase = s.groups[g].phases[b.phase];
  const PhasePlan &plan = p.groups[g].phases[b.phase];
  const int32_t j = b.fetchPosition;
  Box piece = innerBox(b.phase, loops, tile, running[at]);
  for (RankId r = 0; r < RankId(piece.size()); ++r) {
    const RankCut &cut = plan.cuts[r];
    const int64_t end = tile[r].begin + tile[r].extent;
    if (cut.position < 0 || cut.position > j)
      piece[r] = tile[r];
    else if (cut.position == j)
      piece[r] = {tile[r].begin + pieceOf(b, loops, running[at])[j] *
                                      std::min(cut.block, tile[r].extent),
                  0},
      piece[r].extent = std::min(cut.block, end - piece[r].begin);
  }
  if (phase.skip) // only steps that have points read anything
    for (RankId r : phase.order) {
      if (!c.ranks[r].iterative)
        continue;
      int64_t least = -1, most = -1;
      for (size_t i = at; i < running.size(); ++i) {
        if (pieceOf(b, loops, running[i]) != pieceOf(b, loops, running[at]))
          break;
        if (!loops.hasPoints[running[i]])
          continue;
        const int64_t step =
            innerBox(b.phase, loops, tile, running[i])[r].begin;
        least = least < 0 ? step : std::min(least, step);
        most = std::max(most, step);
      }
      const bool uses = usesRank(b.access, r);
      if (uses && least < 0)
        return 0;
      if (uses)
        piece[r] = {least, most - least + 1};
    }
  return bytesOf(b.access, b.tensor, b.bitsPerValue, piece);
}

std::vector<int64_t> GroupLoops::allOf(const Loops &loops) {
  std::vector<int64_t> running;
  for (const std::vector<int64_t> &pipeline : loops.pipelines)
    running.insert(running.end(), pipeline.begin(), pipeline.end());
  return running;
}

int64_t GroupLoops::firstPiece(const Buffer &b, const Box &tile) const {
  if (b.level != RetainLevel::Block)
    return bytesOf(b.access, b.tensor, b.bitsPerValue, tile);
  const Loops loops = loopsOf(b.phase, tile);
  return fetchBytes(b, loops, allOf(loops), 0, tile);
}

std::vector<int64_t> GroupLoops::indexOf(const Loops &loops, int64_t i) {
  std::vector<int64_t> index(loops.trips.size());
  for (size_t k = loops.trips.size(); k-- > 0;) {
    index[k] = i % loops.trips[k];
    i /= loops.trips[k];
  }
  return index;
}

Box GroupLoops::innerBox(int32_t phase, const Loops &loops, const Box &tile,
                         int64_t epoch) const {
  const std::vector<RankId> &order = s.groups[g].phases[phase].order;
  const std::vector<int64_t> index = indexOf(loops, epoch);
  Box box = tile;
  for (size_t k = 0; k < order.size(); ++k) {
    const int64_t offset = index[k] * loops.inner[k];
    box[order[k]].begin += offset;
    box[order[k]].extent =
        std::min(loops.inner[k], tile[order[k]].extent - offset);
  }
  return box;
}
bool GroupLoops::hasPoint(int32_t phase, const Box &box) const {
  for (const PlannedSlot &slot : p.groups[g].phases[phase].slots) {
    const Einsum &e = c.einsums[slot.einsum];
    std::vector<RankId> ranks;
    for (RankId r : e.ranks)
      for (const Constraint &k : e.domain)
        if (k.expr.uses(r) && (ranks.empty() || ranks.back() != r))
          ranks.push_back(r);
    bool found = false;
    if (!ranks.empty())
      forEachPoint(ranks, box, [&](const std::vector<int64_t> &v) {
        found |= std::all_of(
            e.domain.begin(), e.domain.end(),
            [&](const Constraint &k) { return valueOf(k.expr, v) >= 0; });
      });
    if (found)
      return true;
  }
  return false;
}

Loops GroupLoops::loopsOf(int32_t phaseId, const Box &tile) const {
  const Phase &phase = s.groups[g].phases[phaseId];
  Loops loops;
  for (RankId r : phase.order) {
    int64_t size = phase.inner[r] == 0 ? tile[r].extent : phase.inner[r];
    size = std::min(size, tile[r].extent);
    loops.inner.push_back(size);
    loops.trips.push_back((tile[r].extent + size - 1) / size);
    loops.epochs *= loops.trips.back();
  }
  if (!phase.skip) {
    loops.pipelines.emplace_back();
    for (int64_t i = 0; i < loops.epochs; ++i)
      loops.pipelines.back().push_back(i);
    return loops;
  }
  // The recurrence is innermost, whatever of one trip may stand inside.
  int64_t steps = 1;
  for (RankId r : phase.order)
    if (c.ranks[r].iterative)
      steps = loops.trips[std::find(phase.order.begin(), phase.order.end(), r) -
                          phase.order.begin()];
  for (int64_t i = 0; i < loops.epochs; ++i)
    loops.hasPoints.push_back(
        hasPoint(phaseId, innerBox(phaseId, loops, tile, i)));
  for (int64_t row = 0; row < loops.epochs; row += steps) {
    int64_t first = row, last = row; // inclusive
    while (first < row + steps && !loops.hasPoints[first])
      ++first;
    if (first == row + steps)
      first = row; // none: the first one
    for (int64_t i = first; i < row + steps; ++i)
      last = loops.hasPoints[i] ? i : std::max(last, first);
    loops.pipelines.emplace_back();
    for (int64_t i = first; i <= last; ++i)
      loops.pipelines.back().push_back(i);
  }
  return loops;
}

} // namespace transfusion::core::test
