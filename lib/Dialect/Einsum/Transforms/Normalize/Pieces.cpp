//===- Pieces.cpp - All rules and all kinds of pieces ---------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Pieces.h"
#include "MaterializeAttention.h"
#include "RecognizeAttention.h"

using namespace transfusion::einsum;
using namespace transfusion::einsum::normal;

llvm::SmallVector<Rule> normal::getRules() {
  return {recognizeLayerNorm, recognizeRmsNorm, recognizeRope,
          recognizeActivation};
}

PieceKinds normal::getPieceKinds() {
  return {{"layer_norm", layerNormKind()},
          {"rms_norm", rmsNormKind()},
          {"activation", activationKind()},
          {"rope", ropeKind()},
          {AttentionTraits::kPiece.str(), attentionPiece()}};
}
