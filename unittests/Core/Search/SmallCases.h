//===- SmallCases.h - Tile searches that can be exhausted -------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_UNITTESTS_CORE_SEARCH_SMALLCASES_H
#define TRANSFUSION_UNITTESTS_CORE_SEARCH_SMALLCASES_H

#include "../TestCascades.h"
#include "transfusion/Core/Search/Rng.h"

namespace transfusion::core::test {

struct SmallCase {
  Cascade c;
  Arch a;
};

/// x -> x * W1 -> act -> * W2 -> + x, rows i.
inline Cascade smallFfn(int64_t i, int64_t j, int64_t k) {
  CascadeBuilder b("ffn");
  b.rank("i", i);
  b.rank("j", j);
  b.rank("k", k);
  b.rank("l", j);
  b.input("X", {i, j});
  b.input("W1", {j, k});
  b.input("W2", {k, j});
  b.einsum("H[i,k]", {"X[i,j]", "W1[j,k]"}, ReduceKind::Add,
           {{OpClass::Mac, 1}});
  b.einsum("A[i,k]", {"H[i,k]"}, ReduceKind::None, {{OpClass::Max, 1}});
  b.einsum("Y[i,l]", {"A[i,k]", "W2[k,l]"}, ReduceKind::Add,
           {{OpClass::Mac, 1}});
  b.einsum("Z[i,l]", {"Y[i,l]", "X[i,l]"}, ReduceKind::None,
           {{OpClass::Add, 1}});
  b.output("Z");
  return b.take();
}

/// Case number `n`, always the same.
inline SmallCase smallCase(int n) {
  Rng rng(1000 + static_cast<uint64_t>(n));
  auto in = [&](int64_t lo, int64_t hi) {
    return lo + static_cast<int64_t>(rng.below(hi - lo + 1));
  };
  SmallCase s{{}, machine("tiny")};
  if (n % 3 == 0) {
    const int64_t i = in(5, 60), j = in(3, 40), k = in(3, 60);
    s.c = chain(i, j, k);
    s.a.memories[1].capacityBytes = in(3, 16) * 1024;
  } else if (n % 3 == 1) {
    const int64_t i = in(5, 24), j = in(4, 12), k = in(9, 24);
    s.c = smallFfn(i, j, k);
    s.a.memories[1].capacityBytes = in(4, 12) * 1024;
  } else {
    AttentionShape t;
    t.b = 1, t.h = 1, t.e = t.f = in(2, 8), t.m0 = 4;
    t.p = in(5, 24), t.m = in(5, 24);
    s.c = attention(t);
    s.a.memories[1].capacityBytes = in(2, 8) * 1024;
  }
  // From bound by memory to bound by compute.
  s.a.memories[0].readBytesPerS *= static_cast<double>(in(1, 8)) / 8;
  return s;
}

} // namespace transfusion::core::test

#endif // TRANSFUSION_UNITTESTS_CORE_SEARCH_SMALLCASES_H
