//===- SkippedSteps.cpp - The pipelines of a phase that skips -------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loops over the rows (turns of the loops outside the iterative rank), in each
// a pipeline of its own over the steps that are active: a loop whose bounds are
// affine in what is around it. As the number of steps is no constant, prologue
// and epilogue are the trips in which a stage has no step yet, or none left.
//
//===----------------------------------------------------------------------===//
#include "Program.h"

using namespace mlir;
using namespace transfusion;
using namespace transfusion::core;
using namespace transfusion::schedtoaffine;

/// Rows that are looked at to see that none is empty.
static constexpr int64_t kMaxRows = 1 << 20;

StepBounds ProgramEmitter::stepBounds(const EpochSpace &space,
                                      const Piece &box) const {
  const ActiveSteps &active = space.plan->active;
  StepBounds bounds;
  bounds.lowers = {scope.constant(0)};
  bounds.uppers = {scope.constant(c.ranks[active.rank].extent)};
  for (const Constraint &k : active.where) {
    // The most that the rest can be; several where a piece may be ragged, and
    // then the least of them.
    SmallVector<AffineExpr> most = {scope.constant(k.expr.constant)};
    int64_t slope = 0;
    for (const auto &[rank, coefficient] : k.expr.terms) {
      if (rank == active.rank) {
        slope = coefficient;
        continue;
      }
      SmallVector<AffineExpr> ends;
      if (coefficient > 0)
        for (AffineExpr size : box.size[rank])
          ends.push_back(box.start[rank] + size - 1);
      else
        ends.push_back(box.start[rank]);
      SmallVector<AffineExpr> sums;
      for (AffineExpr m : most)
        for (AffineExpr end : ends)
          sums.push_back(m + end * coefficient);
      most = std::move(sums);
    }
    for (AffineExpr m : most) {
      if (slope > 0)
        bounds.lowers.push_back((-m).ceilDiv(slope));
      else if (slope < 0)
        bounds.uppers.push_back(m.floorDiv(-slope) + 1);
      else
        bounds.possible.push_back({m, false});
    }
  }
  return bounds;
}

/// Over all outer tiles: some row has no active step.
bool ProgramEmitter::someRowIsEmpty(const EpochSpace &space) const {
  const ActiveSteps &active = space.plan->active;
  std::vector<Span> box = wholeSpans(c);
  std::vector<RankId> ranks;
  std::vector<std::vector<Span>> pieces;
  int64_t rows = 1;
  for (RankId r = 0; r < static_cast<RankId>(c.ranks.size()); ++r) {
    const RankCut &cut = space.plan->cuts[r];
    const int64_t extent = c.ranks[r].extent;
    if (r == active.rank || !active.dependsOn(r) || cut.inner >= extent)
      continue;
    ranks.push_back(r);
    pieces.emplace_back();
    for (int64_t tile = 0; tile < extent; tile += cut.tile)
      for (int64_t at = tile; at < std::min(tile + cut.tile, extent);
           at += cut.inner)
        pieces.back().push_back(
            {at, std::min({cut.inner, tile + cut.tile - at, extent - at})});
    if (__builtin_mul_overflow(rows, static_cast<int64_t>(pieces.back().size()),
                               &rows) ||
        rows > kMaxRows)
      return true; // perhaps
  }
  for (int64_t n = 0; n < rows; ++n) {
    int64_t rest = n;
    for (size_t i = 0; i < ranks.size(); ++i) {
      box[ranks[i]] = pieces[i][rest % pieces[i].size()];
      rest /= pieces[i].size();
    }
    if (activeRun(active, box).steps() == 0)
      return true;
  }
  return false;
}

//===----------------------------------------------------------------------===//
// Fetches
//===----------------------------------------------------------------------===//

bool ProgramEmitter::fetchesActiveSteps(int32_t id,
                                        const EpochSpace &space) const {
  const Buffer &buffer = plan.buffers[id];
  if (!space.skips() || buffer.level != RetainLevel::Block)
    return false;
  return usesRank(buffer.access, space.plan->active.rank);
}

void ProgramEmitter::loadWhole(int32_t id, const EpochSpace &space,
                               Location loc) {
  Piece piece = bufferPiece(id, space, nullptr);
  if (!fetchesActiveSteps(id, space))
    return loadBuffer(id, scope.constant(0), piece, loc);
  StepBounds bounds = stepBounds(space, piece);
  loadBuffer(id, scope.constant(0), piece, loc, &bounds,
             space.plan->active.rank);
}

/// Blocks that hold all steps, or do not depend on them.
void ProgramEmitter::fetchForRow(const EpochSpace &space, const Epoch &row) {
  const int32_t steps = space.stepPosition();
  std::vector<bool> fetched(plan.buffers.size(), false);
  for (const PlannedSlot &slot : space.plan->slots)
    for (const auto *sources : {&slot.inputs, &slot.finishInputs})
      for (const OperandSource &from : *sources) {
        const Buffer &buffer = plan.buffers[from.buffer];
        const int32_t j = buffer.fetchPosition;
        if (buffer.role != BufferRole::Input ||
            buffer.level != RetainLevel::Block || j < 0 || j >= steps ||
            fetched[from.buffer])
          continue;
        fetched[from.buffer] = true;
        SmallVector<Condition> anew;
        for (int32_t k = j + 1; k < steps; ++k)
          anew.push_back({row.index[k], true});
        anew.push_back(
            {row.index[j] % space.perBlock(space.phase->order[j]), true});
        Location loc = src.ops[slot.einsum]->getLoc();
        scope.when(loc, anew, [&] {
          Piece piece = bufferPiece(from.buffer, space, &row);
          StepBounds bounds = stepBounds(space, piece);
          bool some = fetchesActiveSteps(from.buffer, space);
          loadBuffer(from.buffer, bufferSlot(from.buffer, space, row, 0), piece,
                     loc, some ? &bounds : nullptr, space.plan->active.rank);
        });
      }
}

