//===- Pieces.cpp - Values moved, summed over the pieces of a tile --------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pieces.h"

#include "Tally.h"
#include "transfusion/Core/Model/Footprint.h"

#include <algorithm>
#include <limits>

namespace transfusion::core {

using Wide = __int128;

namespace {
struct Interval {
  Wide lo, hi;
};
} // namespace

/// Least and greatest coordinate; `spanOf(r)` gives a rank's values.
template <typename SpanOf>
static Interval interval(const LinearExpr &expr, SpanOf spanOf) {
  Interval i{expr.constant, expr.constant};
  for (const auto &t : expr.terms) {
    const Span span = spanOf(t.first);
    const Wide first = static_cast<Wide>(span.begin) * t.second;
    const Wide reach = static_cast<Wide>(span.extent - 1) * t.second;
    i.lo += first + std::min<Wide>(reach, 0);
    i.hi += first + std::max<Wide>(reach, 0);
  }
  return i;
}

static bool within(const Interval &i, int64_t size) {
  return i.lo >= 0 && i.hi < size;
}

bool reachesOut(const LinearExpr &expr, int64_t size,
                const std::vector<Span> &box) {
  return !within(interval(expr, [&](RankId r) { return box[r]; }), size);
}

/// Combinations of rank values whose coordinate is within the tensor.
template <typename SpanOf>
static int64_t countWithin(const LinearExpr &expr, int64_t size,
                           SpanOf spanOf) {
  std::vector<RankId> ranks;
  std::vector<Span> spans;
  Constraint low, high; // 0 <= expr, expr <= size - 1
  low.expr = expr;
  high.expr.constant = size - 1 - expr.constant;
  for (const auto &t : expr.terms) {
    ranks.push_back(t.first);
    spans.push_back(spanOf(t.first));
    high.expr.terms.push_back({t.first, -t.second});
  }
  return countPoints(ranks, spans, {low, high});
}

/// Values along one dimension of one piece.
template <typename SpanOf>
static int64_t lengthOf(const Cascade &c, const LinearExpr &expr, int64_t size,
                        SpanOf spanOf) {
  const Interval i = interval(expr, spanOf);
  if (expr.terms.size() > 1 && !isDigits(c, expr)) {
    const Wide length =
        std::min<Wide>(i.hi, size - 1) - std::max<Wide>(i.lo, 0) + 1;
    return static_cast<int64_t>(std::max<Wide>(length, 0));
  }
  if (!within(i, size))
    return countWithin(expr, size, spanOf);
  Tally tally;
  int64_t product = 1;
  for (const auto &t : expr.terms)
    product = tally.mul(product, spanOf(t.first).extent);
  return tally.overflow ? -1 : product;
}

/// The usual case in no time: each rank in one dimension, in digits, and every
/// coordinate in the tensor, so a value for each point of the ranks. `extentOf`
/// gives a rank's points. -1 where it is another case.
template <typename SpanOf, typename ExtentOf>
static int64_t plainValues(const Cascade &c, const Access &access,
                           const std::vector<int64_t> &shape, SpanOf spanOf,
                           ExtentOf extentOf) {
  uint64_t seen = 0;
  int64_t product = 1;
  for (size_t d = 0; d < access.size(); ++d) {
    const LinearExpr &expr = access[d];
    int64_t lo = expr.constant, hi = expr.constant;
    for (const auto &[r, coefficient] : expr.terms) {
      const Span span = spanOf(r);
      constexpr int64_t small = int64_t(1) << 31; // nothing overflows
      if (r >= 64 || (seen >> r & 1) || coefficient <= 0 ||
          coefficient >= small || span.begin < 0 ||
          span.begin + span.extent >= small || span.extent <= 0 ||
          hi >= small << 30)
        return -1;
      seen |= uint64_t(1) << r;
      lo += span.begin * coefficient;
      hi += (span.begin + span.extent - 1) * coefficient;
      if (__builtin_mul_overflow(product, extentOf(r), &product))
        return -1;
    }
    if (lo < 0 || hi >= shape[d] ||
        (expr.terms.size() > 1 && !isDigits(c, expr)))
      return -1;
  }
  return product;
}

int64_t valuesInPiece(const Cascade &c, const Access &access,
                      const std::vector<int64_t> &shape,
                      const std::vector<Span> &box) {
  const int64_t plain = plainValues(
      c, access, shape, [&](RankId r) { return box[r]; },
      [&](RankId r) { return box[r].extent; });
  if (plain >= 0)
    return plain;
  Tally tally;
  int64_t product = 1;
  for (size_t d = 0; d < access.size(); ++d)
    product = tally.mul(
        product, tally.count(lengthOf(c, access[d], shape[d],
                                      [&](RankId r) { return box[r]; })));
  return tally.overflow ? -1 : product;
}

/// Adds up `size(box)` over all pieces of `ranks`, one by one.
template <typename Size>
static int64_t sumOneByOne(const std::vector<RankId> &ranks,
                           const std::vector<PieceCut> &cuts, Size size) {
  Tally tally;
  std::vector<Span> box(cuts.size(), Span{0, 1});
  std::vector<int64_t> index(ranks.size(), 0);
  int64_t sum = 0;
  while (true) {
    for (size_t i = 0; i < ranks.size(); ++i) {
      const PieceCut &cut = cuts[ranks[i]];
      const int64_t offset = index[i] * cut.piece;
      box[ranks[i]] = {cut.begin + offset,
                       std::min(cut.piece, cut.total - offset)};
    }
    sum = tally.add(sum, tally.count(size(box)));
    size_t i = ranks.size();
    while (i > 0 && ++index[i - 1] == cuts[ranks[i - 1]].pieces())
      index[--i] = 0;
    if (i == 0)
      break;
  }
  return tally.overflow ? -1 : sum;
}

/// Sum over pieces of the length of a dimension no rank of which is used by
/// another dimension.
static int64_t sumOfLengths(const Cascade &c, const LinearExpr &expr,
                            int64_t size, const std::vector<PieceCut> &cuts) {
  auto whole = [&](RankId r) { return Span{cuts[r].begin, cuts[r].total}; };
  if (expr.terms.size() <= 1 || isDigits(c, expr))
    return lengthOf(c, expr, size, whole);
  if (!within(interval(expr, whole), size)) {
    std::vector<RankId> ranks;
    for (const auto &t : expr.terms)
      ranks.push_back(t.first);
    return sumOneByOne(ranks, cuts, [&](const std::vector<Span> &box) {
      return lengthOf(c, expr, size, [&](RankId r) { return box[r]; });
    });
  }
  // Each piece: 1 + sum_r |a_r| (extent_r - 1), extents adding up to the total.
  Tally tally;
  int64_t pieces = 1;
  for (const auto &t : expr.terms)
    pieces = tally.mul(pieces, cuts[t.first].pieces());
  int64_t sum = pieces;
  for (const auto &t : expr.terms) {
    const PieceCut &cut = cuts[t.first];
    const int64_t step = t.second < 0 ? -t.second : t.second;
    sum = tally.add(sum, tally.mul(tally.mul(step, cut.total - cut.pieces()),
                                   pieces / cut.pieces()));
  }
  return tally.overflow ? -1 : sum;
}

static bool sharesRank(const LinearExpr &x, const LinearExpr &y) {
  for (const auto &t : x.terms)
    if (y.uses(t.first))
      return true;
  return false;
}

/// A product over the dimensions: `alone(expr, extent)` of one that shares no
/// rank with another, `together(access, shape)` of all the others.
template <typename Alone, typename Together>
static int64_t inAllPieces(const Cascade &c, const Access &access,
                           const std::vector<int64_t> &shape,
                           const std::vector<PieceCut> &cuts, Alone alone,
                           Together together) {
  const int64_t plain = plainValues(
      c, access, shape,
      [&](RankId r) { return Span{cuts[r].begin, cuts[r].total}; },
      [&](RankId r) { return cuts[r].total; });
  if (plain >= 0)
    return plain;
  Tally tally;
  int64_t product = 1;
  Access joint;
  std::vector<int64_t> jointShape;
  for (size_t d = 0; d < access.size(); ++d) {
    bool shared = false;
    for (size_t o = 0; o < access.size() && !shared; ++o)
      shared = o != d && sharesRank(access[d], access[o]);
    if (shared) {
      joint.push_back(access[d]);
      jointShape.push_back(shape[d]);
    } else {
      product = tally.mul(product, tally.count(alone(access[d], shape[d])));
    }
  }
  if (!joint.empty())
    product = tally.mul(product, tally.count(together(joint, jointShape)));
  return tally.overflow ? -1 : product;
}

int64_t valuesInAllPieces(const Cascade &c, const Access &access,
                          const std::vector<int64_t> &shape,
                          const std::vector<PieceCut> &cuts) {
  auto alone = [&](const LinearExpr &expr, int64_t extent) {
    return sumOfLengths(c, expr, extent, cuts);
  };
  auto together = [&](const Access &joint, const std::vector<int64_t> &shape) {
    std::vector<RankId> ranks;
    for (const LinearExpr &expr : joint)
      for (const auto &t : expr.terms)
        if (!has(ranks, t.first))
          ranks.push_back(t.first);
    return sumOneByOne(ranks, cuts, [&](const std::vector<Span> &box) {
      return valuesInPiece(c, joint, shape, box);
    });
  };
  return inAllPieces(c, access, shape, cuts, alone, together);
}

//===----------------------------------------------------------------------===//
// Values that points read
//===----------------------------------------------------------------------===//

bool namesEveryValue(const Cascade &c, const Access &access) {
  // A dimension tells the values of its ranks, given those already told.
  std::vector<RankId> told;
  for (bool changed = true; changed;) {
    changed = false;
    for (const LinearExpr &expr : access) {
      LinearExpr rest;
      for (const auto &t : expr.terms)
        if (!has(told, t.first))
          rest.terms.push_back(t);
      if (rest.terms.empty() || !isDigits(c, rest))
        continue;
      for (const auto &t : rest.terms)
        told.push_back(t.first);
      changed = true;
    }
  }
  for (const LinearExpr &expr : access)
    for (const auto &t : expr.terms)
      if (!has(told, t.first))
        return false;
  return true;
}

/// Different coordinates of a dimension that is no digits, over a box.
static int64_t touchedLength(const LinearExpr &expr, int64_t size,
                             const std::vector<Span> &box) {
  std::vector<std::pair<int64_t, int64_t>> steps; // of a rank, and its values
  for (const auto &t : expr.terms)
    steps.push_back({std::abs(t.second), box[t.first].extent});
  std::sort(steps.begin(), steps.end());
  Wide reach = 0;
  bool gaps = false;
  for (const auto &[step, extent] : steps) {
    gaps |= extent > 1 && step > reach + 1;
    reach += Wide(step) * (extent - 1);
  }
  const Interval i = interval(expr, [&](RankId r) { return box[r]; });
  if (!gaps) {
    const Wide length =
        std::min<Wide>(i.hi, size - 1) - std::max<Wide>(i.lo, 0) + 1;
    return static_cast<int64_t>(std::max<Wide>(length, 0));
  }
  std::vector<int64_t> all{expr.constant};
  for (const auto &t : expr.terms) {
    std::vector<int64_t> next;
    for (int64_t v = 0; v < box[t.first].extent; ++v)
      for (int64_t x : all)
        next.push_back(x + (box[t.first].begin + v) * t.second);
    std::sort(next.begin(), next.end());
    next.erase(std::unique(next.begin(), next.end()), next.end());
    all = std::move(next);
  }
  return std::count_if(all.begin(), all.end(),
                       [&](int64_t x) { return x >= 0 && x < size; });
}

/// Sum over pieces of touchedLength: it depends on their sizes alone, so pieces
/// of the same sizes are looked at once.
static int64_t sumOfTouched(const LinearExpr &expr, int64_t size,
                            const std::vector<PieceCut> &cuts) {
  auto whole = [&](RankId r) { return Span{cuts[r].begin, cuts[r].total}; };
  std::vector<RankId> ranks;
  for (const auto &t : expr.terms)
    ranks.push_back(t.first);
  if (!within(interval(expr, whole), size))
    return sumOneByOne(ranks, cuts, [&](const std::vector<Span> &box) {
      return touchedLength(expr, size, box);
    });
  Tally tally;
  int64_t sum = 0;
  std::vector<Span> box(cuts.size(), Span{0, 1});
  for (uint64_t ragged = 0; ragged < uint64_t(1) << ranks.size(); ++ragged) {
    int64_t times = 1;
    for (size_t i = 0; i < ranks.size(); ++i) {
      const PieceCut &cut = cuts[ranks[i]];
      const int64_t last = cut.total - (cut.pieces() - 1) * cut.piece;
      const bool isLast = ragged >> i & 1;
      times = tally.mul(times, isLast ? 1 : cut.pieces() - 1);
      box[ranks[i]] = {cut.begin, isLast ? last : cut.piece};
    }
    if (times > 0) // coordinates only move: all of them are in the tensor
      sum = tally.add(
          sum, tally.mul(times,
                         touchedLength(
                             expr, std::numeric_limits<int64_t>::max(), box)));
  }
  return tally.overflow ? -1 : sum;
}

/// Points of the ranks of `access` whose coordinates exist.
static int64_t pointsWithin(const Access &access,
                            const std::vector<int64_t> &shape,
                            const std::vector<PieceCut> &cuts) {
  auto whole = [&](RankId r) { return Span{cuts[r].begin, cuts[r].total}; };
  const std::vector<RankId> ranks = accessRanks(access);
  std::vector<Span> spans;
  for (RankId r : ranks)
    spans.push_back(whole(r));
  std::vector<Constraint> inside;
  for (size_t d = 0; d < access.size(); ++d) {
    if (within(interval(access[d], whole), shape[d]))
      continue;
    Constraint low{access[d]}, high{access[d]};
    for (auto &t : high.expr.terms)
      t.second = -t.second;
    high.expr.constant = shape[d] - 1 - access[d].constant;
    inside.push_back(std::move(low));
    inside.push_back(std::move(high));
  }
  return countPoints(ranks, spans, inside);
}

int64_t touchedInAllPieces(const Cascade &c, const Access &access,
                           const std::vector<int64_t> &shape,
                           const std::vector<PieceCut> &cuts) {
  auto alone = [&](const LinearExpr &expr, int64_t extent) {
    const bool digits = expr.terms.size() <= 1 || isDigits(c, expr);
    return digits ? sumOfLengths(c, expr, extent, cuts)
                  : sumOfTouched(expr, extent, cuts);
  };
  auto together = [&](const Access &joint, const std::vector<int64_t> &shape) {
    return namesEveryValue(c, joint) ? pointsWithin(joint, shape, cuts)
                                     : valuesInAllPieces(c, joint, shape, cuts);
  };
  return inAllPieces(c, access, shape, cuts, alone, together);
}

} // namespace transfusion::core
