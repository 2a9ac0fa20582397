//===- PlanBuffers.cpp - Buffers of a plan and who uses them --------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanBuilder.h"

#include "transfusion/Core/Model/Footprint.h"

#include <algorithm>

namespace transfusion::core {

static bool sameExpr(const LinearExpr &x, const LinearExpr &y) {
  return x.constant == y.constant && x.terms == y.terms;
}

bool sameAccess(const Access &x, const Access &y) {
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), sameExpr);
}

static void touch(Buffer &b, int32_t stage) {
  b.minStage = std::min(b.minStage, stage);
  b.maxStage = std::max(b.maxStage, stage);
}

std::vector<int64_t> PlanBuilder::innerExtents(int32_t g, int32_t p) const {
  std::vector<int64_t> extents;
  extents.reserve(c.ranks.size());
  for (const RankCut &cut : plan.groups[g].phases[p].cuts)
    extents.push_back(cut.inner);
  return extents;
}

std::vector<int64_t> PlanBuilder::tileExtents(int32_t g, int32_t p) const {
  std::vector<int64_t> extents;
  extents.reserve(c.ranks.size());
  for (const RankCut &cut : plan.groups[g].phases[p].cuts)
    extents.push_back(cut.tile);
  return extents;
}

RetainLevel PlanBuilder::retainLevel(int32_t g, TensorId t) const {
  for (const Retain &r : s.groups[g].retain)
    if (r.tensor == t)
      return r.level;
  return RetainLevel::Block;
}

/// Piece by piece.
bool PlanBuilder::resides(int32_t g, TensorId t) const {
  for (const Resident &r : s.groups[g].residents)
    if (r.tensor == t)
      return true;
  return false;
}

/// Read in a later phase of its group.
bool PlanBuilder::readLater(TensorId t, int32_t g, int32_t p) const {
  for (const Reader &r : readersOf[t]) {
    const Home &home = homes[r.einsum];
    if (home.group != g)
      continue;
    // Map operands are read where the sums are made.
    const int32_t at =
        !r.inFinish && home.partial >= 0 ? home.partial : home.phase;
    if (at > p)
      return true;
  }
  return false;
}

/// Wanted outside group `g`; `lastSliceOnly`: of a recurrence, by index M1.
bool PlanBuilder::readElsewhere(TensorId t, int32_t g,
                                bool *lastSliceOnly) const {
  const Tensor &tensor = c.tensors[t];
  bool read = tensor.isOutput || extenderOf(c, t) >= 0;
  *lastSliceOnly = tensor.iterativeDim >= 0 && !tensor.isOutput;
  for (const Reader &r : readersOf[t]) {
    if (homes[r.einsum].group == g || homes[r.einsum].group < 0)
      continue;
    read = true;
    if (tensor.iterativeDim >= 0 &&
        r.operand->access[tensor.iterativeDim].uses(tensor.iterativeRank))
      *lastSliceOnly = false;
  }
  return read;
}

int32_t PlanBuilder::newBuffer(int32_t g, int32_t p, TensorId t,
                               BufferRole role, const Access &access,
                               const char *suffix) {
  Buffer b;
  b.name = "g" + std::to_string(g + 1) + ".p" + std::to_string(p + 1) + "." +
           c.tensors[t].name + suffix;
  b.tensor = t;
  b.role = role;
  b.group = g;
  b.phase = p;
  b.access = access;
  b.memory = memory;
  b.outer = outerOf(g, t);
  b.bitsPerValue = c.tensors[t].bitsPerValue;
  b.firstPhase = b.lastPhase = p;
  plan.buffers.push_back(std::move(b));
  return static_cast<int32_t>(plan.buffers.size()) - 1;
}

void PlanBuilder::setDims(Buffer &b, const std::vector<int64_t> &extents) {
  b.dims = pieceDims(c, b.access, extents);
}

//===----------------------------------------------------------------------===//
// What is made
//===----------------------------------------------------------------------===//

