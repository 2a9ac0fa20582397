//===- GroupLinks.cpp - Who touches which buffer of a group ---------------===//
//
// Part of TransFusion, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GroupLinks.h"

#include <algorithm>

namespace transfusion::core::sim {

GroupLinks::GroupLinks(const Program &p, int32_t g)
    : p(p), group(p.groups[g]), number(g), buffers(p.buffers.size()) {
  for (size_t b = 0; b < p.buffers.size(); ++b)
    if (p.buffers[b].role == Role::Window || p.buffers[b].role == Role::Output)
      buffers[b].kind = Kind::Rotating;
  addTransfers(group.transfers, -1);
  for (int32_t ph = 0; ph < phases(); ++ph) {
    firstOf.push_back(static_cast<int32_t>(transfers.size()));
    addTransfers(group.phases[ph].transfers, ph);
    addSlots(ph);
    checkUnits(group.phases[ph]);
  }
  for (const TransferLink &link : transfers)
    checkTransfer(link);
  checkBuffers();
  checkResidents();
}

bool GroupLinks::livesIn(const Buffer &b, int64_t phase) const {
  for (int64_t at : {phase - phases(), phase, phase + phases()})
    if (b.firstUse <= at && at <= b.lastUse)
      return true;
  return false;
}

int32_t GroupLinks::pieceOf(int32_t tensor) const {
  for (size_t i = 0; i < p.residents.size(); ++i)
    if (p.residents[i].isPiece && p.residents[i].tensor == tensor &&
        p.residents[i].firstGroup == number)
      return static_cast<int32_t>(i);
  return -1;
}

void GroupLinks::addTransfers(const std::vector<Transfer> &list,
                              int32_t phase) {
  for (const Transfer &t : list) {
    TransferLink link;
    link.transfer = &t;
    link.phase = phase;
    link.where = (phase < 0 ? group.name : group.phases[phase].name) +
                 (t.isLoad ? ", load of " : ", store of ") +
                 p.tensors[t.tensor].name;
    for (int32_t port : {t.fromPort, t.toPort})
      link.uses.push_back({port, 0});
    const int32_t id = static_cast<int32_t>(transfers.size());
    BufferLinks &b = buffers[t.buffer];
    if (t.isLoad && b.load >= 0)
      refuse(link.where,
             "fills " + p.buffers[t.buffer].name + ", as another load does");
    if (t.isLoad) {
      b.load = id;
      if (t.scope == Scope::Epoch)
        b.kind = Kind::Fetched;
    } else {
      b.stores.push_back(id);
    }
    transfers.push_back(std::move(link));
  }
}

void GroupLinks::addSlots(int32_t ph) {
  const Phase &phase = group.phases[ph];
  for (int32_t s = 0; s < static_cast<int32_t>(phase.slots.size()); ++s) {
    const Slot &slot = phase.slots[s];
    const std::string where = phase.name + ", " + slot.name;
    auto touch = [&](std::vector<Touch> &list, int32_t buffer, size_t index) {
      const Buffer &b = p.buffers[buffer];
      if (b.group != number || !livesIn(b, ph))
        refuse(where, "uses " + b.name + ", which does not live in its phase");
      else if (b.memory != p.units[slot.unit].memory)
        refuse(where, "uses " + b.name + " in " + p.memories[b.memory].name +
                          ", which does not feed " + p.units[slot.unit].name);
      list.push_back({ph, s, static_cast<int32_t>(index)});
    };
    for (size_t i = 0; i < slot.reads.size(); ++i)
      touch(buffers[slot.reads[i].buffer].readers, slot.reads[i].buffer, i);
    for (size_t i = 0; i < slot.writes.size(); ++i)
      touch(buffers[slot.writes[i].buffer].writers, slot.writes[i].buffer, i);
    if (slot.stage >= phase.stages)
      refuse(where, "is in stage " + std::to_string(slot.stage) + " of " +
                        std::to_string(phase.stages));
  }
}

/// A unit issues its slots one by one.
void GroupLinks::checkUnits(const Phase &phase) {
  for (size_t s = 0; s < phase.slots.size(); ++s)
    for (size_t t = 0; t < s; ++t)
      if (phase.slots[s].unit == phase.slots[t].unit &&
          phase.slots[s].issue == phase.slots[t].issue)
        refuse(phase.name + ", " + phase.slots[s].name,
               "is issued on " + p.units[phase.slots[s].unit].name +
                   " at the same place as " + phase.slots[t].name);
  if (phase.loops.size() > 64)
    refuse(phase.name, "has " + std::to_string(phase.loops.size()) +
                           " loops, and at most 64 are simulated");
}

void GroupLinks::checkTransfer(const TransferLink &link) {
  const Transfer &t = *link.transfer;
  const Buffer &b = p.buffers[t.buffer];
  const int32_t piece = t.isLoad ? pieceOf(t.tensor) : -1;
  const Memory &outer = p.memories[piece < 0 ? p.tensors[t.tensor].memory
                                             : p.residents[piece].memory];
  if (piece >= 0 && (link.phase < 0 || t.phasesAhead > 0))
    refuse(link.where, "reads what was not written: the piece that it loads "
                       "from comes with an outer tile");
  const Memory &inner = p.memories[b.memory];
  const int32_t from = t.isLoad ? outer.readPort : inner.readPort;
  const int32_t to = t.isLoad ? inner.writePort : outer.writePort;
  if (t.fromPort != from || t.toPort != to)
    refuse(link.where, "oversubscribes a port: it goes from " +
                           p.ports[t.fromPort].name + " to " +
                           p.ports[t.toPort].name + ", not from " +
                           p.ports[from].name + " to " + p.ports[to].name);
  if (t.tensor != b.tensor)
    refuse(link.where,
           "uses " + b.name + ", which holds " + p.tensors[b.tensor].name);
  if (b.group != number)
    return refuse(link.where, "uses " + b.name + " of another group");
  const int64_t first = link.phase - t.phasesAhead;
  const int64_t last = link.phase + t.phasesLater;
  if (link.phase >= 0 && (b.firstUse > first || b.lastUse < last))
    refuse(link.where, "moves " + b.name + " outside of its life");
  if (t.phasesAhead >= phases() || t.phasesLater >= phases())
    if (link.phase >= 0)
      refuse(link.where, "is moved by as many phases as there are, so that it "
                         "overwrites what is still needed in " +
                             b.name);
  t.isLoad ? checkLoad(link) : checkStore(link);
}

void GroupLinks::checkStore(const TransferLink &link) {
  const Transfer &t = *link.transfer;
  const Buffer &b = p.buffers[t.buffer];
  if (t.scope != Scope::Epoch || link.phase < 0)
    return refuse(link.where, "is no store of an epoch");
  if (t.phasesLater > 0 && buffers[t.buffer].kind != Kind::Whole)
    refuse(link.where, "is stored later from " + b.name +
                           ", which keeps pieces of an epoch only");
  const Slot &slot = group.phases[link.phase].slots[t.afterSlot];
  bool makes = false;
  for (const Write &w : slot.writes)
    makes |= w.buffer == t.buffer && !w.accumulate;
  if (!makes)
    refuse(link.where, "reads what was not written: " + slot.name +
                           " does not write " + b.name);
  if (slot.stage != t.stage)
    refuse(link.where, "is of stage " + std::to_string(t.stage) + ", but " +
                           slot.name + " is in stage " +
                           std::to_string(slot.stage));
}

void GroupLinks::checkLoad(const TransferLink &link) {
  const Transfer &t = *link.transfer;
  const Buffer &b = p.buffers[t.buffer];
  if (b.role != Role::Input)
    refuse(link.where, "overwrites what is still needed: " + b.name +
                           " holds what slots make");
  if (t.scope == Scope::Epoch)
    for (const Touch &r : buffers[t.buffer].readers) {
      const Slot &slot = group.phases[r.phase].slots[r.slot];
      if (r.phase != link.phase)
        refuse(group.phases[r.phase].name + ", " + slot.name,
               "reads what was not written: " + b.name +
                   " is loaded by the epoch in another phase");
      else if (slot.stage < t.stage)
        refuse(group.phases[r.phase].name + ", " + slot.name,
               "reads what was not written: it reads " + b.name + " in stage " +
                   std::to_string(slot.stage) +
                   ", which has arrived for stage " + std::to_string(t.stage));
    }
}

/// Residents that the group moves live in it, each in its memory.
void GroupLinks::checkResidents() {
  for (const Resident &r : p.residents) {
    const std::string where = "resident " + p.tensors[r.tensor].name;
    const int64_t capacity = p.memories[r.memory].capacityBytes;
    if (capacity >= 0 && r.address + r.bytes > capacity)
      refuse(where, "ends at byte " + std::to_string(r.address + r.bytes) +
                        " of " + p.memories[r.memory].name + ", which has " +
                        std::to_string(capacity));
    if (r.isPiece || (r.firstGroup <= number && number <= r.lastGroup))
      continue;
    for (const TransferLink &link : transfers)
      if (link.transfer->tensor == r.tensor)
        refuse(link.where, "moves a resident outside of its life");
  }
  for (const Copy &copy : group.copies) {
    const Tensor &t = p.tensors[copy.tensor];
    const std::string where = group.name + ", copy of " + t.name;
    bool starts = copy.piece >= 0;
    for (const Resident &r : p.residents)
      starts |= r.tensor == copy.tensor && r.firstGroup == number;
    if ((!t.isInput && copy.piece < 0) || !starts)
      refuse(where, t.isInput ? "comes in another group than the first that "
                                "it lives in"
                              : "is of no input");
    for (const Copy *other = group.copies.data(); other != &copy; ++other)
      if (other->tensor == copy.tensor) {
        refuse(where, "is made twice");
        break;
      }
    const int32_t from = p.memories.front().readPort;
    const int32_t to =
        p.memories[copy.piece < 0 ? t.memory : p.residents[copy.piece].memory]
            .writePort;
    if (copy.fromPort != from || copy.toPort != to)
      refuse(where, "oversubscribes a port: it goes from " +
                        p.ports[copy.fromPort].name + " to " +
                        p.ports[copy.toPort].name + ", not from " +
                        p.ports[from].name + " to " + p.ports[to].name);
  }
}

void GroupLinks::checkBuffers() {
  for (size_t i = 0; i < p.buffers.size(); ++i) {
    const Buffer &b = p.buffers[i];
    if (b.group != number)
      continue;
    const int64_t capacity = p.memories[b.memory].capacityBytes;
    if (capacity >= 0 && b.address + b.bytes > capacity)
      refuse(b.name, "ends at byte " + std::to_string(b.address + b.bytes) +
                         " of " + p.memories[b.memory].name + ", which has " +
                         std::to_string(capacity));
    if (b.lastUse - b.firstUse >= phases())
      refuse(b.name, "lives in a phase twice, so that what is still needed is "
                     "overwritten");
    int64_t makers = 0;
    for (const Touch &w : buffers[i].writers) {
      const Slot &slot = group.phases[w.phase].slots[w.slot];
      makers += 1;
      if (b.role == Role::Input || makers > 1)
        refuse(group.phases[w.phase].name + ", " + slot.name,
               "overwrites what is still needed in " + b.name);
    }
    for (const Touch &r : buffers[i].readers)
      if (buffers[i].kind == Kind::Rotating)
        for (const Touch &w : buffers[i].writers)
          if (r.phase != w.phase)
            refuse(group.phases[r.phase].name + ", " +
                       group.phases[r.phase].slots[r.slot].name,
                   "reads what was not written: " + b.name +
                       " holds pieces of another phase");
  }
}

} // namespace transfusion::core::sim
