//===- Wide.h - Integers that a sum of products fits ------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_CORE_MODEL_WIDE_H
#define TRANSFUSION_LIB_CORE_MODEL_WIDE_H

namespace transfusion::core {

using Wide = __int128;

/// Towards minus infinity.
inline Wide floorDiv(Wide a, Wide b) {
  Wide q = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? q - 1 : q;
}

} // namespace transfusion::core

#endif // TRANSFUSION_LIB_CORE_MODEL_WIDE_H
