//===- Pipeline.cpp - The software pipeline of one phase ------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Step k runs stage s on epoch k - s: a prologue in which the first stages run
// alone, a loop over the steps in which all run, and an epilogue. Within a step
// slots stand in the order in which they start.
//
//===----------------------------------------------------------------------===//
#include "Program.h"
#include "transfusion/Core/Cost/Timing.h"

using namespace mlir;
using namespace transfusion;
using namespace transfusion::core;
using namespace transfusion::schedtoaffine;

EpochSpace ProgramEmitter::makeEpochSpace(int32_t g, int32_t p,
                                          const OuterTile &tile) const {
  EpochSpace space;
  space.plan = &plan.groups[g].phases[p];
  space.phase = &src.schedule.groups[g].phases[p];
  space.tile = &tile;
  for (size_t r = 0; r < c.ranks.size(); ++r) {
    const RankCut &cut = space.plan->cuts[r];
    space.inner.push_back(std::min(cut.inner, tile.size[r]));
    space.block.push_back(std::min(cut.block, tile.size[r]));
  }
  size_t n = space.phase->order.size();
  space.trips.resize(n);
  space.stride.resize(n);
  for (size_t k = n; k-- > 0;) {
    RankId r = space.phase->order[k];
    space.trips[k] = (tile.size[r] + space.inner[r] - 1) / space.inner[r];
    space.stride[k] = space.epochs;
    space.epochs *= space.trips[k];
  }
  return space;
}

Epoch ProgramEmitter::makeEpoch(const EpochSpace &space, AffineExpr number) {
  Location loc = scope.builder().getUnknownLoc();
  Epoch epoch;
  epoch.number = scope.bind(loc, number);
  epoch.inner = tilePiece(*space.tile);
  for (size_t k = 0; k < space.trips.size(); ++k) {
    RankId r = space.phase->order[k];
    AffineExpr index = scope.constant(0);
    if (space.trips[k] > 1) {
      index = epoch.number.floorDiv(space.stride[k]);
      if (space.stride[k] * space.trips[k] < space.epochs)
        index = index % space.trips[k];
      index = scope.bind(loc, index);
    }
    epoch.index.push_back(index);
    AffineExpr offset = index * space.inner[r];
    epoch.inner.start[r] = space.tile->start[r] + offset;
    epoch.inner.size[r] = {scope.constant(space.inner[r])};
    if (space.tile->size[r] % space.inner[r])
      epoch.inner.size[r].push_back(scope.constant(space.tile->size[r]) -
                                    offset);
  }
  return epoch;
}

std::vector<const PlannedSlot *>
schedtoaffine::slotOrder(const Source &src, const EpochSpace &space,
                         int32_t firstStage, int32_t lastStage) {
  std::vector<Extents> perStage(space.plan->stages);
  for (int32_t s = firstStage; s <= lastStage; ++s)
    perStage[s] = space.inner;
  PhaseTiming timing = timePhase(src.cascade, src.arch, *space.phase, perStage);
  std::vector<const PlannedSlot *> order;
  for (const SlotTiming &t : timing.slots)
    for (const PlannedSlot &slot : space.plan->slots)
      if (slot.run == t.run && slot.index == t.index)
        order.push_back(&slot);
  return order;
}

void ProgramEmitter::emitPhase(int32_t g, int32_t p, const OuterTile &tile) {
  EpochSpace space = makeEpochSpace(g, p, tile);
  if (space.skips())
    return emitSkippingPhase(space);
  int64_t stages = space.plan->stages, epochs = space.epochs;

  auto emitStep = [&](AffineExpr step, int32_t first, int32_t last) {
    std::vector<std::optional<Epoch>> epochOf(stages);
    for (int32_t s = first; s <= last; ++s)
      epochOf[s] = makeEpoch(space, step - s);
    std::vector<bool> fetched(plan.buffers.size(), false);
    for (const PlannedSlot *slot : slotOrder(src, space, first, last)) {
      const Epoch &epoch = *epochOf[slot->stage];
      Location loc = src.ops[slot->einsum]->getLoc();
      auto fetch = [&](const OperandSource &from) {
        if (from.buffer < 0 || fetched[from.buffer])
          return;
        const Buffer &buffer = plan.buffers[from.buffer];
        if (buffer.role != BufferRole::Input ||
            buffer.level != RetainLevel::Block || buffer.fetchPosition < 0 ||
            buffer.minStage != slot->stage)
          return;
        fetched[from.buffer] = true;
        scope.when(loc, fetchConditions(buffer, space, epoch), [&] {
          loadBuffer(from.buffer, bufferSlot(from.buffer, space, epoch, 0),
                     bufferPiece(from.buffer, space, &epoch), loc);
        });
      };
      if (!slot->finishOnly)
        for (const OperandSource &from : slot->inputs)
          fetch(from);
      if (!slot->accumulates)
        for (const OperandSource &from : slot->finishInputs)
          fetch(from);
      emitSlot(*slot, space, epoch);
    }
  };

  int64_t steady = epochs - stages + 1; // steps in which all stages work
  for (int64_t k = 0; k < epochs + stages - 1; ++k) {
    if (steady > 0 && k == stages - 1) {
      scope.loop(scope.builder().getUnknownLoc(), {scope.constant(steady)},
                 [&](AffineExpr i) {
                   emitStep(i + (stages - 1), 0,
                            static_cast<int32_t>(stages - 1));
                 });
      k += steady - 1;
      continue;
    }
    // Stage s works when 0 <= k - s < epochs.
    emitStep(scope.constant(k),
             static_cast<int32_t>(std::max<int64_t>(0, k - epochs + 1)),
             static_cast<int32_t>(std::min<int64_t>(k, stages - 1)));
  }
}