void PlanBuilder::makeResultBuffers(int32_t g, int32_t p) {
  const std::vector<int64_t> inner = innerExtents(g, p);
  const std::vector<int64_t> tile = tileExtents(g, p);
  for (PlannedSlot &slot : plan.groups[g].phases[p].slots) {
    const Einsum &e = c.einsums[slot.einsum];
    const Tensor &t = c.tensors[e.result.tensor];
    Home &home = homes[slot.einsum];
    auto make = [&](BufferRole role, const char *suffix,
                    const std::vector<int64_t> &extents) {
      int32_t id =
          newBuffer(g, p, e.result.tensor, role, e.result.access, suffix);
      plan.buffers[id].minStage = plan.buffers[id].maxStage = slot.stage;
      setDims(plan.buffers[id], extents);
      return id;
    };
    if (slot.accumulates) {
      home.accumulator = make(BufferRole::Accumulator, ".acc", tile);
      Buffer &sums = plan.buffers[home.accumulator];
      if (e.accumulatorBits)
        sums.bitsPerValue = e.accumulatorBits;
      sums.lastPhase = home.phase;
      slot.accumulator = home.accumulator;
      continue;
    }
    if (slot.finishOnly)
      slot.accumulator = home.accumulator;
    bool lastSliceOnly = false;
    const bool leaves = readElsewhere(e.result.tensor, g, &lastSliceOnly);
    const bool recurrence = t.iterativeDim >= 0;
    const int32_t delay =
        leaves && !recurrence ? deferredBy(g, p, e.result.tensor) : 0;
    const bool carried = delay > 0 || readLater(e.result.tensor, g, p);
    if (carried) {
      home.carried = make(BufferRole::Carried, recurrence ? ".last" : "", tile);
      Buffer &b = plan.buffers[home.carried];
      if (recurrence) // one slice, whatever its number
        for (BufferDim &dim : b.dims)
          if (dim.tensorDim == t.iterativeDim)
            dim = {dim.tensorDim, -1, 1, 1};
      b.storeDelay = std::max(delay, 0);
      b.lastPhase = p + b.storeDelay;
      slot.carried = home.carried;
    }
    if (!carried || recurrence) {
      home.window =
          make(leaves ? BufferRole::Output : BufferRole::Window, "", inner);
      Buffer &b = plan.buffers[home.window];
      b.slots = leaves ? 2 : 1;
      b.storesLastSliceOnly = leaves && lastSliceOnly;
      slot.window = home.window;
    }
    if (leaves)
      plan.buffers[slot.window >= 0 ? slot.window : slot.carried].storeToOuter =
          true;
  }
}

//===----------------------------------------------------------------------===//
// What is read
//===----------------------------------------------------------------------===//

/// Position j of Plan.h, and with it the shape of a piece and how many.
void PlanBuilder::setFetch(Buffer &b) {
  std::vector<int64_t> extents;
  if (b.level == RetainLevel::Group) {
    for (const Rank &r : c.ranks)
      extents.push_back(r.extent);
    setDims(b, extents);
    return;
  }
  const PhasePlan &phase = plan.groups[b.group].phases[b.phase];
  extents.reserve(c.ranks.size());
  if (b.level == RetainLevel::Block)
    for (const LinearExpr &expr : b.access)
      for (const auto &term : expr.terms) {
        const RankCut &cut = phase.cuts[term.first];
        if (cut.block < cut.tile)
          b.fetchPosition = std::max(b.fetchPosition, cut.position);
      }
  for (const RankCut &cut : phase.cuts)
    extents.push_back(cut.position < 0 || cut.position > b.fetchPosition
                          ? cut.tile
                      : cut.position == b.fetchPosition ? cut.block
                                                        : cut.inner);
  setDims(b, extents);
}

OperandSource PlanBuilder::readOuter(int32_t g, int32_t p,
                                     const PlannedSlot &slot,
                                     const Operand &read) {
  const RetainLevel level = retainLevel(g, read.tensor);
  if (level == RetainLevel::Group && resides(g, read.tensor))
    fault(c.tensors[read.tensor].name + " is retained by group " +
          std::to_string(g + 1) + ", where only pieces of it reside");
  int32_t sameTensor = 0;
  for (size_t i = 0; i < plan.buffers.size(); ++i) {
    Buffer &b = plan.buffers[i];
    if (b.group != g || b.role != BufferRole::Input ||
        b.tensor != read.tensor ||
        (level == RetainLevel::Block && b.phase != p))
      continue;
    if (!sameAccess(b.access, read.access)) {
      sameTensor += b.phase == p;
      continue;
    }
    touch(b, slot.stage);
    if (level == RetainLevel::Tile)
      b.lastPhase = p;
    return {static_cast<int32_t>(i), 0};
  }
  const std::string suffix =
      sameTensor ? "#" + std::to_string(sameTensor + 1) : "";
  const int32_t id = newBuffer(g, p, read.tensor, BufferRole::Input,
                               read.access, suffix.c_str());
  Buffer &b = plan.buffers[id];
  b.level = level;
  b.minStage = b.maxStage = slot.stage;
  if (level != RetainLevel::Group) {
    b.prefetchAhead = std::max(prefetchAhead(g, p, read.tensor), 0);
    b.firstPhase = p - b.prefetchAhead;
  } else {
    b.firstPhase = 0;
    b.lastPhase = static_cast<int32_t>(plan.groups[g].phases.size()) - 1;
  }
  setFetch(b);
  return {id, 0};
}

/// True when what `read` touches in its epoch (of a window) or in the tile (of
/// a carried buffer) has been made: the same rank indexes the dimension, or
/// everything there is in it. `slices`: the iterative dimension is judged
/// elsewhere.
bool PlanBuilder::covers(int32_t g, int32_t madeIn, const Operand &made,
                         const Operand &read, bool wholeTile,
                         bool slices) const {
  const PhasePlan &phase = plan.groups[g].phases[madeIn];
  const Tensor &t = c.tensors[made.tensor];
  for (size_t d = 0; d < made.access.size(); ++d) {
    if (slices && static_cast<int32_t>(d) == t.iterativeDim)
      continue;
    if (sameExpr(made.access[d], read.access[d]))
      continue;
    for (const auto &term : made.access[d].terms) {
      const RankCut &cut = phase.cuts[term.first];
      if ((wholeTile ? cut.tile : cut.inner) < c.ranks[term.first].extent)
        return false;
    }
  }
  return true;
}

