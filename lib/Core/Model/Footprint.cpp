//===- Footprint.cpp - What a piece of a tensor looks like ----------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Core/Model/Footprint.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace transfusion::core {

using Term = std::pair<RankId, int64_t>;

static int64_t magnitude(int64_t v) { return v < 0 ? -v : v; }

/// Terms with the greatest step first.
static std::vector<Term> byStep(const LinearExpr &expr) {
  std::vector<Term> terms = expr.terms;
  std::sort(terms.begin(), terms.end(), [](const Term &a, const Term &b) {
    if (magnitude(a.second) != magnitude(b.second))
      return magnitude(a.second) > magnitude(b.second);
    return a.first < b.first;
  });
  return terms;
}

/// Coordinates from least to greatest; saturates.
static int64_t intervalLength(const LinearExpr &expr,
                              const std::vector<int64_t> &extents) {
  int64_t length = 1;
  for (const Term &t : expr.terms) {
    int64_t reach;
    if (__builtin_mul_overflow(magnitude(t.second), extents[t.first] - 1,
                               &reach) ||
        __builtin_add_overflow(length, reach, &length))
      return std::numeric_limits<int64_t>::max();
  }
  return length;
}

bool isDigits(const Cascade &c, const LinearExpr &expr) {
  if (expr.terms.size() <= 1)
    return true;
  // Asked for so often that two digits, the usual case, are not copied.
  std::vector<Term> sorted;
  Term pair[2];
  const Term *terms = pair;
  const size_t n = expr.terms.size();
  if (n == 2) {
    pair[0] = expr.terms[0], pair[1] = expr.terms[1];
    if (magnitude(pair[0].second) < magnitude(pair[1].second))
      std::swap(pair[0], pair[1]);
  } else {
    sorted = byStep(expr);
    terms = sorted.data();
  }
  int64_t below = 0; // what the smaller digits reach together
  for (size_t i = n; i-- > 0;) {
    int64_t step = magnitude(terms[i].second);
    if (step <= below)
      return false;
    int64_t reach;
    if (__builtin_mul_overflow(step, c.ranks[terms[i].first].extent - 1,
                               &reach) ||
        __builtin_add_overflow(below, reach, &below))
      return false;
  }
  return true;
}

std::vector<BufferDim> pieceDims(const Cascade &c, const Access &access,
                                 const std::vector<int64_t> &extents) {
  std::vector<BufferDim> dims;
  dims.reserve(access.size() + 1);
  for (size_t d = 0; d < access.size(); ++d) {
    const LinearExpr &expr = access[d];
    BufferDim dim;
    dim.tensorDim = static_cast<int32_t>(d);
    if (expr.terms.size() == 1) {
      dim.rank = expr.terms.front().first;
      dim.coefficient = expr.terms.front().second;
      dim.extent = extents[dim.rank];
      dims.push_back(dim);
    } else if (!expr.terms.empty() && isDigits(c, expr)) {
      for (const Term &t : byStep(expr)) {
        dim.rank = t.first;
        dim.coefficient = t.second;
        dim.extent = extents[t.first];
        dims.push_back(dim);
      }
    } else {
      dim.extent = intervalLength(expr, extents);
      dims.push_back(dim);
    }
  }
  return dims;
}

int64_t footprint(const Cascade &c, const Access &access,
                  const std::vector<int64_t> &extents) {
  int64_t product = 1;
  for (const LinearExpr &expr : access) {
    if (expr.terms.size() > 1 && !isDigits(c, expr)) {
      if (__builtin_mul_overflow(product, intervalLength(expr, extents),
                                 &product))
        return -1;
      continue;
    }
    for (const Term &t : expr.terms)
      if (__builtin_mul_overflow(product, extents[t.first], &product))
        return -1;
  }
  return product;
}

int64_t tensorBytes(const Tensor &t) {
  int64_t bytes = bytesPerValue(t.bitsPerValue);
  for (int64_t extent : t.shape)
    if (__builtin_mul_overflow(bytes, extent, &bytes))
      return -1;
  return bytes;
}

} // namespace transfusion::core
