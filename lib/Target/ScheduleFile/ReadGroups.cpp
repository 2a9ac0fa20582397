//===- ReadGroups.cpp - Loop nests of a schedule file ---------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramReader.h"

using namespace transfusion;
using namespace transfusion::core;

/// Groups have names before buffers refer to them, and phases numbers.
void ProgramReader::nameGroups(const JsonCursor &list) {
  int64_t phases = 0;
  for (const JsonCursor &group : list.elements()) {
    group.keys({"name", "outer_loops", "outer_tiles", "copies?", "transfers",
                "phases"});
    sim::Group g;
    g.name =
        group.at("name").define(groups, static_cast<int32_t>(p.groups.size()));
    firstPhase.push_back(phases);
    const size_t count = group.at("phases").elements().size();
    if (count == 0)
      group.at("phases").error("is empty: a group has a phase");
    phases += static_cast<int64_t>(count);
    p.groups.push_back(std::move(g));
  }
  if (p.groups.empty())
    list.error("is empty: a schedule has a group");
}

ProgramReader::Extents ProgramReader::readPoints(const JsonCursor &points) {
  Extents all;
  for (const auto &[rank, extent] : points.members())
    all.push_back({extent.keyName(rank, ranks), extent.integer(1, kMostSize)});
  return all;
}

void ProgramReader::readOuterLoops(const JsonCursor &group, sim::Group &out) {
  int64_t tiles = 1;
  std::vector<bool> seen(p.ranks.size(), false);
  for (const JsonCursor &loop : group.at("outer_loops").elements()) {
    loop.keys({"rank", "extent", "tile", "trips", "last"});
    sim::OuterLoop l;
    l.rank = loop.at("rank").name(ranks);
    l.tile = loop.at("tile").integer(1, kMostSize);
    const int64_t trips = loop.at("trips").integer(1, kMostSize);
    const int64_t extent = loop.at("extent").integer(1, kMostSize);
    const int64_t last = loop.at("last").integer(1, kMostSize);
    if (errors.count > 0)
      return;
    if (seen[l.rank])
      loop.at("rank").error("is looped over twice");
    seen[l.rank] = true;
    if (extent != p.ranks[l.rank].extent)
      loop.at("extent").error("is " + std::to_string(extent) +
                              ", but the rank has " +
                              std::to_string(p.ranks[l.rank].extent));
    else if (trips != (extent - 1) / l.tile + 1 ||
             last != extent - (trips - 1) * l.tile)
      loop.at("trips").error(
          "is " + std::to_string(trips) + " with a last tile of " +
          std::to_string(last) + ", but " + std::to_string(extent) +
          " points in tiles of " + std::to_string(l.tile) + " make " +
          std::to_string((extent - 1) / l.tile + 1));
    if (__builtin_mul_overflow(tiles, trips, &tiles) || tiles > kMostSize)
      loop.error("makes more than 2^60 outer tiles");
    out.loops.push_back(l);
  }
  if (errors.count == 0 &&
      group.at("outer_tiles").integer(1, kMostSize) != tiles)
    group.at("outer_tiles")
        .error("is not the product of the trips, " + std::to_string(tiles));
}

void ProgramReader::readGroup(const JsonCursor &group, int32_t g) {
  sim::Group &out = p.groups[g];
  readOuterLoops(group, out);
  if (group.has("copies"))
    for (const JsonCursor &copy : group.at("copies").elements())
      out.copies.push_back(readCopy(copy, g));
  for (const JsonCursor &transfer : group.at("transfers").elements())
    out.transfers.push_back(readTransfer(transfer, g, nullptr));
  for (const JsonCursor &phase : group.at("phases").elements())
    out.phases.push_back(readPhase(phase, g));
}