OperandSource PlanBuilder::readWindow(int32_t g, int32_t p,
                                      const PlannedSlot &slot,
                                      const Operand &read, const Home &home) {
  const EinsumId producer = c.tensors[read.tensor].producer;
  const Operand &made = c.einsums[producer].result;
  const std::string &name = c.tensors[read.tensor].name;
  OperandSource from;
  from.buffer = home.window >= 0 ? home.window : home.carried;
  const int32_t dim = c.tensors[read.tensor].iterativeDim;
  if (dim >= 0) {
    if (!read.access[dim].uses(c.tensors[read.tensor].iterativeRank))
      fault(slotName(slot) + " reads the last slice of " + name +
            " in the phase that still makes it, " + where(g, p));
    from.distance = static_cast<int32_t>(made.access[dim].constant -
                                         read.access[dim].constant);
  }
  if (!covers(g, p, made, read, /*wholeTile=*/false, /*slices=*/true))
    fault(slotName(slot) + " reads more of " + name +
          " than one epoch makes in " + where(g, p));
  const PlannedSlot &writer = plan.groups[g].phases[p].slots[home.slot];
  Buffer &b = plan.buffers[from.buffer];
  touch(b, slot.stage);
  if (home.window >= 0)
    b.slots = std::max<int64_t>(b.slots, int64_t(slot.stage) + from.distance -
                                             writer.stage + 1);
  return from;
}

OperandSource PlanBuilder::readCarried(int32_t g, int32_t p,
                                       const PlannedSlot &slot,
                                       const Operand &read, const Home &home) {
  const EinsumId producer = c.tensors[read.tensor].producer;
  const Operand &made = c.einsums[producer].result;
  const std::string &name = c.tensors[read.tensor].name;
  const int32_t dim = c.tensors[read.tensor].iterativeDim;
  if (dim >= 0 && read.access[dim].uses(c.tensors[read.tensor].iterativeRank))
    fault(slotName(slot) + " reads every slice of " + name + " in " +
          where(g, p) + ", but only the last one is kept");
  if (!covers(g, home.phase, made, read, /*wholeTile=*/true, /*slices=*/true))
    fault(slotName(slot) + " in " + where(g, p) + " reads more of " + name +
          " than the tile that its group makes");
  OperandSource from;
  from.buffer = home.carried;
  Buffer &b = plan.buffers[from.buffer];
  b.lastPhase = std::max(b.lastPhase, p);
  return from;
}

OperandSource PlanBuilder::source(int32_t g, int32_t p, PlannedSlot &slot,
                                  const Operand &read) {
  const EinsumId producer = c.tensors[read.tensor].producer;
  if (producer < 0)
    return readOuter(g, p, slot, read);
  const Home &home = homes[producer];
  if (home.group < 0 || home.group > g || (home.group == g && home.phase > p)) {
    fault(slotName(slot) + " in " + where(g, p) + " reads " +
          c.tensors[read.tensor].name + ", which " +
          (home.group < 0 ? "nobody makes" : "is made only later"));
    return {};
  }
  if (home.group < g)
    return readOuter(g, p, slot, read);
  if (home.phase == p)
    return readWindow(g, p, slot, read, home);
  return readCarried(g, p, slot, read, home);
}

void PlanBuilder::makeOperandBuffers(int32_t g, int32_t p) {
  for (PlannedSlot &slot : plan.groups[g].phases[p].slots) {
    const Einsum &e = c.einsums[slot.einsum];
    slot.inputs.reserve(e.inputs.size());
    if (!slot.finishOnly)
      for (const Operand &read : e.inputs)
        slot.inputs.push_back(source(g, p, slot, read));
    slot.finishInputs.reserve(e.finishInputs.size());
    if (!slot.accumulates)
      for (const Operand &read : e.finishInputs)
        slot.finishInputs.push_back(source(g, p, slot, read));
  }
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

void PlanBuilder::finishSizes() {
  // Room for the alignment and for sums of sizes below 2^63.
  constexpr int64_t limit = int64_t(1) << 56;
  for (Buffer &b : plan.buffers) {
    if (b.fetchPosition >= 0)
      b.slots = 2 + (b.maxStage - b.minStage);
    int64_t bytes = bytesPerValue(b.bitsPerValue);
    bool fits = true;
    for (const BufferDim &dim : b.dims)
      fits &= !__builtin_mul_overflow(bytes, dim.extent, &bytes);
    b.bytesPerSlot = bytes;
    fits &= !__builtin_mul_overflow(bytes, b.slots, &bytes) && bytes < limit;
    if (!fits) {
      fault("buffer " + b.name + " exceeds 2^56 bytes");
      continue;
    }
    b.bytes =
        (bytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
  }
}

} // namespace transfusion::core
