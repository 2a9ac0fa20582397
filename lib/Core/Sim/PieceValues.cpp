//===- PieceValues.cpp - How many values a piece holds --------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PieceValues.h"

#include "Ticks.h"

#include <algorithm>

namespace transfusion::core::sim {

using Term = std::pair<int32_t, int64_t>;

static constexpr int64_t kMost = int64_t(1) << 62;

static Wide magnitude(int64_t v) { return v < 0 ? -Wide(v) : Wide(v); }

namespace {
struct Interval {
  Wide low, high;
};
} // namespace

static Interval intervalOf(const Coordinate &c, const Box &box) {
  Interval i{c.constant, c.constant};
  for (const Term &t : c.terms) {
    const Wide first = Wide(box[t.first].begin) * t.second;
    const Wide reach = Wide(box[t.first].extent - 1) * t.second;
    i.low += first + std::min<Wide>(reach, 0);
    i.high += first + std::max<Wide>(reach, 0);
  }
  return i;
}

/// Different values of the ranks give different coordinates: each step is
/// greater than all that smaller digits reach together.
static bool isDigits(const Program &p, std::vector<Term> terms) {
  std::sort(terms.begin(), terms.end(), [](const Term &x, const Term &y) {
    return magnitude(x.second) < magnitude(y.second);
  });
  Wide below = 0;
  for (const Term &t : terms) {
    if (terms.size() > 1 && magnitude(t.second) <= below)
      return false;
    below += magnitude(t.second) * (p.ranks[t.first].extent - 1);
  }
  return true;
}

/// Values v of the range with low <= v * step <= high.
static Range multiplesIn(Range range, int64_t step, Wide low, Wide high) {
  if (step < 0) {
    std::swap(low, high);
    low = -low;
    high = -high;
  }
  const Wide s = magnitude(step);
  const Wide first = low >= 0 ? (low + s - 1) / s : -(-low / s);
  const Wide last = high >= 0 ? high / s : -((-high + s - 1) / s);
  const Wide begin = std::max<Wide>(first, range.begin);
  const Wide end = std::min<Wide>(last + 1, Wide(range.begin) + range.extent);
  if (begin >= end)
    return {range.begin, 0};
  return {static_cast<int64_t>(begin), static_cast<int64_t>(end - begin)};
}

/// Combinations of the terms from `next` on, digits with the greatest step
/// first, whose sum with `at` lies in [0, size).
static Wide countInside(const std::vector<Term> &terms, size_t next, Wide at,
                        int64_t size, const Box &box) {
  if (next == terms.size())
    return at >= 0 && at < size;
  Coordinate rest;
  rest.terms.assign(terms.begin() + next + 1, terms.end());
  const Interval i = intervalOf(rest, box);
  Wide below = 1; // combinations of the smaller digits
  for (const Term &t : rest.terms)
    below = std::min<Wide>(below * box[t.first].extent, kMost);
  const auto [rank, step] = terms[next];
  const Range inside =
      multiplesIn(box[rank], step, -at - i.low, size - 1 - at - i.high);
  const Range touching =
      multiplesIn(box[rank], step, -at - i.high, size - 1 - at - i.low);
  Wide sum = std::min<Wide>(below * inside.extent, kMost);
  // The end of the tensor runs through the others: few, as these are digits.
  for (int64_t v = touching.begin; v < touching.begin + touching.extent; ++v) {
    if (inside.extent > 0 && v == inside.begin) {
      v += inside.extent - 1;
      continue;
    }
    sum += countInside(terms, next + 1, at + Wide(v) * step, size, box);
  }
  return std::min<Wide>(sum, kMost);
}

int64_t valuesIn(const Program &p, int32_t tensor, const Coordinates &access,
                 const Box &box) {
  Wide product = 1;
  for (size_t d = 0; d < access.size(); ++d) {
    const Coordinate &c = access[d];
    const int64_t size = p.tensors[tensor].shape[d];
    int64_t length;
    if (isDigits(p, c.terms)) {
      std::vector<Term> terms = c.terms;
      std::sort(terms.begin(), terms.end(), [](const Term &x, const Term &y) {
        return magnitude(x.second) > magnitude(y.second);
      });
      length =
          static_cast<int64_t>(countInside(terms, 0, c.constant, size, box));
    } else {
      const Interval i = intervalOf(c, box);
      length = static_cast<int64_t>(std::max<Wide>(
          std::min<Wide>(i.high, size - 1) - std::max<Wide>(i.low, 0) + 1, 0));
    }
    product = std::min<Wide>(product * length, kMost);
  }
  return static_cast<int64_t>(product);
}

int64_t valuesInParts(const Program &p, int32_t tensor,
                      const Coordinates &access, Box box,
                      const std::vector<std::pair<int32_t, int64_t>> &parts) {
  if (parts.empty())
    return valuesIn(p, tensor, access, box);
  auto rest = parts;
  const auto [rank, points] = rest.back();
  rest.pop_back();
  const Range whole = box[rank];
  Wide sum = 0;
  for (int64_t at = 0; at < whole.extent; at += points) {
    box[rank] = {whole.begin + at, std::min(points, whole.extent - at)};
    sum = std::min<Wide>(sum + valuesInParts(p, tensor, access, box, rest),
                         kMost);
  }
  return static_cast<int64_t>(sum);
}

bool reachesOutside(const Program &p, int32_t tensor, const Coordinates &access,
                    const Box &box) {
  for (size_t d = 0; d < access.size(); ++d) {
    const Interval i = intervalOf(access[d], box);
    if (i.low < 0 || i.high >= p.tensors[tensor].shape[d])
      return true;
  }
  return false;
}

bool usesRank(const Coordinates &access, int32_t rank) {
  for (const Coordinate &c : access)
    for (const auto &t : c.terms)
      if (t.first == rank)
        return true;
  return false;
}

Box wholeBox(const Program &p) {
  Box box;
  for (const Rank &r : p.ranks)
    box.push_back({0, r.extent});
  return box;
}

bool staysInside(const Program &p, const Phase &phase, int32_t rank,
                 const Box &box) {
  auto inside = [&](int32_t tensor, const Coordinates &access) {
    return !usesRank(access, rank) || !reachesOutside(p, tensor, access, box);
  };
  for (const Transfer &t : phase.transfers)
    if (!inside(t.tensor, p.buffers[t.buffer].access))
      return false;
  for (const Slot &slot : phase.slots) {
    for (const Read &r : slot.reads)
      if (!inside(p.buffers[r.buffer].tensor, r.access))
        return false;
    for (const Write &w : slot.writes)
      if (!inside(p.buffers[w.buffer].tensor, p.buffers[w.buffer].access))
        return false;
  }
  return true;
}

} // namespace transfusion::core::sim
