//===- LayerShape.h - The matrix products of a layer ------------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Published models see a layer as sizes: heads, widths, sequence lengths, and a
// list of linear layers. This reads them off a cascade, by structure and not by
// name. A contraction is *linear* when one operand, the weight, shares with the
// others only what is reduced; it belongs to *attention* when its operands
// share a rank that its result keeps (batch and heads).
//
// Toy example, Q[h,e,p] = sum_d X[d,p] * W[d,h,e]: linear, p rows, d in,
// h*e out. QK[h,p,m] = sum_e Q[h,e,p] * K[h,e,m]: attention, h shared.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_CORE_COST_LAYERSHAPE_H
#define TRANSFUSION_CORE_COST_LAYERSHAPE_H

#include "transfusion/Core/Model/Cascade.h"

namespace transfusion::core {

struct LinearShape {
  std::string name;
  int64_t rows = 0, in = 0, out = 0; ///< rows: of the batch and the sequence
};

/// `heads` counts all of the batch (b * h).
struct AttentionShapeOf {
  std::string name; ///< of the Einsum that makes the scores
  int64_t batch = 1, heads = 1;
  int64_t e = 1, f = 1, queries = 1, keys = 1;
};

struct LayerShape {
  std::vector<LinearShape> linear;
  std::vector<AttentionShapeOf> attention;
  /// Greatest number of operations per point of an Einsum without contraction
  /// that follows the widest linear layer: tells ReLU (1) from others.
  int64_t activationOps = 0;
};

LayerShape layerShape(const Cascade &c);

} // namespace transfusion::core

#endif // TRANSFUSION_CORE_COST_LAYERSHAPE_H
