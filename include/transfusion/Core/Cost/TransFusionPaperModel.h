//===- TransFusionPaperModel.h - The paper's own estimates ------*- C++ -*-===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// TransFusion (Zhang, Amaral, Niu, MICRO 2025) as it estimates itself and its
// baselines: a layer is the sum of its modules. An encoder is QKV + MHA + LN +
// FFN + LN, a decoder QKV + 2 (MHA + LN) + FFN + LN. There is no output
// projection, no mask, no filling of pipelines; an activation is a lump. The
// honest model is evaluate().
//
//   FuseMax     attention: its waterfall with LM on 1D. A linear layer is not
//               tiled: each step of the 2D array takes two vectors from DRAM.
//               Norms and activations go through DRAM, Einsum by Einsum.
//   LayerFuse   the same bindings, but modules hand on what they make on chip.
//   TransFusion attention: DPipe. FFN1 beside activation and FFN2; the three
//               projections and the norms over all lanes of both arrays.
//
// Two things the paper does not say decide the short sequences; PaperReading
// has them as choices, and docs/Rationale/PublishedModels.md what each gives.
//
// Toy example: FFN of 16 MACs on arrays of 2 + 2 lanes. LayerFuse 16 / 2 = 8,
// TransFusion 8 / 2 = 4.
//
//===----------------------------------------------------------------------===//
#ifndef TRANSFUSION_CORE_COST_TRANSFUSIONPAPERMODEL_H
#define TRANSFUSION_CORE_COST_TRANSFUSIONPAPERMODEL_H

#include "transfusion/Core/Cost/FuseMaxModel.h"

namespace transfusion::core {

enum class PaperPolicy : uint8_t { FuseMax, LayerFuse, TransFusion };

struct PaperReading {
  /// 400 GB/s are 400 * 10^9 bytes, not 400 * 2^30.
  bool decimalGigabytes = true;
  /// Q, BK and BV are spread over both arrays; else each is on one, whole.
  bool projectionsShareArrays = true;
};

struct PaperLayer {
  int64_t batch = 64, sequence = 1024;
  int64_t d = 768, heads = 12, e = 64, s = 3072;
  int64_t activationCycles = 9; ///< 7 mac + 1 add + 1 div; ReLU: 1
  // Modules.
  int64_t projections = 1, attentions = 1, ffns = 1, norms = 2;
};
PaperLayer asDecoder(PaperLayer l);           ///< TrXL, Llama3
PaperLayer asEncoderAndDecoder(PaperLayer l); ///< T5, XLM

struct PaperMachine {
  FuseMaxMachine m; ///< bufferBytes, energies; `dramBytesPerS` with 2^30
  int64_t lanes = 256;
};
bool paperMachine(const Arch &a, PaperMachine &m, std::string &why);

struct PaperCost {
  // Cycles of all modules of a kind.
  double projections = 0, attention = 0, ffn = 0, activation = 0, norms = 0;
  double dramBytes = 0, arithmeticPj = 0, dramPj = 0;
  double cycles() const {
    return projections + attention + ffn + activation + norms;
  }
};

/// `dpipeTile`: cycles of one inner tile of one head under DPipe.
PaperCost paperCost(const PaperMachine &m, const PaperLayer &l, PaperPolicy p,
                    double dpipeTile, const PaperReading &r = {});

} // namespace transfusion::core

#endif // TRANSFUSION_CORE_COST_TRANSFUSIONPAPERMODEL_H
