//===- ReadProgram.cpp - Reads a schedule file ----------------------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "transfusion/Target/ScheduleFile/ReadProgram.h"

#include "ProgramReader.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace transfusion;
using namespace transfusion::core;

/// Of the schema; what writes files has the same number.
static constexpr int64_t kVersion = 1;
static constexpr size_t kDeepest = 64;

std::vector<FileError> transfusion::readProgram(llvm::StringRef text,
                                                sim::Program &out) {
  JsonErrors errors{text, {}, 0};
  out = sim::Program();
  if (nestingOf(text) > kDeepest) { // the parser calls itself at each level
    errors.add({}, "nests deeper than any schedule file");
    return errors.list;
  }
  llvm::Expected<llvm::json::Value> file = llvm::json::parse(text);
  if (!file) {
    handleAllErrors(file.takeError(), [&](const llvm::json::ParseError &e) {
      // "[line:column, byte=n]: what"
      const std::string message = e.message();
      llvm::StringRef rest = message;
      FileError error;
      error.path = "the file";
      if (rest.consume_front("[")) {
        rest.consumeInteger(10, error.line);
        rest.consume_front(":");
        rest.consumeInteger(10, error.column);
        error.column = std::max(error.column, 1u);
        rest = rest.split("]: ").second;
      }
      error.message = "is no JSON: " + rest.lower();
      errors.list.push_back(error);
    });
    return errors.list;
  }
  ProgramReader(errors, out).read(JsonCursor(&*file, errors));
  return errors.list;
}

void ProgramReader::read(const JsonCursor &file) {
  if (!readHead(file))
    return;
  readArch(file.at("arch"));
  readRanks(file.at("ranks"));
  readTensors(file.at("tensors"));
  if (errors.count > 0)
    return; // names that are not known would be reported again and again
  nameGroups(file.at("groups"));
  if (file.has("residents"))
    readResidents(file.at("residents"));
  readBuffers(file.at("buffers"));
  if (errors.count > 0)
    return;
  int32_t g = 0;
  for (const JsonCursor &group : file.at("groups").elements())
    readGroup(group, g++);
  checkBuffers(file);
}

/// False when the rest cannot be trusted to mean what we think.
bool ProgramReader::readHead(const JsonCursor &file) {
  const JsonCursor schema = file.at("schema");
  if (!file.has("schema") || schema.string() != "transfusion-schedule") {
    file.error("is no schedule file: its 'schema' is not "
               "'transfusion-schedule'; transfusion-translate "
               "--schedule-to-json writes one");
    return false;
  }
  if (!file.has("version")) {
    file.error("has no key 'version'");
    return false;
  }
  const int64_t version = file.at("version").integer(0, kMostSize);
  if (errors.count > 0)
    return false;
  if (version != kVersion) {
    file.at("version").error(
        "is " + std::to_string(version) + ", and only version " +
        std::to_string(kVersion) +
        " is read: write the file again with transfusion-translate "
        "--schedule-to-json");
    return false;
  }
  file.keys({"schema", "version", "name", "function", "unscheduled_ops?",
             "claimed_cycles", "search", "arch", "ranks", "tensors",
             "allocation_bytes", "residents?", "buffers", "groups"});
  p.name = file.at("name").string();
  file.at("function").string();
  p.claimedCycles = file.at("claimed_cycles").number(0);
  if (file.has("unscheduled_ops"))
    p.unscheduledOps = file.at("unscheduled_ops").integer(1, kMostKept);
  const JsonCursor search = file.at("search");
  search.keys({"policy", "strategy", "objective", "seed", "evaluations"});
  return errors.count == 0;
}

//===----------------------------------------------------------------------===//
// The machine
//===----------------------------------------------------------------------===//

void ProgramReader::readArch(const JsonCursor &arch) {
  arch.keys({"name", "clock_hz", "memories", "units"});
  p.clockHz = arch.at("clock_hz").number(0);
  if (!(p.clockHz > 0))
    arch.at("clock_hz").error("is 0: a machine needs a clock");
  for (const JsonCursor &memory : arch.at("memories").elements())
    readMemory(memory);
  if (p.memories.size() < 2)
    arch.at("memories")
        .error("has fewer than an outer memory and one that feeds the units");
  for (const JsonCursor &unit : arch.at("units").elements()) {
    unit.keys({"name", "kind", "rows", "cols", "instances?", "memory"});
    sim::Unit u;
    u.name =
        unit.at("name").define(units, static_cast<int32_t>(p.units.size()));
    unit.at("kind").oneOf({"grid", "lanes"});
    unit.at("rows").integer(1, kMostSize);
    unit.at("cols").integer(1, kMostSize);
    if (unit.has("instances"))
      u.instances = unit.at("instances").integer(1, kMostKept);
    u.memory = unit.at("memory").name(memories);
    if (u.memory == 0 && errors.count == 0)
      unit.at("memory").error("is the outer memory, which feeds no unit");
    p.units.push_back(std::move(u));
  }
}

