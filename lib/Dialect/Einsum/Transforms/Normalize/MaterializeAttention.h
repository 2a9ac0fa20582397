//===- MaterializeAttention.h - The one-pass cascade of a piece -*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_MATERIALIZEATTENTION_H
#define TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_MATERIALIZEATTENTION_H

#include "Materialize.h"

namespace transfusion::einsum::normal {

/// How "attention" becomes Einsums, in one cascade: attentions over equally
/// many keys share the ranks of their tiles.
PieceKind attentionPiece();

} // namespace transfusion::einsum::normal

#endif // TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_MATERIALIZEATTENTION_H
