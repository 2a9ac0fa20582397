//===- FuseMaxTileTest.cpp - FuseMax's columns of the published table -----===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Core/Cost/FuseMaxTile.h"

#include <gtest/gtest.h>

using namespace transfusion::core;

TEST(FuseMaxTileOracleTest, AllEightRows) {
  const struct {
    const char *machine;
    int64_t side, e, modelled, published;
  } rows[] = {
      {"cloud", 256, 64, 394, 138},  {"cloud", 256, 128, 522, 266},
      {"edge", 16, 64, 154, 138},    {"edge", 16, 128, 282, 266},
      {"edge-32", 32, 64, 170, 138}, {"edge-32", 32, 128, 298, 266},
      {"edge-64", 64, 64, 202, 138}, {"edge-64", 64, 128, 330, 266},
  };
  for (const auto &row : rows) {
    const FuseMaxTile t{row.e, row.e, row.side};
    EXPECT_EQ(fuseMaxCyclesInTransFusion(t), row.modelled)
        << row.machine << " " << row.e;
    EXPECT_EQ(fuseMaxCyclesPublished(t), row.published)
        << row.machine << " " << row.e;
  }
}
