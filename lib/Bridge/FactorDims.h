//===- FactorDims.h - Dimensions of tensors as digits -----------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_BRIDGE_FACTORDIMS_H
#define TRANSFUSION_LIB_BRIDGE_FACTORDIMS_H

#include "transfusion/Bridge/ImportCascade.h"

namespace transfusion {

/// Splits each dimension that all users read as the same mixed-radix number
/// into its digits, most significant first; an access to a fixed index has the
/// digits of that index. Says for each tensor what its dimensions were.
std::vector<std::vector<TensorDigit>> factorDims(core::Cascade &cascade);

} // namespace transfusion

#endif // TRANSFUSION_LIB_BRIDGE_FACTORDIMS_H
