//===- Sink.h - Where rules put what they find ------------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_CHECK_SINK_H
#define TRANSFUSION_LIB_CORE_CHECK_SINK_H

#include "transfusion/Core/Check/Check.h"

namespace transfusion::core::check {

/// Collects violations; a rule is named by its id alone.
class Sink {
public:
  /// `fix` is the last note: what would make it legal. Further terms are put
  /// before it with `term`.
  Violation &add(const char *ruleId, std::string what, std::string fix);
  static void term(Violation &v, std::string note);
  bool empty() const { return found.empty(); }
  std::vector<Violation> found;
};

/// "'QK'"
std::string quoted(const std::string &name);
/// "4.9 MiB (5138022 bytes)"; "17 bytes"
std::string byteText(int64_t bytes);
std::string num(int64_t n);

/// a * b and a + b of non-negative numbers, INT64_MAX when they do not fit.
int64_t mulSat(int64_t a, int64_t b);
int64_t addSat(int64_t a, int64_t b);
inline constexpr int64_t kTooMuch = INT64_MAX;
inline int64_t ceilDiv(int64_t a, int64_t b) { return a / b + (a % b != 0); }
/// Rounded up to the alignment.
inline int64_t alignedSat(int64_t bytes) {
  return mulSat(ceilDiv(bytes, kBufferAlignment), kBufferAlignment);
}

} // namespace transfusion::core::check

#endif // TRANSFUSION_LIB_CORE_CHECK_SINK_H
