//===- PhaseShape.cpp - What the epochs of a phase iterate over -----------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "transfusion/Core/Search/PhaseShape.h"

#include <algorithm>

namespace transfusion::core {

static void addTo(std::vector<int32_t> &set, int32_t x) {
  if (!has(set, x))
    set.push_back(x);
}

GridSize gridOf(const Arch &a) {
  GridSize best;
  for (const Unit &u : a.units)
    if (u.isGrid)
      return {u.rows, u.cols, u.instances};
  int64_t lanes = 1;
  for (const Unit &u : a.units)
    if (u.lanes() >= lanes) {
      best.instances = u.lanes() > lanes
                           ? u.instances
                           : std::max(best.instances, u.instances);
      lanes = u.lanes();
    }
  for (best.cols = 1; best.cols * best.cols * 4 <= lanes;)
    best.cols *= 2;
  best.rows = lanes / best.cols;
  return best;
}

int64_t footprintBytes(const Cascade &c, const Operand &o,
                       const Extents &inner) {
  int64_t values = 1;
  for (const LinearExpr &x : o.access) {
    int64_t extent = 1;
    for (const auto &t : x.terms)
      extent += std::abs(t.second) * (inner[t.first] - 1);
    if (__builtin_mul_overflow(values, extent, &values))
      return INT64_MAX / 64;
  }
  int64_t bits;
  if (__builtin_mul_overflow(values, c.tensors[o.tensor].bitsPerValue, &bits))
    return INT64_MAX / 64;
  return (bits + 7) / 8;
}

//===----------------------------------------------------------------------===//
// Looped and held ranks
//===----------------------------------------------------------------------===//

namespace {

class ShapeBuilder {
public:
  ShapeBuilder(const Cascade &c, const Structure &s, const PhaseMembers &m,
               const std::vector<EinsumId> &maySpan)
      : c(c), s(s), m(m), maySpan(maySpan) {}
  PhaseShape run();

private:
  bool madeHere(TensorId t) const {
    EinsumId e = c.tensors[t].producer;
    return e >= 0 && (has(m.einsums, e) || has(m.finishes, e));
  }
  void holdWhatIsRead(EinsumId reader, const Operand &read);
  void findColumnsAndHead();
  void findWholeWeights();
  /// Ranks of the slots: a finish lacks those that were reduced.
  std::vector<RankId> slotRanks(EinsumId e, bool finish) const {
    std::vector<RankId> ranks;
    for (RankId r : c.einsums[e].ranks)
      if (!finish || !isReducedRank(c, e, r))
        ranks.push_back(r);
    return ranks;
  }

