//===- Rng.h - Reproducible random numbers ----------------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): the same numbers on every
// standard library, which std::uniform_int_distribution does not promise.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_CORE_SEARCH_RNG_H
#define TRANSFUSION_CORE_SEARCH_RNG_H

#include <cstdint>

namespace transfusion::core {

class Rng {
public:
  explicit Rng(uint64_t seed) : state(seed) {}
  uint64_t next() {
    uint64_t z = (state += 0x9E3779B97F4A7C15ull);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  /// Uniform in [0, n), n > 0, without modulo bias.
  uint64_t below(uint64_t n) {
    uint64_t limit = -n % n; // 2^64 mod n
    uint64_t x;
    do
      x = next();
    while (x < limit);
    return x % n;
  }
  double unit() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

private:
  uint64_t state;
};

} // namespace transfusion::core

#endif // TRANSFUSION_CORE_SEARCH_RNG_H
