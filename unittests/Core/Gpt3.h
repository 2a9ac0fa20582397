//===- Gpt3.h - The layer of AccelForge's reference -------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_UNITTESTS_CORE_GPT3_H
#define TRANSFUSION_UNITTESTS_CORE_GPT3_H

#include "TestCascades.h"

namespace transfusion::core::test {

/// One layer of GPT-3 175B: softmax is one operation, there are no norms. 2048
/// tokens, or with `decode` one that reads the keys of 2047 others.
Cascade gpt3(bool decode);

} // namespace transfusion::core::test

#endif // TRANSFUSION_UNITTESTS_CORE_GPT3_H
