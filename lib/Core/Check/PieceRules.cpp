//===- PieceRules.cpp - S41, P14: pieces in between -----------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of tensors that a group reads, the piece of its outer tile, in a memory
// between the outermost one and that of the units.
//
//===----------------------------------------------------------------------===//

#include "Demand.h"
#include "ScheduleRules.h"
#include "transfusion/Core/Model/Mapping.h"

#include <algorithm>

using namespace transfusion::core;
using namespace transfusion::core::check;

/// Reads of `t` in the group.
static std::vector<const Read *> readsIn(const View &v, int32_t group,
                                         TensorId t) {
  std::vector<const Read *> found;
  for (const Read &r : v.reads)
    if (r.tensor == t && v.readAt(r).group == group)
      found.push_back(&r);
  return found;
}

/// Why no piece of the tensor can reside for a tile of the group.
static std::string whyNoPiece(const View &v, int32_t group, TensorId t) {
  if (v.c.tensors[t].iterativeDim >= 0)
    return "is a recurrence";
  if (v.madeAt(t).group == group)
    return "is made in the group";
  const std::vector<const Read *> reads = readsIn(v, group, t);
  if (reads.empty())
    return "is not read in the group";
  for (const Read *r : reads)
    if (!sameAccess(*r->access, *reads[0]->access))
      return "is read in several ways in the group";
  for (const Resident &r : v.s.residents)
    if (r.tensor == t)
      return "is a resident as a whole";
  if (retainLevel(v.s.groups[group], t) == RetainLevel::Group)
    return "is retained at group";
  return "";
}

int64_t check::pieceBytes(const View &v, int32_t group, TensorId t) {
  const std::vector<const Read *> reads = readsIn(v, group, t);
  if (reads.empty())
    return 0;
  const Tensor &tensor = v.c.tensors[t];
  int64_t bytes = ceilDiv(tensor.bitsPerValue, 8);
  for (size_t d = 0; d < tensor.shape.size(); ++d) {
    int64_t span = 1, points = 1;
    for (const auto &[rank, k] : (*reads[0]->access)[d].terms) {
      const int64_t size = v.tile(group, rank);
      span = addSat(span, mulSat(k < 0 ? -k : k, size - 1));
      points = mulSat(points, size);
    }
    bytes = mulSat(bytes, std::min({span, points, tensor.shape[d]}));
  }
  return bytes;
}

/// S41
void check::checkPieces(const View &v, const Arch &a, Sink &sink) {
  const std::vector<MemoryId> between = memoriesBetween(a);
  for (int32_t g = 0; g < static_cast<int32_t>(v.s.groups.size()); ++g) {
    TensorId last = -1;
    for (const Resident &r : v.s.groups[g].residents) {
      auto wrong = [&](const std::string &why, const std::string &fix) {
        Violation &x =
            sink.add("S41",
                     "resident " + quoted(v.c.tensors[r.tensor].name) + " of " +
                         groupText(g) + " " + why,
                     fix);
        x.group = g;
        x.memory = r.memory;
      };
      if (r.tensor <= last)
        wrong(r.tensor == last ? "is listed twice" : "is out of order",
              "list each tensor once, sorted by tensor");
      last = r.tensor;
      if (std::find(between.begin(), between.end(), r.memory) == between.end())
        wrong("is in " + quoted(a.memories[r.memory].name) +
                  ", which is not between " + quoted(a.memories[0].name) +
                  " and " + quoted(a.memories[a.units.front().memory].name),
              "put it into a memory between them, or leave it out");
      else if (const auto role = passesBy(v.c, a.memories[r.memory], r.tensor,
                                          /*isPiece=*/true))
        wrong("is in " + quoted(a.memories[r.memory].name) + ", which " +
                  roleName(*role) + " pass by",
              "leave it out, or let the memory keep them");
      if (const std::string why = whyNoPiece(v, g, r.tensor); !why.empty())
        wrong(why, "leave it out of the group's residents");
    }
  }
}

/// Innermost outer loop of the group whose advance changes the piece.
static int32_t changingLoop(const View &v, int32_t group, TensorId t) {
  const std::vector<const Read *> reads = readsIn(v, group, t);
  const std::vector<RankId> &order = v.s.groups[group].tileOrder;
  for (int32_t k = static_cast<int32_t>(order.size()) - 1; k >= 0; --k) {
    if (reads.empty() || !v.tiled(group, order[k]))
      continue;
    for (const LinearExpr &e : *reads[0]->access)
      if (e.uses(order[k]))
        return k;
  }
  return -1;
}

/// P14
void check::checkPlannedPieces(const View &v, const Plan &p, Sink &sink) {
  const char *const replan = "make the plan anew from the schedule";
  size_t at = v.s.residents.size();
  for (int32_t g = 0; g < static_cast<int32_t>(v.s.groups.size()); ++g)
    for (const Resident &decided : v.s.groups[g].residents) {
      if (at >= p.residents.size()) {
        sink.add("P14", "the plan has too few pieces that reside", replan);
        return;
      }
      const PlannedResident &r = p.residents[at++];
      const Tensor &t = v.c.tensors[decided.tensor];
      const int64_t needed = pieceBytes(v, g, decided.tensor);
      int64_t held = ceilDiv(t.bitsPerValue, 8);
      for (const BufferDim &dim : r.dims)
        held = mulSat(held, dim.extent);
      const std::vector<const Read *> reads = readsIn(v, g, decided.tensor);
      const int32_t loop = changingLoop(v, g, decided.tensor);
      std::string wrong;
      if (r.tensor != decided.tensor || r.memory != decided.memory ||
          r.group != g || r.firstGroup > g || r.lastGroup < g)
        wrong = "is another one in the plan";
      else if (!sameAccess(r.access, *reads[0]->access))
        wrong = "is accessed otherwise than by its readers";
      else if (held < needed || r.bytes < held)
        wrong = "has " + byteText(std::min(held, r.bytes)) + " of " +
                byteText(std::max(needed, held));
      else if (r.address < 0 || r.address % kBufferAlignment != 0)
        wrong = "is at address " + num(r.address);
      else if (!r.isCopied || r.copyPosition != loop)
        wrong = "is copied at loop " + num(r.copyPosition + 1) +
                ", but changes with loop " + num(loop + 1);
      if (!wrong.empty())
        sink.add("P14",
                 "resident " + quoted(t.name) + " of " + groupText(g) + " " +
                     wrong,
                 replan)
            .group = g;
    }
  if (at != p.residents.size())
    sink.add("P14", "the plan has too many pieces that reside", replan);
}
