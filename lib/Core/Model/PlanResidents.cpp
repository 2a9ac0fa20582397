//===- PlanResidents.cpp - What lies in memories in between ---------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanBuilder.h"

#include "transfusion/Core/Model/Footprint.h"

#include <algorithm>

namespace transfusion::core {

/// Alignment included; -1 when it is too large to be placed.
static int64_t alignedBytes(int64_t bytes) {
  if (bytes < 0 || bytes >= int64_t(1) << 56)
    return -1;
  return (bytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
}

MemoryId PlanBuilder::outerOf(int32_t g, TensorId t) const {
  for (const PlannedResident &r : plan.residents)
    if (r.tensor == t && (!r.isPiece() || r.group == g))
      return r.memory;
  return 0;
}

bool PlanBuilder::isPlaceable(const Resident &r) {
  if (r.tensor < 0 || static_cast<size_t>(r.tensor) >= c.tensors.size()) {
    fault("a resident is of a tensor that does not exist");
    return false;
  }
  const std::vector<MemoryId> between = memoriesBetween(a);
  if (std::find(between.begin(), between.end(), r.memory) != between.end())
    return true;
  fault("resident " + c.tensors[r.tensor].name +
        " is in no memory between the outermost one and that of the units");
  return false;
}

/// Whole tensors, and the groups that they live in; then those of groups.
void PlanBuilder::placeResidents() {
  for (const Resident &r : s.residents) {
    if (!isPlaceable(r))
      continue;
    const Tensor &t = c.tensors[r.tensor];
    PlannedResident resident;
    resident.tensor = r.tensor;
    resident.memory = r.memory;
    resident.isCopied = t.producer < 0;
    resident.bytes = alignedBytes(tensorBytes(t));
    if (resident.bytes < 0) {
      fault("resident " + t.name + " exceeds 2^56 bytes");
      continue;
    }
    auto live = [&](int32_t group) {
      if (group < 0)
        return;
      resident.firstGroup = resident.firstGroup < 0
                                ? group
                                : std::min(resident.firstGroup, group);
      resident.lastGroup = std::max(resident.lastGroup, group);
    };
    if (t.producer >= 0)
      live(homes[t.producer].group);
    for (const Reader &reader : readersOf[r.tensor])
      live(homes[reader.einsum].group);
    if (resident.firstGroup < 0)
      fault("resident " + t.name + " is neither made nor read");
    plan.residents.push_back(resident);
  }
  for (size_t g = 0; g < s.groups.size(); ++g)
    placePieces(static_cast<int32_t>(g));
}

/// Pieces of the group's outer tiles.
void PlanBuilder::placePieces(int32_t g) {
  const Group &group = s.groups[g];
  for (const Resident &r : group.residents) {
    if (!isPlaceable(r))
      continue;
    const Tensor &t = c.tensors[r.tensor];
    const std::string who =
        "resident " + t.name + " of group " + std::to_string(g + 1);
    const Operand *read = nullptr;
    bool alike = true;
    for (const Reader &reader : readersOf[r.tensor]) {
      if (homes[reader.einsum].group != g)
        continue;
      alike &= !read || sameAccess(read->access, reader.operand->access);
      read = reader.operand;
    }
    if (!read || !alike) {
      fault(who + (read ? " is read in several ways" : " is not read"));
      continue;
    }
    if (outerOf(g, r.tensor) != 0) {
      fault(who + " resides elsewhere");
      continue;
    }
    PlannedResident piece;
    piece.tensor = r.tensor;
    piece.memory = r.memory;
    piece.isCopied = true;
    piece.group = piece.firstGroup = piece.lastGroup = g;
    piece.access = read->access;
    const std::vector<int64_t> tile = tileExtents(g, 0);
    piece.dims = pieceDims(c, piece.access, tile);
    for (size_t k = 0; k < group.tileOrder.size(); ++k) {
      const RankId rank = group.tileOrder[k];
      if (tile[rank] < c.ranks[rank].extent && usesRank(piece.access, rank))
        piece.copyPosition = static_cast<int32_t>(k);
    }
    int64_t bytes = bytesPerValue(t.bitsPerValue);
    for (const BufferDim &dim : piece.dims)
      if (__builtin_mul_overflow(bytes, dim.extent, &bytes)) {
        bytes = -1;
        break;
      }
    piece.bytes = alignedBytes(bytes);
    if (piece.bytes < 0) {
      fault(who + " exceeds 2^56 bytes");
      continue;
    }
    plan.residents.push_back(std::move(piece));
  }
}

} // namespace transfusion::core
