//===- CascadeRules.cpp - Rules C12 to C16: the whole cascade -------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CascadeRules.h"

#include <algorithm>
#include <utility>

using namespace transfusion::core;
using namespace transfusion::core::check;

/// Range of x + factor * d over a box.
static Interval rangeOfSum(const LinearExpr &x, const LinearExpr &d, int factor,
                           const std::vector<int64_t> &extents) {
  Interval range = rangeOf(x, extents);
  range.lo += static_cast<__int128>(factor) * d.constant;
  range.hi += static_cast<__int128>(factor) * d.constant;
  for (const auto &[rank, coefficient] : d.terms) {
    __int128 old = 0, sum = static_cast<__int128>(factor) * coefficient;
    for (const auto &term : x.terms)
      if (term.first == rank)
        old = term.second;
    sum += old;
    __int128 steps = extents[rank] - 1;
    (old < 0 ? range.lo : range.hi) -= old * steps;
    (sum < 0 ? range.lo : range.hi) += sum * steps;
  }
  return range;
}

Interval check::rangeInDomain(const Cascade &c, const Einsum &e,
                              const LinearExpr &x) {
  std::vector<int64_t> extents = rankExtents(c);
  Interval range = rangeOf(x, extents);
  // A constraint d >= 0 gives x <= x + d and x >= x - d, and the box of the sum
  // is smaller than the box of x where d cancels what x varies by.
  for (const Constraint &d : e.domain) {
    range.hi = std::min(range.hi, rangeOfSum(x, d.expr, 1, extents).hi);
    range.lo = std::max(range.lo, rangeOfSum(x, d.expr, -1, extents).lo);
  }
  return range;
}

bool check::oneToOne(const Cascade &c, const Access &access) {
  std::vector<bool> determined(c.ranks.size());
  std::vector<RankId> all;
  for (const LinearExpr &dim : access) {
    // Mixed radix: each stride steps over all that the smaller ones reach.
    std::vector<std::pair<int64_t, RankId>> strides;
    for (const auto &[rank, coefficient] : dim.terms) {
      if (c.ranks[rank].extent > 1)
        strides.push_back({coefficient < 0 ? -coefficient : coefficient, rank});
      else
        determined[rank] = true;
      all.push_back(rank);
    }
    std::sort(strides.begin(), strides.end());
    __int128 reach = 0;
    bool radix = true;
    for (const auto &[stride, rank] : strides) {
      radix &= stride > reach;
      reach += static_cast<__int128>(stride) * (c.ranks[rank].extent - 1);
    }
    if (radix)
      for (const auto &s : strides)
        determined[s.second] = true;
  }
  for (RankId r : all)
    if (!determined[r])
      return false;
  return true;
}

/// C12: counts stay below 2^63, and no Einsum is empty.
void check::checkPointCounts(const Cascade &c, Sink &sink) {
  for (EinsumId e = 0; e < static_cast<EinsumId>(c.einsums.size()); ++e) {
    const Einsum &x = c.einsums[e];
    int64_t points = 1;
    for (RankId r : x.ranks)
      points = mulSat(points, c.ranks[r].extent);
    int64_t opsPerPoint = 0;
    for (int k = 0; k < kNumOpClasses; ++k)
      opsPerPoint += x.pointOps.count[k] + x.finishOps.count[k];
    if (mulSat(points, std::max<int64_t>(opsPerPoint, 1)) == kTooMuch) {
      Violation &v =
          sink.add("C12", quoted(x.name) + " does more than 2^63 operations",
                   "use smaller ranks");
      v.einsum = e;
    }
    for (const Constraint &d : x.domain)
      if (rangeOf(d.expr, rankExtents(c)).hi < 0) {
        Violation &v =
            sink.add("C12", quoted(x.name) + " has a domain without any point",
                     "loosen the constraint, or remove the Einsum");
        v.einsum = e;
      }
  }
}

