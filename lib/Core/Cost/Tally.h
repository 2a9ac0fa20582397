//===- Tally.h - 64-bit counts that never wrap ------------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_COST_TALLY_H
#define TRANSFUSION_LIB_CORE_COST_TALLY_H

#include <cstdint>

namespace transfusion::core {

/// Arithmetic that remembers whether anything exceeded 2^63 - 1. Results are
/// meaningless (but defined) from then on; the caller reports a fault.
struct Tally {
  bool overflow = false;

  int64_t mul(int64_t x, int64_t y) {
    int64_t r;
    overflow |= __builtin_mul_overflow(x, y, &r);
    return r;
  }
  int64_t add(int64_t x, int64_t y) {
    int64_t r;
    overflow |= __builtin_add_overflow(x, y, &r);
    return r;
  }
  /// Takes the -1 of a function that counts for an overflow.
  int64_t count(int64_t n) {
    overflow |= n < 0;
    return n < 0 ? 0 : n;
  }
};

} // namespace transfusion::core

#endif // TRANSFUSION_LIB_CORE_COST_TALLY_H
