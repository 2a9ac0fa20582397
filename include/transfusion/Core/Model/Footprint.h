//===- Footprint.h - What a piece of a tensor looks like --------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Terms. The *footprint* of an access over a box of rank values is held as a
// dense array. A tensor dimension that is written in *digits* (m1*16 + m0 with
// m0 < 16) has one buffer dimension per digit; any other sum of ranks (i + j: a
// halo) has one, the interval from the least to the greatest coordinate.
//
// Toy example: access [m1*16 + m0, e] over m1 in [2, 4), m0 whole, e whole of
// 64 gives dimensions m1: 2, m0: 16, e: 64.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_CORE_MODEL_FOOTPRINT_H
#define TRANSFUSION_CORE_MODEL_FOOTPRINT_H

#include "transfusion/Core/Model/Plan.h"

namespace transfusion::core {

/// True when different values of the expression's ranks give different
/// coordinates: each coefficient is greater than all smaller digits together.
bool isDigits(const Cascade &c, const LinearExpr &expr);

/// Buffer dimensions of the piece where rank r covers extents[r] values. Digits
/// in order of decreasing coefficient.
std::vector<BufferDim> pieceDims(const Cascade &c, const Access &access,
                                 const std::vector<int64_t> &extents);

/// Product of the extents of pieceDims; -1 on overflow.
int64_t footprint(const Cascade &c, const Access &access,
                  const std::vector<int64_t> &extents);

/// Bytes that one value takes in a memory.
inline int64_t bytesPerValue(int32_t bits) { return (bits + 7) / 8; }

/// Bytes of the whole tensor; -1 on overflow.
int64_t tensorBytes(const Tensor &t);

} // namespace transfusion::core

#endif // TRANSFUSION_CORE_MODEL_FOOTPRINT_H
