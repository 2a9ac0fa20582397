//===- Reads.h - Who reads what, recomputed for the checker -----*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checker derives dependences from the accesses by itself: a mistake in
// core::dependences() would otherwise make a wrong schedule look right.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_CHECK_READS_H
#define TRANSFUSION_LIB_CORE_CHECK_READS_H

#include "transfusion/Core/Model/Cascade.h"

namespace transfusion::core::check {

enum class ReadKind : uint8_t {
  Plain,    ///< no recurrence along the tensor, or the slice of the same epoch
  Previous, ///< the slice before
  Last,     ///< the last slice, after the whole loop
  History   ///< any other slice: not kept by any buffer
};

struct Read {
  EinsumId reader = -1;
  bool inFinish = false;
  int32_t operand = -1; ///< index into inputs or finishInputs
  TensorId tensor = -1;
  ReadKind kind = ReadKind::Plain;
  const Access *access = nullptr;
};

/// Every operand of every Einsum, in order. Requires C01 to C06.
std::vector<Read> allReads(const Cascade &c);

struct Interval {
  __int128 lo = 0, hi = 0;
};
/// Values of `e` when rank r runs over [0, extents[r]).
Interval rangeOf(const LinearExpr &e, const std::vector<int64_t> &extents);

std::vector<int64_t> rankExtents(const Cascade &c);

} // namespace transfusion::core::check

#endif // TRANSFUSION_LIB_CORE_CHECK_READS_H