namespace {
struct Edge {
  EinsumId from, to;
  TensorId tensor;
};

/// One cycle of `edges`, empty when there is none.
std::vector<Edge> findCycle(size_t nodes, const std::vector<Edge> &edges) {
  std::vector<std::vector<size_t>> out(nodes);
  for (size_t i = 0; i < edges.size(); ++i)
    out[edges[i].from].push_back(i);
  std::vector<int> state(nodes);
  std::vector<size_t> next(nodes);
  for (size_t root = 0; root < nodes; ++root) {
    if (state[root])
      continue;
    std::vector<EinsumId> stack{static_cast<EinsumId>(root)};
    std::vector<size_t> path; // edges between the stack's nodes
    state[root] = 1;
    while (!stack.empty()) {
      EinsumId top = stack.back();
      if (next[top] == out[top].size()) {
        state[top] = 2;
        stack.pop_back();
        if (!path.empty())
          path.pop_back();
        continue;
      }
      size_t edge = out[top][next[top]++];
      EinsumId to = edges[edge].to;
      if (state[to] == 2)
        continue;
      path.push_back(edge);
      if (state[to] == 1) {
        std::vector<Edge> cycle;
        auto start = std::find(stack.begin(), stack.end(), to);
        for (size_t i = start - stack.begin(); i < path.size(); ++i)
          cycle.push_back(edges[path[i]]);
        return cycle;
      }
      state[to] = 1;
      stack.push_back(to);
    }
  }
  return {};
}
} // namespace

/// C13: a recurrence defines slice r + 1 from slices r and r + 1 only.
/// C14: a cycle of reads advances an iterative rank.
void check::checkRecurrences(const Cascade &c, Sink &sink) {
  for (EinsumId e = 0; e < static_cast<EinsumId>(c.einsums.size()); ++e) {
    const Operand &o = c.einsums[e].result;
    const Tensor &t = c.tensors[o.tensor];
    if (t.iterativeDim < 0)
      continue;
    const LinearExpr &x = o.access[t.iterativeDim];
    if (x.constant != 1 || x.terms.size() != 1 ||
        x.terms[0] != std::make_pair(t.iterativeRank, int64_t{1})) {
      Violation &v =
          sink.add("C13",
                   quoted(c.einsums[e].name) + " does not define slice " +
                       quoted(c.ranks[t.iterativeRank].name) + " + 1 of " +
                       quoted(t.name),
                   "define the slice after the one that is read");
      v.einsum = e;
      return;
    }
  }
  std::vector<Edge> sameSlice;
  for (const Read &r : allReads(c)) {
    EinsumId producer = c.tensors[r.tensor].producer;
    if (producer < 0)
      continue;
    if (r.kind == ReadKind::History) {
      const Tensor &t = c.tensors[r.tensor];
      Violation &v =
          sink.add("C13",
                   quoted(c.einsums[r.reader].name) + " reads a slice of " +
                       quoted(t.name) + " that is not kept",
                   "read slice " + quoted(c.ranks[t.iterativeRank].name) +
                       ", the next one, or the last");
      v.einsum = r.reader;
    }
    if (r.kind != ReadKind::Previous)
      sameSlice.push_back({producer, r.reader, r.tensor});
  }
  for (EinsumId e = 0; e < static_cast<EinsumId>(c.einsums.size()); ++e)
    if (TensorId base = c.einsums[e].base;
        base >= 0 && c.tensors[base].producer >= 0)
      sameSlice.push_back({c.tensors[base].producer, e, base});
  std::vector<Edge> cycle = findCycle(c.einsums.size(), sameSlice);
  if (cycle.empty())
    return;
  Violation &v =
      sink.add("C14",
               quoted(c.einsums[cycle[0].from].name) +
                   " depends on its own result of the same slice",
               "read the previous slice of an iterative rank on the way");
  v.einsum = cycle[0].from;
  for (const Edge &edge : cycle)
    Sink::term(v, quoted(c.einsums[edge.to].name) + " reads " +
                      quoted(c.tensors[edge.tensor].name) + " of " +
                      quoted(c.einsums[edge.from].name));
}

