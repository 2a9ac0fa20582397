//===- Points.cpp - Counting integer points exactly -----------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Core/Model/Points.h"

#include "Wide.h"

#include <algorithm>
#include <limits>

namespace transfusion::core {

namespace {

/// Sums and products of 64-bit numbers fit; the result is judged at the end.
constexpr Wide kTooMany = static_cast<Wide>(1) << 63;

struct Axis {
  Wide begin = 0, extent = 0;
  std::vector<int64_t> coefficients; ///< by constraint
};

/// Axes and constraints sum_k coefficient * x_k + constant >= 0.
struct System {
  std::vector<Axis> axes;
  std::vector<Wide> constants; ///< by constraint
};

/// slope * x + constant.
struct Line {
  Wide slope = 0, constant = 0;
  Wide at(Wide x) const { return slope * x + constant; }
};

Wide saturate(Wide n) { return std::min(n, kTooMany); }

/// Least and greatest value of constraint `k`.
std::pair<Wide, Wide> range(const System &s, size_t k) {
  Wide lo = s.constants[k], hi = s.constants[k];
  for (const Axis &a : s.axes) {
    Wide first = a.begin * a.coefficients[k];
    Wide last = (a.begin + a.extent - 1) * a.coefficients[k];
    lo += std::min(first, last);
    hi += std::max(first, last);
  }
  return {lo, hi};
}

void dropConstraint(System &s, size_t k) {
  s.constants.erase(s.constants.begin() + k);
  for (Axis &a : s.axes)
    a.coefficients.erase(a.coefficients.begin() + k);
}

/// Drops what always holds; false when something never does.
bool simplify(System &s) {
  for (size_t k = 0; k < s.constants.size();) {
    auto [lo, hi] = range(s, k);
    if (hi < 0)
      return false;
    if (lo >= 0)
      dropConstraint(s, k);
    else
      ++k;
  }
  return true;
}

/// x_i*N + x_j with 0 <= x_j - begin < N is one index when every constraint
/// weighs x_i by N times x_j's coefficient.
bool areDigits(const Axis &high, const Axis &low) {
  for (size_t k = 0; k < low.coefficients.size(); ++k)
    if (static_cast<Wide>(high.coefficients[k]) !=
        low.extent * low.coefficients[k])
      return false;
  return true;
}

void mergeDigits(System &s) {
  for (bool merged = true; merged;) {
    merged = false;
    for (size_t i = 0; i < s.axes.size() && !merged; ++i)
      for (size_t j = 0; j < s.axes.size() && !merged; ++j) {
        if (i == j || !areDigits(s.axes[i], s.axes[j]))
          continue;
        Axis &low = s.axes[j];
        low.begin += s.axes[i].begin * low.extent;
        low.extent *= s.axes[i].extent;
        s.axes.erase(s.axes.begin() + i);
        merged = true;
      }
  }
}

/// Takes axes that no constraint uses out of the system; returns their product.
Wide takeFreeAxes(System &s) {
  Wide product = 1;
  for (size_t i = 0; i < s.axes.size();) {
    const std::vector<int64_t> &co = s.axes[i].coefficients;
    if (std::any_of(co.begin(), co.end(), [](int64_t v) { return v != 0; })) {
      ++i;
      continue;
    }
    product = saturate(product * s.axes[i].extent);
    s.axes.erase(s.axes.begin() + i);
  }
  return product;
}

/// Values of the only axis left.
Wide countOne(const System &s) {
  const Axis &y = s.axes.front();
  Wide lo = y.begin, hi = y.begin + y.extent - 1;
  for (size_t k = 0; k < s.constants.size(); ++k) {
    Wide a = y.coefficients[k], c = s.constants[k];
    if (a > 0)
      lo = std::max(lo, -floorDiv(c, a)); // y >= ceil(-c / a)
    else if (a < 0)
      hi = std::min(hi, floorDiv(c, -a));
    else if (c < 0)
      return 0;
  }
  return std::max<Wide>(0, hi - lo + 1);
}

bool unitCoefficients(const Axis &y) {
  return std::all_of(y.coefficients.begin(), y.coefficients.end(),
                     [](int64_t a) { return a >= -1 && a <= 1; });
}

/// Adds the x where `l` changes sign to the starts of linear pieces.
void addBreak(const Line &l, std::vector<Wide> &starts) {
  if (l.slope == 0)
    return;
  Wide x = floorDiv(-l.constant, l.slope);
  starts.push_back(x);
  starts.push_back(x + 1);
}

/// Sum over x of the number of y, where y's bounds are lines in x: the count is
/// linear between neighbouring crossings of bounds.
Wide countTwo(const Axis &x, const Axis &y,
              const std::vector<Wide> &constants) {
  std::vector<Line> lower{{0, y.begin}}, upper{{0, y.begin + y.extent - 1}};
  System onX;
  onX.axes.push_back({x.begin, x.extent, {}});
  for (size_t k = 0; k < constants.size(); ++k) {
    Wide a = x.coefficients[k];
    if (y.coefficients[k] > 0) {
      lower.push_back({-a, -constants[k]});
    } else if (y.coefficients[k] < 0) {
      upper.push_back({a, constants[k]});
    } else {
      onX.axes.front().coefficients.push_back(x.coefficients[k]);
      onX.constants.push_back(constants[k]);
    }
  }
  Wide begin = x.begin, end = x.begin + x.extent;
  for (size_t k = 0; k < onX.constants.size(); ++k) {
    Wide a = onX.axes.front().coefficients[k], c = onX.constants[k];
    if (a > 0)
      begin = std::max(begin, -floorDiv(c, a));
    else if (a < 0)
      end = std::min(end, floorDiv(c, -a) + 1);
    else if (c < 0)
      return 0;
  }
  std::vector<Wide> starts{begin};
  auto crossings = [&](const std::vector<Line> &lines) {
    for (size_t i = 0; i < lines.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        addBreak({lines[i].slope - lines[j].slope,
                  lines[i].constant - lines[j].constant},
                 starts);
  };
  crossings(lower);
  crossings(upper);
  for (const Line &u : upper)
    for (const Line &l : lower)
      addBreak({u.slope - l.slope, u.constant - l.constant + 1}, starts);
  std::sort(starts.begin(), starts.end());
  starts.erase(std::unique(starts.begin(), starts.end()), starts.end());

  auto countAt = [&](Wide v) {
    Wide lo = lower.front().at(v), hi = upper.front().at(v);
    for (const Line &l : lower)
      lo = std::max(lo, l.at(v));
    for (const Line &u : upper)
      hi = std::min(hi, u.at(v));
    return std::max<Wide>(0, hi - lo + 1);
  };
  Wide sum = 0;
  for (size_t i = 0; i < starts.size(); ++i) {
    Wide from = std::max(starts[i], begin);
    Wide to = i + 1 < starts.size() ? std::min(starts[i + 1], end) : end;
    if (from >= to || starts[i] < begin)
      continue;
    sum = saturate(sum + (to - from) * (countAt(from) + countAt(to - 1)) / 2);
  }
  return sum;
}

Wide count(System s) {
  for (const Axis &a : s.axes)
    if (a.extent <= 0)
      return 0;
  if (!simplify(s))
    return 0;
  mergeDigits(s);
  Wide product = takeFreeAxes(s);
  if (s.axes.empty())
    return product;
  // The shortest axis first, the longest one in closed form.
  std::sort(s.axes.begin(), s.axes.end(),
            [](const Axis &a, const Axis &b) { return a.extent < b.extent; });
  if (s.axes.size() == 1)
    return saturate(product * countOne(s));
  if (s.axes.size() == 2)
    for (int y : {1, 0})
      if (unitCoefficients(s.axes[y]))
        return saturate(product *
                        countTwo(s.axes[1 - y], s.axes[y], s.constants));
  Axis x = s.axes.front();
  s.axes.erase(s.axes.begin());
  Wide sum = 0;
  for (Wide v = x.begin; v < x.begin + x.extent && sum < kTooMany; ++v) {
    System rest = s;
    for (size_t k = 0; k < rest.constants.size(); ++k)
      rest.constants[k] += v * x.coefficients[k];
    sum = saturate(sum + count(std::move(rest)));
  }
  return saturate(product * sum);
}

} // namespace

int64_t countPoints(const std::vector<RankId> &ranks,
                    const std::vector<Span> &spans,
                    const std::vector<Constraint> &constraints) {
  System s;
  for (const Span &span : spans)
    s.axes.push_back(
        {span.begin, span.extent, std::vector<int64_t>(constraints.size(), 0)});
  for (size_t k = 0; k < constraints.size(); ++k) {
    s.constants.push_back(constraints[k].expr.constant);
    for (const auto &term : constraints[k].expr.terms)
      for (size_t i = 0; i < ranks.size(); ++i)
        if (ranks[i] == term.first)
          s.axes[i].coefficients[k] = term.second;
  }
  Wide n = count(std::move(s));
  return n >= kTooMany ? -1 : static_cast<int64_t>(n);
}

std::vector<Span> wholeSpans(const Cascade &c) {
  std::vector<Span> spans;
  for (const Rank &r : c.ranks)
    spans.push_back({0, r.extent});
  return spans;
}

static std::vector<Span> wholeSpans(const Cascade &c,
                                    const std::vector<RankId> &ranks) {
  std::vector<Span> spans;
  for (RankId r : ranks)
    spans.push_back({0, c.ranks[r].extent});
  return spans;
}

int64_t pointCount(const Cascade &c, EinsumId e) {
  const Einsum &einsum = c.einsums[e];
  return countPoints(einsum.ranks, wholeSpans(c, einsum.ranks), einsum.domain);
}

int64_t resultCount(const Cascade &c, EinsumId e) {
  const Einsum &einsum = c.einsums[e];
  std::vector<RankId> kept;
  for (RankId r : einsum.ranks)
    if (!isReducedRank(c, e, r))
      kept.push_back(r);
  // An empty reduction yields the operator's identity: only what constrains
  // result ranks alone takes result points away.
  std::vector<Constraint> domain;
  for (const Constraint &constraint : einsum.domain) {
    bool keeps = true;
    for (const auto &term : constraint.expr.terms)
      keeps &= has(kept, term.first);
    if (keeps)
      domain.push_back(constraint);
  }
  return countPoints(kept, wholeSpans(c, kept), domain);
}

} // namespace transfusion::core
