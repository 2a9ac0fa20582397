//===- FuseMaxTile.cpp - FuseMax's cycles per inner tile ------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Core/Cost/FuseMaxTile.h"

#include <algorithm>

namespace transfusion::core {

namespace {
/// Cycles of each Einsum: on 2D one key per column and query per row, on 1D one
/// query per lane.
struct Cycles {
  int64_t qk, sln, sld, slnv;              ///< 2D
  int64_t rm, prm, spd, rd, spnv, rnv, av; ///< 1D

  explicit Cycles(const FuseMaxTile &t)
      : qk(t.e), sln(t.expCycles + 1), sld(1), slnv(t.f), rm(1),
        prm(t.expCycles + 1), spd(1), rd(1), spnv(t.f), rnv(t.f), av(0) {
  } // once per query, after all keys

  int64_t afterMaximum() const {
    return rm + std::max(sln + sld, prm + spd) + std::max(slnv, spnv);
  }
};
} // namespace

int64_t fuseMaxCyclesPublished(const FuseMaxTile &t) {
  const Cycles c(t);
  const int64_t lm = 1;
  return std::max(c.qk + lm, c.rd + c.rnv + c.av) + c.afterMaximum();
}

int64_t fuseMaxCyclesInTransFusion(const FuseMaxTile &t) {
  const Cycles c(t);
  const int64_t lm = t.side;
  return std::max(c.qk, c.rd + c.rnv + c.av) + lm + c.afterMaximum();
}

} // namespace transfusion::core
