//===- Pieces.h - All rules and all kinds of pieces -------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_PIECES_H
#define TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_PIECES_H

#include "Materialize.h"
#include "Recognize.h"

namespace transfusion::einsum::normal {

/// In the order in which they are tried.
llvm::SmallVector<Rule> getRules();
PieceKinds getPieceKinds();

PieceKind layerNormKind();
PieceKind rmsNormKind();
PieceKind activationKind();
PieceKind ropeKind();

} // namespace transfusion::einsum::normal

#endif // TRANSFUSION_LIB_DIALECT_EINSUM_TRANSFORMS_NORMALIZE_PIECES_H
