//===- Groups.cpp - Outer tiles of a group, full and ragged ---------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "Program.h"

using namespace mlir;
using namespace transfusion;
using namespace transfusion::core;
using namespace transfusion::schedtoaffine;

void ProgramEmitter::emitGroup(int32_t g) {
  const Group &group = src.schedule.groups[g];
  Location loc = scope.builder().getUnknownLoc();
  for (const PlannedResident &r : plan.residents)
    if (r.isCopied && r.firstGroup == g && !r.isPiece())
      copyResident(r.tensor, loc);
  for (int32_t id : plan.groups[g].buffers) {
    const Buffer &buffer = plan.buffers[id];
    if (buffer.role != BufferRole::Input || buffer.level != RetainLevel::Group)
      continue;
    poisonBuffer(id);
    loadBuffer(id, scope.constant(0), groupPiece(), loc);
  }

  OuterTile tile;
  for (const Rank &r : c.ranks) {
    tile.start.push_back(scope.constant(0));
    tile.size.push_back(r.extent);
  }
  // Full tiles in a loop, then the ragged one by itself, so that trip counts
  // of everything inside are constants.
  std::function<void(size_t)> open = [&](size_t depth) {
    for (size_t i = 0; i < plan.residents.size(); ++i)
      if (plan.residents[i].group == g &&
          plan.residents[i].copyPosition + 1 == static_cast<int32_t>(depth))
        copyPiece(i, tile, loc);
    if (depth == group.tileOrder.size())
      return emitTile(g, tile);
    RankId r = group.tileOrder[depth];
    int64_t extent = c.ranks[r].extent;
    int64_t size =
        static_cast<size_t>(r) < group.tile.size() ? group.tile[r] : 0;
    if (size <= 0 || size >= extent)
      return open(depth + 1);
    int64_t full = extent / size;
    tile.size[r] = size;
    scope.loop(loc, {scope.constant(full)}, [&](AffineExpr i) {
      tile.start[r] = i * size;
      open(depth + 1);
    });
    if (int64_t rest = extent - full * size) {
      tile.size[r] = rest;
      tile.start[r] = scope.constant(full * size);
      open(depth + 1);
    }
    tile.start[r] = scope.constant(0);
    tile.size[r] = extent;
  };
  open(0);
}

void ProgramEmitter::emitTile(int32_t g, const OuterTile &tile) {
  tileNow = &tile;
  Location loc = scope.builder().getUnknownLoc();
  const Group &group = src.schedule.groups[g];
  for (size_t p = 0; p < group.phases.size(); ++p) {
    int32_t phase = static_cast<int32_t>(p);
    EpochSpace space = makeEpochSpace(g, phase, tile);
    for (int32_t id : plan.groups[g].buffers) {
      const Buffer &buffer = plan.buffers[id];
      bool isInput = buffer.role == BufferRole::Input;
      if (isInput && buffer.level == RetainLevel::Group)
        continue;
      if (buffer.phase != phase)
        continue;
      poisonBuffer(id);
      // What is fetched once per tile comes before the pipeline.
      if (isInput &&
          (buffer.level == RetainLevel::Tile || buffer.fetchPosition < 0))
        loadWhole(id, space, loc);
    }
    emitPhase(g, phase, tile);
  }
}