sim::Phase ProgramReader::readPhase(const JsonCursor &phase, int32_t g) {
  const sim::Group &group = p.groups[g];
  phase.keys({"name", "claimed_cycles", "loops", "epochs", "stages", "wrap",
              "skip?", "inner", "slots", "transfers", "ii_cycles",
              "fill_cycles", "drain_cycles", "prologue", "steady", "epilogue"});
  sim::Phase out;
  out.name = phase.at("name").string();
  out.claimedCycles = phase.at("claimed_cycles").number(0);
  out.stages = phase.at("stages").integer(1, 1024);
  out.wrap = phase.at("wrap").boolean();
  out.iiCycles = phase.at("ii_cycles").integer(0, kMostCycles);
  phase.at("fill_cycles").integer(0, kMostSize);
  phase.at("drain_cycles").integer(0, kMostSize);
  out.inner = readPoints(phase.at("inner"));
  readLoops(phase, group, out);
  if (phase.has("skip"))
    readSkip(phase.at("skip"), out);
  for (const JsonCursor &slot : phase.at("slots").elements()) {
    out.slots.push_back(readSlot(slot));
    if (errors.count == 0)
      checkInstances(slot, out.slots.back(), out.inner);
  }
  if (out.slots.empty())
    phase.at("slots").error("is empty: a phase has a slot");
  for (const JsonCursor &transfer : phase.at("transfers").elements())
    out.transfers.push_back(readTransfer(transfer, g, &out));
  for (const JsonCursor &body : phase.at("prologue").elements())
    out.prologue.push_back(readBody(body, out));
  out.steady = readBody(phase.at("steady"), out);
  for (const JsonCursor &body : phase.at("epilogue").elements())
    out.epilogue.push_back(readBody(body, out));
  return out;
}

void ProgramReader::readLoops(const JsonCursor &phase, const sim::Group &group,
                              sim::Phase &out) {
  int64_t epochs = 1;
  std::vector<bool> seen(p.ranks.size(), false);
  for (const JsonCursor &loop : phase.at("loops").elements()) {
    loop.keys({"rank", "tile", "block", "inner", "trips", "last"});
    sim::Loop l;
    l.rank = loop.at("rank").name(ranks);
    l.tile = loop.at("tile").integer(1, kMostSize);
    l.inner = loop.at("inner").integer(1, kMostSize);
    loop.at("block").integer(1, kMostSize);
    const int64_t trips = loop.at("trips").integer(1, kMostSize);
    const int64_t last = loop.at("last").integer(1, kMostSize);
    if (errors.count > 0)
      return;
    if (seen[l.rank])
      loop.at("rank").error("is looped over twice");
    seen[l.rank] = true;
    int64_t tile = p.ranks[l.rank].extent;
    for (const sim::OuterLoop &outer : group.loops)
      if (outer.rank == l.rank)
        tile = std::min(tile, outer.tile);
    if (l.tile != tile)
      loop.at("tile").error("is " + std::to_string(l.tile) +
                            ", but an outer tile has " + std::to_string(tile) +
                            " points");
    else if (trips != (l.tile - 1) / l.inner + 1 ||
             last != l.tile - (trips - 1) * l.inner)
      loop.at("trips").error("is " + std::to_string(trips) +
                             " with a last piece of " + std::to_string(last) +
                             ", but " + std::to_string(l.tile) + " points by " +
                             std::to_string(l.inner) + " make " +
                             std::to_string((l.tile - 1) / l.inner + 1));
    if (__builtin_mul_overflow(epochs, trips, &epochs) || epochs > kMostSize)
      loop.error("makes more than 2^60 epochs");
    out.loops.push_back(l);
  }
  if (errors.count == 0 && phase.at("epochs").integer(1, kMostSize) != epochs)
    phase.at("epochs").error("is not the product of the trips, " +
                             std::to_string(epochs));
}

