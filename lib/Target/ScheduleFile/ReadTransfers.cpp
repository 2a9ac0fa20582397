//===- ReadTransfers.cpp - Loads and stores of a schedule file ------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramReader.h"

using namespace transfusion;
using namespace transfusion::core;

sim::Transfer ProgramReader::readTransfer(const JsonCursor &transfer,
                                          int32_t group,
                                          const sim::Phase *phase) {
  transfer.keys({"kind", "tensor", "buffer", "from", "to", "from_port",
                 "to_port", "bytes", "when", "piece"});
  sim::Transfer t;
  t.isLoad = transfer.at("kind").oneOf({"load", "store"}) == 0;
  t.tensor = transfer.at("tensor").name(tensors);
  t.buffer = transfer.at("buffer").name(buffers);
  t.fromPort = transfer.at("from_port").name(ports);
  t.toPort = transfer.at("to_port").name(ports);
  transfer.at("bytes").integer(1, kMostSize);
  const int32_t from = transfer.at("from").name(memories);
  const int32_t to = transfer.at("to").name(memories);
  if (errors.count == 0) {
    const int32_t inner = p.buffers[t.buffer].memory;
    int32_t outer = p.tensors[t.tensor].memory;
    if (const int32_t piece = pieceOf(group, t.tensor); t.isLoad && piece >= 0)
      outer = p.residents[piece].memory;
    if (from != (t.isLoad ? outer : inner))
      transfer.at("from").error("is not where the tensor comes from");
    if (to != (t.isLoad ? inner : outer))
      transfer.at("to").error("is not where the tensor goes to");
  }
  t.piece = readPoints(transfer.at("piece"));
  readWhen(transfer.at("when"), phase, t);
  return t;
}

/// In Program::residents; -1: the group has no piece of the tensor.
int32_t ProgramReader::pieceOf(int32_t group, int32_t tensor) const {
  for (size_t i = 0; i < p.residents.size(); ++i)
    if (p.residents[i].isPiece && p.residents[i].tensor == tensor &&
        p.residents[i].firstGroup == group)
      return static_cast<int32_t>(i);
  return -1;
}

sim::Copy ProgramReader::readCopy(const JsonCursor &copy, int32_t group) {
  copy.keys({"tensor", "from", "to", "from_port", "to_port", "loop?"});
  sim::Copy c;
  c.tensor = copy.at("tensor").name(tensors);
  c.fromPort = copy.at("from_port").name(ports);
  c.toPort = copy.at("to_port").name(ports);
  const int32_t from = copy.at("from").name(memories);
  const int32_t to = copy.at("to").name(memories);
  if (errors.count > 0)
    return c;
  c.piece = pieceOf(group, c.tensor);
  const int32_t resides =
      c.piece >= 0 ? p.residents[c.piece].memory : p.tensors[c.tensor].memory;
  if (from != 0)
    copy.at("from").error("is not the outer memory");
  if (to == 0 || to != resides)
    copy.at("to").error("is not where the tensor resides");
  if (!copy.has("loop"))
    return c;
  const int32_t rank = copy.at("loop").name(ranks);
  const std::vector<sim::OuterLoop> &loops = p.groups[group].loops;
  for (size_t l = 0; l < loops.size(); ++l)
    if (loops[l].rank == rank)
      c.loop = static_cast<int32_t>(l);
  if (c.loop < 0)
    copy.at("loop").error("is no outer loop of the group");
  else if (c.piece < 0)
    copy.at("loop").error("is of a copy that is whole, and made once");
  return c;
}

void ProgramReader::readWhen(const JsonCursor &when, const sim::Phase *phase,
                             sim::Transfer &t) {
  when.keys({"scope", "loop?", "every?", "stage?", "steps_ahead?",
             "active_steps_of?", "first_phases_ahead?", "phases_later?",
             "after_slot?", "only_at_last?"});
  t.scope = static_cast<sim::Scope>(
      when.at("scope").oneOf({"group", "tile", "epoch"}));
  if ((t.scope == sim::Scope::Group) != (phase == nullptr))
    return when.at("scope").error(phase ? "is 'group' in a phase"
                                        : "is not 'group' outside of a phase");
  if (t.scope == sim::Scope::Group && !t.isLoad)
    return when.at("scope").error("is 'group', and only loads are of a group");
  auto needs = [&](llvm::StringRef key) {
    if (!when.has(key))
      when.error("has no key '" + key.str() + "'");
    return when.has(key);
  };
  auto optional = [&](llvm::StringRef key, int64_t &value) {
    if (when.has(key))
      value = when.at(key).integer(1, kMostKept);
  };
  optional("first_phases_ahead", t.phasesAhead);
  optional("phases_later", t.phasesLater);
  if (when.has("active_steps_of")) {
    const int32_t rank = when.at("active_steps_of").name(ranks);
    t.activeSteps = true;
    if (!phase || rank != phase->skip.rank)
      when.at("active_steps_of").error("is not the rank that the phase skips");
  }
  if (when.has("only_at_last"))
    t.onlyAtLast = when.at("only_at_last").name(ranks);
  if (t.scope != sim::Scope::Epoch)
    return;
  if (needs("stage"))
    t.stage = when.at("stage").integer(0, phase->stages - 1);
  if (!t.isLoad) {
    const int64_t slots = static_cast<int64_t>(phase->slots.size());
    if (needs("after_slot"))
      t.afterSlot =
          static_cast<int32_t>(when.at("after_slot").integer(0, slots - 1));
    return;
  }
  if (needs("every"))
    t.every = when.at("every").integer(1, kMostSize);
  if (needs("steps_ahead"))
    t.stepsAhead = when.at("steps_ahead").integer(0, kMostSize);
  if (!needs("loop"))
    return;
  const int32_t rank = when.at("loop").name(ranks);
  for (size_t l = 0; l < phase->loops.size(); ++l)
    if (phase->loops[l].rank == rank)
      t.loop = static_cast<int32_t>(l);
  if (t.loop < 0) {
    t.loop = 0;
    when.at("loop").error("is no loop of its phase");
  }
}