  const Cascade &c;
  const Structure &s;
  const PhaseMembers &m;
  const std::vector<EinsumId> &maySpan;
  PhaseShape shape;
  std::vector<RankId> held;
};

} // namespace

void ShapeBuilder::holdWhatIsRead(EinsumId reader, const Operand &read) {
  if (!madeHere(read.tensor))
    return;
  EinsumId producer = c.tensors[read.tensor].producer;
  const Einsum &p = c.einsums[producer];
  std::vector<RankId> made = accessRanks(p.result.access);
  // The reader sweeps a rank that the value does not have.
  for (RankId r : c.einsums[reader].ranks)
    if (!c.ranks[r].iterative && !has(made, r))
      addTo(held, r);
  // It reads other places than those of its own epoch.
  for (size_t d = 0; d < read.access.size(); ++d) {
    if (static_cast<int32_t>(d) == c.tensors[read.tensor].iterativeDim)
      continue;
    const LinearExpr &w = p.result.access[d], &r = read.access[d];
    if (w.terms == r.terms && w.constant == r.constant)
      continue;
    for (const LinearExpr *x : {&w, &r})
      for (const auto &t : x->terms)
        if (!c.ranks[t.first].iterative)
          addTo(held, t.first);
  }
}

void ShapeBuilder::findColumnsAndHead() {
  for (EinsumId e : m.einsums)
    for (RankId r : reducedRanks(c, e))
      for (const Operand &o : c.einsums[e].inputs)
        if (madeHere(o.tensor) && has(accessRanks(o.access), r) &&
            !c.ranks[r].iterative)
          addTo(shape.columns, r);
  for (EinsumId e : m.einsums) {
    if (!s.contraction[e])
      continue;
    const Einsum &einsum = c.einsums[e];
    for (const LinearExpr &x : einsum.result.access)
      for (const auto &t : x.terms) {
        RankId r = t.first;
        bool everywhere = r != shape.row && has(shape.looped, r);
        for (const Operand &o : einsum.inputs)
          everywhere = everywhere && has(accessRanks(o.access), r);
        if (everywhere)
          shape.head = r; // the last one: batches come first
      }
    break; // all contractions of the phase share their looped ranks
  }
}

void ShapeBuilder::findWholeWeights() {
  for (EinsumId e : m.einsums) {
    if (!s.contraction[e])
      continue;
    for (const Operand &o : c.einsums[e].inputs) {
      std::vector<RankId> ranks = accessRanks(o.access);
      if (madeHere(o.tensor) || has(ranks, shape.row))
        continue;
      bool whole = true;
      for (RankId r : ranks)
        whole = whole && !has(shape.looped, r) && !c.ranks[r].iterative;
      if (whole)
        addTo(shape.wholeWeights, o.tensor);
    }
  }
}

PhaseShape ShapeBuilder::run() {
  bool first = true;
  for (bool finish : {false, true})
    for (EinsumId e : finish ? m.finishes : m.einsums) {
      std::vector<RankId> ranks = slotRanks(e, finish), iterative, common;
      for (RankId r : ranks)
        if (c.ranks[r].iterative)
          iterative.push_back(r);
      std::sort(iterative.begin(), iterative.end());
      if (first) {
        shape.row = s.row[e];
        shape.iterative = iterative;
      }
      if (shape.row != s.row[e] || shape.iterative != iterative)
        return shape; // one would run again and again
      for (RankId r : ranks)
        if (!c.ranks[r].iterative && (first || has(shape.looped, r)))
          common.push_back(r);
      shape.looped = common;
      first = false;
    }
  for (EinsumId e : m.einsums) {
    for (const Operand &o : c.einsums[e].inputs)
      holdWhatIsRead(e, o);
    for (const Operand &o : c.einsums[e].finishInputs)
      holdWhatIsRead(e, o);
  }
  for (EinsumId e : m.finishes)
    for (const Operand &o : c.einsums[e].finishInputs)
      holdWhatIsRead(e, o);
  // Reduced ranks are held, but for those that may span the epochs.
  std::vector<RankId> streamed;
  for (EinsumId e : m.einsums)
    for (RankId r : reducedRanks(c, e)) {
      // What nobody else is in an epoch with may add up over epochs as well.
      bool made = m.einsums.size() + m.finishes.size() == 1;
      for (const Operand &o : c.einsums[e].inputs)
        made |= madeHere(o.tensor) && has(accessRanks(o.access), r);
      if (has(maySpan, e) && made && has(shape.looped, r) && !has(held, r)) {
        addTo(streamed, r);
        addTo(shape.spanning, e);
      } else {
        addTo(held, r);
      }
    }
  std::vector<RankId> looped;
  for (RankId r : shape.looped)
    if (!has(held, r))
      looped.push_back(r);
  std::sort(looped.begin(), looped.end());
  shape.looped = looped;
  for (RankId r : streamed) // held for another member after all
    if (!has(looped, r))
      return shape;
  shape.legal = true;
  findColumnsAndHead();
  findWholeWeights();
  return shape;
}

PhaseShape shapeOf(const Cascade &c, const Structure &s,
                   const PhaseMembers &members,
                   const std::vector<EinsumId> &spanning) {
  return ShapeBuilder(c, s, members, spanning).run();
}

//===----------------------------------------------------------------------===//
// Sizes and orders
//===----------------------------------------------------------------------===//

/// Ranks as they stand in the phase's results: an order that neither names nor
/// ids decide.
static std::vector<RankId> ranksByPosition(const Cascade &c,
                                           const PhaseMembers &m) {
  std::vector<RankId> ranks;
  for (const std::vector<EinsumId> *part : {&m.finishes, &m.einsums})
    for (EinsumId e : *part) {
      for (RankId r : accessRanks(c.einsums[e].result.access))
        addTo(ranks, r);
      for (RankId r : c.einsums[e].ranks)
        addTo(ranks, r);
    }
  return ranks;
}

bool isBatch(const Cascade &c, const PhaseMembers &m, RankId row, RankId r) {
  std::vector<RankId> ranks = ranksByPosition(c, m);
  if (row < 0 || std::find(ranks.begin(), ranks.end(), r) >
                     std::find(ranks.begin(), ranks.end(), row))
    return false;
  for (EinsumId e : m.einsums)
    for (const Operand &o : c.einsums[e].inputs) {
      std::vector<RankId> in = accessRanks(o.access);
      if (has(in, row) && !has(in, r))
        return false;
    }
  return true;
}

Extents defaultInner(const Cascade &c, const Arch &a, const PhaseMembers &m,
                     const PhaseShape &shape) {
  GridSize grid = gridOf(a);
  Extents inner;
  for (const Rank &r : c.ranks)
    inner.push_back(r.extent);
  for (RankId r : shape.iterative)
    inner[r] = 1;
  // Streaming operands decide which looped ranks are columns: those that the
  // activation of a projection lacks, or that are reduced inside the phase.
  std::vector<RankId> ranks = ranksByPosition(c, m);
  int64_t spare = grid.cols;
  const int64_t heads =
      shape.head >= 0 ? std::min(c.ranks[shape.head].extent, grid.instances)
                      : 1;
  for (EinsumId e : m.einsums)
    if (shape.columns.empty()) // held columns of a projection share the grid
      for (RankId r : ranks)
        if (!has(shape.looped, r) && !c.ranks[r].iterative &&
            resultDim(c.einsums[e], r) >= 0)
          spare = std::max<int64_t>(1, std::min(spare, grid.cols / inner[r]));
  for (size_t i = ranks.size(); i-- > 0;) {
    RankId r = ranks[i];
    if (!has(shape.looped, r))
      continue;
    if (r == shape.row) {
      inner[r] = std::min(inner[r], grid.rows * (grid.instances / heads));
    } else if (r == shape.head) {
      inner[r] = std::min(inner[r], std::max<int64_t>(4, grid.instances));
    } else if (has(shape.columns, r)) {
      inner[r] = std::min(inner[r], grid.cols);
    } else {
      bool batch = isBatch(c, m, shape.row, r);
      inner[r] = batch ? 1 : std::min(inner[r], spare);
      if (!batch)
        spare = std::max<int64_t>(1, spare / inner[r]);
    }
  }
  return inner;
}

std::vector<RankId> loopOrder(const Cascade &c, const PhaseMembers &m,
                              const PhaseShape &shape,
                              const std::vector<RankId> &tiled) {
  std::vector<RankId> columns, batches;
  for (RankId r : ranksByPosition(c, m)) {
    if (!has(shape.looped, r) || r == shape.row)
      continue;
    bool batch = has(tiled, r) && r != shape.head;
    (batch ? batches : columns).push_back(r);
  }
  std::vector<RankId> order = columns;
  order.insert(order.end(), batches.begin(), batches.end());
  if (has(shape.looped, shape.row))
    order.push_back(shape.row);
  order.insert(order.end(), shape.iterative.begin(), shape.iterative.end());
  return order;
}

std::vector<RankId> tiledRanks(const Cascade &c, const Structure &s,
                               const GroupMembers &g) {
  std::vector<EinsumId> all;
  for (const PhaseMembers &p : g.phases)
    all.insert(all.end(), p.einsums.begin(), p.einsums.end());
  std::sort(all.begin(), all.end(), [&](EinsumId x, EinsumId y) {
    return s.position[x] < s.position[y];
  });
  if (all.empty())
    return {};
  std::vector<RankId> tiled;
  RankId row = s.row[all[0]];
  for (RankId r : accessRanks(c.einsums[all[0]].result.access)) {
    bool fine = !c.ranks[r].iterative;
    for (EinsumId e : all) {
      const Einsum &einsum = c.einsums[e];
      fine = fine && resultDim(einsum, r) >= 0;
      if (fine && s.contraction[e] && s.activation[e] >= 0)
        fine = has(accessRanks(einsum.inputs[s.activation[e]].access), r);
    }
    for (const Dependence &d : s.dependences)
      if (fine && has(all, d.from) && has(all, d.to))
        fine = readsSliceBySlice(c, d.from, d.to, r);
    if (fine && r != row)
      tiled.push_back(r);
    else if (fine)
      tiled.push_back(-1); // its place is last
  }
  bool rows = has(tiled, -1);
  tiled.erase(std::remove(tiled.begin(), tiled.end(), -1), tiled.end());
  if (rows)
    tiled.push_back(row);
  return tiled;
}

} // namespace transfusion::core