/// Blocks of steps, before the first slot that reads them.
void ProgramEmitter::fetchForStep(const PlannedSlot &slot,
                                  const EpochSpace &space, const Epoch &epoch,
                                  std::vector<bool> &fetched) {
  const int32_t steps = space.stepPosition();
  Location loc = src.ops[slot.einsum]->getLoc();
  for (const auto *sources : {&slot.inputs, &slot.finishInputs})
    for (const OperandSource &from : *sources) {
      const Buffer &buffer = plan.buffers[from.buffer];
      if (buffer.role != BufferRole::Input ||
          buffer.level != RetainLevel::Block || buffer.fetchPosition != steps ||
          buffer.minStage != slot.stage || fetched[from.buffer])
        continue;
      fetched[from.buffer] = true;
      auto load = [&] {
        StepBounds bounds = stepBounds(space, epoch.inner);
        loadBuffer(from.buffer, bufferSlot(from.buffer, space, epoch, 0),
                   bufferPiece(from.buffer, space, &epoch), loc, &bounds,
                   space.plan->active.rank);
      };
      // Where a block begins, and where the row does.
      Condition begins = {
          epoch.index[steps] % space.perBlock(space.plan->active.rank), true};
      scope.when(loc, begins, load);
      scope.unless(loc, begins,
                   [&] { scope.unless(loc, epoch.notFirst, load); });
    }
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

Epoch ProgramEmitter::stepOfRow(const EpochSpace &space, const Epoch &row,
                                AffineExpr step, const StepBounds &bounds) {
  Epoch epoch = row;
  const RankId r = space.plan->active.rank;
  epoch.number = epoch.index[space.stepPosition()] = step;
  epoch.inner.start[r] = step; // one point, of the whole rank
  epoch.inner.size[r] = {scope.constant(1)};
  for (AffineExpr lower : bounds.lowers)
    epoch.notFirst.push_back({step - 1 - lower, false});
  for (AffineExpr upper : bounds.uppers)
    epoch.notLast.push_back({upper - step - 2, false});
  return epoch;
}

void ProgramEmitter::emitRow(const EpochSpace &space, const Epoch &row,
                             bool mayBeEmpty) {
  Location loc = scope.builder().getUnknownLoc();
  const int32_t stages = space.plan->stages;
  const StepBounds bounds = stepBounds(space, row.inner);
  auto run = [&] {
    Bound uppers;
    for (AffineExpr upper : bounds.uppers)
      uppers.push_back(upper + (stages - 1));
    scope.loopBetween(loc, bounds.lowers, uppers, [&](AffineExpr k) {
      std::vector<bool> fetched(plan.buffers.size(), false);
      for (const PlannedSlot *slot : slotOrder(src, space, 0, stages - 1)) {
        AffineExpr step = k - slot->stage;
        SmallVector<Condition> works; // the loop's bounds say the rest
        if (slot->stage > 0)
          for (AffineExpr lower : bounds.lowers)
            works.push_back({step - lower, false});
        if (slot->stage + 1 < stages)
          for (AffineExpr upper : bounds.uppers)
            works.push_back({upper - step - 1, false});
        scope.when(loc, works, [&] {
          Epoch epoch = stepOfRow(space, row, step, bounds);
          fetchForStep(*slot, space, epoch, fetched);
          emitSlot(*slot, space, epoch);
        });
      }
    });
  };
  if (!mayBeEmpty)
    return run();
  SmallVector<Condition> some(bounds.possible);
  for (AffineExpr lower : bounds.lowers)
    for (AffineExpr upper : bounds.uppers)
      some.push_back({upper - lower - 1, false});
  scope.when(loc, some, run);
  // Step 0 makes the empty result; it reads nothing that is fetched for steps.
  scope.unless(loc, some, [&] {
    StepBounds one;
    one.lowers = {scope.constant(0)};
    one.uppers = {scope.constant(1)};
    Epoch epoch = stepOfRow(space, row, scope.constant(0), one);
    for (int32_t stage = 0; stage < stages; ++stage)
      for (const PlannedSlot *slot : slotOrder(src, space, stage, stage))
        emitSlot(*slot, space, epoch);
  });
}

void ProgramEmitter::emitSkippingPhase(const EpochSpace &space) {
  const bool mayBeEmpty = someRowIsEmpty(space);
  Epoch row;
  row.number = scope.constant(0);
  row.index.assign(space.trips.size(), scope.constant(0));
  row.inner = tilePiece(*space.tile);
  std::function<void(int32_t)> open = [&](int32_t k) {
    if (k == space.stepPosition()) {
      fetchForRow(space, row);
      return emitRow(space, row, mayBeEmpty);
    }
    const RankId r = space.phase->order[k];
    scope.loop(scope.builder().getUnknownLoc(),
               {scope.constant(space.trips[k])}, [&](AffineExpr index) {
                 AffineExpr offset = index * space.inner[r];
                 row.index[k] = index;
                 row.inner.start[r] = space.tile->start[r] + offset;
                 row.inner.size[r] = {scope.constant(space.inner[r])};
                 if (space.tile->size[r] % space.inner[r])
                   row.inner.size[r].push_back(
                       scope.constant(space.tile->size[r]) - offset);
                 open(k + 1);
               });
  };
  open(0);
}
