//===- AttentionRounding.h - A cast around an attention ---------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_ATTENTIONROUNDING_H
#define TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_ATTENTIONROUNDING_H

#include "NormalForm.h"

namespace transfusion::einsum::normal {

/// Where `ref` rounds all of an attention: the attention that is rounded.
std::optional<Ref> roundAttention(Graph &graph, const Frame &frame,
                                  const Ref &ref);

} // namespace transfusion::einsum::normal

#endif // TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_ATTENTIONROUNDING_H