void ProgramReader::readSkip(const JsonCursor &skip, sim::Phase &out) {
  skip.keys({"rank", "where"});
  out.skip.rank = skip.at("rank").name(ranks);
  out.skip.where = readSums(skip.at("where"));
  if (errors.count > 0)
    return;
  // Innermost, one point at a time, all of it.
  int64_t inside = 1;
  const sim::Loop *steps = nullptr;
  for (const sim::Loop &loop : out.loops) {
    if (steps)
      inside *= (loop.tile - 1) / loop.inner + 1;
    if (loop.rank == out.skip.rank)
      steps = &loop;
  }
  if (!steps || inside != 1)
    skip.at("rank").error("is not that of the innermost loop");
  else if (steps->inner != 1 || steps->tile != p.ranks[out.skip.rank].extent)
    skip.at("rank").error("is not walked point by point, as a whole");
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

sim::Slot ProgramReader::readSlot(const JsonCursor &slot) {
  slot.keys({"name", "einsum", "part", "unit", "issue", "stage", "rows", "cols",
             "instances?", "reads", "writes", "cycles"});
  sim::Slot out;
  out.name = slot.at("name").string();
  slot.at("einsum").string();
  slot.at("part").oneOf({"whole", "accumulate", "finish"});
  out.unit = slot.at("unit").name(units);
  out.issue = slot.at("issue").integer(0, kMostSize);
  out.stage = slot.at("stage").integer(0, 1023);
  for (llvm::StringRef key : {"rows", "cols"})
    for (const JsonCursor &rank : slot.at(key).elements())
      rank.name(ranks);
  if (slot.has("instances"))
    out.instances = readPoints(slot.at("instances"));
  readReads(slot, out);
  readWrites(slot, out);
  for (const JsonCursor &entry : slot.at("cycles").elements()) {
    entry.keys({"extents", "cycles"});
    sim::SlotCycles c;
    c.extents = readPoints(entry.at("extents"));
    c.cycles = entry.at("cycles").integer(0, kMostCycles);
    out.cycles.push_back(std::move(c));
  }
  return out;
}

/// There are as many instances as parts of a full epoch.
void ProgramReader::checkInstances(const JsonCursor &slot, const sim::Slot &s,
                                   const Extents &inner) {
  const int64_t instances = p.units[s.unit].instances;
  int64_t parts = 1;
  for (const auto &[rank, points] : s.instances) {
    int64_t extent = 1;
    for (const auto &[known, size] : inner)
      if (known == rank)
        extent = size;
    if (__builtin_mul_overflow(parts, (extent - 1) / points + 1, &parts))
      parts = kMostSize;
  }
  if (parts > instances)
    slot.at("instances")
        .error("makes " + std::to_string(parts) + " parts for " +
               std::to_string(instances) + " of " + p.units[s.unit].name);
}

void ProgramReader::readReads(const JsonCursor &slot, sim::Slot &out) {
  for (const JsonCursor &read : slot.at("reads").elements()) {
    read.keys(
        {"tensor", "buffer", "distance", "not_at_first?", "bytes", "access?"});
    sim::Read r;
    r.buffer = read.at("buffer").name(buffers);
    const int32_t tensor = read.at("tensor").name(tensors);
    r.distance = read.at("distance").integer(0, kMostKept);
    if (read.has("not_at_first"))
      r.notAtFirst = read.at("not_at_first").name(ranks);
    read.at("bytes").integer(0, kMostSize);
    if (errors.count > 0)
      continue;
    if (tensor != p.buffers[r.buffer].tensor)
      read.at("tensor").error("is not what the buffer holds");
    r.access = read.has("access") ? readAccess(read.at("access"), tensor)
                                  : p.buffers[r.buffer].access;
    out.reads.push_back(std::move(r));
  }
}

void ProgramReader::readWrites(const JsonCursor &slot, sim::Slot &out) {
  for (const JsonCursor &write : slot.at("writes").elements()) {
    write.keys({"tensor", "buffer", "accumulate", "only_at_last?", "bytes"});
    sim::Write w;
    w.buffer = write.at("buffer").name(buffers);
    const int32_t tensor = write.at("tensor").name(tensors);
    w.accumulate = write.at("accumulate").boolean();
    if (write.has("only_at_last"))
      w.onlyAtLast = write.at("only_at_last").name(ranks);
    write.at("bytes").integer(0, kMostSize);
    if (errors.count == 0 && tensor != p.buffers[w.buffer].tensor)
      write.at("tensor").error("is not what the buffer holds");
    out.writes.push_back(w);
  }
}

sim::Body ProgramReader::readBody(const JsonCursor &body,
                                  const sim::Phase &of) {
  body.keys({"length", "units"});
  sim::Body out;
  out.length = body.at("length").integer(0, kMostSize);
  const int64_t slots = static_cast<int64_t>(of.slots.size());
  for (const auto &[name, list] : body.at("units").members()) {
    const int32_t unit = list.keyName(name, units);
    for (const JsonCursor &slot : list.elements()) {
      slot.keys({"slot", "name", "stage", "start", "end"});
      sim::Claimed c;
      c.slot = static_cast<int32_t>(slot.at("slot").integer(0, slots - 1));
      slot.at("name").string();
      slot.at("stage").integer(0, 1023);
      c.start = slot.at("start").integer(0, kMostSize);
      c.end = slot.at("end").integer(0, kMostSize);
      if (errors.count > 0)
        continue;
      if (of.slots[c.slot].unit != unit)
        slot.at("slot").error("is " + of.slots[c.slot].name +
                              ", which runs on another unit");
      out.slots.push_back(c);
    }
  }
  return out;
}