void ProgramReader::readMemory(const JsonCursor &memory) {
  memory.keys({"name", "capacity_bytes", "read_bytes_per_s",
               "write_bytes_per_s", "read_port", "write_port"});
  sim::Memory m;
  m.name = memory.at("name").define(memories,
                                    static_cast<int32_t>(p.memories.size()));
  if (!memory.at("capacity_bytes").isNull())
    m.capacityBytes = memory.at("capacity_bytes").integer(0, kMostSize);
  auto perCycle = [&](llvm::StringRef key) {
    if (memory.at(key).isNull() || !(p.clockHz > 0))
      return 0.0; // not given: no limit
    const double perSecond = memory.at(key).number(0);
    if (!(perSecond > 0))
      memory.at(key).error("is 0: null says that it is no limit");
    return perSecond / p.clockHz;
  };
  const double read = perCycle("read_bytes_per_s");
  const double write = perCycle("write_bytes_per_s");
  m.readPort = portOf(memory.at("read_port"), read);
  m.writePort = portOf(memory.at("write_port"), write);
  p.memories.push_back(std::move(m));
}

/// Reads and writes that name one port share it.
int32_t ProgramReader::portOf(const JsonCursor &name, double bytesPerCycle) {
  const std::string s = name.string();
  const int32_t next = static_cast<int32_t>(p.ports.size());
  auto [entry, isNew] = ports.ids.try_emplace(s, next);
  if (isNew)
    p.ports.push_back({s, bytesPerCycle});
  else if (p.ports[entry->second].bytesPerCycle != bytesPerCycle)
    name.error("is port '" + s + "' again, but of another bandwidth");
  return entry->second;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

void ProgramReader::readRanks(const JsonCursor &list) {
  for (const JsonCursor &rank : list.elements()) {
    rank.keys({"name", "extent", "iterative"});
    sim::Rank r;
    r.name =
        rank.at("name").define(ranks, static_cast<int32_t>(p.ranks.size()));
    r.extent = rank.at("extent").integer(1, kMostSize);
    rank.at("iterative").boolean();
    p.ranks.push_back(std::move(r));
  }
}

void ProgramReader::readTensors(const JsonCursor &list) {
  for (const JsonCursor &tensor : list.elements()) {
    tensor.keys(
        {"name", "shape", "bits", "role", "extends?", "in_outer_memory"});
    sim::Tensor t;
    t.name = tensor.at("name").define(tensors,
                                      static_cast<int32_t>(p.tensors.size()));
    for (const JsonCursor &size : tensor.at("shape").elements())
      t.shape.push_back(size.integer(1, kMostSize));
    t.bytesPerValue = (tensor.at("bits").integer(1, kMostKept) + 7) / 8;
    const int32_t role =
        tensor.at("role").oneOf({"input", "output", "intermediate"});
    t.isInput = role == 0;
    t.isOutput = role == 1;
    tensor.at("in_outer_memory").boolean();
    p.tensors.push_back(std::move(t));
  }
  if (errors.count > 0)
    return;
  for (auto [tensor, t] : llvm::zip(list.elements(), p.tensors)) {
    if (!tensor.has("extends"))
      continue;
    t.extends = tensor.at("extends").name(tensors);
    if (errors.count > 0)
      return;
    // Longer in one dimension than its beginning, so that a chain ends.
    const std::vector<int64_t> &base = p.tensors[t.extends].shape;
    int64_t longer = 0, others = 0;
    if (base.size() == t.shape.size())
      for (auto [size, least] : llvm::zip(t.shape, base))
        (size > least ? longer : others) += size >= least;
    if (longer != 1 || others + 1 != static_cast<int64_t>(t.shape.size()))
      tensor.at("extends").error("is no tensor of the same shape but for one "
                                 "dimension, which is shorter");
  }
}

sim::Coordinates ProgramReader::readAccess(const JsonCursor &access,
                                           int32_t tensor) {
  sim::Coordinates all = readSums(access);
  if (errors.count == 0 && all.size() != p.tensors[tensor].shape.size())
    access.error("has " + std::to_string(all.size()) + " dimensions, and " +
                 p.tensors[tensor].name + " has " +
                 std::to_string(p.tensors[tensor].shape.size()));
  return all;
}

sim::Coordinates ProgramReader::readSums(const JsonCursor &list) {
  sim::Coordinates all;
  for (const JsonCursor &dim : list.elements()) {
    dim.keys({"terms", "constant"});
    sim::Coordinate c;
    c.constant = dim.at("constant").integer(-kMostSize, kMostSize);
    for (const auto &[rank, coefficient] : dim.at("terms").members()) {
      const size_t before = errors.count;
      const int64_t n = coefficient.integer(-kMostSize, kMostSize);
      c.terms.push_back({coefficient.keyName(rank, ranks), n});
      if (n == 0 && errors.count == before)
        coefficient.error("is 0: leave out ranks that do not count");
    }
    all.push_back(std::move(c));
  }
  return all;
}

void ProgramReader::readResidents(const JsonCursor &list) {
  for (const JsonCursor &resident : list.elements()) {
    resident.keys({"tensor", "memory", "address", "bytes", "first_group",
                   "last_group", "access?"});
    sim::Resident r;
    r.tensor = resident.at("tensor").name(tensors);
    r.memory = resident.at("memory").name(memories);
    r.address = resident.at("address").integer(0, kMostSize);
    r.bytes = resident.at("bytes").integer(1, kMostSize);
    r.firstGroup = resident.at("first_group").name(groups);
    r.lastGroup = resident.at("last_group").name(groups);
    if (errors.count > 0)
      return;
    bool feeds = r.memory == 0;
    for (const sim::Unit &u : p.units)
      feeds |= u.memory == r.memory;
    if (feeds)
      resident.at("memory").error("is not between the outer memory and one "
                                  "that feeds units");
    if (r.firstGroup > r.lastGroup)
      resident.at("first_group").error("is after last_group");
    r.isPiece = resident.has("access");
    sim::Tensor &t = p.tensors[r.tensor];
    for (const sim::Resident &o : p.residents)
      if (o.tensor == r.tensor &&
          (!o.isPiece || !r.isPiece || o.firstGroup == r.firstGroup))
        resident.at("tensor").error("resides twice");
    if (r.isPiece) {
      r.access = readAccess(resident.at("access"), r.tensor);
      if (r.firstGroup != r.lastGroup)
        resident.at("last_group")
            .error(
                "is another one than first_group, but a piece is of one group");
      p.residents.push_back(r);
      continue;
    }
    if (t.isOutput)
      resident.at("tensor").error("is an output, which ends in the outer "
                                  "memory");
    t.memory = r.memory;
    p.residents.push_back(r);
  }
}

void ProgramReader::readBuffers(const JsonCursor &list) {
  for (const JsonCursor &buffer : list.elements())
    readBuffer(buffer);
}

void ProgramReader::readBuffer(const JsonCursor &buffer) {
  buffer.keys({"name", "tensor", "role", "memory", "address", "bytes", "slots",
               "bytes_per_slot", "bits", "group", "first_use", "last_use",
               "dims", "access"});
  sim::Buffer b;
  b.name =
      buffer.at("name").define(buffers, static_cast<int32_t>(p.buffers.size()));
  b.tensor = buffer.at("tensor").name(tensors);
  b.role = static_cast<sim::Role>(buffer.at("role").oneOf(
      {"input", "window", "accumulator", "carried", "output"}));
  b.memory = buffer.at("memory").name(memories);
  b.address = buffer.at("address").integer(0, kMostSize);
  b.bytes = buffer.at("bytes").integer(1, kMostSize);
  b.slots = buffer.at("slots").integer(1, kMostKept);
  b.bytesPerSlot = buffer.at("bytes_per_slot").integer(1, kMostSize);
  b.bytesPerValue = (buffer.at("bits").integer(1, kMostKept) + 7) / 8;
  b.group = buffer.at("group").name(groups);
  buffer.at("dims").elements();
  const int64_t first =
      firstPhase.empty() ? 0 : firstPhase[static_cast<size_t>(b.group)];
  b.firstUse = buffer.at("first_use").integer(-kMostKept, kMostKept) - first;
  b.lastUse = buffer.at("last_use").integer(0, 2 * kMostKept) - first;
  if (b.tensor < static_cast<int32_t>(p.tensors.size()))
    b.access = readAccess(buffer.at("access"), b.tensor);
  p.buffers.push_back(std::move(b));
}