/// C16: a base is the result's tensor without the Einsum's own points.
void check::checkBases(const Cascade &c, Sink &sink) {
  std::vector<EinsumId> extendedBy(c.tensors.size(), -1);
  for (EinsumId e = 0; e < static_cast<EinsumId>(c.einsums.size()); ++e) {
    const Einsum &x = c.einsums[e];
    if (x.base < 0)
      continue;
    auto wrong = [&](const std::string &what, const std::string &fix) {
      Violation &v = sink.add("C16", quoted(x.name) + " " + what, fix);
      v.einsum = e;
    };
    const Tensor &t = c.tensors[x.result.tensor], &base = c.tensors[x.base];
    if (EinsumId other = std::exchange(extendedBy[x.base], e); other >= 0)
      wrong("extends " + quoted(base.name) + ", as does " +
                quoted(c.einsums[other].name),
            "extend a copy of it");
    if (t.iterativeDim >= 0 || base.iterativeDim >= 0)
      wrong("extends " + quoted(base.name) +
                ", and one of them is a recurrence",
            "extend a copy of its result");
    bool fits = t.shape.size() == base.shape.size() &&
                t.bitsPerValue == base.bitsPerValue;
    size_t longer = 0, same = 0;
    for (size_t d = 0; fits && d < t.shape.size(); ++d) {
      Interval made = rangeOf(x.result.access[d], rankExtents(c));
      if (t.shape[d] == base.shape[d])
        ++same;
      else if (made.lo == base.shape[d] && made.hi == t.shape[d] - 1)
        ++longer;
    }
    if (!fits || longer != 1 || same + 1 != t.shape.size())
      wrong("extends " + quoted(base.name) + " to " + quoted(t.name) +
                ", but is not made right behind it, along one dimension",
            "give both one shape but for that dimension, and start where the "
            "base ends");
    for (const Constraint &d : x.domain) {
      bool ofResult = true;
      for (const auto &term : d.expr.terms)
        ofResult &= !isReducedRank(c, e, term.first);
      if (ofResult) {
        wrong("extends " + quoted(base.name) +
                  ", but some of its points do "
                  "not exist",
              "make them all, or extend by a copy");
        break;
      }
    }
  }
}

/// C15: what is read of a tensor was defined, as far as intervals tell.
void check::checkDefined(const Cascade &c, Sink &sink) {
  for (const Read &r : allReads(c)) {
    const Tensor &t = c.tensors[r.tensor];
    if (t.producer < 0)
      continue;
    // A reduction without points still makes its identity: only constraints on
    // the ranks of the result leave points of it out.
    Einsum maker = c.einsums[t.producer];
    maker.domain.erase(
        std::remove_if(maker.domain.begin(), maker.domain.end(),
                       [&](const Constraint &d) {
                         for (const auto &term : d.expr.terms)
                           if (!usesRank(maker.result.access, term.first))
                             return true;
                         return false;
                       }),
        maker.domain.end());
    for (size_t d = 0; d < t.shape.size(); ++d) {
      if (static_cast<int32_t>(d) == t.iterativeDim)
        continue;
      Interval made = rangeInDomain(c, maker, maker.result.access[d]);
      if (maker.base >= 0 && c.tensors[maker.base].shape[d] != t.shape[d])
        made.lo = 0; // C16: the base is before it
      Interval read = rangeInDomain(c, c.einsums[r.reader], (*r.access)[d]);
      if (read.lo >= made.lo && read.hi <= made.hi)
        continue;
      Violation &v = sink.add(
          "C15",
          quoted(c.einsums[r.reader].name) + " reads " + quoted(t.name) +
              " from " + num(static_cast<int64_t>(read.lo)) + " to " +
              num(static_cast<int64_t>(read.hi)) + " in dimension " +
              num(static_cast<int64_t>(d)) + ", but " + quoted(maker.name) +
              " makes " + num(static_cast<int64_t>(made.lo)) + " to " +
              num(static_cast<int64_t>(made.hi)),
          "define the points that are read, or restrict the reader's domain");
      v.einsum = r.reader;
    }
  }
}
