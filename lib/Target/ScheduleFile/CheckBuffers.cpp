//===- CheckBuffers.cpp - Buffers in time and space -----------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramReader.h"

#include <algorithm>

using namespace transfusion;
using namespace transfusion::core;

/// Some phase sees both, perhaps that of a neighbouring outer tile.
static bool liveTogether(const sim::Buffer &x, const sim::Buffer &y,
                         int64_t phases) {
  if (x.group != y.group)
    return false;
  for (int64_t turn : {-phases, int64_t(0), phases})
    if (x.firstUse <= y.lastUse + turn && y.firstUse + turn <= x.lastUse)
      return true;
  return false;
}

/// Tensors and pieces, in memories where nothing else is.
void ProgramReader::checkResidents(const JsonCursor &file,
                                   std::vector<int64_t> &ends) {
  if (!file.has("residents"))
    return;
  const std::vector<JsonCursor> list = file.at("residents").elements();
  for (size_t i = 0; i < p.residents.size(); ++i) {
    const sim::Resident &r = p.residents[i];
    const sim::Tensor &t = p.tensors[r.tensor];
    ends[r.memory] = std::max(ends[r.memory], r.address + r.bytes);
    int64_t bytes = t.bytesPerValue;
    bool fits = true;
    for (int64_t extent : t.shape) // of pieces what is copied must fit
      fits &= r.isPiece || !__builtin_mul_overflow(bytes, extent, &bytes);
    if (!fits || bytes > r.bytes)
      list[i].at("bytes").error("is " + std::to_string(r.bytes) +
                                ", too small for " + t.name);
    for (size_t j = 0; j < i; ++j) {
      const sim::Resident &o = p.residents[j];
      if (r.memory == o.memory && r.address < o.address + o.bytes &&
          o.address < r.address + r.bytes && r.firstGroup <= o.lastGroup &&
          o.firstGroup <= r.lastGroup)
        list[i].at("address").error(
            "is " + std::to_string(r.address) + ": " + t.name + " and " +
            p.tensors[o.tensor].name + " share bytes while both live");
    }
  }
}

void ProgramReader::checkBuffers(const JsonCursor &file) {
  if (errors.count > 0)
    return;
  const std::vector<JsonCursor> list = file.at("buffers").elements();
  std::vector<int64_t> ends(p.memories.size(), 0);
  for (size_t i = 0; i < p.buffers.size(); ++i) {
    const sim::Buffer &b = p.buffers[i];
    ends[b.memory] = std::max(ends[b.memory], b.address + b.bytes);
    if (b.bytes / b.slots < b.bytesPerSlot)
      list[i].at("bytes").error("is " + std::to_string(b.bytes) +
                                ", too small for " + std::to_string(b.slots) +
                                " slots of " + std::to_string(b.bytesPerSlot) +
                                " bytes");
    if (b.firstUse > b.lastUse)
      list[i].at("first_use").error("is after last_use");
    for (size_t j = 0; j < i; ++j) {
      const sim::Buffer &o = p.buffers[j];
      if (b.memory == o.memory && b.address < o.address + o.bytes &&
          o.address < b.address + b.bytes &&
          liveTogether(b, o,
                       static_cast<int64_t>(p.groups[b.group].phases.size())))
        list[i].at("address").error("is " + std::to_string(b.address) + ": " +
                                    b.name + " [" + std::to_string(b.address) +
                                    ", " + std::to_string(b.address + b.bytes) +
                                    ") and " + o.name + " [" +
                                    std::to_string(o.address) + ", " +
                                    std::to_string(o.address + o.bytes) +
                                    ") share bytes while both live");
    }
  }
  checkResidents(file, ends);
  for (const auto &[name, bytes] : file.at("allocation_bytes").members()) {
    const int64_t n = bytes.integer(0, kMostSize);
    const int32_t memory = bytes.keyName(name, memories);
    if (errors.count == 0 && n != ends[memory])
      bytes.error("is " + std::to_string(n) + ", but the last buffer ends at " +
                  std::to_string(ends[memory]));
  }
}
